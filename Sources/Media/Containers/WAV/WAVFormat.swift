import AudioModel

/// What a `fmt ` chunk says, checked. Sources: Microsoft's WAVEFORMATEX and WAVEFORMATEXTENSIBLE; for ADPCM, "New Multimedia
/// Data Types and Data Techniques 3.0"; for GSM, libgsm's packing of two frames in 65 bytes.
struct WAVFormat: Hashable {
  var codec: Codec
  var format: PCMFormat
  /// For PCM.
  var coding: SampleCoding?
  /// Bytes and PCM frames of a block; for PCM a block is a frame.
  var blockBytes: Int
  var blockFrames = 1
  /// Frames to decode and throw away before a seek's target.
  var preroll = 0
  /// Fewer bits are in use than the samples have: they should be the upper ones, but not every writer knows.
  var isDoubtful = false

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
      isDoubtful = tag == 1 && bytes > 1 && significant <= 8 * (bytes - 1)
      blockBytes = bytes * channels
    case 6, 7:
      codec = tag == 6 ? .alaw : .mulaw
      blockBytes = channels
    case 0x02 where align > 7 * channels:
      // A block begins with 7 bytes for each channel, which hold two samples already.
      codec = Codec(rawValue: "adpcm_ms")
      (blockBytes, blockFrames) = (align, (align - 6 * channels) * 2 / channels)
    case 0x11 where align >= 8 * channels && (bits == 4 || bits == 0):
      // A block begins with 4 bytes for each channel, which hold a sample; then come 8 samples of each in turn.
      codec = Codec(rawValue: "adpcm_ima_wav")
      (blockBytes, blockFrames) = (align, 1 + (align - 4 * channels) / (4 * channels) * 8)
    case 0x31 where channels == 1:
      codec = Codec(rawValue: "gsm_ms")
      (blockBytes, blockFrames, preroll) = (65, 320, 8 * 320)
    case 0x50, 0x55:
      codec = tag == 0x50 ? .mp2 : .mp3
      blockBytes = 1
    default:
      let name = "0x" + String(tag, radix: 16)
      throw AudioError(
        .unsupportedContainer, "The WAV file holds a coding that is not supported (\(name))", detail: tag)
    }
  }

  /// Finds out by the first samples which of their bits are in use. The upper ones should be; where lower ones are set
  /// and the top byte never holds more than a sign, it is the lower ones.
  mutating func justify(_ bytes: [UInt8]) {
    guard let coding else { return }
    let unused = coding.bytes - (coding.bits + 7) / 8
    var hasLow = false
    for start in stride(from: 0, to: bytes.count - coding.bytes + 1, by: coding.bytes) {
      let sample = bytes[start..<start + coding.bytes]
      let top = coding.isBigEndian ? sample.first : sample.last
      guard top == 0 || top == 0xFF else { return }
      let low = coding.isBigEndian ? sample.suffix(unused) : sample.prefix(unused)
      if low.contains(where: { $0 != 0 }) { hasLow = true }
    }
    self.coding?.isRightJustified = hasLow
  }
}
