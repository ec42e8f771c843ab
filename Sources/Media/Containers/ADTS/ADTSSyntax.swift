import AudioModel

/// AAC in frames of ADTS. Sources: ISO/IEC 13818-7 §6.2, ISO/IEC 14496-3 §1.A.2.2 and §1.A.3.2.
struct ADTSSyntax: FrameSyntax {
  static let headerSize = 7
  static let firstByte: UInt8? = 0xFF
  /// Two halves of the transform overlap; the rest lets band replication settle.
  static let prerollPackets = 4

  /// PCM frames of a block, as the core counts them.
  private static let blockFrames = 1_024
  /// Bytes of a first block that are looked at for channels: a configuration element has 1 kB at most.
  private static let elementLimit = 1_024

  /// What a header holds besides the length.
  private struct Fields {
    var objectType: Int
    var rateIndex: Int
    var channelConfiguration: Int
    /// Blocks behind the first.
    var moreBlocks: Int
    var hasCRC: Bool
    var byteCount: Int

    /// Bytes in front of the first block: with a checksum, the places of the other blocks and the sum itself.
    var headBytes: Int { hasCRC ? 9 + 2 * moreBlocks : 7 }

    /// From the top: 12 bits sync, version, 2 bits layer (always 0), no checksum, 2 bits profile, 4 bits rate, a private
    /// bit, 3 bits channels, 4 bits of no interest, 13 bits length, 11 bits fullness, 2 bits number of blocks.
    init?(_ window: ByteWindow, at position: Int64) {
      guard let head = window.bigEndian(position, size: ADTSSyntax.headerSize), head >> 44 == 0xFFF,
        head >> 41 & 3 == 0
      else { return nil }
      objectType = Int(head >> 38 & 3) + 1
      rateIndex = Int(head >> 34 & 15)
      channelConfiguration = Int(head >> 30 & 7)
      moreBlocks = Int(head & 3)
      hasCRC = head >> 40 & 1 == 0
      byteCount = Int(head >> 13 & 0x1FFF)
      // Index 15 would be followed by a rate, for which there is no room here.
      guard AudioSpecificConfig.rates.indices.contains(rateIndex), byteCount > headBytes else { return nil }
    }
  }

  func header(_ window: ByteWindow, at position: Int64) -> FrameHeader? {
    guard let fields = Fields(window, at: position) else { return nil }
    let kind = fields.objectType << 8 | fields.rateIndex << 4 | fields.channelConfiguration
    return FrameHeader(
      byteCount: fields.byteCount, frameCount: Self.blockFrames * (1 + fields.moreBlocks), kind: UInt64(kind))
  }

  func coding(_ window: ByteWindow, _ frame: FoundFrame) -> FrameCoding? {
    guard let fields = Fields(window, at: frame.position),
      let rate = SampleRate(hertz: AudioSpecificConfig.rates[fields.rateIndex])
    else { return nil }
    var channels = AudioSpecificConfig.layouts[fields.channelConfiguration]
    var element: ProgramConfiguration?
    if fields.channelConfiguration == 0 {
      // The channels stand in the block itself, and need not be repeated in each.
      let count = min(frame.byteCount - fields.headBytes, Self.elementLimit)
      let bytes = window.bytes(frame.position + Int64(fields.headBytes), count: count) ?? []
      element = ProgramConfiguration(block: bytes)
      channels = element.flatMap { ChannelLayout(count: $0.channels) }
    }
    guard let channels else { return nil }
    return FrameCoding(
      container: "adts", codec: .aac, format: PCMFormat(sampleRate: rate, layout: channels),
      decoderConfiguration: AudioSpecificConfig.bytes(
        objectType: fields.objectType, rateIndex: fields.rateIndex,
        channelConfiguration: fields.channelConfiguration, element: element))
  }

  func payload(_ window: ByteWindow, _ frame: FoundFrame) -> FramePayload {
    guard let fields = Fields(window, at: frame.position) else {
      return .range(position: frame.position, count: frame.byteCount)
    }
    let body = frame.position + Int64(fields.headBytes)
    let count = frame.byteCount - fields.headBytes
    if fields.hasCRC && fields.moreBlocks > 0,
      let blocks = Self.blocks(window, frame, body: body, count: count, more: fields.moreBlocks)
    {
      return .assembled(blocks)
    }
    return .range(position: body, count: count)
  }

  /// The blocks of a frame without the checksum behind each; `nil` where their places are impossible.
  private static func blocks(_ window: ByteWindow, _ frame: FoundFrame, body: Int64, count: Int, more: Int)
    -> [UInt8]?
  {
    var ends = (0..<more).map { Int(window.bigEndian(frame.position + 7 + 2 * Int64($0), size: 2) ?? 0) }
    ends.append(count)
    var bytes: [UInt8] = []
    var begin = 0
    for end in ends {
      guard end - 2 > begin, end <= count, let block = window.bytes(body + Int64(begin), count: end - 2 - begin)
      else {
        return nil
      }
      bytes += block
      begin = end
    }
    return bytes
  }

  /// Whether AAC in ADTS begins at `start`.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    FrameSync.probe(Self(), window, start: start)
  }
}
