/// Puts numbers and texts together as bytes.
struct ByteBuilder {
  /// What was put together.
  private(set) var bytes: [UInt8] = []

  /// Adds bytes.
  mutating func add(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Adds a text as UTF-8.
  mutating func text(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Adds the lowest `size` bytes of a number, the most significant first.
  mutating func big(_ value: Int64, _ size: Int) {
    for index in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> Int64(8 * index))) }
  }

  /// Adds the lowest `size` bytes of a number, the most significant first.
  mutating func big(_ value: Int, _ size: Int) { big(Int64(value), size) }

  /// Adds the lowest `size` bytes of a number, the least significant first.
  mutating func little(_ value: Int64, _ size: Int) {
    for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> Int64(8 * index))) }
  }

  /// Adds the lowest `size` bytes of a number, the least significant first.
  mutating func little(_ value: Int, _ size: Int) { little(Int64(value), size) }

  /// Adds zeros.
  mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: max(count, 0))) }

  /// What `body` puts together.
  static func make(_ body: (inout ByteBuilder) -> Void) -> [UInt8] {
    var builder = ByteBuilder()
    body(&builder)
    return builder.bytes
  }
}
