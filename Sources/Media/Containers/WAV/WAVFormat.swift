import AudioModel

/// What a `fmt ` chunk says, checked. Sources: Microsoft's WAVEFORMATEX and WAVEFORMATEXTENSIBLE.
struct WAVFormat: Hashable {
  var codec: Codec
  var format: PCMFormat
  /// `nil` for A-law and µ-law.
  var coding: SampleCoding?
  /// Bytes of one frame.
  var frameBytes: Int

  /// Most of the chunk that is of interest.
  static let size = 40

  /// Reads the chunk's first bytes (as many as it has, at most ``size``).
  init(_ bytes: [UInt8], isBigEndian: Bool) throws(AudioError) {
    func number(_ at: Int, _ size: Int) -> Int {
      guard at + size <= bytes.count else { return 0 }
      let field = Array(bytes[at..<at + size])
      return (isBigEndian ? field : field.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
    guard bytes.count >= 14 else { throw AudioError(.malformed, "The WAV file's format chunk is too short") }
    var tag = number(0, 2)
    let channels = number(2, 2)
    let align = number(12, 2)
    var bits = number(14, 2)
    var mask: UInt32 = 0
    var validBits = 0
    if tag == 0xFFFE {
      guard bytes.count >= 26 else { throw AudioError(.malformed, "The WAV file's format chunk is too short") }
      validBits = number(18, 2)
      mask = UInt32(number(20, 4))
      // The first two bytes of the sub-format are the old tag; what follows tells apart families such as B-format.
      tag = number(24, 2)
    }
    guard let rate = SampleRate(hertz: number(4, 4)) else {
      throw AudioError(.malformed, "The WAV file states an impossible sample rate")
    }
    guard let layout = ChannelLayout(count: channels, mask: mask) else {
      throw AudioError(.malformed, "The WAV file states an impossible number of channels")
    }
    format = PCMFormat(sampleRate: rate, layout: layout)
    switch tag {
    case 1, 3:
      if bits == 0 { bits = align / channels * 8 }
      let fitting = (bits + 7) / 8
      let stated = align % channels == 0 ? align / channels : 0
      let bytes = stated >= max(fitting, 1) && stated <= 8 ? stated : fitting
      guard (1...64).contains(bits), (1...8).contains(bytes), tag == 1 || bytes == 4 || bytes == 8 else {
        throw AudioError(.malformed, "The WAV file states an impossible sample size")
      }
      let significant = (1...bits).contains(validBits) ? validBits : bits
      codec = .pcm
      coding = SampleCoding(
        kind: tag == 3 ? .float : bytes == 1 ? .unsigned : .signed, bits: tag == 3 ? bytes * 8 : significant,
        bytes: bytes, isBigEndian: isBigEndian)
      frameBytes = bytes * channels
    case 6, 7:
      codec = tag == 6 ? .alaw : .mulaw
      coding = nil
      frameBytes = channels
    default:
      let name = "0x" + String(tag, radix: 16)
      throw AudioError(.unsupportedContainer, "The WAV file holds a coding other than PCM (\(name))", detail: tag)
    }
  }
}
