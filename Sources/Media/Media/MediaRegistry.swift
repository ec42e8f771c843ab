public import AudioModel
public import ByteSource
public import Codecs
public import Containers
#if FFmpeg
  internal import FFmpegAdapter
#endif

/// Who reads and decodes what: a value, made once where a program is put together.
public struct MediaRegistry: Sendable {
  /// Containers with a parser, tried in order.
  public var containers: [ContainerRegistration]
  /// Decoders; the tier decides, then the order.
  public var decoders: [DecoderRegistration]
  /// Encoders; the first for a codec counts.
  public var encoders: [EncoderRegistration]
  /// File formats that can be written.
  public var writers: [WriterRegistration]
  /// Who opens what has no parser here; `nil` refuses it.
  public var foreign: ForeignDemuxer?

  /// Makes a registry.
  public init(
    containers: [ContainerRegistration], decoders: [DecoderRegistration], encoders: [EncoderRegistration] = [],
    writers: [WriterRegistration] = [], foreign: ForeignDemuxer? = nil
  ) {
    self.containers = containers
    self.decoders = decoders
    self.encoders = encoders
    self.writers = writers
    self.foreign = foreign
  }

  /// Martlet's own parsers, and decoders and encoders that are ours or have a library of their own.
  public static let builtIn = MediaRegistry(
    containers: ContainerRegistration.builtIn, decoders: DecoderRegistration.builtIn,
    encoders: EncoderRegistration.builtIn, writers: WriterRegistration.builtIn)

  /// All that this build has.
  public static let standard: MediaRegistry = {
    var registry = builtIn
    #if FFmpeg
      registry.decoders.append(.ffmpeg)
      registry.encoders += EncoderRegistration.ffmpeg
      registry.foreign = .ffmpeg
    #endif
    return registry
  }()

  /// What can be played, as `martlet formats` lists it.
  public var formats: [MediaFormat] {
    let table = DecoderTable(decoders)
    var rows: [MediaFormat] = []
    for container in containers {
      for codec in Self.codecs(of: container.name) {
        let candidates = table.candidates(for: codec)
        guard let decoder = candidates.first else { continue }
        var format = MediaFormat(
          container: container.name, extensions: container.extensions, codecs: [codec], decoder: decoder.name,
          tier: decoder.tier)
        format.reason = decoder.reason
        format.alternatives = candidates.dropFirst().map(\.name)
        rows.append(format)
      }
    }
    return rows + (foreign?.formats ?? [])
  }

  /// The codecs that a container of ours may carry; its namesake for all that are bare streams.
  private static func codecs(of container: String) -> [Codec] {
    switch container {
    case "wav":
      [.pcm, .alaw, .mulaw, .mp3] + ["adpcm_ms", "adpcm_ima_wav", "gsm_ms"].map { Codec(rawValue: $0) }
    case "mp3": [.mp1, .mp2, .mp3]
    case "aiff": [.pcm, .alaw, .mulaw, Codec(rawValue: "adpcm_ima_qt"), Codec(rawValue: "gsm")]
    case "caf": [.pcm, .alaw, .mulaw, .alac, .aac, .mp3, .opus, .flac, Codec(rawValue: "adpcm_ima_qt")]
    case "adts", "adif", "latm": [.aac]
    case "mp4":
      [.aac, .alac, .mp3, .opus, .flac, .pcm, .alaw, .mulaw]
        + ["ac3", "eac3", "mp4als", "amr_nb", "amr_wb", "adpcm_ima_qt"].map { Codec(rawValue: $0) }
    case "ac3": ["ac3", "eac3"].map { Codec(rawValue: $0) }
    case "amr": ["amr_nb", "amr_wb"].map { Codec(rawValue: $0) }
    case "ogg": [.vorbis, .opus, .flac, Codec(rawValue: "speex")]
    default: [Codec(rawValue: container)]
    }
  }
}

/// One line of the table of formats.
public struct MediaFormat: Hashable, Sendable {
  /// Name of the container.
  public var container: String
  /// Extensions of file names.
  public var extensions: [String]
  /// What is in it.
  public var codecs: [Codec]
  /// Who decodes it.
  public var decoder: String
  /// The decoder's rank.
  public var tier: DecoderRegistration.Tier
  /// Why it is this decoder, in a few words.
  public var reason = ""
  /// Decoders that are tried, in this order, where it refuses a stream or its library is missing.
  public var alternatives: [String] = []

  /// Makes a line.
  public init(
    container: String, extensions: [String], codecs: [Codec], decoder: String, tier: DecoderRegistration.Tier
  ) {
    self.container = container
    self.extensions = extensions
    self.codecs = codecs
    self.decoder = decoder
    self.tier = tier
  }
}

/// A library with demuxers of its own, for containers that have no parser here.
public struct ForeignDemuxer: Sendable {
  /// What it is given.
  public struct Input {
    /// Open, and standing behind `head`.
    public var source: any ByteSource
    /// What the source said when it was opened.
    public var sourceFacts: SourceFacts
    /// Bytes that were read already.
    public var head: [UInt8]
    /// Position of the first of them.
    public var headStart: Int64
    /// Where the container begins.
    public var start: Int64
    /// The container's name where the first bytes told it.
    public var name: String?
  }

  /// What it opens.
  public var formats: [MediaFormat]
  /// Opens a stream, with the decoder that goes with it.
  public var open: @Sendable (Input) throws(AudioError) -> (any PacketReader, any AudioDecoder)

  /// Makes a demuxer.
  public init(
    formats: [MediaFormat],
    open: @escaping @Sendable (Input) throws(AudioError) -> (any PacketReader, any AudioDecoder)
  ) {
    self.formats = formats
    self.open = open
  }
}

#if FFmpeg
  extension ForeignDemuxer {
    /// libavformat, loaded when first asked.
    static let ffmpeg = ForeignDemuxer(
      formats: FFmpegTable.formats.map { entry in
        var format = MediaFormat(
          container: entry.container, extensions: entry.extensions, codecs: entry.codecs, decoder: "libavcodec",
          tier: .fallback)
        format.reason = "goes with libavformat, which reads what has no parser here"
        return format
      },
      open: { input throws(AudioError) in
        let demuxer = try FFmpegDemuxer(
          source: input.source, sourceFacts: input.sourceFacts, head: input.head, headStart: input.headStart,
          start: input.start, name: input.name)
        return (demuxer, try demuxer.makeDecoder())
      })
  }

  extension DecoderRegistration {
    /// libavcodec, for streams of our parsers that nobody else decodes.
    static let ffmpeg = DecoderRegistration(
      name: "libavcodec", codecs: FFmpegTable.codecs, tier: .fallback,
      reason: "large and slow to load: only where no other decoder is here"
    ) { facts throws(AudioError) in
      try FFmpegDecoder(facts)
    }
  }
#endif
