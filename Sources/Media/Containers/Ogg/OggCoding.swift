internal import AudioModel

/// The coding of a logical stream, by its first packet.
enum OggCoding: Hashable {
  /// Vorbis I §A.
  case vorbis(VorbisSetup)
  /// RFC 7845.
  case opus(OpusHead)
  /// The Speex manual, "Ogg file format".
  case speex(SpeexHeader)

  /// Reads a stream's first packet; `nil` for all that is not played.
  init?(_ bytes: [UInt8]) {
    if let setup = VorbisSetup(identification: bytes) {
      self = .vorbis(setup)
    } else if let head = OpusHead(bytes) {
      self = .opus(head)
    } else if let header = SpeexHeader(bytes) {
      self = .speex(header)
    } else {
      return nil
    }
  }

  var codec: Codec {
    switch self {
    case .vorbis: .vorbis
    case .opus: .opus
    case .speex: Codec(rawValue: "speex")
    }
  }

  /// Rate and channels as decoded; `nil` where they are out of bounds.
  var format: PCMFormat? {
    let (hertz, channels) =
      switch self {
      case .vorbis(let setup): (setup.rate, setup.channels)
      case .opus(let head): (OpusHead.rate.hertz, head.channels)
      case .speex(let header): (header.rate, header.channels)
      }
    guard let rate = SampleRate(hertz: hertz), let layout = ChannelLayout(count: channels) else { return nil }
    return PCMFormat(sampleRate: rate, layout: layout)
  }

  /// Header packets in front of the sound.
  var headerCount: Int {
    switch self {
    case .vorbis: 3
    case .opus: 2
    case .speex(let header): 2 + header.extraHeaders
    }
  }

  /// Which header packet holds comments, and how many bytes stand in front of them.
  var comments: (number: Int, offset: Int64) {
    switch self {
    case .vorbis: (1, 7)
    case .opus: (1, 8)
    case .speex: (1, 0)
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
  var preroll: Int {
    switch self {
    // A packet decodes wholly once the one before it was seen, which the search for its page allows for.
    case .vorbis: 0
    // RFC 7845 §4.6 wants 80 ms at least; prediction fades more slowly than that suggests.
    case .opus: 24_000
    case .speex(let header): header.rate / 2
    }
  }

  /// Frames of the longest packet.
  var longestPacket: Int {
    switch self {
    case .vorbis(let setup): setup.longBlock / 2
    case .opus: OpusHead.longestPacket
    case .speex(let header): header.packetFrames
    }
  }

  /// The first packet that a decoder gets gives no sound: it only overlaps with the second.
  var needsPrimer: Bool {
    if case .vorbis = self { true } else { false }
  }

  /// What stands in a packet's first two bytes.
  struct PacketKind {
    /// Frames that it decodes to.
    var frames: Int
    /// Vorbis: samples of its block, which the next packet's length depends on.
    var block: Int?
  }

  /// How long a packet is; `nil` for one that holds no sound.
  /// - Parameters:
  ///   - bytes: At least its first byte; the first two if it has them.
  ///   - before: The block of the packet before, `nil` for the first that the decoder gets.
  func kind(_ first: UInt8, _ second: UInt8?, after before: Int?) -> PacketKind? {
    switch self {
    case .vorbis(let setup):
      guard let block = setup.block(first) else { return nil }
      return PacketKind(frames: before.map { ($0 + block) / 4 } ?? 0, block: block)
    case .opus: return PacketKind(frames: OpusHead.frames(first, second) ?? 0, block: nil)
    case .speex(let header): return PacketKind(frames: header.packetFrames, block: nil)
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

  /// The look-ahead of the decoder's filters: none in narrowband; each band split adds 63 taps at its own rate.
  var decoderDelay: Int { [0, 63, 189][mode] }
}
