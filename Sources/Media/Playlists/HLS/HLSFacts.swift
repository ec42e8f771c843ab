/// What HLS (RFC 8216) says beside segments.
///
/// A multivariant ("master") playlist has ``variants`` and ``renditions``; a media playlist has segments, as entries of
/// the ``Playlist``, and the rest.
public struct HLSFacts: Hashable, Sendable {
  /// Whether a media playlist grows.
  public enum Kind: String, Hashable, Sendable {
    /// Segments are added at the end only.
    case event = "EVENT"
    /// It never changes.
    case onDemand = "VOD"
  }

  /// EXT-X-VERSION; 1 if not stated.
  public var version = 1
  /// The same content at several bit rates, in the document's order (EXT-X-STREAM-INF).
  public package(set) var variants: [HLSVariant] = []
  /// Audio that belongs to variants by its group (EXT-X-MEDIA of type AUDIO).
  public package(set) var renditions: [HLSRendition] = []
  /// Seconds that no segment is longer than, when rounded; `nil` if not stated.
  public var targetDuration: Double?
  /// Number of the first segment.
  public var mediaSequence: Int64 = 0
  /// Number of discontinuities before the first segment.
  public var discontinuitySequence: Int64 = 0
  /// Whether it grows; `nil` if not stated.
  public var kind: Kind?
  /// No segment will be added (EXT-X-ENDLIST, or on demand).
  public var isEnded = false
  /// Where to start, in seconds from the start, or from the end if negative (EXT-X-START).
  public var startOffset: Double?

  /// Makes facts with nothing known.
  public init() {}
}

/// One of the forms in which a multivariant playlist offers its content.
public struct HLSVariant: Hashable, Sendable {
  /// How the document names its media playlist.
  public var reference: String
  /// Where that is.
  public var target: PlaylistTarget
  /// Peak bits per second; `nil` if not stated.
  public var bitRate: Int?
  /// Bits per second on average.
  public var averageBitRate: Int?
  /// Codings of what is inside (RFC 6381): `mp4a.40.2`, …
  public var codecs: [String] = []
  /// The group of ``HLSRendition/group`` that its audio is in.
  public var audioGroup: String?
  /// What it is called.
  public var name: String?
  /// Pictures come with it: it has a resolution, or a coding of them.
  public var hasVideo = false

  /// Makes a variant.
  public init(reference: String, target: PlaylistTarget) {
    self.reference = reference
    self.target = target
  }
}

/// Audio that variants of a multivariant playlist share: a language, for example.
public struct HLSRendition: Hashable, Sendable {
  /// What variants call the group that it is in.
  public var group: String
  /// What it is called.
  public var name: String
  /// Its language (RFC 5646).
  public var language: String?
  /// The one to play if nobody chooses.
  public var isDefault = false
  /// May be chosen by the listener's language.
  public var isAutoselected = false
  /// Number of channels.
  public var channels: Int?
  /// How the document names its media playlist; `nil` where it lies in the variant itself.
  public var reference: String?
  /// Where that is.
  public var target: PlaylistTarget?

  /// Makes a rendition.
  public init(group: String, name: String) {
    self.group = group
    self.name = name
  }
}

/// What HLS says of a segment.
public struct HLSSegment: Hashable, Sendable {
  /// Its number in the stream, which stays when the playlist is loaded anew.
  public var sequence: Int64
  /// Coding, timestamps or else do not go on from the segment before.
  public var startsDiscontinuity = false
  /// The sender has nothing there.
  public var isGap = false
  /// Seconds since 1970-01-01T00:00:00Z of its first sample, where the document states them for this very segment.
  public var date: Double?
  /// What a decoder must be given first (EXT-X-MAP).
  public var initialization: HLSInitialization?
  /// How it is encrypted; `nil` if it is not.
  public var key: HLSKey?

  /// Makes a segment.
  public init(sequence: Int64) { self.sequence = sequence }
}

/// Bytes to read before a segment: the head of a fragmented MP4, for example.
public struct HLSInitialization: Hashable, Sendable {
  /// Where they are.
  public var target: PlaylistTarget
  /// Which bytes of it; `nil` for all.
  public var byteRange: Range<Int64>?

  /// Makes one.
  public init(target: PlaylistTarget, byteRange: Range<Int64>?) {
    self.target = target
    self.byteRange = byteRange
  }
}

/// How segments are encrypted (EXT-X-KEY).
public struct HLSKey: Hashable, Sendable {
  /// `AES-128`, `SAMPLE-AES`, …
  public var method: String
  /// Where the key is.
  public var target: PlaylistTarget?
  /// 16 bytes; `nil` where the segment's number takes their place.
  public var initializationVector: [UInt8]?
  /// What the key is written in; `identity` for the 16 bytes themselves.
  public var format: String

  /// Makes one.
  public init(method: String, format: String = "identity") {
    self.method = method
    self.format = format
  }
}
