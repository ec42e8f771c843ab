import AudioModel

/// What the frames of an ID3v2 tag mean, gathered frame by frame. Sources: the ID3v2.2.0, 2.3.0 and 2.4.0 frames
/// documents, ID3v2 Chapter Frame Addendum 1.0.
struct ID3v2Content {
  /// Bytes of all texts that are kept.
  private static let textTotal = 1 << 20
  /// Most pictures and chapters that are kept.
  private static let pictureLimit = 64
  private static let chapterLimit = 1024

  private struct ListedChapter {
    var id: [UInt8]
    var chapter: Chapter
  }

  private var set = TagSet()
  private var textBytes = 0
  private var chapters: [ListedChapter] = []
  /// The chapter whose frames come now.
  private var open: ListedChapter?
  /// What tables of contents list, in their order, and whether one of them is full: it counts in one byte.
  private var listed: [[UInt8]] = []
  private var isListFull = false
  /// The last picture may turn out to be longer.
  private var lengthensPicture = false
  /// Version 2.3 and before tell the date in pieces: year, `DDMM`, `HHMM`.
  private var year = ""
  private var day = ""
  private var time = ""
  /// Gains of RVA2, which count where ReplayGain's texts are missing.
  private var relative = LoudnessTags()

  /// All that was said so far.
  var tags: TagSet {
    var all = set
    if !all.tags.contains(where: { $0.name == "date" }) { all.add("date", date) }
    all.chapters = orderedChapters
    all.loudness.trackGain = all.loudness.trackGain ?? relative.trackGain
    all.loudness.albumGain = all.loudness.albumGain ?? relative.albumGain
    all.loudness.trackPeak = all.loudness.trackPeak ?? relative.trackPeak
    all.loudness.albumPeak = all.loudness.albumPeak ?? relative.albumPeak
    return all
  }

  // MARK: Texts

  /// Takes a frame that is neither picture nor chapter.
  mutating func take(_ id: String, _ body: ArraySlice<UInt8>) {
    guard let encoding = body.first, textBytes + body.count <= Self.textTotal else { return }
    textBytes += body.count
    switch id {
    case "CTOC": takeContents(body)
    case "RVA2", "XRVA": takeRelativeVolume(body)
    case "TXXX", "TXX":
      let (name, rest) = ID3Text.split(body.dropFirst(), encoding: encoding)
      takeNamed(name, ID3Text.values(rest, encoding: encoding))
    case "COMM", "COM":
      guard body.count > 4 else { return }
      let (name, rest) = ID3Text.split(body.dropFirst(4), encoding: encoding)
      let values = ID3Text.values(rest, encoding: encoding)
      // iTunes keeps numbers of its own in comments with such names.
      if name.hasPrefix("iTun") { takeNamed(name, values) } else { set.add("comment", values.first ?? "") }
    default: takeText(id, ID3Text.values(body.dropFirst(), encoding: encoding))
    }
  }

  private mutating func takeText(_ id: String, _ values: [String]) {
    if open != nil {
      if id == "TIT2", let title = values.first { open?.chapter.title = title }
      return
    }
    switch id {
    case "TYER", "TYE": year = values.first ?? ""
    case "TDAT", "TDA": day = values.first ?? ""
    case "TIME", "TIM": time = values.first ?? ""
    case "TCON", "TCO":
      for value in values { for genre in ID3Text.genres(value) { set.add("genre", genre) } }
    default:
      guard let name = Self.names[id] else { return }
      for value in values { set.add(name, value) }
    }
  }

  private mutating func takeNamed(_ name: String, _ values: [String]) {
    let value = values.first ?? ""
    if name == GaplessTag.name { set.gapless = set.gapless ?? GaplessTag(value) }
    guard !name.hasPrefix("iTun"), !name.isEmpty, !set.takeReplayGain(name, value) else { return }
    for value in values { set.add(Self.userNames[name.lowercased()] ?? name.lowercased(), value) }
  }

  /// The date as version 2.4 writes it.
  private var date: String {
    guard year.count == 4, day.count == 4, day.allSatisfy(\.isNumber) else { return year }
    let whole = "\(year)-\(day.suffix(2))-\(day.prefix(2))"
    guard time.count == 4, time.allSatisfy(\.isNumber) else { return whole }
    return "\(whole)T\(time.prefix(2)):\(time.suffix(2))"
  }

  /// RVA2: a name, then for each channel its type, 512ths of a decibel, and a peak of so many bits. The name tells what
  /// the gain is for; any other than "album" is taken for the track.
  private mutating func takeRelativeVolume(_ body: ArraySlice<UInt8>) {
    guard let terminator = body.firstIndex(of: 0) else { return }
    let isAlbum = ID3Text.latin1(body[..<terminator]).lowercased() == "album"
    var rest = body[(terminator + 1)...]
    while rest.count >= 4 {
      let channel = Array(rest.prefix(4))
      let peakBytes = (Int(channel[3]) + 7) / 8
      guard rest.count >= 4 + peakBytes else { return }
      if channel[0] == 1 {
        let gain = Double(Int16(bitPattern: UInt16(channel[1]) << 8 | UInt16(channel[2]))) / 512
        // Full scale is a one followed by zeros of one bit less than the peak has.
        let peak = rest.dropFirst(4).prefix(peakBytes).reduce(0.0) { $0 * 256 + Double($1) }
        let scaled = peakBytes == 0 || peak == 0 ? nil : peak / Self.power(of: Int(channel[3]) - 1)
        if isAlbum {
          (relative.albumGain, relative.albumPeak) = (gain, scaled)
        } else if relative.trackGain == nil {
          (relative.trackGain, relative.trackPeak) = (gain, scaled)
        }
      }
      rest = rest.dropFirst(4 + peakBytes)
    }
  }

  /// 2 to the power of 0…254.
  private static func power(of exponent: Int) -> Double { Double(sign: .plus, exponent: exponent, significand: 1) }

  // MARK: Pictures

  /// Takes what stands in front of a picture.
  /// - Parameters:
  ///   - body: The frame's body, or the beginning of it.
  ///   - isShort: Of version 2.2, which names the format in three letters.
  ///   - position: Where the body begins in the source; `nil` where it is not stored as it is.
  ///   - byteCount: Bytes of the whole body.
  mutating func takePicture(_ body: ArraySlice<UInt8>, isShort: Bool, position: Int64?, byteCount: Int) {
    lengthensPicture = false
    guard let picture = Self.picture(body, isShort: isShort) else { return }
    let head = body.count - picture.rest
    guard byteCount > head, set.pictures.count < Self.pictureLimit else { return }
    set.pictures.append(
      Picture(
        type: picture.type, mime: picture.mime, position: position.map { $0 + Int64(head) },
        byteCount: byteCount - head))
    lengthensPicture = true
  }

  /// The frame that was taken last is longer than its size said, if it was a picture.
  mutating func lengthenPicture(by count: Int) {
    if lengthensPicture { set.pictures[set.pictures.count - 1].byteCount += count }
  }

  private static func picture(_ body: ArraySlice<UInt8>, isShort: Bool) -> (type: Int, mime: String, rest: Int)? {
    guard let encoding = body.first else { return nil }
    var mime: String
    var rest = body.dropFirst()
    if isShort {
      guard rest.count > 4 else { return nil }
      mime = ID3Text.latin1(rest.prefix(3)).uppercased() == "PNG" ? "image/png" : "image/jpeg"
      rest = rest.dropFirst(3)
    } else {
      (mime, rest) = ID3Text.split(rest, encoding: 0)
    }
    guard let type = rest.first else { return nil }
    (_, rest) = ID3Text.split(rest.dropFirst(), encoding: encoding)
    return (Int(type), mime, rest.count)
  }

  // MARK: Chapters

  /// Takes what stands in front of a chapter's own frames, which follow until ``endChapter()``.
  /// - Returns: How many bytes that are; `nil` when it is none.
  mutating func beginChapter(_ body: ArraySlice<UInt8>) -> Int? {
    guard let terminator = body.firstIndex(of: 0), body.endIndex - terminator > 16 else { return nil }
    func milliseconds(_ at: Int) -> UInt32 { body[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
    let start = milliseconds(terminator + 1)
    let end = milliseconds(terminator + 5)
    // All ones: the place is told in bytes only.
    guard start != .max else { return nil }
    open = ListedChapter(
      id: Array(body[..<terminator]),
      chapter: Chapter(
        start: Double(start) / 1000, end: end > start && end != .max ? Double(end) / 1000 : nil, title: ""))
    return terminator + 17 - body.startIndex
  }

  /// The frames of the chapter are over.
  mutating func endChapter() {
    if let open, chapters.count < Self.chapterLimit { chapters.append(open) }
    open = nil
  }

  /// CTOC: its name, flags, how many, and the names of what it lists.
  private mutating func takeContents(_ body: ArraySlice<UInt8>) {
    guard let terminator = body.firstIndex(of: 0), body.endIndex - terminator > 3 else { return }
    let count = Int(body[terminator + 2])
    var rest = body[(terminator + 3)...]
    for _ in 0..<count {
      guard let end = rest.firstIndex(of: 0), listed.count < 4 * Self.chapterLimit else { return }
      listed.append(Array(rest[..<end]))
      rest = rest[(end + 1)...]
    }
    if count == 255 { isListFull = true }
  }

  /// In order of time. Chapters that no table of contents lists are hidden ones, unless tables list none that is there or
  /// are full.
  private var orderedChapters: [Chapter] {
    let names = Set(listed)
    let shown = isListFull ? [] : chapters.filter { names.contains($0.id) }
    return (shown.isEmpty ? chapters : shown).map(\.chapter).enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  // MARK: Names

  private static let names: [String: String] = [
    "TIT2": "title", "TIT1": "grouping", "TIT3": "subtitle", "TPE1": "artist", "TPE2": "albumartist",
    "TPE3": "conductor", "TPE4": "remixer", "TALB": "album", "TRCK": "track", "TPOS": "disc", "TDRC": "date",
    "TDOR": "originaldate", "TORY": "originaldate", "TDRL": "releasedate", "TCOM": "composer", "TEXT": "lyricist",
    "TCOP": "copyright", "TENC": "encodedby", "TSSE": "encoder", "TPUB": "publisher", "TSRC": "isrc", "TBPM": "bpm",
    "TLAN": "language", "TCMP": "compilation", "TSOP": "artistsort", "TSOA": "albumsort", "TSOT": "titlesort",
    "TT2": "title", "TT1": "grouping", "TT3": "subtitle", "TP1": "artist", "TP2": "albumartist", "TP3": "conductor",
    "TP4": "remixer", "TAL": "album", "TRK": "track", "TPA": "disc", "TOR": "originaldate", "TCM": "composer",
    "TXT": "lyricist", "TCR": "copyright", "TEN": "encodedby", "TSS": "encoder", "TPB": "publisher", "TRC": "isrc",
    "TBP": "bpm", "TLA": "language", "TCP": "compilation",
  ]
  /// What writers call in texts of their own what has a name already.
  private static let userNames = ["album artist": "albumartist", "year": "date", "discnumber": "disc"]
}
