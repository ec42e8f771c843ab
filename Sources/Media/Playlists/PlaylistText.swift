internal import AudioModel

/// Text of playlists: its coding, its lines.
enum PlaylistText {
  /// The text that bytes stand for, without a mark: UTF-16 where a mark or the first character tells, UTF-8 where that
  /// is valid, else Windows-1252.
  static func decode(_ bytes: [UInt8]) -> String {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return String(wholeLatinOrUTF8: bytes.dropFirst(3)) }
    if bytes.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isBig: true) }
    if bytes.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isBig: false) }
    // Every format begins with an ASCII character, save perhaps a plain M3U.
    if bytes.count >= 4, bytes[0] != 0 || bytes[1] != 0, bytes[0] == bytes[2] || bytes[1] == bytes[3] {
      if bytes[0] == 0 && bytes[2] == 0 { return utf16(bytes[...], isBig: true) }
      if bytes[1] == 0 && bytes[3] == 0 { return utf16(bytes[...], isBig: false) }
    }
    return String(wholeLatinOrUTF8: bytes)
  }

  private static func utf16(_ bytes: ArraySlice<UInt8>, isBig: Bool) -> String {
    let first = bytes.startIndex
    let units = (0..<bytes.count / 2).lazy.map { index -> UInt16 in
      let one = UInt16(bytes[first + 2 * index])
      let two = UInt16(bytes[first + 2 * index + 1])
      return isBig ? one << 8 | two : two << 8 | one
    }
    return String(decoding: units, as: UTF16.self)
  }
}

/// The lines of a text, ended by LF, CR or both, without blanks around them and without those that are empty or longer
/// than ``Playlist/lineLimit``.
struct PlaylistLines: Sequence, IteratorProtocol {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  mutating func next() -> Substring? {
    while let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) ?? (rest.isEmpty ? nil : rest.endIndex) {
      let line = Substring(rest[..<end])
      rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
      let trimmed = line.trimmed
      if !trimmed.isEmpty, trimmed.utf8.count <= Playlist.lineLimit { return trimmed }
    }
    return nil
  }
}

extension Substring {
  /// Without blanks (ASCII's space, tabs, line and page breaks) around.
  var trimmed: Substring {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = utf8.drop(while: isBlank)
    guard let last = start.lastIndex(where: { !isBlank($0) }) else { return Substring() }
    return Substring(start[...last])
  }

  /// What follows `prefix`, whatever the case of its letters; `nil` where the text does not begin so.
  /// - Parameter prefix: ASCII, without capitals.
  func after(_ prefix: String) -> Substring? {
    utf8.starts(with: prefix.utf8, by: { Self.lowercase($0) == $1 })
      ? Substring(utf8.dropFirst(prefix.utf8.count)) : nil
  }

  /// Whether it is `word`, whatever the case of its letters.
  /// - Parameter word: ASCII, without capitals.
  func isWord(_ word: String) -> Bool { after(word)?.isEmpty == true }

  /// What stands before and behind the first `mark`.
  func split(at mark: Unicode.Scalar) -> (Substring, Substring)? {
    guard let index = utf8.firstIndex(of: UInt8(ascii: mark)) else { return nil }
    return (self[..<index], self[utf8.index(after: index)...])
  }

  /// The text if there is any.
  var orNil: String? { isEmpty ? nil : String(self) }

  /// A finite number of seconds greater than 0: `12`, `12.5`.
  var seconds: Double? { nonNegative.flatMap { $0 > 0 ? $0 : nil } }

  /// A finite number of at least 0, in decimal digits with or without a fraction.
  var nonNegative: Double? {
    guard utf8.count <= 40, utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else {
      return nil
    }
    return Double(self)
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
