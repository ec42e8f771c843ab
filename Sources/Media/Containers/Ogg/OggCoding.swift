internal import AudioModel

/// The coding of a logical stream, by its first packet.
enum OggCoding: Hashable {
  /// Vorbis I §A.
  case vorbis(VorbisSetup)
  /// RFC 7845.
  case opus(OpusHead)
  /// The Speex manual, "Ogg file format".
  case speex(SpeexHeader)
  /// RFC 9639 §10.1.
  case flac(OggFLACHeader)

  /// Reads a stream's first packet; `nil` for all that is not played.
  init?(_ bytes: [UInt8]) {
    if let setup = VorbisSetup(identification: bytes) {
      self = .vorbis(setup)
    } else if let head = OpusHead(bytes) {
      self = .opus(head)
    } else if let header = SpeexHeader(bytes) {
      self = .speex(header)
    } else if let header = OggFLACHeader(bytes) {
      self = .flac(header)
    } else {
      return nil
    }
  }

  var codec: Codec {
    switch self {
    case .vorbis: .vorbis
    case .opus: .opus
    case .speex: Codec(rawValue: "speex")
    case .flac: .flac
    }
  }

  /// Rate and channels as decoded; `nil` where they are out of bounds.
  var format: PCMFormat? {
    let (hertz, channels) =
      switch self {
      case .vorbis(let setup): (setup.rate, setup.channels)
      case .opus(let head): (OpusHead.rate.hertz, head.channels)
      case .speex(let header): (header.rate, header.channels)
      case .flac(let header): (header.rate, header.channels)
      }
    guard let rate = SampleRate(hertz: hertz), let layout = ChannelLayout(count: channels) else { return nil }
    return PCMFormat(sampleRate: rate, layout: layout)
  }

  /// Depth, where nothing is lost.
  var sampleCoding: SampleCoding? {
    guard case .flac(let header) = self else { return nil }
    return SampleCoding(kind: .signed, bits: header.bits, bytes: (header.bits + 7) / 8)
  }

  /// Header packets in front of the sound, at most.
  var headerCount: Int {
    switch self {
    case .vorbis: 3
    case .opus: 2
    case .speex(let header): 2 + header.extraHeaders
    case .flac(let header): 1 + header.headers
    }
  }

  /// Bytes in front of the comments in the second header packet.
  var commentsOffset: Int64 {
    switch self {
    case .vorbis: 7
    case .opus: 8
    case .speex: 0
    case .flac: 4
    }
  }

  /// Granule positions count this many frames more than are heard: Opus's pre-skip.
  var preSkip: Int64 {
    if case .opus(let head) = self { Int64(head.preSkip) } else { 0 }
  }

  /// Frames by which sound leaves the decoder later than granule positions say.
  var decoderDelay: Int64 {
    if case .speex(let header) = self { Int64(header.decoderDelay) } else { 0 }
  }

  /// Frames to decode in front of a seek's target.
  /// - Parameter predicts: The packets are of a mode for speech (RFC 6716 §3.1: SILK or hybrid).
  func preroll(predicts: Bool) -> Int {
    switch self {
    // A packet decodes wholly once the one before it was seen, which the search for its page allows for.
    case .vorbis: 0
    // RFC 7845 §4.6 wants 80 ms at least; prediction fades more slowly than that suggests, that of speech by far.
    case .opus: predicts ? 192_000 : 24_000
    case .speex(let header): header.rate / 2
    case .flac: 0
    }
  }

  /// Frames of the longest packet.
  var longestPacket: Int {
    switch self {
    case .vorbis(let setup): setup.longBlock / 2
    case .opus: OpusHead.longestPacket
    case .speex(let header): header.packetFrames
    case .flac(let header): header.longestBlock
    }
  }

  /// The first packet that a decoder gets gives no sound: it only overlaps with the second.
  var needsPrimer: Bool {
    if case .vorbis = self { true } else { false }
  }

  /// What the beginning of a packet tells.
  struct PacketKind {
    /// Frames that it decodes to.
    var frames: Int
    /// Vorbis: samples of its block, which the next packet's length depends on.
    var block: Int?
  }

  /// As much of a packet as is looked at.
  static let headSize = 16

  /// How long a packet is; `nil` for one that holds no sound.
  /// - Parameters:
  ///   - head: The first ``headSize`` bytes, if it has so many; at least one.
  ///   - before: The block of the packet before, `nil` for the first that the decoder gets.
  func kind(_ head: UnsafeRawBufferPointer, after before: Int?) -> PacketKind? {
    guard let first = head.first else { return nil }
    switch self {
    case .vorbis(let setup):
      guard let block = setup.block(first) else { return nil }
      return PacketKind(frames: before.map { ($0 + block) / 4 } ?? 0, block: block)
    case .opus: return PacketKind(frames: OpusHead.frames(first, head.count > 1 ? head[1] : nil) ?? 0, block: nil)
    case .speex(let header): return PacketKind(frames: header.packetFrames, block: nil)
    case .flac: return OggFLACHeader.blockSize(head).map { PacketKind(frames: $0, block: nil) }
    }
  }
}

/// The first packet of a Speex stream.
struct SpeexHeader: Hashable {
  /// Most frames of the codec in a packet that are believed.
  private static let mostFrames = 100
  var rate: Int
  var channels: Int
  /// Frames that a packet decodes to.
  var packetFrames: Int
  /// Header packets behind the comments.
  var extraHeaders: Int
  /// 0 narrowband, 1 wideband, 2 ultra-wideband.
  var mode: Int
  var nominalBitRate: Int?
  /// The packet itself, which is the decoder's configuration.
  var bytes: [UInt8]

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 80, bytes[..<8].elementsEqual("Speex   ".utf8) else { return nil }
    func number(_ at: Int) -> Int {
      Int(Int32(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) }))
    }
    rate = number(36)
    mode = number(40)
    channels = number(48)
    let bitRate = number(52)
    let frameSize = number(56)
    let frames = max(number(64), 1)
    extraHeaders = number(68)
    guard (1000...192_000).contains(rate), (0...2).contains(mode), (1...2).contains(channels),
      (1...2000).contains(frameSize), frames <= Self.mostFrames, (0...16).contains(extraHeaders)
    else { return nil }
    packetFrames = frameSize * frames
    nominalBitRate = bitRate > 0 ? bitRate : nil
    self.bytes = Array(bytes.prefix(80))
  }

  /// Frames by which the decoder's sound is late, one subframe of 5 ms at each band's rate. Granule positions allow for the
  /// encoder's delay only.
  var decoderDelay: Int { 40 << mode }
}

/// The first packet of a FLAC stream in Ogg.
struct OggFLACHeader: Hashable {
  /// Header packets that follow; where the stream does not say, more than there will be.
  var headers: Int
  var rate: Int
  var channels: Int
  var bits: Int
  var longestBlock: Int
  /// The body of STREAMINFO, which is the decoder's configuration.
  var bytes: [UInt8]

  init?(_ bytes: [UInt8]) {
    // Mark, version, number of headers, native mark, STREAMINFO with its block header.
    guard bytes.count >= 51, bytes[0] == 0x7F, bytes[1..<5].elementsEqual("FLAC".utf8), bytes[5] == 1,
      bytes[9..<13].elementsEqual("fLaC".utf8), bytes[13] & 0x7F == 0
    else { return nil }
    let stated = Int(bytes[7]) << 8 | Int(bytes[8])
    headers = stated > 0 ? stated : .max >> 1
    self.bytes = Array(bytes[17..<51])
    rate = Int(bytes[27]) << 12 | Int(bytes[28]) << 4 | Int(bytes[29] >> 4)
    channels = Int(bytes[29] >> 1 & 7) + 1
    bits = (Int(bytes[29] & 1) << 4 | Int(bytes[30] >> 4)) + 1
    longestBlock = Int(bytes[19]) << 8 | Int(bytes[20])
    guard rate > 0 else { return nil }
  }

  /// Whether a packet is a frame of sound; all others are metadata.
  static func isFrame(_ head: UnsafeRawBufferPointer) -> Bool {
    head.count >= 2 && head[0] == 0xFF && head[1] & 0xFC == 0xF8
  }

  /// Samples of each channel in a frame. Pages have a checksum: the header's own is left to the decoder.
  static func blockSize(_ head: UnsafeRawBufferPointer) -> Int? {
    guard isFrame(head), head.count >= 6 else { return nil }
    return FLACFrameHeader.blockSize(head[2] >> 4) { count in
      // Behind the frame's number, which is as long as its first byte has leading ones.
      let at = 4 + max((~head[4]).leadingZeroBitCount, 1)
      return head.count >= at + count ? head[at..<at + count].reduce(0) { $0 << 8 | Int($1) } : nil
    }
  }
}
