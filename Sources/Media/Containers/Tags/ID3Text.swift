/// Text as ID3 stores it.
enum ID3Text {
  /// The values of a text: what stands between NULs, without empty ones at the end.
  /// - Parameter encoding: 0 Latin-1, 1 UTF-16 with mark, 2 UTF-16 big endian, 3 UTF-8; others count as Latin-1.
  static func values(_ bytes: ArraySlice<UInt8>, encoding: UInt8) -> [String] {
    var values = decode(bytes, encoding: encoding).split(separator: "\0", omittingEmptySubsequences: false)
      .map { value in String(value.drop { $0 == "\u{FEFF}" }) }
    while values.last?.isEmpty == true { values.removeLast() }
    return values
  }

  /// Splits a text from what follows its terminator.
  static func split(_ bytes: ArraySlice<UInt8>, encoding: UInt8) -> (text: String, rest: ArraySlice<UInt8>) {
    if encoding == 1 || encoding == 2 {
      var at = bytes.startIndex
      while at + 1 < bytes.endIndex {
        if bytes[at] == 0 && bytes[at + 1] == 0 {
          return (decode(bytes[..<at], encoding: encoding), bytes[(at + 2)...])
        }
        at += 2
      }
    } else if let at = bytes.firstIndex(of: 0) {
      return (decode(bytes[..<at], encoding: encoding), bytes[(at + 1)...])
    }
    return (decode(bytes, encoding: encoding), [])
  }

  static func decode(_ bytes: ArraySlice<UInt8>, encoding: UInt8) -> String {
    switch encoding {
    case 1, 2:
      var body = bytes
      // Without a mark, encoding 1 is little endian in practice: that is what the writers that forget it run on.
      var isBig = encoding == 2
      if body.starts(with: [0xFE, 0xFF]) {
        isBig = true
        body = body.dropFirst(2)
      } else if body.starts(with: [0xFF, 0xFE]) {
        isBig = false
        body = body.dropFirst(2)
      }
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
  static func genre(_ number: Int) -> String? { genres.indices.contains(number) ? genres[number] : nil }

  /// The genre as words, of `17`, `(17)`, `(17)Rock` or words.
  static func genre(_ text: String) -> String {
    if let number = Int(text) { return genre(number) ?? text }
    guard text.hasPrefix("("), let close = text.firstIndex(of: ")") else { return text }
    let words = text[text.index(after: close)...]
    if !words.isEmpty { return String(words) }
    return Int(text[text.index(after: text.startIndex)..<close]).flatMap { genre($0) } ?? text
  }

  private static let genres =
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
    Thrash Metal|Anime|JPop|Synthpop
    """.split(separator: "|").map(String.init)
}
