import AudioModel

/// What a `desc` chunk says, checked. Source: Apple, "Core Audio Format Specification 1.0", Audio Description Chunk.
struct CAFFormat: Hashable {
  var codec: Codec
  var format: PCMFormat
  /// For PCM.
  var coding: SampleCoding?
  /// Bytes and frames of every packet; 0 where the packet table says it of each.
  var packetBytes: Int, packetFrames: Int

  /// Bytes of the chunk.
  static let size = 32
  /// Packets that would last longer, or be larger, are nonsense.
  private static let frameLimit = 1 << 20, byteLimit = 1 << 20

  /// Reads the chunk.
  init(_ bytes: [UInt8]) throws(AudioError) {
    func number(_ at: Int) -> Int { bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    guard bytes.count >= Self.size else { throw AudioError(.malformed, "The CAF file's description is too short") }
    let hertz = Double(bitPattern: UInt64(number(0)) << 32 | UInt64(number(4)))
    guard hertz.isFinite, abs(hertz) < 1e9, let rate = SampleRate(hertz: Int(hertz.rounded())) else {
      throw AudioError(.malformed, "The CAF file states an impossible sample rate")
    }
    let channels = number(24)
    guard let layout = ChannelLayout(count: channels) else {
      throw AudioError(.malformed, "The CAF file states an impossible number of channels")
    }
    format = PCMFormat(sampleRate: rate, layout: layout)
    packetBytes = number(16)
    packetFrames = number(20)
    let id = String(decoding: bytes[8..<12], as: UTF8.self)
    if id == "lpcm" {
      let coding = try Self.samples(flags: number(12), bits: number(28), frameBytes: packetBytes, channels: channels)
      codec = .pcm
      self.coding = coding
      (packetBytes, packetFrames) = (coding.bytes * channels, 1)
      return
    }
    // Microsoft's codings stand under their tag.
    guard let found = Self.codecs[id] ?? Self.codecs[String(id.prefix(2)) + String(number(8) & 0xFFFF)] else {
      let shown = String(id.map { $0.isASCII && !$0.isNewline ? $0 : "?" })
      throw AudioError(.unsupportedContainer, "The CAF file holds a coding that is not supported (\(shown))")
    }
    codec = Codec(rawValue: found)
    if codec == .alaw || codec == .mulaw { (packetBytes, packetFrames) = (channels, 1) }
    guard packetBytes <= Self.byteLimit, packetFrames <= Self.frameLimit else {
      throw AudioError(.malformed, "The CAF file states an impossible packet size")
    }
  }

  private static let codecs = [
    "alac": "alac", "aac ": "aac", "aach": "aac", "aacp": "aac", "ulaw": "mulaw", "alaw": "alaw",
    "ima4": "adpcm_ima_qt",
    ".mp3": "mp3", ".mp2": "mp2", ".mp1": "mp1", "ac-3": "ac3", "ec-3": "eac3", "samr": "amr_nb", "sawb": "amr_wb",
    "opus": "opus", "flac": "flac", "agsm": "gsm", "MAC3": "mace3", "MAC6": "mace6", "ms2": "adpcm_ms",
    "ms17": "adpcm_ima_wav", "ms49": "gsm_ms",
  ]

  /// Flag 1 is float, flag 2 little endian.
  private static func samples(
    flags: Int, bits: Int, frameBytes: Int, channels: Int
  ) throws(AudioError) -> SampleCoding {
    let fitting = (bits + 7) / 8
    let stated = frameBytes % channels == 0 ? frameBytes / channels : 0
    let bytes = stated >= max(fitting, 1) && stated <= 8 ? stated : fitting
    let isFloat = flags & 1 == 1
    guard (1...64).contains(bits), !isFloat || bits == 32 || bits == 64, !isFloat || bytes * 8 == bits else {
      throw AudioError(.malformed, "The CAF file states an impossible sample size")
    }
    return SampleCoding(kind: isFloat ? .float : .signed, bits: bits, bytes: bytes, isBigEndian: flags & 2 == 0)
  }
}

/// What a `chan` chunk says. Source: as above, Channel Layout Chunk.
enum CAFLayout {
  /// Most of the chunk that is of interest: 64 channels.
  static let size = 12 + 64 * 20

  /// The loudspeakers as bits of `dwChannelMask`; `nil` where they are not known, or not in the order of their bits.
  static func mask(_ bytes: [UInt8]) -> UInt32? {
    func number(_ at: Int) -> UInt32 {
      at + 4 <= bytes.count ? bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) } : 0
    }
    switch number(0) {
    case 0x1_0000: return number(4)
    case 0:
      var mask: UInt32 = 0
      for index in 0..<min(Int(number(8)), 64) {
        // Labels count from 1 on as the bits do from 0 on.
        let label = number(12 + 20 * index)
        guard (1...18).contains(label), mask >> (label - 1) == 0 else { return nil }
        mask |= 1 << (label - 1)
      }
      return mask
    case let tag: return masks[tag]
    }
  }

  /// Layouts by their tag: a number and how many channels.
  private static let masks: [UInt32: UInt32] = [
    100 << 16 | 1: 0x4, 101 << 16 | 2: 0x3, 108 << 16 | 4: 0x33, 113 << 16 | 3: 0x7, 115 << 16 | 4: 0x107,
    117 << 16 | 5: 0x37, 121 << 16 | 6: 0x3F, 125 << 16 | 7: 0x13F,
  ]
}
