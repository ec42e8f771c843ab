/// A list of `NAME=value` with commas between (RFC 8216 §4.2); blanks around names and values are passed over.
struct HLSAttributes {
  private var values: [(name: Substring, value: Substring)] = []

  /// Attributes of a tag that are kept.
  private static let limit = 64

  init(_ text: Substring) {
    var rest = text.utf8
    while !rest.isEmpty, values.count < Self.limit {
      guard let equals = rest.firstIndex(of: UInt8(ascii: "=")) else { return }
      // A word without a value stands before a comma, and the name behind it.
      let name = Substring(rest[..<equals].split(separator: UInt8(ascii: ",")).last ?? rest[..<rest.startIndex])
      rest = Substring(rest[rest.index(after: equals)...]).trimmed.utf8
      let value: Substring
      if rest.first == UInt8(ascii: "\"") {
        value = Substring(rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") })
        rest = rest[value.endIndex...].dropFirst()
      } else {
        value = Substring(rest.prefix { $0 != UInt8(ascii: ",") }).trimmed
      }
      rest = rest.drop { $0 != UInt8(ascii: ",") }.dropFirst()
      values.append((name.trimmed, value))
    }
  }

  /// The first value of a name, without its quotes.
  subscript(name: String) -> Substring? { values.first { $0.name == name }?.value }

  /// A decimal number that fits.
  func integer(_ name: String) -> Int? {
    self[name].flatMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
  }
}
