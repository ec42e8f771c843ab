import AudioModel

/// The 128 bytes at the end of a file that begin with `TAG`.
enum ID3v1 {
  static let size = 128

  /// Reads the tag at a position; `nil` when none is there.
  static func read(_ window: ByteWindow, at position: Int64) -> TagSet? {
    guard window.matches("TAG", at: position), let bytes = window.bytes(position, count: size) else { return nil }
    func text(_ from: Int, _ count: Int) -> String {
      let end = bytes[from..<from + count].prefix { $0 != 0 }
      let trimmed = end.reversed().drop { $0 == 0x20 }.reversed()
      return ID3Text.latin1(trimmed)
    }
    var set = TagSet()
    set.add("title", text(3, 30))
    set.add("artist", text(33, 30))
    set.add("album", text(63, 30))
    set.add("date", text(93, 4))
    // ID3v1.1: a NUL before the last byte of the comment makes that byte the track.
    let hasTrack = bytes[125] == 0 && bytes[126] != 0
    set.add("comment", text(97, hasTrack ? 28 : 30))
    if hasTrack { set.add("track", String(bytes[126])) }
    if let genre = ID3Text.genre(Int(bytes[127])) { set.add("genre", genre) }
    return set
  }
}
