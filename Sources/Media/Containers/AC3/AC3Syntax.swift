import AudioModel

/// AC-3 and E-AC-3 in sync frames. Source: ETSI TS 102 366 §4.4 and annex E.1.3.
struct AC3Syntax: FrameSyntax {
  static let headerSize = 8
  static let firstByte: UInt8? = 0x0B
  /// The transform's overlap reaches one packet back; another one settles the exponents that are sent by differences.
  static let prerollPackets = 3

  /// Frames of channels beyond the first six that a packet may have (§E.1.3.1.2: eight substreams).
  private static let dependentLimit = 8

  private struct Fields {
    var isEnhanced: Bool
    /// Belongs to the frame before: further channels.
    var isDependent: Bool
    var byteCount: Int
    var frameCount: Int
    var rate: Int
    /// `acmod` and `lfeon`.
    var mode: Int
    var hasLFE: Bool

    init?(_ window: ByteWindow, at position: Int64) {
      guard window.bigEndian(position, size: 2) == 0x0B77, let bytes = window.bytes(position, count: headerSize)
      else {
        return nil
      }
      var reader = BitReader(bytes)
      reader.skip(16)
      let id = Int(bytes[5] >> 3)
      isEnhanced = id > 10
      guard id <= 16 else { return nil }
      if isEnhanced {
        // Type 1 is dependent; type 3 is reserved.
        let type = reader.read(2)
        guard type != 3 else { return nil }
        isDependent = type == 1
        reader.skip(3)
        byteCount = 2 * (reader.read(11) + 1)
        let code = reader.read(2)
        let second = reader.read(2)
        guard code < 3 || second < 3 else { return nil }
        rate = code < 3 ? AC3Syntax.rates[code] : AC3Syntax.rates[second] / 2
        frameCount = 256 * (code < 3 ? [1, 2, 3, 6][second] : 6)
        mode = reader.read(3)
        hasLFE = reader.flag()
      } else {
        isDependent = false
        reader.skip(16)
        let code = reader.read(2)
        let size = reader.read(6)
        guard code < 3, size < 38 else { return nil }
        rate = AC3Syntax.rates[code] >> max(id - 8, 0)
        frameCount = 1_536
        byteCount = 2 * AC3Syntax.words(kilobits: AC3Syntax.bitRates[size / 2], code: code, isOdd: size & 1 == 1)
        reader.skip(8)
        mode = reader.read(3)
        if mode & 1 == 1 && mode != 1 { reader.skip(2) }
        if mode & 4 != 0 { reader.skip(2) }
        if mode == 2 { reader.skip(2) }
        hasLFE = reader.flag()
      }
      guard byteCount > headerSize else { return nil }
    }
  }

  private static let rates = [48_000, 44_100, 32_000]
  private static let bitRates = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]

  /// 16-bit words of a frame of 1536 samples (table 4.13).
  private static func words(kilobits: Int, code: Int, isOdd: Bool) -> Int {
    switch code {
    case 0: kilobits * 2
    case 1: kilobits * 320 / 147 + (isOdd ? 1 : 0)
    default: kilobits * 3
    }
  }

  /// Loudspeakers by `acmod` (table 4.3): dual mono counts as stereo; surround channels stand at the sides, a single one
  /// behind.
  private static let masks: [UInt32] = [0x3, 0x4, 0x3, 0x7, 0x103, 0x107, 0x603, 0x607]

  func header(_ window: ByteWindow, at position: Int64) -> FrameHeader? {
    guard let fields = Fields(window, at: position), !fields.isDependent else { return nil }
    let kind = fields.rate << 5 | fields.mode << 2 | (fields.hasLFE ? 2 : 0) | (fields.isEnhanced ? 1 : 0)
    return FrameHeader(byteCount: fields.byteCount, frameCount: fields.frameCount, kind: UInt64(kind))
  }

  func extent(_ window: ByteWindow, at position: Int64, _ header: FrameHeader) -> FrameExtent {
    var count = header.byteCount
    guard header.kind & 1 == 1 else { return .bytes(count) }
    for _ in 0..<Self.dependentLimit {
      let next = position + Int64(count)
      guard window.settles(next, count: Self.headerSize) else { return .need(count + Self.headerSize) }
      guard let fields = Fields(window, at: next), fields.isDependent else { break }
      count += fields.byteCount
    }
    return .bytes(count)
  }

  func coding(_ window: ByteWindow, _ frame: FoundFrame) -> FrameCoding? {
    guard let fields = Fields(window, at: frame.position), let rate = SampleRate(hertz: fields.rate) else {
      return nil
    }
    let mask = Self.masks[fields.mode] | (fields.hasLFE ? 0x8 : 0)
    guard let layout = ChannelLayout(count: mask.nonzeroBitCount, mask: mask) else { return nil }
    let name = fields.isEnhanced ? "eac3" : "ac3"
    return FrameCoding(
      container: name, codec: Codec(rawValue: name), format: PCMFormat(sampleRate: rate, layout: layout))
  }

  /// Whether AC-3 or E-AC-3 begins at `start`.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    FrameSync.probe(Self(), window, start: start)
  }
}
