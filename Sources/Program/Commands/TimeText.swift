/// Times as people write them: `90`, `1:30`, `1:02:03.5`, `90s`, `1h2m`.
package enum TimeText {
  /// Reads a time.
  /// - Returns: Seconds, 0 or more and finite; `nil` when it is no time.
  package static func seconds(_ text: some StringProtocol) -> Double? {
    let text = Substring(text)
    if text.contains(":") { return clock(text) }
    if let last = text.last, "hms".contains(last) { return units(text) }
    return number(text)
  }

  /// Reads a number as Swift prints it, without a sign: `90`, `0.5`, `1e-05`.
  /// - Returns: `nil` for signs, names (`nan`, `inf`), hexadecimal digits and what is too large.
  package static func number(_ text: some StringProtocol) -> Double? {
    guard let first = text.utf8.first, isDigit(first), text.utf8.count <= 40 else { return nil }
    guard text.utf8.allSatisfy({ isDigit($0) || ".e-+".utf8.contains($0) }), let value = Double(String(text)) else {
      return nil
    }
    return value.isFinite ? value : nil
  }

  /// `1:30`, `1:02:03.5`: minutes and seconds below 60 behind the first colon.
  private static func clock(_ text: Substring) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 3 else { return nil }
    var total = 0.0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard let value = number(part), isLast || isWhole(part), index == 0 || value < 60 else { return nil }
      guard !part.contains("e") else { return nil }
      total = total * 60 + value
    }
    return total
  }

  /// `90s`, `1h2m`, `1h2m3.5s`: each unit at most once, in falling order.
  private static func units(_ text: Substring) -> Double? {
    var rest = text
    var total = 0.0
    for (unit, factor) in [("h", 3600.0), ("m", 60), ("s", 1)] as [(Character, Double)] {
      guard let mark = rest.firstIndex(of: unit) else { continue }
      guard let value = number(rest[..<mark]) else { return nil }
      total += value * factor
      rest = rest[rest.index(after: mark)...]
    }
    return rest.isEmpty && total.isFinite ? total : nil
  }

  /// Prints a time for people: `3:07`, `1:02:03`; whole seconds, rounded down.
  package static func clock(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "-:--" }
    let whole = Int(seconds)
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let minutes = whole / 60 % 60
    return whole < 3600
      ? "\(minutes):\(padded(whole % 60))" : "\(whole / 3600):\(padded(minutes)):\(padded(whole % 60))"
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
  private static func isWhole(_ text: Substring) -> Bool { text.utf8.allSatisfy(isDigit) }
}
