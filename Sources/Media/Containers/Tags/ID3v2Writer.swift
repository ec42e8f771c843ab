import AudioModel

/// Writes ID3v2.4 tags: texts in UTF-8, pictures, and iTunes' comment about the encoder's delay. Source: "ID3 tag version
/// 2.4.0", main structure and native frames.
enum ID3v2Writer {
  /// Largest picture that is written, of all together.
  private static let pictureLimit = 64 << 20

  /// A tag; nothing where there is nothing to say.
  static func tag(_ tags: [Tag], _ pictures: [WrittenPicture], gapless: GaplessTag? = nil) -> [UInt8] {
    var body = ByteBuilder()
    for tag in tags where tag.name != "encoder" { add(frame(tag), to: &body) }
    if let gapless {
      add(("COMM", comment(GaplessTag.name, gapless.text)), to: &body)
    }
    for picture in pictures where body.bytes.count + picture.bytes.count < pictureLimit {
      add(
        (
          "APIC",
          ByteBuilder.make { frame in
            frame.zeros(1)
            frame.add(picture.mime.utf8.filter { $0 > 0x20 && $0 < 0x7F })
            frame.zeros(1)
            frame.big(picture.type, 1)
            frame.zeros(1)
            frame.add(picture.bytes)
          }
        ), to: &body)
    }
    guard !body.bytes.isEmpty else { return [] }
    return ByteBuilder.make { tag in
      tag.text("ID3")
      tag.add([4, 0, 0])
      synchsafe(body.bytes.count, to: &tag)
      tag.add(body.bytes)
    }
  }

  private static func add(_ frame: (id: String, body: [UInt8]), to tag: inout ByteBuilder) {
    tag.text(frame.id)
    synchsafe(frame.body.count, to: &tag)
    tag.zeros(2)
    tag.add(frame.body)
  }

  private static func frame(_ tag: Tag) -> (id: String, body: [UInt8]) {
    let value = tag.value.utf8.filter { $0 != 0 }
    if let id = ids[tag.name] { return (id, [3] + value) }
    if tag.name == "comment" { return ("COMM", comment("", tag.value)) }
    if tag.name == "lyrics" { return ("USLT", comment("", tag.value)) }
    return ("TXXX", [3] + tag.name.uppercased().utf8.filter { $0 != 0 } + [0] + value)
  }

  /// Encoding, a language, a name, and a text. An unknown language is written XXX (ID3v2.4.0 main structure, section 4).
  private static func comment(_ name: String, _ text: String) -> [UInt8] {
    [3] + Array("XXX".utf8) + Array(name.utf8) + [0] + text.utf8.filter { $0 != 0 }
  }

  private static func synchsafe(_ value: Int, to bytes: inout ByteBuilder) {
    for shift in [21, 14, 7, 0] { bytes.big(value >> shift & 0x7F, 1) }
  }

  private static let ids = [
    "title": "TIT2", "subtitle": "TIT3", "artist": "TPE1", "albumartist": "TPE2", "conductor": "TPE3",
    "album": "TALB", "date": "TDRC", "track": "TRCK", "disc": "TPOS", "genre": "TCON", "composer": "TCOM",
    "lyricist": "TEXT", "copyright": "TCOP", "publisher": "TPUB", "language": "TLAN", "isrc": "TSRC", "bpm": "TBPM",
    "grouping": "TIT1", "encodedby": "TENC",
  ]
}
