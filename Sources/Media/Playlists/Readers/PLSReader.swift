internal import AudioModel

/// PLS: `File1=`, `Title1=`, `Length1=` in the manner of an INI file. The number of entries that it states is not
/// believed, and numbers may have gaps; entries come in the order of their numbers.
enum PLSReader {
  static func read(_ text: String, base: PlaylistBase) throws(AudioError) -> Playlist {
    let resolver = PlaylistResolver(base, .paths)
    var list = Playlist(format: .pls)
    var items: [Int: Item] = [:]
    var isOurs = true
    for line in PlaylistLines(text) {
      if line.utf8.first == UInt8(ascii: "[") {
        isOurs = line.after("[playlist]") != nil || line.after("[reference]") != nil
        continue
      }
      guard isOurs, let (key, value) = line.split(at: "="), let text = value.trimmed.orNil else { continue }
      let name = key.trimmed
      if name.isWord("x-gnome-title") {
        list.title = text
      } else if let number = number(name, "file") ?? number(name, "ref") {
        try change(&items, number) { $0.reference = text }
      } else if let number = number(name, "title") {
        try change(&items, number) { $0.title = text }
      } else if let number = number(name, "length") {
        try change(&items, number) { $0.duration = text[...].seconds }
      }
    }
    for (_, item) in items.sorted(by: { $0.key < $1.key }) {
      guard let reference = item.reference else { continue }
      var entry = PlaylistEntry(reference[...], resolver)
      entry.title = item.title
      entry.duration = item.duration
      try list.append(entry)
    }
    return list
  }

  private struct Item {
    var reference: String?
    var title: String?
    var duration: Double?
  }

  private static func change(
    _ items: inout [Int: Item], _ number: Int, _ body: (inout Item) -> Void
  ) throws(AudioError) {
    if items[number] == nil { try Playlist.checkRoom(items.count) }
    body(&items[number, default: Item()])
  }

  /// The number behind a key's name.
  private static func number(_ key: Substring, _ name: String) -> Int? {
    guard let digits = key.after(name), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(digits)
  }
}
