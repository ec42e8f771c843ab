/// Which coding the samples are in: a name in lower case, as ``StreamFacts`` and `martlet info` say it.
public struct Codec: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name.
  public let rawValue: String
  /// Makes a codec of a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  /// Linear PCM; ``SampleCoding`` says which.
  public static let pcm = Codec(rawValue: "pcm")
  /// ITU-T G.711 A-law.
  public static let alaw = Codec(rawValue: "alaw")
  /// ITU-T G.711 µ-law.
  public static let mulaw = Codec(rawValue: "mulaw")
  /// MPEG audio layer I.
  public static let mp1 = Codec(rawValue: "mp1")
  /// MPEG audio layer II.
  public static let mp2 = Codec(rawValue: "mp2")
  /// MPEG audio layer III.
  public static let mp3 = Codec(rawValue: "mp3")
  /// AAC of any profile.
  public static let aac = Codec(rawValue: "aac")
  /// Apple Lossless.
  public static let alac = Codec(rawValue: "alac")
  /// FLAC.
  public static let flac = Codec(rawValue: "flac")
  /// Vorbis.
  public static let vorbis = Codec(rawValue: "vorbis")
  /// Opus.
  public static let opus = Codec(rawValue: "opus")
}

/// How PCM samples lie in the bytes of a packet. Samples are interleaved.
public struct SampleCoding: Hashable, Sendable {
  /// Number or fraction.
  public enum Kind: Hashable, Sendable {
    /// Two's complement.
    case signed
    /// Offset binary (8-bit WAV).
    case unsigned
    /// IEEE 754 binary32 or binary64.
    case float
  }

  /// Number or fraction.
  public var kind: Kind
  /// Significant bits, 1…64.
  public var bits: Int
  /// Bytes that a sample takes, 1…8; integers are left-justified in them unless ``isRightJustified`` says otherwise.
  public var bytes: Int
  /// Most significant byte first.
  public var isBigEndian: Bool
  /// Of an integer, the lowest ``bits`` are in use, and what is above them means nothing.
  public var isRightJustified = false

  /// Makes a coding.
  public init(kind: Kind, bits: Int, bytes: Int, isBigEndian: Bool = false) {
    self.kind = kind
    self.bits = bits
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }
}
