extension JSONValue {
  /// Reads a JSON string, quotes included.
  /// - Returns: The text; `nil` when `source` is anything else than exactly one string.
  package static func readString(_ source: some StringProtocol) -> String? {
    var units = Array(source.utf16)[...]
    guard units.popFirst() == 0x22 else { return nil }
    var text: [UInt16] = []
    while let unit = units.popFirst() {
      switch unit {
      case 0x22: return units.isEmpty ? String(validating: text, as: UTF16.self) : nil
      case 0..<0x20: return nil
      case 0x5C:
        guard let escape = units.popFirst(), let value = escaped(escape, &units) else { return nil }
        text.append(value)
      default: text.append(unit)
      }
    }
    return nil
  }

  private static func escaped(_ escape: UInt16, _ units: inout ArraySlice<UInt16>) -> UInt16? {
    switch UInt8(exactly: escape) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return escape
    case UInt8(ascii: "b"): return 8
    case UInt8(ascii: "f"): return 12
    case UInt8(ascii: "n"): return 10
    case UInt8(ascii: "r"): return 13
    case UInt8(ascii: "t"): return 9
    case UInt8(ascii: "u"):
      guard units.count >= 4 else { return nil }
      let digits = String(decoding: units.prefix(4), as: UTF16.self)
      units.removeFirst(4)
      return digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
    default: return nil
    }
  }
}
