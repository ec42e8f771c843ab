internal import AudioModel

/// Cue sheets: tracks as parts of files, with times in minutes, seconds and frames of 1/75 s.
///
/// A track begins at its INDEX 01 and lasts until the next one's in the same file, or to the file's end; the gap in front
/// of a track, from INDEX 00, so belongs to the one before. Tracks that begin nowhere, and those that hold data, are
/// left out.
enum CUEReader {
  private static let framesPerSecond = 75.0

  /// Whether a text has the lines that every sheet has.
  static func accepts(_ text: String) -> Bool {
    var hasFile = false
    for line in PlaylistLines(text) {
      let (command, rest) = split(line)
      if command.isWord("file") { hasFile = true }
      if hasFile, command.isWord("track"), Int(split(rest).0) != nil { return true }
    }
    return false
  }

  static func read(_ text: String, base: PlaylistBase) throws(AudioError) -> Playlist {
    var sheet = Sheet(base)
    for line in PlaylistLines(text) {
      let (command, rest) = split(line)
      if command.isWord("file") {
        try sheet.startFile(fileName(rest))
      } else if command.isWord("track") {
        try sheet.startTrack(isAudio: split(rest).1.trimmed.after("mode") == nil)
      } else if command.isWord("title") {
        sheet.set(\.title, \.title, to: unquoted(rest))
      } else if command.isWord("performer") {
        sheet.set(\.artist, \.artist, to: unquoted(rest))
      } else if command.isWord("index") {
        let (number, time) = split(rest)
        if let number = Int(number), let time = seconds(time) { sheet.addIndex(number, time) }
      }
    }
    try sheet.finishTrack()
    return sheet.list
  }

  // MARK: Words

  /// A word and what follows it.
  private static func split(_ text: Substring) -> (Substring, Substring) {
    let word = text.utf8.prefix { $0 > 0x20 }
    return (Substring(word), text[word.endIndex...].trimmed)
  }

  private static func unquoted(_ text: Substring) -> Substring {
    let quote = UInt8(ascii: "\"")
    guard text.utf8.first == quote else { return text }
    let inner = text.utf8.dropFirst()
    return Substring(inner.last == quote ? inner.dropLast() : inner)
  }

  /// The name in `"name" WAVE`, `name WAVE` or `name`; without quotes the last word is a type only if it is a known one.
  private static func fileName(_ text: Substring) -> Substring {
    if text.utf8.first == UInt8(ascii: "\"") {
      let inner = text.utf8.dropFirst()
      return Substring(inner[..<(inner.lastIndex(of: UInt8(ascii: "\"")) ?? inner.endIndex)])
    }
    guard let blank = text.utf8.lastIndex(where: { $0 <= 0x20 }) else { return text }
    let type = text[text.utf8.index(after: blank)...]
    let isType = ["wave", "mp3", "aiff", "binary", "motorola", "flac", "ogg", "aac", "wma"].contains {
      type.isWord($0)
    }
    return isType ? text[..<blank].trimmed : text
  }

  /// Seconds of `mm:ss:ff`; minutes may have any number of digits.
  private static func seconds(_ text: Substring) -> Double? {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { Substring($0).trimmed }
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 6 }) else { return nil }
    guard parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), let minutes = Int(parts[0]),
      let seconds = Int(parts[1]), let frames = Int(parts[2]), seconds < 60, frames < Int(framesPerSecond)
    else { return nil }
    return Double(minutes * 60 + seconds) + Double(frames) / framesPerSecond
  }
}

/// A sheet on the way.
private struct Sheet {
  struct Texts {
    var title: String?
    var artist: String?
  }

  struct Track {
    var title: String?
    var artist: String?
    var isAudio: Bool
    /// Where it begins, and by which index that is known.
    var start: (index: Int, seconds: Double)?
  }

  private(set) var list = Playlist(format: .cue)
  private let resolver: PlaylistResolver
  private var album = Texts()
  private var file: Substring?
  private var track: Track?
  /// The last track of the list lies in the present file, so that the next one tells where it ends.
  private var continues = false

  init(_ base: PlaylistBase) { resolver = PlaylistResolver(base, .paths) }

  mutating func startFile(_ name: Substring) throws(AudioError) {
    // A track whose gap lies at the end of one file and whose sound begins the next is still under way.
    if let start = track?.start, start.index > 0 { try finishTrack() }
    track?.start = nil
    file = name
    continues = false
  }

  mutating func startTrack(isAudio: Bool) throws(AudioError) {
    try finishTrack()
    track = Track(isAudio: isAudio)
  }

  mutating func set(
    _ ofTrack: WritableKeyPath<Track, String?>, _ ofAlbum: WritableKeyPath<Texts, String?>, to text: Substring
  ) {
    if track != nil {
      track?[keyPath: ofTrack] = text.orNil
    } else {
      album[keyPath: ofAlbum] = text.orNil
      if ofAlbum == \.title, list.title == nil { list.title = text.orNil }
    }
  }

  /// INDEX 01 is the start; INDEX 00 only where there is none, and those above 01 are places within.
  mutating func addIndex(_ number: Int, _ seconds: Double) {
    guard number == 1 || track?.start == nil, (0...99).contains(number) else { return }
    track?.start = (number, seconds)
  }

  mutating func finishTrack() throws(AudioError) {
    guard let done = track else { return }
    track = nil
    guard let file, let start = done.start?.seconds else { return }
    if continues, let last = list.entries.indices.last, let before = list.entries[last].start, start > before {
      list.entries[last].end = start
      list.entries[last].duration = start - before
    }
    continues = done.isAudio
    guard done.isAudio else { return }
    var entry = PlaylistEntry(file, resolver)
    entry.title = done.title
    entry.artist = done.artist ?? album.artist
    entry.album = album.title
    entry.start = start
    try list.append(entry)
  }
}
