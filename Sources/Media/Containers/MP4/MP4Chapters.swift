import AudioModel

/// Chapters as MP4 files hold them: Nero's list in the user data, or QuickTime's track of texts, which the sound's track
/// points to.
struct MP4Chapters {
  /// Most chapters of a track.
  static let limit = 4_096
  /// Most bytes of a title's sample that are read.
  private static let titleLimit = 1_024
  /// Texts that lie so near to each other are read together.
  static let spanLimit: Int64 = 256 << 10

  /// A text to be read.
  struct Text {
    var position: Int64
    var byteCount: Int
    var start: Double
    var end: Double
  }

  /// What is to be read, in the order of the chapters.
  private(set) var texts: [Text] = []
  private(set) var chapters: [Chapter] = []
  private var next = 0

  /// Finds the texts of the first track that the sound's points to and that has some; where it points to none, of those
  /// that the picture's does.
  init(_ movie: MP4Movie, audio: MP4Track, origin: Int64) {
    let tracks = audio.chapterTracks.isEmpty ? movie.tracks.flatMap(\.chapterTracks) : audio.chapterTracks
    for id in tracks.prefix(16) {
      guard let track = movie.tracks.first(where: { $0.id == id }), track.handler != "soun", track.timescale > 0
      else {
        continue
      }
      var tables = track.tables
      tables.finish()
      guard tables.count > 0, tables.count <= Self.limit else { continue }
      var cursor = tables.cursor(at: 0)
      while cursor.sample < tables.count {
        let size = tables.size(cursor.sample)
        var following = cursor
        tables.advance(&following, samples: 1, bytes: Int64(size))
        let end = following.sample < tables.count ? following.time : tables.ticks
        let tick = 1 / Double(track.timescale)
        texts.append(
          Text(
            position: origin.addingSaturating(cursor.position), byteCount: min(size, Self.titleLimit),
            start: Double(cursor.time) * tick,
            end: Double(end) * tick))
        cursor = following
      }
      if !texts.isEmpty { return }
    }
  }

  /// The stretch of the file that all texts lie in; `nil` where there are none.
  var span: Range<Int64>? {
    guard let first = texts.map(\.position).min() else { return nil }
    let last = texts.map { $0.position.addingSaturating(Int64($0.byteCount)) }.max() ?? first
    return first >= 0 && last >= first ? first..<last : nil
  }

  /// Reads on.
  /// - Returns: The bytes wanted; `nil` when all is read.
  mutating func read(_ window: ByteWindow) -> ByteRequest? {
    while next < texts.count {
      let text = texts[next]
      guard text.byteCount > 0, text.position >= 0, text.position < MP4Timeline.limit else {
        append(text, "")
        continue
      }
      guard window.settles(text.position, count: text.byteCount) else {
        return ByteRequest(position: text.position, count: text.byteCount)
      }
      let bytes = MP4Bytes(
        window.bytes(text.position, count: window.available(text.position, limit: text.byteCount)) ?? [])
      // Behind the text stand boxes: links, styles.
      append(text, MP4ItemReader.plain(bytes.rest(2).prefix(Int(bytes.number(0, 2) ?? 0))))
    }
    return nil
  }

  private mutating func append(_ text: Text, _ title: String) {
    next += 1
    // Untitled stretches at the front and the end only fill up the time.
    if title.isEmpty && (next == 1 || next == texts.count) { return }
    chapters.append(Chapter(start: text.start, end: text.end > text.start ? text.end : nil, title: title))
  }

  /// The chapters of a file: those of the track, whose titles may be longer, else Nero's. The last one ends with the sound.
  static func complete(_ chapters: [Chapter], list: [Chapter], _ facts: StreamFacts) -> [Chapter] {
    var all = chapters.isEmpty ? list : chapters
    if let last = all.last, last.end == nil, let duration = facts.duration {
      let end = facts.format.sampleRate.seconds(duration.frames)
      if end > last.start { all[all.count - 1].end = end }
    }
    return all
  }

  /// Nero's list (`chpl`): units of 100 ns, titles of up to 255 bytes.
  static func list(_ body: MP4Bytes) -> [Chapter] {
    // Version 1 has a byte more in front of the count, and four for the count itself.
    let isLong = body.number(0, 1) == 1
    var at = isLong ? 9 : 5
    guard let count = isLong ? body.number(5, 4) : body.number(4, 1) else { return [] }
    var chapters: [Chapter] = []
    for _ in 0..<min(count, UInt64(limit)) {
      guard let start = body.number(at, 8), let length = body.number(at + 8, 1) else { break }
      let title = MP4ItemReader.plain(body.rest(at + 9).prefix(Int(length)))
      at += 9 + Int(length)
      chapters.append(Chapter(start: Double(start) * 1e-7, end: nil, title: title))
    }
    chapters.sort { $0.start < $1.start }
    for index in chapters.indices.dropLast() where chapters[index + 1].start > chapters[index].start {
      chapters[index].end = chapters[index + 1].start
    }
    return chapters
  }
}
