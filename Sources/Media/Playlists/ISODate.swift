/// Dates as ISO 8601 and RFC 3339 write them: `2010-02-19T14:54:23.031+08:00`.
enum ISODate {
  /// Seconds since 1970-01-01T00:00:00Z; `nil` for what is no date with a time. Without a zone it counts as UTC, and a
  /// leap second as the first of the next minute.
  static func seconds(_ text: Substring) -> Double? {
    let bytes = Array(text.trimmed.utf8.prefix(40))
    func number(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      return bytes[range].reduce(0) { $0 * 10 + Int($1 & 15) }
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), bytes[4] == 0x2D, bytes[7] == 0x2D,
      bytes[10] | 0x20 == UInt8(ascii: "t") || bytes[10] == 0x20, bytes[13] == 0x3A, bytes[16] == 0x3A,
      (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    var at = 19
    var fraction = 0.0
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
      let digits = bytes[(at + 1)...].prefix { (0x30...0x39).contains($0) }
      fraction = Double("0." + String(decoding: digits, as: UTF8.self)) ?? 0
      at = digits.endIndex
    }
    var zone = 0
    if at < bytes.count, bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "-") {
      let minutesAt = at + 3 < bytes.count && bytes[at + 3] == 0x3A ? at + 4 : at + 3
      guard let hours = number(at + 1..<at + 3), hours < 24 else { return nil }
      zone = (hours * 60 + (number(minutesAt..<minutesAt + 2) ?? 0)) * (bytes[at] == UInt8(ascii: "-") ? -1 : 1)
    }
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - zone
    return Double(minutes * 60 + second) + fraction
  }

  /// Days since 1970-01-01 in the Gregorian calendar. Years are counted from March, so that the leap day is their last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let years = month > 2 ? year : year - 1
    let months = (month + 9) % 12
    let leapDays = years / 4 - years / 100 + years / 400
    return years * 365 + leapDays + (months * 153 + 2) / 5 + day - 1 - 719_468
  }
}
