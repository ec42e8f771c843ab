import AudioModel

/// Collects what the user data of a movie say: iTunes' items, QuickTime's texts and keys, those of 3GPP.
///
/// Sources: Apple, "QuickTime File Format", User Data Atoms and Metadata; 3GPP TS 26.244 §8; iTunes' items are documented
/// by use only.
struct MP4ItemReader {
  private static let pictureLimit = 64
  private static let keyLimit = 1_024

  private(set) var tags = TagSet()
  private(set) var gapless: GaplessTag?
  /// Names that the numbers of QuickTime's metadata items mean, from 1 on.
  private var keys: [String] = []

  /// Another `meta` box begins, with keys of its own.
  mutating func beginMeta() { keys = [] }

  // MARK: Items

  mutating func takeKeys(_ body: MP4Bytes) {
    keys = body.boxes(from: 8).prefix(Self.keyLimit).map { String(decoding: $0.body.bytes, as: UTF8.self) }
  }

  /// An item of an `ilst` box: boxes with a value, and for freeform ones a name.
  mutating func takeItem(_ type: String, _ body: MP4Bytes) {
    let parts = body.boxes()
    let values = parts.filter { $0.type == "data" && $0.body.count >= 8 }.map(\.body)
    guard let first = values.first else { return }
    if type == "----" {
      guard let name = parts.first(where: { $0.type == "name" })?.body.rest(4) else { return }
      let text = String(decoding: name, as: UTF8.self)
      for value in values { takeNamed(text, Self.text(value)) }
      return
    }
    if let key = Int(exactly: type.unicodeScalars.reduce(0) { $0 << 8 | Int64($1.value) }), key >= 1,
      key <= keys.count
    {
      takeKey(keys[key - 1], Self.text(first))
      return
    }
    switch type {
    case "trkn": tags.add("track", Self.fraction(first))
    case "disk": tags.add("disc", Self.fraction(first))
    case "gnre":
      // ID3v1's numbers, counted from 1.
      tags.add("genre", ID3Text.genre(Int(first.number(8, 2) ?? 0) - 1) ?? "")
    default:
      guard let name = Self.names[type] else { return }
      for value in values { tags.add(name, Self.text(value)) }
    }
  }

  /// A cover; only its first bytes are at hand.
  mutating func takePicture(_ body: MP4Bytes, position: Int64, byteCount: Int64) {
    guard let kind = body.word(0), byteCount > 0, tags.pictures.count < Self.pictureLimit else { return }
    let mime =
      switch kind & 0xFF_FFFF {
      case 12: "image/gif"
      case 14: "image/png"
      case 27: "image/bmp"
      default: "image/jpeg"
      }
    tags.pictures.append(
      Picture(
        type: tags.pictures.isEmpty ? 3 : 0, mime: mime, position: position, byteCount: Int(clamping: byteCount)))
  }

  private mutating func takeNamed(_ name: String, _ value: String) {
    if name.lowercased() == GaplessTag.name.lowercased() { gapless = GaplessTag(value) ?? gapless }
    // iTunes keeps numbers of its own under such names.
    guard !name.hasPrefix("iTun"), !tags.takeReplayGain(name, value) else { return }
    tags.add(name.lowercased(), value)
  }

  private mutating func takeKey(_ key: String, _ value: String) {
    let name = key.hasPrefix("com.apple.quicktime.") ? String(key.dropFirst(20)).lowercased() : key
    guard !name.contains(".") else { return }
    takeNamed(Self.keyNames[name] ?? name, value)
  }

  // MARK: User data

  /// A box in `udta`: QuickTime's texts have a mark of © in front, those of 3GPP a version.
  mutating func takeUserData(_ type: String, _ body: MP4Bytes) {
    if type.hasPrefix("©"), let name = Self.names[type] {
      // iTunes' form turns up here, too.
      if body.type(4) == "data" {
        takeItem(type, body)
      } else if let size = body.number(0, 2), size > 0, body.count >= 4 {
        tags.add(name, Self.plain(body.rest(4).prefix(Int(size))))
      }
      return
    }
    guard body.number(0, 4) == 0, let name = Self.mobileNames[type] else { return }
    if type == "yrrc" {
      tags.add(name, body.number(4, 2).map { "\($0)" } ?? "")
    } else {
      tags.add(name, Self.plain(body.rest(6)))
    }
  }

  /// Text without a stated encoding: UTF-16 with a mark, UTF-8, else Latin-1; it ends with a NUL.
  static func plain(_ bytes: ArraySlice<UInt8>) -> String {
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      return ID3Text.values(bytes, encoding: 1).first ?? ""
    }
    let text = bytes.prefix { $0 != 0 }
    return String(validating: text, as: UTF8.self) ?? ID3Text.latin1(text)
  }

  // MARK: Values

  /// A value as text: behind its type and locale.
  private static func text(_ value: MP4Bytes) -> String {
    let body = value.rest(8)
    switch (value.word(0) ?? 0) & 0xFF_FFFF {
    case 2: return ID3Text.values(body, encoding: 2).first ?? ""
    case 0, 21, 22, 65, 66, 67, 74, 75, 76, 77, 78:
      // What is no text is a number, signed as far as it is said.
      guard (1...8).contains(body.count) else { return "" }
      let number = body.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let shift = UInt64(64 - 8 * body.count)
      return "\(Int64(bitPattern: number << shift) >> Int64(shift))"
    case 1, 3, 4, 5: return String(decoding: body.prefix { $0 != 0 }, as: UTF8.self)
    case 23: return body.count == 4 ? "\(Float(bitPattern: value.word(8) ?? 0))" : ""
    case 24: return body.count == 8 ? "\(Double(bitPattern: value.number(8, 8) ?? 0))" : ""
    default: return ""
    }
  }

  /// `5/14`, or `5` where the second number is missing.
  private static func fraction(_ value: MP4Bytes) -> String {
    let number = Int(value.number(10, 2) ?? 0)
    let total = Int(value.number(12, 2) ?? 0)
    return number == 0 ? "" : total > 0 ? "\(number)/\(total)" : "\(number)"
  }

  private static let names: [String: String] = [
    "©nam": "title", "©ART": "artist", "aART": "albumartist", "©alb": "album", "©day": "date", "©gen": "genre",
    "©wrt": "composer", "©com": "composer", "©cmt": "comment", "©inf": "comment", "©grp": "grouping",
    "©lyr": "lyrics", "©too": "encoder", "©enc": "encodedby", "©swr": "encoder", "©cpy": "copyright",
    "cprt": "copyright", "©des": "description", "desc": "description", "ldes": "synopsis", "tmpo": "bpm",
    "cpil": "compilation", "©prf": "performer", "©aut": "author", "©dir": "director", "©prd": "producer",
    "©pub": "publisher", "©nrt": "narrator", "©wrk": "work", "©mvn": "movement", "©mvi": "movementnumber",
    "©mvc": "movementtotal", "©isr": "isrc", "©lab": "label", "©trk": "track", "keyw": "keywords", "catg": "category",
    "purl": "podcasturl", "egid": "podcastid", "pcst": "podcast", "pgap": "gapless", "tvsh": "show",
    "tven": "episodeid", "tves": "episode", "tvsn": "season", "tvnn": "network", "sonm": "titlesort",
    "soar": "artistsort", "soal": "albumsort", "soaa": "albumartistsort", "soco": "composersort", "sosn": "showsort",
  ]

  /// QuickTime's keys where they differ from our names.
  private static let keyNames: [String: String] = [
    "displayname": "title", "creationdate": "date", "year": "date", "software": "encoder",
    "album_artist": "albumartist",
    "information": "comment", "performer": "artist", "author": "artist", "iTunSMPB": "iTunSMPB",
  ]

  private static let mobileNames: [String: String] = [
    "titl": "title", "auth": "author", "perf": "artist", "albm": "album", "gnre": "genre", "dscp": "description",
    "cprt": "copyright", "yrrc": "date",
  ]
}
