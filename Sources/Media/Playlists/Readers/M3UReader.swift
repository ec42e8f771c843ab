internal import AudioModel

/// M3U: a path or URL a line. Lines that begin with `#` are comments, some of which mean something (extended M3U).
enum M3UReader {
  /// Whether a text without `#EXTM3U` is a list: all lines name URLs, or its name says so and it is no other text.
  static func accepts(_ text: String, isNamed: Bool) -> Bool {
    var hasEntries = false
    for line in PlaylistLines(text) where line.utf8.first != UInt8(ascii: "#") {
      if isNamed { return line.utf8.first != UInt8(ascii: "{") }
      guard line.after("http://") != nil || line.after("https://") != nil, !line.utf8.contains(0x20) else {
        return false
      }
      hasEntries = true
    }
    return hasEntries || isNamed
  }

  static func read(_ text: String, base: PlaylistBase) throws(AudioError) -> Playlist {
    let resolver = PlaylistResolver(base, .paths)
    var list = Playlist(format: .m3u)
    var next = Details()
    for line in PlaylistLines(text) {
      if line.utf8.first == UInt8(ascii: "#") {
        if let name = line.after("#playlist:") { list.title = name.trimmed.orNil }
        next.take(line)
        continue
      }
      var entry = PlaylistEntry(line, resolver)
      entry.title = next.title
      entry.artist = next.artist
      entry.album = next.album
      entry.duration = next.duration
      entry.start = next.start
      entry.end = next.end
      try list.append(entry)
      next.startEntry()
    }
    return list
  }

  /// What comments say of the entry that follows; an album goes on until the next.
  private struct Details {
    var title: String?
    var artist: String?
    var album: String?
    var duration: Double?
    var start: Double?
    var end: Double?

    mutating func startEntry() { self = Details(album: album) }

    mutating func take(_ comment: Substring) {
      if let information = comment.after("#extinf:") {
        (duration, title) = M3UReader.information(information)
      } else if let name = comment.after("#extalb:") {
        album = name.trimmed.orNil
      } else if let name = comment.after("#extart:") {
        artist = name.trimmed.orNil
      } else if let time = comment.after("#extvlcopt:start-time=") {
        start = time.trimmed.seconds
      } else if let time = comment.after("#extvlcopt:stop-time=") {
        end = time.trimmed.seconds
      }
    }
  }

  /// What follows `#EXTINF:`: seconds, attributes with quoted values perhaps, a comma, a title.
  static func information(_ text: Substring) -> (duration: Double?, title: String?) {
    var isQuoted = false
    let comma = text.utf8.firstIndex { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
    // A quote that does not end is no quote.
    let end = comma ?? text.utf8.firstIndex(of: UInt8(ascii: ",")) ?? text.endIndex
    let time = text[..<end].trimmed.utf8.prefix { $0 > 0x20 }
    let title = end == text.endIndex ? Substring() : text[text.utf8.index(after: end)...].trimmed
    return (Substring(time).seconds, title.orNil)
  }
}
