public import AudioModel

/// A list of things to play, as a document holds it: where they are, and what the document says of them.
///
/// Nothing is opened to make it, and nothing in it is believed: titles are data from outside, durations are hearsay, and
/// what may not be opened from here says so (``PlaylistTarget/refused(_:)``).
///
/// ```swift
/// let list = try Playlist(parsing: bytes, base: .web(url: "https://example.org/radio/list.m3u"))
/// for entry in list.entries { print(entry.target, entry.title ?? "") }
/// ```
public struct Playlist: Hashable, Sendable {
  /// The most bytes that a document may have: 8 MiB.
  public static let byteLimit = 8 << 20
  /// The most entries, variants or renditions that a document may have.
  public static let entryLimit = 100_000
  /// Lines that are longer, in bytes of UTF-8, are passed over.
  public static let lineLimit = 64 << 10

  /// How it was written.
  public var format: PlaylistFormat
  /// What it calls itself.
  public var title: String?
  /// What to play, in order; the segments of an HLS media playlist. Empty for an HLS multivariant playlist.
  public package(set) var entries: [PlaylistEntry] = []
  /// What HLS adds; `nil` for other formats.
  public var hls: HLSFacts?

  /// Makes an empty list.
  public init(format: PlaylistFormat) { self.format = format }

  /// Reads a document.
  /// - Parameters:
  ///   - bytes: All of it. UTF-8, UTF-16 with or without a mark, else Windows-1252.
  ///   - format: How it is written; found out by ``PlaylistFormat/init(of:pathExtension:mediaType:)`` if not given.
  ///   - base: Where it is: entries are named relative to that, and a document from the network names no files.
  /// - Throws: ``AudioModel/AudioError/Code/limitReached`` beyond the limits above,
  ///   ``AudioModel/AudioError/Code/unrecognized`` where the format is not given and not found. Damage throws nothing:
  ///   what can be read is read.
  public init(parsing bytes: [UInt8], as format: PlaylistFormat? = nil, base: PlaylistBase) throws(AudioError) {
    guard bytes.count <= Self.byteLimit else {
      throw AudioError(.limitReached, "The playlist is longer than \(Self.byteLimit >> 20) MiB")
    }
    guard let format = format ?? PlaylistFormat(of: bytes) else {
      throw AudioError(.unrecognized, "This is no playlist that is known here")
    }
    let text = PlaylistText.decode(bytes)
    switch format {
    case .m3u: self = try M3UReader.read(text, base: base)
    case .hls: self = try HLSReader.read(text, base: base)
    case .pls: self = try PLSReader.read(text, base: base)
    case .xspf: self = try XSPFReader.read(text, base: base)
    case .asx: self = try ASXReader.read(text, base: base)
    case .cue: self = try CUEReader.read(text, base: base)
    }
  }

  /// Plays on without an end of its own: an HLS media playlist that is still being written.
  public var isLive: Bool { hls.map { $0.variants.isEmpty && !$0.isEnded } ?? false }

  /// Seconds of all segments of an HLS media playlist that has ended; `nil` for all else.
  public var duration: Double? {
    guard let hls, hls.isEnded, hls.variants.isEmpty else { return nil }
    return entries.reduce(0) { $0 + ($1.duration ?? 0) }
  }

  mutating func append(_ entry: PlaylistEntry) throws(AudioError) {
    try Self.checkRoom(entries.count)
    entries.append(entry)
  }

  static func checkRoom(_ count: Int) throws(AudioError) {
    guard count < entryLimit else {
      throw AudioError(.limitReached, "The playlist has more than \(entryLimit) entries")
    }
  }
}
