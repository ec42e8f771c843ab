public import AudioModel

/// What tags say about a file, wherever they stand: in front of the container, in it, or behind it.
public struct TagSet: Hashable, Sendable {
  /// Texts in the order of the file.
  public var tags: [Tag] = []
  /// Pictures in order.
  public var pictures: [Picture] = []
  /// Chapters in order.
  public var chapters: [Chapter] = []
  /// Loudness.
  public var loudness = LoudnessTags()

  /// Most texts that are kept of one file.
  package static let limit = 512

  /// Makes an empty set.
  public init() {}

  /// Nothing was said.
  public var isEmpty: Bool { self == TagSet() }

  /// Adds a text, unless it is empty, is there already, or the set is full.
  package mutating func add(_ name: String, _ value: String) {
    let tag = Tag(name, value)
    guard !value.isEmpty, tags.count < Self.limit, !tags.contains(tag) else { return }
    tags.append(tag)
  }

  /// Adds what a poorer tag says: names that are there already stay as they are.
  package mutating func complete(with other: TagSet) {
    let known = Set(tags.map(\.name))
    for tag in other.tags where !known.contains(tag.name) { add(tag.name, tag.value) }
    if pictures.isEmpty { pictures = other.pictures }
    if chapters.isEmpty { chapters = other.chapters }
    loudness.trackGain = loudness.trackGain ?? other.loudness.trackGain
    loudness.albumGain = loudness.albumGain ?? other.loudness.albumGain
    loudness.trackPeak = loudness.trackPeak ?? other.loudness.trackPeak
    loudness.albumPeak = loudness.albumPeak ?? other.loudness.albumPeak
  }

  /// Takes a REPLAYGAIN text (`replaygain_track_gain` = `-6.54 dB`); other names are left alone.
  /// - Returns: Whether the name was one of them.
  package mutating func takeReplayGain(_ name: String, _ value: String) -> Bool {
    let number = Double(value.split(separator: " ").first.map(String.init) ?? "").flatMap { $0.isFinite ? $0 : nil }
    switch name.lowercased() {
    case "replaygain_track_gain": loudness.trackGain = number ?? loudness.trackGain
    case "replaygain_album_gain": loudness.albumGain = number ?? loudness.albumGain
    case "replaygain_track_peak": loudness.trackPeak = number ?? loudness.trackPeak
    case "replaygain_album_peak": loudness.albumPeak = number ?? loudness.albumPeak
    default: return false
    }
    return true
  }
}

extension StreamFacts {
  /// Puts what tags say into the facts.
  package mutating func take(_ set: TagSet) {
    tags = set.tags
    pictures = set.pictures
    chapters = set.chapters
    loudness = set.loudness
  }
}
