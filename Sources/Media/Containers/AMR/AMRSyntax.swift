import AudioModel

/// AMR and AMR-WB speech in files. Source: RFC 4867 §5.
struct AMRSyntax: FrameSyntax {
  static let headerSize = 1
  static let firstByte: UInt8? = nil
  /// A header is a byte with five free bits: many of them in a row make it believable.
  static let followers = 12
  /// The excitation refers to what was decoded before, fading within a second.
  static let prerollPackets = 64
  static let prologueSize = 12

  private var isWide = false

  /// Bytes of a frame by its type, header included (tables 1a of 3GPP TS 26.101 and 26.201); 0 for reserved ones.
  private static let narrow = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1]
  private static let wide = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]

  private enum Magic {
    case narrow, wide, manyChannels
  }

  private static func magic(_ window: ByteWindow, at position: Int64) -> Magic? {
    if window.matches("#!AMR\n", at: position) { return .narrow }
    if window.matches("#!AMR-WB\n", at: position) { return .wide }
    if window.matches("#!AMR_MC1.0", at: position) || window.matches("#!AMR-WB_MC", at: position) {
      return .manyChannels
    }
    return nil
  }

  mutating func readPrologue(_ window: ByteWindow, at position: Int64) throws(AudioError) -> Int {
    switch Self.magic(window, at: position) {
    case .narrow: return 6
    case .wide:
      isWide = true
      return 9
    case .manyChannels: throw AudioError(.unsupportedCodec, "AMR with several channels is not supported")
    case nil: throw AudioError(.malformed, "The AMR file has no header")
    }
  }

  var knownKind: UInt64? { 1 }

  func header(_ window: ByteWindow, at position: Int64) -> FrameHeader? {
    // A bit of padding, 4 bits type, a bit of quality, 2 bits padding.
    guard let byte = window.byte(position), byte & 0x83 == 0 else { return nil }
    let count = (isWide ? Self.wide : Self.narrow)[Int(byte >> 3 & 15)]
    return count == 0 ? nil : FrameHeader(byteCount: count, frameCount: isWide ? 320 : 160, kind: 1)
  }

  func coding(_ window: ByteWindow, _ frame: FoundFrame) -> FrameCoding? {
    guard let rate = SampleRate(hertz: isWide ? 16_000 : 8_000) else { return nil }
    return FrameCoding(
      container: "amr", codec: Codec(rawValue: isWide ? "amr_wb" : "amr_nb"),
      format: PCMFormat(sampleRate: rate, layout: .mono))
  }

  /// Whether an AMR file begins at `start`.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    guard window.settles(start, count: prologueSize) else { return .more(count: prologueSize) }
    return magic(window, at: start) == nil ? .no : .certain
  }
}
