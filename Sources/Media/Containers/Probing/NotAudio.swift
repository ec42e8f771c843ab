import AudioModel

/// Recognises what is surely no sound: text, pictures, archives, programs. An error page in place of a file is the
/// commonest of them.
enum NotAudio {
  /// What stands at `start`, as words that follow "This is"; `nil` when it may be sound.
  static func name(_ window: ByteWindow, at start: Int64) -> String? {
    for (magic, name) in magics where window.withBytes(start, count: magic.count, { $0.elementsEqual(magic) }) == true
    {
      return name
    }
    if window.matches("RIFF", at: start) && window.matches("WEBP", at: start + 8) { return "a WebP picture" }
    return textName(window, at: start)
  }

  private static func textName(_ window: ByteWindow, at start: Int64) -> String? {
    let sample = window.bytes(start, count: window.available(start, limit: 1024)) ?? []
    if sample.starts(with: [0xFF, 0xFE]) || sample.starts(with: [0xFE, 0xFF]) {
      // UTF-16 text has a NUL in nearly every pair; MPEG audio that begins with the same bytes has not.
      let nuls = sample.count { $0 == 0 }
      return sample.count >= 16 && nuls * 3 > sample.count && nuls * 5 < sample.count * 3 ? "a text file" : nil
    }
    let text = sample.starts(with: [0xEF, 0xBB, 0xBF]) ? sample.dropFirst(3) : sample[...]
    guard text.count >= 4, text.allSatisfy(isTextual) else { return nil }
    // Bytes above 0x7F count as text only where most of it is plain.
    guard text.count(where: { $0 >= 0x80 }) * 3 < text.count else { return nil }
    let start = text.drop { $0 <= 0x20 }.prefix(256).filter { $0 != 0x0D }
    let head = String(decoding: start, as: UTF8.self).lowercased()
    if head.hasPrefix("<!doctype html") || head.hasPrefix("<html") || head.contains("<html") { return "an HTML page" }
    if ["#extm3u", "#extinf:", "[playlist]", "[reference]", "<asx"].contains(where: head.hasPrefix)
      || head.hasPrefix("<") && head.contains("<playlist")
      || (head.hasPrefix("file ") || head.contains("\nfile ")) && head.contains("track 0")
    {
      return "a playlist"
    }
    if head.hasPrefix("<?xml") || head.hasPrefix("<rss") || head.hasPrefix("<svg") { return "an XML document" }
    if head.hasPrefix("{") || head.hasPrefix("[{") { return "a JSON document" }
    return "a text file"
  }

  private static func isTextual(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || (0x09...0x0D).contains(byte) || byte == 0x1B
  }

  private static let magics: [([UInt8], String)] = [
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A], "a PNG picture"),
    ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
    (Array("GIF8".utf8), "a GIF picture"),
    ([0x49, 0x49, 0x2A, 0x00], "a TIFF picture"),
    ([0x4D, 0x4D, 0x00, 0x2A], "a TIFF picture"),
    ([0x50, 0x4B, 0x03, 0x04], "a ZIP archive"),
    ([0x50, 0x4B, 0x05, 0x06], "a ZIP archive"),
    ([0x1F, 0x8B, 0x08], "gzip data"),
    ([0x42, 0x5A, 0x68], "bzip2 data"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz data"),
    ([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data"),
    ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7-Zip archive"),
    (Array("Rar!\u{1A}\u{07}".utf8), "a RAR archive"),
    (Array("%PDF-".utf8), "a PDF document"),
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an Office document"),
    ([0x7F, 0x45, 0x4C, 0x46], "a program"),
    ([0x4D, 0x5A, 0x90, 0x00], "a program"),
    ([0xCA, 0xFE, 0xBA, 0xBE], "a program"),
    ([0xCF, 0xFA, 0xED, 0xFE], "a program"),
    (Array("SQLite format 3\0".utf8), "a database"),
    (Array("MThd".utf8), "a MIDI file, which holds notes and no sound"),
  ]
}
