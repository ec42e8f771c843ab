/// Makes FLAC frame by frame, samples stored as they are (RFC 9639 §9). The sound is a ``LosslessRuler`` reduced to the
/// depth, so that every frame tells its place.
package struct FLACFixture {
  package var rate = 44_100
  /// 1…8.
  package var channels = 2
  /// 4…32; depths that frame headers can't say stand in STREAMINFO only.
  package var bits = 24
  package var blockSize = 256
  /// Numbers count samples rather than frames.
  package var isVariable = false
  /// Frame headers leave rate and depth to STREAMINFO.
  package var isTerse = false
  /// Low bits that are zero, and left out.
  package var wastedBits = 0
  /// The first frame's place.
  package var first: Int64 = 0

  package init() {}

  /// The sample at a place, as a whole number of ``bits`` bits.
  package func sample(_ frame: Int64, channel: Int) -> Int64 {
    let ruler = Int64(LosslessRuler.sample(frame, channel: channel) * 0x1p23)
    // Deeper ones get bits of their own, so that rounding shows.
    let value = bits <= 24 ? ruler >> (24 - bits) : ruler << (bits - 24) | (frame &* 37 & (1 << (bits - 24) - 1))
    return (value >> wastedBits) << wastedBits
  }

  /// What a decoder makes of it.
  package func float(_ frame: Int64, channel: Int) -> Float {
    Float(sample(frame, channel: channel)) * Float(sign: .plus, exponent: 1 - bits, significand: 1)
  }

  /// One frame: number `index`, `count` samples (``blockSize`` where nothing is said).
  package func frame(_ index: Int, count: Int? = nil) -> [UInt8] {
    let count = count ?? blockSize
    let start = first + Int64(index * blockSize)
    var bytes = header(number: isVariable ? start : start / Int64(blockSize), count: count)
    bytes.append(Self.crc8(bytes))
    var writer = BitWriter()
    for channel in 0..<channels {
      writer.add(wastedBits > 0 ? 3 : 2, 8)
      if wastedBits > 0 { writer.add(1, wastedBits) }
      for offset in 0..<count {
        writer.add(sample(start + Int64(offset), channel: channel) >> wastedBits, bits - wastedBits)
      }
    }
    bytes += writer.finish()
    let crc = Self.crc16(bytes)
    return bytes + [UInt8(crc >> 8), UInt8(crc & 0xFF)]
  }

  /// A frame that no decoder can read, with `count` bytes in place of samples: for what only looks for frames.
  package func hollowFrame(_ index: Int, count: Int) -> [UInt8] {
    var bytes = header(number: Int64(isVariable ? index * blockSize : index), count: blockSize)
    bytes.append(Self.crc8(bytes))
    bytes += [UInt8](repeating: 0x55, count: count)
    let crc = Self.crc16(bytes)
    return bytes + [UInt8(crc >> 8), UInt8(crc & 0xFF)]
  }

  private func header(number: Int64, count: Int) -> [UInt8] {
    let depth = isTerse ? 0 : [8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7][bits] ?? 0
    let rateCode: UInt8 = isTerse ? 0 : 13
    var bytes: [UInt8] = [
      0xFF, isVariable ? 0xF9 : 0xF8, 0x70 | rateCode, UInt8(channels - 1) << 4 | UInt8(depth) << 1,
    ]
    bytes += Self.coded(number) + [UInt8((count - 1) >> 8), UInt8((count - 1) & 0xFF)]
    if !isTerse { bytes += [UInt8(rate >> 8 & 0xFF), UInt8(rate & 0xFF)] }
    return bytes
  }

  /// Frames `range`, and a last one of `rest` samples.
  package func frames(_ range: Range<Int>, rest: Int = 0) -> [UInt8] {
    range.flatMap { frame($0) } + (rest > 0 ? frame(range.upperBound, count: rest) : [])
  }

  /// STREAMINFO's body.
  package func streamInfo(total: Int64) -> [UInt8] {
    let size = [UInt8(blockSize >> 8), UInt8(blockSize & 0xFF)]
    let packed =
      UInt64(rate) << 44 | UInt64(channels - 1) << 41 | UInt64(bits - 1) << 36 | UInt64(total)
    return size + size + [0, 0, 0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: packed >> (56 - 8 * $0)) }
      + [UInt8](repeating: 0, count: 16)
  }

  /// A metadata block.
  package static func block(_ type: UInt8, _ body: [UInt8], isLast: Bool = false, size: Int? = nil) -> [UInt8] {
    let size = size ?? body.count
    return [type | (isLast ? 0x80 : 0), UInt8(size >> 16 & 0xFF), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)] + body
  }

  /// A file: `count` whole blocks and `rest` samples, behind STREAMINFO and other blocks.
  package func file(_ count: Int, rest: Int = 0, total: Int64? = nil, blocks: [UInt8] = []) -> [UInt8] {
    let all = total ?? Int64(count * blockSize + rest)
    return Array("fLaC".utf8) + Self.block(0, streamInfo(total: all)) + blocks
      + Self.block(1, [UInt8](repeating: 0, count: 20), isLast: true) + frames(0..<count, rest: rest)
  }

  /// The body of a block of Vorbis comments.
  package static func comments(_ texts: [String], count: Int? = nil) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    return number(5) + Array("maker".utf8) + number(count ?? texts.count)
      + texts.flatMap { number($0.utf8.count) + Array($0.utf8) }
  }

  /// A number as frame headers code it.
  private static func coded(_ number: Int64) -> [UInt8] {
    guard number >= 0x80 else { return [UInt8(number)] }
    let bits = 64 - number.leadingZeroBitCount
    let more = (1...6).first { 6 * $0 + 6 - $0 >= bits } ?? 6
    let lead = more == 6 ? 0xFE : UInt8(truncatingIfNeeded: 0xFF00 >> (more + 1)) | UInt8(number >> (6 * Int64(more)))
    return [lead] + (0..<more).reversed().map { 0x80 | UInt8(number >> (6 * Int64($0)) & 0x3F) }
  }

  private static func crc8(_ bytes: [UInt8]) -> UInt8 {
    bytes.reduce(0) { crc, byte in
      (0..<8).reduce(crc ^ byte) { crc, _ in crc << 1 ^ (crc & 0x80 != 0 ? 0x07 : 0) }
    }
  }

  /// The checksum that frames end with, a byte at a time.
  package static func crc16(_ bytes: [UInt8]) -> UInt16 {
    bytes.withUnsafeBufferPointer { bytes in
      table16.withUnsafeBufferPointer { table in
        var crc: UInt16 = 0
        for byte in bytes { crc = crc << 8 ^ table[Int(UInt8(crc >> 8) ^ byte)] }
        return crc
      }
    }
  }

  private static let table16 = (0..<256).map { byte in
    (0..<8).reduce(UInt16(byte) << 8) { crc, _ in crc << 1 ^ (crc & 0x8000 != 0 ? 0x8005 : 0) }
  }
}

/// Writes numbers bit by bit, most significant first.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var pending: UInt64 = 0
  private var count = 0

  mutating func add(_ value: Int64, _ bits: Int) {
    pending = pending << UInt64(bits) | UInt64(bitPattern: value) & (1 << UInt64(bits) - 1)
    count += bits
    while count >= 8 {
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> UInt64(count)))
    }
  }

  mutating func finish() -> [UInt8] {
    if count > 0 { add(0, 8 - count) }
    return bytes
  }
}
