package import AudioModel

/// The header of a FLAC frame, checked by its CRC-8. Source: RFC 9639 §9.1.
package struct FLACFrameHeader: Hashable {
  /// Most bytes of a header.
  package static let limit = 16
  /// Fewest bytes of a frame: a header, one constant subframe, the CRC-16.
  static let shortestFrame = 10

  /// The number counts samples, since blocks may differ in length; else it counts frames.
  package var isVariable: Bool
  /// Sample number (``isVariable``) or frame number of the first sample.
  package var number: Int64
  /// Samples of each channel, 1…65 535.
  package var blockSize: Int
  /// Hertz; `nil` where only STREAMINFO tells.
  package var sampleRate: Int?
  /// Channels, 1…8.
  package var channels: Int
  /// Bits of a sample, 8…32; `nil` where only STREAMINFO tells.
  package var bits: Int?
  /// Bytes of the header, 6…16.
  package var byteCount: Int

  /// Reads the header that `bytes` begin with; `nil` where they are none. ``limit`` bytes are enough.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= 6, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xF8 else { return nil }
    let sizeCode = bytes[2] >> 4
    let rateCode = Int(bytes[2] & 0xF)
    let channelCode = Int(bytes[3] >> 4)
    let depthCode = Int(bytes[3] >> 1 & 7)
    guard sizeCode != 0, rateCode != 15, channelCode <= 10, depthCode != 3, bytes[3] & 1 == 0 else { return nil }
    isVariable = bytes[1] & 1 == 1
    channels = channelCode < 8 ? channelCode + 1 : 2
    bits = Self.depths[depthCode]

    var at = 4
    // The number is coded as UTF-8 codes characters, in up to seven bytes.
    let first = bytes[4]
    let length = first < 0x80 ? 1 : (~first).leadingZeroBitCount
    guard length != 1 || first < 0x80, length <= (isVariable ? 7 : 6), bytes.count > 4 + length else { return nil }
    var number = length == 1 ? Int64(first) : Int64(first & (0x7F >> UInt8(length)))
    for index in 1..<max(length, 1) {
      guard bytes[4 + index] & 0xC0 == 0x80 else { return nil }
      number = number << 6 | Int64(bytes[4 + index] & 0x3F)
    }
    self.number = number
    at += length

    func take(_ count: Int) -> Int? {
      guard bytes.count >= at + count else { return nil }
      defer { at += count }
      return bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
    }
    guard let size = Self.blockSize(sizeCode, stored: take), size <= FLACTimeline.longestBlock else { return nil }
    blockSize = size
    switch rateCode {
    case 12...14:
      guard let stored = take(rateCode == 12 ? 1 : 2) else { return nil }
      let hertz = stored * (rateCode == 12 ? 1000 : rateCode == 14 ? 10 : 1)
      sampleRate = hertz > 0 ? hertz : nil
    default: sampleRate = Self.rates[rateCode]
    }
    guard bytes.count > at, FLACChecksum.crc8(bytes[..<at]) == bytes[at] else { return nil }
    byteCount = at + 1
  }

  /// Samples of each channel in a frame (RFC 9639 §9.1.1, §9.1.5).
  /// - Parameters:
  ///   - code: Four bits of the header.
  ///   - stored: Reads the number behind the frame's own, of one byte or two.
  static func blockSize(_ code: UInt8, stored: (Int) -> Int?) -> Int? {
    switch code {
    case 1: 192
    case 2...5: 576 << Int(code - 2)
    case 6, 7: stored(Int(code) - 5).map { $0 + 1 }
    case 8...15: 256 << Int(code - 8)
    default: nil
    }
  }

  /// Reads the header at a position, where ``limit`` bytes are in the window unless the source ends.
  init?(_ window: ByteWindow, at position: Int64) {
    let count = window.available(position, limit: Self.limit)
    guard count >= 6, let found = window.withBytes(position, count: count, { FLACFrameHeader($0) }), let found else {
      return nil
    }
    self = found
  }

  /// Whether the header's number is the one after the frame of another.
  func follows(_ other: FLACFrameHeader) -> Bool {
    isVariable == other.isVariable && number == other.number + (isVariable ? Int64(other.blockSize) : 1)
  }

  /// Most bytes that a frame with this header may have: twice its samples uncompressed, and 64 KiB. At most 4.3 MB.
  var longestFrame: Int64 { Int64(2 * blockSize * channels * ((bits ?? 32) + 8) / 8 + 65_536) }

  private static let rates: [Int?] = [
    nil, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
  ]
  private static let depths: [Int?] = [nil, 8, 12, nil, 16, 20, 24, 32]
}

/// The 34 bytes that say what a FLAC stream is. Source: RFC 9639 §8.2. Of a shorter block the fields that are there count.
package struct FLACStreamInfo: Hashable {
  /// Bytes of it.
  package static let size = 34
  /// Fewest bytes that are of use: up to the number of samples.
  static let shortest = 18

  /// Samples of the shortest and the longest block; the last one does not count.
  package var blockSizes: (shortest: Int, longest: Int) { (number(0, 2), number(2, 2)) }
  /// Bytes of the longest frame; 0 for unknown.
  package var longestFrame: Int { number(7, 3) }
  /// Hertz; `nil` for none.
  package var sampleRate: SampleRate? { SampleRate(hertz: number(10, 3) >> 4) }
  /// Channels, 1…8.
  package var channels: Int { number(12, 1) >> 1 & 7 + 1 }
  /// Bits of a sample, 1…32.
  package var bits: Int { number(12, 2) >> 4 & 31 + 1 }
  /// Samples of each channel in the stream; 0 for unknown.
  package var totalSamples: Int64 { Int64(number(13, 5) & 0xF_FFFF_FFFF) }
  /// The bytes themselves, ``size`` of them.
  package let bytes: [UInt8]

  /// Reads a block's body; `nil` where it is too short, or all zeros.
  package init?(_ body: [UInt8]) {
    guard body.count >= Self.shortest, body.prefix(Self.shortest).contains(where: { $0 != 0 }) else { return nil }
    bytes = Array((body + [UInt8](repeating: 0, count: Self.size)).prefix(Self.size))
  }

  /// Makes up what a stream without the block would have had, from its first frame.
  package init(_ header: FLACFrameHeader) {
    let hertz = min(header.sampleRate ?? 44_100, 0xF_FFFF)
    let packed =
      UInt64(hertz) << 44 | UInt64(header.channels - 1) << 41 | UInt64((header.bits ?? 16) - 1) << 36
    let block = [
      UInt8(truncatingIfNeeded: max(header.blockSize, 16) >> 8), UInt8(truncatingIfNeeded: max(header.blockSize, 16)),
    ]
    bytes =
      block + block + [UInt8](repeating: 0, count: 6)
      + (0..<8).map { UInt8(truncatingIfNeeded: packed >> (56 - 8 * UInt64($0))) } + [UInt8](repeating: 0, count: 16)
  }

  private func number(_ at: Int, _ count: Int) -> Int { bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }
}
