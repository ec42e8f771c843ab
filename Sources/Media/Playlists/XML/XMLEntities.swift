/// XML's references to characters (XML 1.0 §4.1, §4.6).
enum XMLEntities {
  /// Bytes between `&` and `;` at most; others are no reference.
  private static let lengthLimit = 10

  /// The text with references replaced. What is no reference, or means no character, stays as it is.
  static func replaced(in bytes: ArraySlice<UInt8>) -> String {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes
    while let byte = rest.first {
      rest = rest.dropFirst()
      guard byte == UInt8(ascii: "&"), let end = rest.prefix(lengthLimit).firstIndex(of: UInt8(ascii: ";")),
        let scalar = scalar(String(decoding: rest[..<end], as: UTF8.self))
      else {
        result.append(byte)
        continue
      }
      result += Array(String(Character(scalar)).utf8)
      rest = rest[(end + 1)...]
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func scalar(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard name.utf8.first == UInt8(ascii: "#") else { return nil }
      let digits = name.dropFirst()
      let isHexadecimal = digits.utf8.first.map { $0 | 0x20 } == UInt8(ascii: "x")
      let number = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
      return number.flatMap { $0 == 0 ? nil : Unicode.Scalar($0) }
    }
  }
}
