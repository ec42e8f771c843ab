import AudioModel

/// The texts of a RIFF `LIST` chunk of kind `INFO`.
enum RIFFInfo {
  /// Largest list that is read.
  static let limit = 64 << 10

  /// Reads the list's body behind `INFO`.
  static func read(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> TagSet {
    var set = TagSet()
    var rest = bytes
    while rest.count > 8 {
      let id = String(decoding: rest.prefix(4), as: UTF8.self)
      let field = Array(rest.dropFirst(4).prefix(4))
      let size = (isBigEndian ? field : field.reversed()).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(8)
      let text = rest.prefix(size).prefix { $0 != 0 }
      // The specification names no encoding: UTF-8 where it is valid, else Latin-1.
      if let name = names[id] { set.add(name, String(validating: text, as: UTF8.self) ?? ID3Text.latin1(text)) }
      rest = rest.dropFirst(size)
      if rest.first == 0 { rest = rest.dropFirst() }
    }
    return set
  }

  /// A `LIST` chunk with those texts that have a place in it; nothing where there are none.
  static func chunk(_ tags: [Tag]) -> [UInt8] {
    let fields = ["INAM", "IART", "IPRD", "ICRD", "ITRK", "IGNR", "ICMT", "ISFT"]
    var list = ByteBuilder()
    list.text("INFO")
    for id in fields {
      guard let value = tags.first(where: { $0.name == names[id] })?.value.prefix(limit / 16) else { continue }
      // A NUL ends the text, and another one makes its length even.
      list.text(id)
      list.little(value.utf8.count + 1, 4)
      list.text(String(value))
      list.zeros(2 - value.utf8.count % 2)
    }
    guard list.bytes.count > 4 else { return [] }
    return ByteBuilder.make { chunk in
      chunk.text("LIST")
      chunk.little(list.bytes.count, 4)
      chunk.add(list.bytes)
    }
  }

  private static let names = [
    "INAM": "title", "IART": "artist", "IPRD": "album", "ICRD": "date", "IPRT": "track", "ITRK": "track",
    "IGNR": "genre", "ICMT": "comment", "ISFT": "encoder",
  ]
}
