import AudioModel

/// The chunks of an AIFF file that say something about it: texts, and markers that name places.
struct AIFFTexts {
  /// Largest chunk that is read.
  static let limit = 64 << 10
  /// The chunks that are read.
  static let names: Set<String> = ["NAME", "AUTH", "(c) ", "ANNO", "COMT", "MARK", "INST"]

  private struct Marker {
    var id: Int
    var frame: Int64
    var name: String
  }

  /// What the texts say.
  private(set) var tags = TagSet()
  private var markers: [Marker] = []
  private var loopMarkers: Set<Int> = []

  /// Takes a chunk's body.
  mutating func take(_ id: String, _ body: [UInt8]) {
    func number(_ at: Int, _ size: Int) -> Int {
      at + size <= body.count ? body[at..<at + size].reduce(0) { $0 << 8 | Int($1) } : 0
    }
    switch id {
    case "NAME": tags.add("title", Self.text(body[...]))
    case "AUTH": tags.add("artist", Self.text(body[...]))
    case "(c) ": tags.add("copyright", Self.text(body[...]))
    case "ANNO": tags.add("comment", Self.text(body[...]))
    case "COMT":
      var at = 2
      for _ in 0..<number(0, 2) where at + 8 <= body.count {
        let count = number(at + 6, 2)
        tags.add("comment", Self.text(body[(at + 8)...].prefix(count)))
        at += 8 + count + count & 1
      }
    case "MARK":
      var at = 2
      for _ in 0..<number(0, 2) where at + 7 <= body.count {
        let count = number(at + 6, 1)
        let name = Self.text(body[(at + 7)...].prefix(count))
        markers.append(Marker(id: number(at, 2), frame: Int64(number(at + 2, 4)), name: name))
        // The name with its count takes an even number of bytes.
        at += 6 + (count + 2) & ~1
      }
    case "INST":
      // Two loops, each a mode and the markers where it begins and ends (§ Instrument Chunk).
      loopMarkers.formUnion([10, 12, 16, 18].map { number($0, 2) })
    default: break
    }
  }

  /// The places that have a name and are no ends of an instrument's loop.
  func chapters(_ rate: SampleRate) -> [Chapter] {
    markers.filter { !$0.name.isEmpty && !loopMarkers.contains($0.id) }.sorted { $0.frame < $1.frame }
      .map { Chapter(start: rate.seconds($0.frame), end: nil, title: $0.name) }
  }

  /// The specification says ASCII; writers mean UTF-8 or Latin-1.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let text = bytes.prefix { $0 != 0 }
    return String(validating: text, as: UTF8.self) ?? ID3Text.latin1(text)
  }
}
