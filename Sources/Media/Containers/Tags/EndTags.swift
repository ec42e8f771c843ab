import AudioModel

/// Finds and reads the tags at the end of a source where looking there costs nothing, from the last one on: ID3v1 and its
/// extension, APE, ID3v2 with a footer; Lyrics3 is passed by. Sources: id3.org's documents, "Lyrics3 v2.00".
struct EndTags {
  /// Where the sound ends: behind it are only tags.
  private(set) var audioEnd: Int64
  /// What the tags say; the richer ones count.
  var tags: TagSet {
    var all = rich
    all.complete(with: poor)
    return all
  }

  /// Most tags that are looked for.
  private static let tagLimit = 8
  /// `TAG+` in front of ID3v1, with longer texts.
  private static let extensionSize = 227
  /// Lyrics3 version 1 has no length, but a largest one: 5100 bytes between its marks.
  private static let lyricsLimit = 5100 + 20

  private static let usualLook = extensionSize + ID3v1.size

  private let start: Int64
  /// Bytes before ``audioEnd`` that are looked at.
  private var look = usualLook
  private var tagsSeen = 0
  private var rich = TagSet()
  private var poor = TagSet()
  private var reader: TagReader?
  /// Where a tag begins that is told by its end, to be confirmed.
  private var suspected: (position: Int64, isID3: Bool)?

  /// Makes a reader for the end of a source.
  /// - Parameters:
  ///   - start: Where the sound begins at the earliest.
  ///   - length: Of the source.
  init(start: Int64, length: Int64) {
    self.start = start
    audioEnd = length
  }

  /// Takes steps until bytes are missing.
  /// - Returns: `nil` when all is read.
  mutating func next(in window: ByteWindow) -> ByteRequest? {
    while true {
      if reader != nil {
        if case .need(let request)? = reader?.next(in: window) { return request }
        if let reader { rich.complete(with: reader.tags) }
        reader = nil
      }
      if let (position, isID3) = suspected {
        let count = Int(min(Int64(TagReader.headerSize), audioEnd - position))
        guard window.settles(position, count: count) else { return ByteRequest(position: position, count: count) }
        let isThere = window.matches(isID3 ? "ID3" : "LYRICSBEGIN", at: position)
        suspected = nil
        guard isThere else { return nil }
        if isID3 { reader = TagReader(window, at: position) }
        audioEnd = position
        continue
      }
      guard tagsSeen < Self.tagLimit, audioEnd > start else { return nil }
      let from = max(start, audioEnd - Int64(look))
      guard window.settles(from, count: Int(audioEnd - from)) else {
        return ByteRequest(position: from, count: Int(audioEnd - from))
      }
      if window.matches("LYRICSEND", at: audioEnd - 9) {
        if look < Self.lyricsLimit {
          look = Self.lyricsLimit
          continue
        }
        guard let begin = (from..<audioEnd).last(where: { window.matches("LYRICSBEGIN", at: $0) }) else { return nil }
        audioEnd = begin
      } else if !step(window) {
        return nil
      }
      tagsSeen += 1
      look = Self.usualLook
    }
  }

  /// Looks for one tag that ends where the sound is thought to end.
  private mutating func step(_ window: ByteWindow) -> Bool {
    // APE first: in the name of its header stands what ID3v1 begins with.
    if let ape = APETagReader(window, endingAt: audioEnd, lowest: start) {
      reader = .ape(ape)
      audioEnd = ape.start
      return true
    }
    let first = audioEnd - Int64(ID3v1.size)
    if first >= start, let found = ID3v1.read(window, at: first) {
      poor.complete(with: found)
      audioEnd = first
      let extended = first - Int64(Self.extensionSize)
      if extended >= start, window.matches("TAG+", at: extended) { audioEnd = extended }
      return true
    }
    if window.matches("LYRICS200", at: audioEnd - 9),
      let digits = window.bytes(audioEnd - 15, count: 6), let size = Int64(String(decoding: digits, as: UTF8.self)),
      size >= 11, audioEnd - 15 - size >= start
    {
      suspected = (audioEnd - 15 - size, false)
      return true
    }
    if window.matches("3DI", at: audioEnd - 10), let packed = window.bigEndian(audioEnd - 4, size: 4),
      packed & 0x8080_8080 == 0
    {
      let begin = audioEnd - 20 - Int64(ID3v2Reader.synchsafe(UInt32(packed)))
      guard begin >= start else { return false }
      suspected = (begin, true)
      return true
    }
    return false
  }
}
