/// Tags that stand between and behind frames of MPEG audio: they are passed by.
enum MPEGTail {
  /// Bytes that must be there to recognise a tag.
  static let size = 32

  static func isTag(_ window: ByteWindow, at position: Int64) -> Bool {
    window.matches("TAG", at: position) || window.matches("ID3", at: position)
      || window.matches("APET", at: position) || window.matches("LYRI", at: position)
  }

  /// Length of the tag that begins at a position, ``size`` bytes of which are there unless the source ends.
  static func length(_ window: ByteWindow, at position: Int64) -> Int64? {
    if let tag = ID3v2Reader(window, at: position) { return tag.end - position }
    if window.matches("APETAGEX", at: position), let size = window.littleEndian(position + 12, size: 4),
      let flags = window.littleEndian(position + 20, size: 4)
    {
      // A header counts the items and the footer; a footer met first has its items behind us.
      return flags >> 29 & 1 == 1 ? Int64(size) + 32 : 32
    }
    if window.matches("TAG", at: position) { return Int64(ID3v1.size) }
    return nil
  }
}
