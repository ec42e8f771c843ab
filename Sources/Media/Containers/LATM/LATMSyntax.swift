import AudioModel

/// AAC in LATM behind the sync words of LOAS, as broadcasts send it. Source: ISO/IEC 14496-3 §1.7.2 and §1.7.3.
///
/// What the decoder must know stands in some of the elements; those in front of the first such one are passed over.
struct LATMSyntax: FrameSyntax {
  static let headerSize = 3
  static let firstByte: UInt8? = 0x56
  static let prerollPackets = 4
  /// A header is but a sync word of 11 bits and a length.
  static let followers = 3

  private var configuration: LATMConfiguration?

  func header(_ window: ByteWindow, at position: Int64) -> FrameHeader? {
    guard let head = window.bigEndian(position, size: 3), head >> 13 == 0x2B7, head & 0x1FFF > 1 else { return nil }
    let frames = configuration.map { $0.blockFrames * $0.blocks } ?? 1_024
    return FrameHeader(byteCount: 3 + Int(head & 0x1FFF), frameCount: frames, kind: 1)
  }

  mutating func coding(_ window: ByteWindow, _ frame: FoundFrame) -> FrameCoding? {
    var reader = BitReader(window.bytes(frame.position + 3, count: frame.byteCount - 3) ?? [])
    guard !reader.flag(), let found = LATMConfiguration(&reader) else { return nil }
    configuration = found
    return FrameCoding(
      container: "latm", codec: .aac, format: PCMFormat(sampleRate: found.rate, layout: found.layout),
      decoderConfiguration: found.decoderConfiguration)
  }

  func payload(_ window: ByteWindow, _ frame: FoundFrame) -> FramePayload {
    var reader = BitReader(window.bytes(frame.position + 3, count: frame.byteCount - 3) ?? [])
    var blocks: [UInt8] = []
    if !reader.flag() { _ = LATMConfiguration(&reader) }
    for _ in 0..<(configuration?.blocks ?? 1) {
      var count = 0
      var part = 255
      while part == 255 {
        part = reader.read(8)
        count += part
      }
      guard count * 8 <= reader.remaining else { break }
      for _ in 0..<count { blocks.append(UInt8(reader.read(8))) }
    }
    // One that is broken goes to the decoder as it is, which says so.
    return blocks.isEmpty ? .range(position: frame.position, count: frame.byteCount) : .assembled(blocks)
  }

  /// Whether LATM begins at `start`.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    FrameSync.probe(Self(), window, start: start)
  }
}
