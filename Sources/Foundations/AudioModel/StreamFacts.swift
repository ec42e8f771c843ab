/// How long something plays, and how sure that is.
public struct MediaDuration: Hashable, Sendable {
  /// Frames that will be played, after trimming, at the stream's own rate.
  public var frames: Int64
  /// Whether `frames` is a promise or an estimate.
  public var isExact: Bool
  /// For an estimate: how far off it may be, in seconds. 0 when exact, `nil` when not even that is known.
  public var errorSeconds: Double?

  /// Makes a duration.
  public init(frames: Int64, isExact: Bool, errorSeconds: Double? = nil) {
    self.frames = frames
    self.isExact = isExact
    self.errorSeconds = isExact ? 0 : errorSeconds
  }
}

/// How well a stream can be sought.
public enum Seekability: String, Hashable, Sendable {
  /// To the frame asked for.
  case exact
  /// Near it, with the position reached known only roughly.
  case estimated
  /// Not at all: live streams, pipes.
  case no
}

/// A named text of a file, in the order of the file. Names are lower case: `title`, `artist`, `album`, `date`,
/// `track`, `genre`, `comment`, …; values come from outside and are data.
public struct Tag: Hashable, Sendable {
  /// Which one.
  public var name: String
  /// Its text.
  public var value: String
  /// Makes a tag.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A chapter of a file.
public struct Chapter: Hashable, Sendable {
  /// Seconds from the start.
  public var start: Double
  /// Seconds from the start; `nil` when the file does not say.
  public var end: Double?
  /// What it is called.
  public var title: String
  /// Makes a chapter.
  public init(start: Double, end: Double?, title: String) {
    self.start = start
    self.end = end
    self.title = title
  }
}

/// A picture in a file: where it is, not what it shows, so that it costs no memory unless asked for.
public struct Picture: Hashable, Sendable {
  /// ID3v2's picture type (3 is the front cover).
  public var type: Int
  /// Its media type, `image/jpeg` for example.
  public var mime: String
  /// First byte in the source; `nil` where it is not stored as it is.
  public var position: Int64?
  /// Number of bytes.
  public var byteCount: Int
  /// Makes a picture.
  public init(type: Int, mime: String, position: Int64?, byteCount: Int) {
    self.type = type
    self.mime = mime
    self.position = position
    self.byteCount = byteCount
  }
}

/// Loudness that a file states of itself, in decibels relative to its own level; peaks as amplitude.
public struct LoudnessTags: Hashable, Sendable {
  /// Gain for the track alone.
  public var trackGain: Double?
  /// Gain for the album.
  public var albumGain: Double?
  /// Highest sample of the track, full scale = 1.
  public var trackPeak: Double?
  /// Highest sample of the album.
  public var albumPeak: Double?
  /// Gain for the track alone as Opus files state it (RFC 7845 §5.2.1): to −23 LUFS, on top of the stream's output gain.
  /// ``trackGain`` is derived of it where that is not stated itself.
  public var r128Track: Double?
  /// The same for the album.
  public var r128Album: Double?
  /// Makes an empty statement.
  public init() {}
}

/// What a container says about its audio.
public struct StreamFacts: Hashable, Sendable {
  /// Name of the container in lower case: `wav`, `mp3`, `mp4`, `ogg`, …
  public var container: String
  /// The coding of the samples.
  public var codec: Codec
  /// Rate and channels as played.
  public var format: PCMFormat
  /// For PCM: how samples lie in the bytes. For lossless codecs: their depth.
  public var sampleCoding: SampleCoding?
  /// Bits per second on average; `nil` when not known.
  public var bitRate: Int?
  /// How long it plays; `nil` when not known (live).
  public var duration: MediaDuration?
  /// The source ends before what the container states: a download that broke off.
  public var isTruncated: Bool
  /// Frames that an encoder put before the first one, decoder delay not counted; `nil` when not stated.
  public var encoderDelay: Int?
  /// Frames that an encoder put behind the last one; `nil` when not stated.
  public var encoderPadding: Int?
  /// How well it can be sought, given a source that can.
  public var seekability: Seekability
  /// Frames to decode and throw away before a seek's target.
  public var seekPreroll: Int
  /// Set-up bytes for the decoder (AudioSpecificConfig, a cookie); empty for most.
  public var decoderConfiguration: [UInt8]
  /// Texts.
  public var tags: [Tag]
  /// Chapters in order.
  public var chapters: [Chapter]
  /// Pictures in order.
  public var pictures: [Picture]
  /// Loudness.
  public var loudness: LoudnessTags

  /// Makes facts with nothing known but the essentials.
  public init(container: String, codec: Codec, format: PCMFormat) {
    self.container = container
    self.codec = codec
    self.format = format
    isTruncated = false
    seekability = .exact
    seekPreroll = 0
    decoderConfiguration = []
    tags = []
    chapters = []
    pictures = []
    loudness = LoudnessTags()
  }

  /// The first value of a tag.
  public func tag(_ name: String) -> String? { tags.first { $0.name == name }?.value }
}
