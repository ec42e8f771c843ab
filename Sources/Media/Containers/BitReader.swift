/// Reads numbers of any width out of bytes, most significant bit first. Reading behind the end gives zeros and is
/// remembered.
struct BitReader {
  private let bytes: [UInt8]
  /// Bits that were read.
  private(set) var position = 0
  /// More was read than is there.
  private(set) var isExhausted = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Bits that are left.
  var remaining: Int { max(bytes.count * 8 - position, 0) }

  /// The next `count` bits, 0…32.
  mutating func read(_ count: Int) -> Int {
    guard count <= remaining else {
      isExhausted = true
      position = bytes.count * 8
      return 0
    }
    var value = 0
    for _ in 0..<count {
      value = value << 1 | Int(bytes[position >> 3] >> UInt8(7 - position & 7) & 1)
      position += 1
    }
    return value
  }

  /// The next bit.
  mutating func flag() -> Bool { read(1) == 1 }

  /// Passes by `count` bits.
  mutating func skip(_ count: Int) {
    if count > remaining { isExhausted = true }
    position += min(count, remaining)
  }

  /// Goes on to the next multiple of 8 bits from the first one on.
  mutating func align() { skip(-position & 7) }
}

/// Writes numbers of any width as bytes, most significant bit first.
struct BitWriter {
  /// What was written; the last byte is filled up with zeros.
  private(set) var bytes: [UInt8] = []
  private var count = 0

  /// Appends the lowest `width` bits of a number.
  mutating func write(_ value: Int, _ width: Int) {
    for bit in (0..<width).reversed() {
      if count & 7 == 0 { bytes.append(0) }
      bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(7 - count & 7)
      count += 1
    }
  }

  /// Fills the last byte up.
  mutating func align() { count = bytes.count * 8 }
}
