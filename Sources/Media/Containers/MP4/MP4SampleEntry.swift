import AudioModel

/// What one entry of a track's `stsd` box says of its sound (ISO/IEC 14496-12 §12.2.3; QuickTime File Format, "Sound
/// sample descriptions", versions 0 to 2).
struct MP4SampleEntry {
  /// Most bytes of an `stsd` box that are looked at.
  static let limit = 256 << 10

  /// The four characters.
  var type: String
  var codec = Codec.aac
  var format = PCMFormat(sampleRate: .cd, layout: .stereo)
  var coding: SampleCoding?
  var configuration: [UInt8] = []
  /// Frames that every packet decodes to, where all are alike; 0 where they are not.
  var packetFrames = 0
  /// For PCM and other codings in small blocks of one size: bytes and frames of a block. 0 bytes for all others.
  var blockBytes = 0
  var blockFrames = 1
  /// Frames to decode before a seek's target.
  var preroll = 0
  /// The packets are MPEG audio frames, whose own headers say what they are.
  var isMPEGAudio = false

  /// The samples have a size each in PCM only in name: several go together into a packet.
  var isPCM: Bool { codec == .pcm || codec == .alaw || codec == .mulaw }

  private var channels = 2
  private var bits = 16
  private var rate = 0
  /// Fields of QuickTime's versions 1 and 2.
  private var framesPerPacket = 0
  private var bytesPerFrame = 0
  private var flags = 0
  private var parts: [(type: String, body: MP4Bytes)] = []

  /// Reads the first entry.
  /// - Parameter timescale: The track's, which is the rate where the entry has no room for it.
  /// - Throws: ``AudioModel/AudioError/Code/unsupportedContainer`` for encrypted sound, 4001 for codings that nobody
  ///   decodes, ``AudioModel/AudioError/Code/malformed``.
  init(_ box: MP4Bytes, timescale: Int) throws(AudioError) {
    guard let size = box.word(8), size >= 36, let type = box.type(12) else {
      throw AudioError(.malformed, "The file does not say how its sound is coded")
    }
    self.type = type
    let entry = MP4Bytes(box.rest(8).prefix(Int(min(UInt64(size), UInt64(box.count)))))
    readFields(entry, isISO1: box.number(0, 1) == 1)
    if rate <= 0 { rate = timescale }
    if ["enca", "drms", "aavd"].contains(type) || part("sinf") != nil {
      throw AudioError(.unsupportedContainer, "The sound is encrypted, and can't be played without its key")
    }
    try describe(objectType: nil)
    if preroll == 0 && !isPCM && blockBytes == 0 { preroll = Self.preroll(codec, packetFrames) }
  }

  // MARK: Fields

  private mutating func readFields(_ entry: MP4Bytes, isISO1: Bool) {
    let version = entry.number(16, 2) ?? 0
    channels = Int(entry.number(24, 2) ?? 2)
    bits = Int(entry.number(26, 2) ?? 16)
    rate = Int(entry.number(32, 2) ?? 0)
    var inner = 36
    if version == 1 && !isISO1 {
      // Compression −2 means packets of varying size, for which the counts say nothing.
      if entry.number(28, 2) != 0xFFFE {
        framesPerPacket = Int(entry.word(36) ?? 0)
        bytesPerFrame = Int(entry.word(44) ?? 0)
      }
      inner = 52
    } else if version == 2 {
      let hertz = entry.number(40, 8).map { Double(bitPattern: $0) } ?? 0
      rate = hertz >= 1 && hertz <= Double(SampleRate.accepted.upperBound) ? Int(hertz.rounded()) : 0
      channels = Int(entry.word(48) ?? 0)
      bits = Int(entry.word(56) ?? 0)
      flags = Int(entry.word(60) ?? 0)
      bytesPerFrame = Int(entry.word(64) ?? 0)
      framesPerPacket = Int(entry.word(68) ?? 0)
      inner = 72
    }
    for box in entry.boxes(from: inner) {
      parts.append((box.type, box.body))
      if box.type == "wave" { parts += box.body.boxes().map { ($0.type, $0.body) } }
    }
    if let long = part("srat")?.word(4) { rate = Int(long) }
  }

  private func part(_ type: String) -> MP4Bytes? { parts.first { $0.type == type }?.body }

  // MARK: Codings

  /// - Parameter objectType: The kind of stream that an `esds` box states.
  private mutating func describe(objectType: UInt8?) throws(AudioError) {
    switch objectType == nil ? type : "" {
    case "alac": try describeALAC()
    case "Opus": try describeOpus()
    case "fLaC": try describeFLAC()
    case "ac-3", "sac3": try describeAC3()
    case "ec-3": try describeEAC3()
    case ".mp3", "mp3 ", "ms\0\u{55}", ".mp2", "ms\0\u{50}": try describeMPEGAudio()
    case "samr": try describeBlocks("amr_nb", rate: 8_000, frames: 0, bytes: 0)
    case "sawb": try describeBlocks("amr_wb", rate: 16_000, frames: 0, bytes: 0)
    case "ima4": try describeBlocks("adpcm_ima_qt", rate: rate, frames: 64, bytes: 34 * channels)
    case "MAC3": try describeBlocks("mace3", rate: rate, frames: 6, bytes: 2 * channels)
    case "MAC6": try describeBlocks("mace6", rate: rate, frames: 6, bytes: channels)
    case "agsm": try describeBlocks("gsm", rate: rate, frames: 160, bytes: 33)
    case "QDM2", "QDMC":
      configuration = part("wave").map { Array($0.bytes.prefix(4096)) } ?? []
      try describeBlocks(type.lowercased(), rate: rate, frames: framesPerPacket, bytes: bytesPerFrame)
    case "dtsc", "dtsh", "dtsl", "dtse": try describeOther("dts")
    case "mlpa": try describeOther("truehd")
    case "mp4a", "":
      try describeMPEG4(objectType)
    default: try describePCM()
    }
  }

  private mutating func setFormat(rate: Int, layout: ChannelLayout?) throws(AudioError) {
    guard let rate = SampleRate(hertz: rate), let layout else {
      throw AudioError(.malformed, "The file states an impossible sample rate or number of channels")
    }
    format = PCMFormat(sampleRate: rate, layout: layout)
  }

  private mutating func describeOther(_ name: String) throws(AudioError) {
    codec = Codec(rawValue: name)
    try setFormat(rate: rate, layout: ChannelLayout(count: channels))
  }

  private mutating func describeBlocks(_ name: String, rate: Int, frames: Int, bytes: Int) throws(AudioError) {
    codec = Codec(rawValue: name)
    try setFormat(rate: rate, layout: ChannelLayout(count: name.hasPrefix("amr") ? 1 : channels))
    guard frames >= 0, bytes >= 0, bytes <= 1 << 16, frames <= 1 << 16 else { return }
    (blockFrames, blockBytes) = (max(frames, 1), frames > 0 ? bytes : 0)
    preroll = 1_024
  }

  private mutating func describeMPEG4(_ objectType: UInt8?) throws(AudioError) {
    // A description whose boxes stand elsewhere than its version says still has one somewhere.
    guard let descriptors = part("esds").flatMap({ MP4Descriptors($0) }) else {
      try setFormat(rate: rate, layout: ChannelLayout(count: channels))
      throw AudioError(.malformed, "The file does not say how its AAC sound is coded")
    }
    switch descriptors.objectType {
    case 0x69, 0x6B: return try describeMPEGAudio()
    case 0xA5: return try describeAC3()
    case 0xA6: return try describeEAC3()
    case 0xA9, 0xAA, 0xAB: return try describeOther("dts")
    case 0xE1: return try describeOther("qcelp")
    case 0x40, 0x66, 0x67, 0x68: break
    default:
      throw AudioError(.unsupportedCodec, "The sound is in a coding that is not known here")
    }
    configuration = descriptors.configuration
    guard let aac = AACConfiguration(configuration) else {
      throw AudioError(.malformed, "The configuration of the AAC sound is broken")
    }
    let stated = ChannelLayout(count: channels)
    switch aac.objectType {
    case AACConfiguration.losslessALS: return try describeALS()
    case AACConfiguration.usac:
      codec = Codec(rawValue: "usac")
      return try setFormat(rate: aac.coreRate, layout: aac.outputLayout ?? stated)
    default: break
    }
    codec = .aac
    packetFrames = aac.packetFrames
    try setFormat(rate: aac.outputRate, layout: aac.outputLayout ?? stated)
  }

  /// MPEG-4 ALS: ALSSpecificConfig (ISO/IEC 14496-3 §11.6.2) follows the general part, on a byte's border.
  private mutating func describeALS() throws(AudioError) {
    codec = Codec(rawValue: "mp4als")
    let mark = Array("ALS\0".utf8)
    guard let start = configuration.indices.dropLast(18).first(where: { configuration[$0...].starts(with: mark) })
    else { throw AudioError(.malformed, "The configuration of the ALS sound is broken") }
    let header = MP4Bytes(configuration[start...])
    bits = 8 * (Int(header.number(14, 1) ?? 0) >> 2 & 7) + 8
    coding = SampleCoding(kind: .signed, bits: min(bits, 32), bytes: min(bits, 32) / 8)
    let count = Int(header.number(12, 2) ?? 0) + 1
    try setFormat(rate: Int(header.word(4) ?? 0), layout: ChannelLayout(count: count))
  }

  /// Apple Lossless: the cookie of 24 bytes behind version and flags; decoders want the whole box.
  private mutating func describeALAC() throws(AudioError) {
    codec = .alac
    guard let cookie = parts.last(where: { $0.type == "alac" })?.body, cookie.count >= 28 else {
      throw AudioError(.malformed, "The configuration of the Apple Lossless sound is missing")
    }
    configuration = [0, 0, 0, 36] + Array("alac".utf8) + cookie.bytes.prefix(28)
    let depth = Int(cookie.number(9, 1) ?? 0)
    if (1...32).contains(depth) { coding = SampleCoding(kind: .signed, bits: depth, bytes: (depth + 7) / 8) }
    let frames = Int(cookie.word(4) ?? 0)
    packetFrames = (1...1 << 16).contains(frames) ? frames : 0
    let stated = Int(cookie.word(24) ?? 0)
    let count = Int(cookie.number(13, 1) ?? 0)
    // Apple's layouts for many channels are those of AAC.
    let mask: UInt32 = count == 4 ? 0x107 : count == 7 ? 0x13F : count == 8 ? 0xFF : 0
    try setFormat(rate: stated > 0 ? stated : rate, layout: ChannelLayout(count: count, mask: mask))
  }

  /// Opus ("Encapsulation of Opus in ISO Base Media File Format" §4.3.2): the box holds what OpusHead does, most
  /// significant byte first.
  private mutating func describeOpus() throws(AudioError) {
    codec = .opus
    guard let box = part("dOps"), box.count >= 11, let preSkip = box.number(2, 2), let rate = box.word(4),
      let gain = box.number(8, 2), let count = box.number(1, 1)
    else { throw AudioError(.malformed, "The configuration of the Opus sound is missing") }
    func little(_ value: UInt64, _ size: Int) -> [UInt8] { (0..<size).map { UInt8(value >> UInt64(8 * $0) & 0xFF) } }
    configuration = Array("OpusHead".utf8) + [1, UInt8(count)] + little(preSkip, 2) + little(UInt64(rate), 4)
    configuration += little(gain, 2) + box.rest(10).prefix(258)
    preroll = 24_000
    try setFormat(rate: 48_000, layout: ChannelLayout(count: Int(count)))
  }

  /// FLAC ("Encapsulation of FLAC in ISO Base Media File Format" §3.3.2): metadata blocks, STREAMINFO first.
  private mutating func describeFLAC() throws(AudioError) {
    codec = .flac
    guard let box = part("dfLa"), let length = box.number(5, 3), length >= 34, box.count >= 42,
      let packed = box.number(18, 8)
    else { throw AudioError(.malformed, "The configuration of the FLAC sound is missing") }
    configuration = Array(box.rest(8).prefix(34))
    let depth = Int(packed >> 36 & 0x1F) + 1
    coding = SampleCoding(kind: .signed, bits: depth, bytes: (depth + 7) / 8)
    try setFormat(rate: Int(packed >> 44), layout: ChannelLayout(count: Int(packed >> 41 & 7) + 1))
  }

  /// AC-3 (ETSI TS 102 366 §F.4).
  private mutating func describeAC3() throws(AudioError) {
    codec = Codec(rawValue: "ac3")
    packetFrames = 1_536
    guard let word = part("dac3")?.number(0, 3), word >> 22 < 3 else { return try describeOther("ac3") }
    try setFormat(
      rate: [48_000, 44_100, 32_000][Int(word >> 22)],
      layout: Self.layout(mode: Int(word >> 11 & 7), hasLow: word >> 10 & 1 == 1))
  }

  /// Enhanced AC-3 (ETSI TS 102 366 §F.6): the first independent substream.
  private mutating func describeEAC3() throws(AudioError) {
    codec = Codec(rawValue: "eac3")
    packetFrames = 1_536
    guard let word = part("dec3")?.number(0, 5), word >> 22 & 3 < 3 else { return try describeOther("eac3") }
    try setFormat(
      rate: [48_000, 44_100, 32_000][Int(word >> 22 & 3)],
      layout: Self.layout(mode: Int(word >> 9 & 7), hasLow: word >> 8 & 1 == 1))
  }

  private static func layout(mode: Int, hasLow: Bool) -> ChannelLayout? {
    let mask: UInt32 = [0x3, 0x4, 0x3, 0x7, 0x103, 0x107, 0x603, 0x607][mode] | (hasLow ? 0x8 : 0)
    return ChannelLayout(count: mask.nonzeroBitCount, mask: mask)
  }

  private mutating func describeMPEGAudio() throws(AudioError) {
    codec = .mp3
    isMPEGAudio = true
    try setFormat(rate: rate, layout: ChannelLayout(count: min(max(channels, 1), 2)))
  }

  /// Corrects what is said by what an MPEG audio frame says itself.
  mutating func take(_ header: MPEGHeader) {
    codec = header.layer == 1 ? .mp1 : header.layer == 2 ? .mp2 : .mp3
    packetFrames = header.frameCount
    preroll = 12 * header.frameCount
    if let rate = SampleRate(hertz: header.sampleRate) {
      format = PCMFormat(sampleRate: rate, layout: header.isMono ? .mono : .stereo)
    }
  }

  // MARK: PCM

  private mutating func describePCM() throws(AudioError) {
    let isLittle = part("enda")?.number(0, 2) == 1
    switch type {
    case "sowt": setPCM(.signed, bits, isBig: false)
    case "twos": setPCM(.signed, bits, isBig: true)
    case "raw ", "NONE", "\0\0\0\0": setPCM(bits == 16 ? .signed : .unsigned, bits == 16 ? 16 : 8, isBig: true)
    case "in24": setPCM(.signed, 24, isBig: !isLittle)
    case "in32": setPCM(.signed, 32, isBig: !isLittle)
    case "fl32": setPCM(.float, 32, isBig: !isLittle)
    case "fl64": setPCM(.float, 64, isBig: !isLittle)
    case "ulaw": (codec, coding) = (.mulaw, nil)
    case "alaw": (codec, coding) = (.alaw, nil)
    case "lpcm":
      let isFloat = flags & 1 != 0
      setPCM(isFloat ? .float : flags & 4 != 0 ? .signed : .unsigned, bits, isBig: flags & 2 != 0)
      // Unpacked samples are wider than their bits.
      if let count = Optional(bytesPerFrame), channels > 0, count % channels == 0, count / channels > (bits + 7) / 8 {
        coding?.bytes = count / channels
      }
    case "ipcm", "fpcm":
      // ISO/IEC 23003-5 §5.3: the box that says so is mandatory, and what stands elsewhere does not count.
      guard let box = part("pcmC"), let flags = box.number(4, 1), let size = box.number(5, 1) else {
        throw AudioError(.malformed, "The file does not say how its PCM sound is stored")
      }
      setPCM(type == "fpcm" ? .float : .signed, Int(size), isBig: flags & 1 == 0)
    default:
      if type == "ac-4" { codec = Codec(rawValue: "ac4") } else { codec = Codec(rawValue: Self.printable(type)) }
      return try setFormat(rate: rate, layout: ChannelLayout(count: channels))
    }
    let mask = part("chan").flatMap { CAFLayout.mask(Array($0.rest(4).prefix(CAFLayout.size))) } ?? 0
    try setFormat(rate: rate, layout: ChannelLayout(count: channels, mask: mask))
    let sampleBytes = coding?.bytes ?? 1
    guard (1...8).contains(sampleBytes), coding?.kind != .float || sampleBytes >= 4 else {
      throw AudioError(.malformed, "The file states an impossible width of samples")
    }
    blockBytes = sampleBytes * channels
  }

  private mutating func setPCM(_ kind: SampleCoding.Kind, _ bits: Int, isBig: Bool) {
    codec = .pcm
    // Offset binary is a habit of 8 bits only.
    let kind = kind == .signed || kind == .float || bits <= 8 ? kind : .signed
    coding = SampleCoding(kind: kind, bits: bits, bytes: (bits + 7) / 8, isBigEndian: isBig)
  }

  private static func printable(_ type: String) -> String {
    let name = type.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    return name.isEmpty ? "unknown" : name
  }

  /// Frames to decode before a seek's target: for transform codings the overlap, and what SBR remembers.
  private static func preroll(_ codec: Codec, _ packetFrames: Int) -> Int {
    switch codec {
    case .alac, .flac, Codec(rawValue: "mp4als"), Codec(rawValue: "adpcm_ima_qt"): 0
    case .aac: max(4 * packetFrames, 4_096)
    default: 12_288
    }
  }
}
