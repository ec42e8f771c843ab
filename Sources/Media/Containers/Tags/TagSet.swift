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
  /// What iTunes says about the encoder's delay.
  var gapless: GaplessTag?

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
    gapless = gapless ?? other.gapless
    loudness.trackGain = loudness.trackGain ?? other.loudness.trackGain
    loudness.albumGain = loudness.albumGain ?? other.loudness.albumGain
    loudness.trackPeak = loudness.trackPeak ?? other.loudness.trackPeak
    loudness.albumPeak = loudness.albumPeak ?? other.loudness.albumPeak
    loudness.r128Track = loudness.r128Track ?? other.loudness.r128Track
    loudness.r128Album = loudness.r128Album ?? other.loudness.r128Album
  }

  /// Takes a REPLAYGAIN text (`replaygain_track_gain` = `-6.54 dB`, the unit maybe absent or close by, the decimal mark
  /// maybe a comma); other names are left alone.
  /// - Returns: Whether the name was one of them.
  package mutating func takeReplayGain(_ name: String, _ value: String) -> Bool {
    let digits = value.drop { $0 == " " }.prefix { "+-.,0123456789".contains($0) }
    let number = Double(String(digits.map { $0 == "," ? "." : $0 })).flatMap { $0.isFinite ? $0 : nil }
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

extension LoudnessTags {
  /// Derives gains that are not stated from R128's: those are relative to −23 LUFS, 5 dB below ReplayGain 2's reference
  /// of −18 LUFS.
  package mutating func completeFromR128() {
    trackGain = trackGain ?? r128Track.map { $0 + 5 }
    albumGain = albumGain ?? r128Album.map { $0 + 5 }
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
