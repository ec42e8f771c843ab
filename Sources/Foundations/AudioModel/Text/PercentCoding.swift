/// RFC 3986's escapes.
package enum PercentCoding {
  /// The bytes that `text` stands for, or `nil` where a `%` is not followed by two hexadecimal digits.
  package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var rest = text.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        result.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
      result.append(high << 4 | low)
    }
    return result
  }

  /// `text` with every byte escaped that no URL may hold: spaces, control characters, non-ASCII.
  package static func encodeForbidden(_ text: Substring) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      if byte > 0x20 && byte < 0x7F {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
