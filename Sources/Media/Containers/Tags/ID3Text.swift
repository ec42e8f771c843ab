/// Text as ID3 stores it.
enum ID3Text {
  /// The values of a text: what stands between NULs, without empty ones at the end.
  /// - Parameter encoding: 0 Latin-1, 1 UTF-16 with mark, 2 UTF-16 big endian, 3 UTF-8; others count as Latin-1.
  static func values(_ bytes: ArraySlice<UInt8>, encoding: UInt8) -> [String] {
    var values: [String] = []
    var rest = bytes
    var order: Bool?
    // Each value may have a byte order mark of its own; the order holds for those that have none.
    while !rest.isEmpty && values.count < TagSet.limit {
      if encoding == 1 { order = mark(rest) ?? order ?? isBigEndian(rest) }
      let (text, behind) = split(rest, encoding: encoding, isBigEndian: order)
      values.append(String(text.drop { $0 == "\u{FEFF}" }))
      rest = behind
    }
    while values.last?.isEmpty == true { values.removeLast() }
    return values
  }

  /// Splits a text from what follows its terminator.
  /// - Parameter isBigEndian: For UTF-16 without a mark; `nil` when that is not known.
  static func split(
    _ bytes: ArraySlice<UInt8>, encoding: UInt8, isBigEndian: Bool? = nil
  ) -> (text: String, rest: ArraySlice<UInt8>) {
    if encoding == 1 || encoding == 2 {
      var at = bytes.startIndex
      while at + 1 < bytes.endIndex {
        if bytes[at] == 0 && bytes[at + 1] == 0 {
          return (decode(bytes[..<at], encoding: encoding, isBigEndian: isBigEndian), bytes[(at + 2)...])
        }
        at += 2
      }
    } else if let at = bytes.firstIndex(of: 0) {
      return (decode(bytes[..<at], encoding: encoding), bytes[(at + 1)...])
    }
    return (decode(bytes, encoding: encoding, isBigEndian: isBigEndian), [])
  }

  /// Whether UTF-16 begins with a mark, and is big endian by it.
  private static func mark(_ bytes: ArraySlice<UInt8>) -> Bool? {
    bytes.starts(with: [0xFE, 0xFF]) ? true : bytes.starts(with: [0xFF, 0xFE]) ? false : nil
  }

  /// The order of UTF-16 that has no mark, as its zeros tell: in most scripts high bytes repeat and are small. In doubt
  /// it is little endian, for that is what the writers that forget the mark run on.
  private static func isBigEndian(_ bytes: ArraySlice<UInt8>) -> Bool {
    var zeros = (even: 0, odd: 0)
    for (index, byte) in bytes.enumerated() where byte == 0 {
      if index % 2 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
    }
    return zeros.even > zeros.odd
  }

  static func decode(_ bytes: ArraySlice<UInt8>, encoding: UInt8, isBigEndian: Bool? = nil) -> String {
    switch encoding {
    case 1, 2:
      let mark = mark(bytes)
      let isBig = mark ?? (encoding == 2 ? true : isBigEndian ?? Self.isBigEndian(bytes))
      let body = mark == nil ? bytes : bytes.dropFirst(2)
      let first = body.startIndex
      let units = (0..<body.count / 2).map { index -> UInt16 in
        let low = UInt16(body[first + 2 * index + (isBig ? 1 : 0)])
        return UInt16(body[first + 2 * index + (isBig ? 0 : 1)]) << 8 | low
      }
      return String(decoding: units, as: UTF16.self)
    case 3: return String(decoding: bytes, as: UTF8.self)
    default: return latin1(bytes)
    }
  }

  static func latin1(_ bytes: some Sequence<UInt8>) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// The genre that a number of ID3v1 means: the first 80 by its specification, the rest by Winamp's list.
  static func genre(_ number: Int) -> String? { genreNames.indices.contains(number) ? genreNames[number] : nil }

  /// The genres as words, of `17`, `(17)`, `(17)(18)`, `(17)Rock` or words. Words behind numbers say it better than
  /// these; two parentheses in front stand for one that belongs to the words.
  static func genres(_ text: String) -> [String] {
    if let number = Int(text) { return [genre(number) ?? text] }
    var numbered: [String] = []
    var rest = text[...]
    while rest.hasPrefix("("), !rest.hasPrefix("(("), let close = rest.firstIndex(of: ")") {
      let name = rest[rest.index(after: rest.startIndex)..<close]
      switch name {
      case "RX": numbered.append("Remix")
      case "CR": numbered.append("Cover")
      default:
        guard let known = Int(name).flatMap({ genre($0) }) else { return numbered.isEmpty ? [text] : numbered }
        numbered.append(known)
      }
      rest = rest[rest.index(after: close)...]
    }
    if rest.hasPrefix("((") { rest = rest.dropFirst() }
    return rest.isEmpty ? numbered : [String(rest)]
  }

  private static let genreNames =
    """
    Blues|Classic Rock|Country|Dance|Disco|Funk|Grunge|Hip-Hop|Jazz|Metal|New Age|Oldies|Other|Pop|R&B|Rap|Reggae|Rock|\
    Techno|Industrial|Alternative|Ska|Death Metal|Pranks|Soundtrack|Euro-Techno|Ambient|Trip-Hop|Vocal|Jazz+Funk|\
    Fusion|Trance|Classical|Instrumental|Acid|House|Game|Sound Clip|Gospel|Noise|AlternRock|Bass|Soul|Punk|Space|\
    Meditative|Instrumental Pop|Instrumental Rock|Ethnic|Gothic|Darkwave|Techno-Industrial|Electronic|Pop-Folk|\
    Eurodance|Dream|Southern Rock|Comedy|Cult|Gangsta|Top 40|Christian Rap|Pop/Funk|Jungle|Native American|Cabaret|\
    New Wave|Psychadelic|Rave|Showtunes|Trailer|Lo-Fi|Tribal|Acid Punk|Acid Jazz|Polka|Retro|Musical|Rock & Roll|\
    Hard Rock|Folk|Folk-Rock|National Folk|Swing|Fast Fusion|Bebob|Latin|Revival|Celtic|Bluegrass|Avantgarde|\
    Gothic Rock|Progressive Rock|Psychedelic Rock|Symphonic Rock|Slow Rock|Big Band|Chorus|Easy Listening|Acoustic|\
    Humour|Speech|Chanson|Opera|Chamber Music|Sonata|Symphony|Booty Bass|Primus|Porn Groove|Satire|Slow Jam|Club|\
    Tango|Samba|Folklore|Ballad|Power Ballad|Rhythmic Soul|Freestyle|Duet|Punk Rock|Drum Solo|A capella|Euro-House|\
    Dance Hall|Goa|Drum & Bass|Club-House|Hardcore|Terror|Indie|BritPop|Afro-Punk|Polsk Punk|Beat|\
    Christian Gangsta Rap|Heavy Metal|Black Metal|Crossover|Contemporary Christian|Christian Rock|Merengue|Salsa|\
    Thrash Metal|Anime|JPop|Synthpop|Abstract|Art Rock|Baroque|Bhangra|Big Beat|Breakbeat|Chillout|Downtempo|Dub|EBM|\
    Eclectic|Electro|Electroclash|Emo|Experimental|Garage|Global|IDM|Illbient|Industro-Goth|Jam Band|Krautrock|\
    Leftfield|Lounge|Math Rock|New Romantic|Nu-Breakz|Post-Punk|Post-Rock|Psytrance|Shoegaze|Space Rock|Trop Rock|\
    World Music|Neoclassical|Audiobook|Audio Theatre|Neue Deutsche Welle|Podcast|Indie Rock|G-Funk|Dubstep|\
    Garage Rock|Psybient
    """.split(separator: "|").map(String.init)
}
