import AudioModel

/// What a `COMM` chunk says, checked. Sources: Apple, "Audio Interchange File Format" 1.3 and AIFF-C draft of 1991; for
/// codings that came later, Apple, "QuickTime File Format".
struct AIFFFormat: Hashable {
  var codec: Codec
  var format: PCMFormat
  /// `nil` for all but PCM.
  var coding: SampleCoding?
  /// Bytes and PCM frames of a block; for PCM a block is a frame.
  var blockBytes: Int
  var blockFrames = 1
  /// PCM frames that the chunk counts.
  var frames: Int64

  /// Most of the chunk that is of interest.
  static let size = 22

  /// Reads the chunk's first bytes (as many as it has, at most ``size``).
  init(_ bytes: [UInt8], isCompressed: Bool) throws(AudioError) {
    func number(_ at: Int, _ size: Int) -> Int { bytes[at..<at + size].reduce(0) { $0 << 8 | Int($1) } }
    guard bytes.count >= 18 else { throw AudioError(.malformed, "The AIFF file's common chunk is too short") }
    guard let rate = Self.rate(bytes[8..<18]) else {
      throw AudioError(.malformed, "The AIFF file states an impossible sample rate")
    }
    let channels = number(0, 2)
    guard let layout = ChannelLayout(count: channels) else {
      throw AudioError(.malformed, "The AIFF file states an impossible number of channels")
    }
    format = PCMFormat(sampleRate: rate, layout: layout)
    frames = Int64(number(2, 4))
    let bits = number(6, 2)
    let name = isCompressed && bytes.count >= 22 ? String(decoding: bytes[18..<22], as: UTF8.self) : "NONE"
    if let block = Self.blocks[name] {
      codec = Codec(rawValue: block.codec)
      blockBytes = block.bytes * channels
      blockFrames = block.frames
      // These count blocks where they should count frames.
      frames *= Int64(blockFrames)
      return
    }
    switch name {
    case "alaw", "ALAW", "ulaw", "ULAW":
      codec = name.lowercased() == "alaw" ? .alaw : .mulaw
      blockBytes = channels
      return
    case "NONE", "twos", "sowt", "raw ": coding = Self.integer(bits, name)
    case "in24": coding = SampleCoding(kind: .signed, bits: 24, bytes: 3, isBigEndian: true)
    case "in32": coding = SampleCoding(kind: .signed, bits: 32, bytes: 4, isBigEndian: true)
    case "42ni": coding = SampleCoding(kind: .signed, bits: 24, bytes: 3)
    case "23ni": coding = SampleCoding(kind: .signed, bits: 32, bytes: 4)
    case "fl32", "FL32": coding = SampleCoding(kind: .float, bits: 32, bytes: 4, isBigEndian: true)
    case "fl64", "FL64": coding = SampleCoding(kind: .float, bits: 64, bytes: 8, isBigEndian: true)
    default:
      let shown = String(name.map { $0.isASCII && !$0.isNewline ? $0 : "?" })
      throw AudioError(.unsupportedContainer, "The AIFF file holds a coding that is not supported (\(shown))")
    }
    guard let coding else { throw AudioError(.malformed, "The AIFF file states an impossible sample size") }
    codec = .pcm
    blockBytes = coding.bytes * channels
  }

  /// Codings in blocks: bytes for each channel, and frames.
  private static let blocks = [
    "ima4": (codec: "adpcm_ima_qt", bytes: 34, frames: 64),
    "GSM ": (codec: "gsm", bytes: 33, frames: 160), "agsm": (codec: "gsm", bytes: 33, frames: 160),
    "MAC3": (codec: "mace3", bytes: 2, frames: 6), "MAC6": (codec: "mace6", bytes: 1, frames: 6),
  ]

  /// Integers, left-justified in whole bytes.
  private static func integer(_ bits: Int, _ name: String) -> SampleCoding? {
    guard (1...32).contains(bits) else { return nil }
    return SampleCoding(
      kind: name == "raw " ? .unsigned : .signed, bits: bits, bytes: (bits + 7) / 8, isBigEndian: name != "sowt")
  }

  /// An 80-bit number of SANE: sign, 15 bits exponent, 64 bits with the leading one.
  private static func rate(_ bytes: ArraySlice<UInt8>) -> SampleRate? {
    let exponent = bytes.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    let mantissa = bytes.dropFirst(2).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // Rates lie between 2⁰ and 2²¹; whatever is outside is none.
    guard (0x3FFF...0x3FFF + 21).contains(exponent) else { return nil }
    return SampleRate(
      hertz: Int((Double(mantissa) * Double(sign: .plus, exponent: exponent - 0x3FFF - 63, significand: 1)).rounded())
    )
  }
}
