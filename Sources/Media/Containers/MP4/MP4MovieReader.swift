import AudioModel

/// Reads a `moov` box of any size, box by box: only one of them, or a piece of a table, is wanted at a time.
struct MP4MovieReader {
  /// Most boxes that are looked at.
  private static let boxLimit = 100_000
  /// Boxes in boxes.
  private static let depthLimit = 16
  /// Most bytes of a box that is read as a whole; of longer ones only the beginning.
  private static let bodyLimit = 64 << 10
  private static let chapterListLimit = 2 << 20
  /// Bytes of a table that are wanted at a time.
  private static let tablePiece = 32 << 10
  private static let editLimit = 1_024
  private static let chapterLimit = 10_000

  /// A table that is being read.
  fileprivate struct Table {
    var type: String
    var position: Int64
    var left: Int64
    var entryBytes: Int
    /// Bits of a size in `stz2`.
    var bits = 0
  }

  private(set) var movie = MP4Movie()
  private var stack: [(type: String, end: Int64)]
  private var position: Int64
  private var table: Table?
  private var track: Int?
  private var boxesSeen = 0
  private var items = MP4ItemReader()
  private var tableBytes = 0

  /// Makes a reader for the box.
  init(_ box: MP4Box) {
    stack = [(box.type, box.end)]
    position = box.body
  }

  /// Reads on.
  /// - Returns: The bytes wanted; `nil` when all is read.
  mutating func next(in window: ByteWindow) throws(AudioError) -> ByteRequest? {
    while let parent = stack.last {
      if table != nil {
        if let request = try readTable(window) { return request }
        continue
      }
      guard position < parent.end, boxesSeen < Self.boxLimit else {
        leave()
        continue
      }
      switch MP4Box.look(window, at: position, limit: parent.end) {
      case .need(let request): return request
      case .none: leave()
      case .box(let box):
        if let request = try enter(box, in: parent.type, window) { return request }
        boxesSeen += 1
      }
    }
    movie.tags = items.tags
    movie.gapless = items.gapless
    return nil
  }

  /// Goes on behind the innermost box.
  private mutating func leave() {
    guard let parent = stack.popLast() else { return }
    position = parent.end
    if parent.type == "trak" { track = nil }
  }

  /// Looks into a box, or passes it by.
  private mutating func enter(_ box: MP4Box, in parent: String, _ window: ByteWindow) throws(AudioError)
    -> ByteRequest?
  {
    switch (parent, box.type) {
    case ("moov", "trak"):
      guard movie.tracks.count < MP4Movie.trackLimit else { break }
      movie.tracks.append(MP4Track())
      track = movie.tracks.count - 1
      return descend(box)
    case ("moov", "mvex"):
      movie.isFragmented = true
      return descend(box)
    case ("moov", "cmov"):
      throw AudioError(.unsupportedContainer, "The file's header is compressed, which is not supported")
    case ("trak", "mdia"), ("mdia", "minf"), ("minf", "stbl"), ("trak", "edts"), ("moov", "udta"), ("ilst", "covr"):
      return descend(box)
    case ("moov", "meta"), ("udta", "meta"):
      // QuickTime has no version in front; ISO has.
      guard window.settles(box.body, count: 8) else { return ByteRequest(position: box.start, count: 24) }
      items.beginMeta()
      return descend(box, skipping: window.matches("hdlr", at: box.body + 4) ? 0 : 4)
    case ("meta", "ilst"): return descend(box)
    case ("stbl", "stts"), ("stbl", "stsc"), ("stbl", "stsz"), ("stbl", "stz2"), ("stbl", "stco"), ("stbl", "co64"),
      ("stbl", "stss"):
      return beginTable(box, window)
    default:
      guard let limit = wanted(box.type, in: parent) else { break }
      let count = Int(min(box.bodySize, Int64(limit)))
      let header = Int(box.body - box.start)
      guard window.settles(box.start, count: header + count) else {
        return ByteRequest(position: box.start, count: header + count)
      }
      let body = window.bytes(box.body, count: window.available(box.body, limit: count)) ?? []
      try take(box, in: parent, MP4Bytes(body))
    }
    position = box.end
    return nil
  }

  /// How many bytes of a box's body are wanted at most; `nil` where it says nothing to us.
  private func wanted(_ type: String, in parent: String) -> Int? {
    switch (parent, type) {
    case ("moov", "mvhd"), ("trak", "tkhd"), ("trak", "tref"), ("mdia", "mdhd"), ("mdia", "hdlr"), ("edts", "elst"),
      ("stbl", "sgpd"), ("mvex", "trex"), ("mvex", "mehd"), ("meta", "keys"), ("ilst", _):
      Self.bodyLimit
    case ("stbl", "stsd"): MP4SampleEntry.limit
    case ("covr", "data"): 8
    case ("udta", "chpl"): Self.chapterListLimit
    case ("udta", _): Self.bodyLimit
    default: nil
    }
  }

  private mutating func descend(_ box: MP4Box, skipping: Int64 = 0) -> ByteRequest? {
    if stack.count < Self.depthLimit {
      stack.append((box.type, box.end))
      position = min(box.body + skipping, box.end)
    } else {
      position = box.end
    }
    return nil
  }

  // MARK: Boxes

  private mutating func take(_ box: MP4Box, in parent: String, _ body: MP4Bytes) throws(AudioError) {
    switch (parent, box.type) {
    case ("moov", "mvhd"):
      let isLong = body.number(0, 1) == 1
      movie.timescale = body.word(isLong ? 20 : 12) ?? 0
      movie.duration = Self.duration(body, isLong ? 24 : 16, isLong ? 8 : 4)
    case ("mvex", "trex"):
      guard let id = body.word(4), movie.fragmentDefaults.count < MP4Movie.trackLimit else { return }
      movie.fragmentDefaults[id] = MP4FragmentDefaults(duration: body.word(12) ?? 0, size: body.word(16) ?? 0)
    case ("mvex", "mehd"):
      movie.fragmentDuration = Self.duration(body, 4, body.number(0, 1) == 1 ? 8 : 4)
    case ("meta", "keys"): items.takeKeys(body)
    case ("ilst", _): items.takeItem(box.type, body)
    case ("covr", "data"): items.takePicture(body, position: box.body + 8, byteCount: box.bodySize - 8)
    case ("udta", "chpl"): movie.chapters = MP4Chapters.list(body)
    case ("udta", _): items.takeUserData(box.type, body)
    default:
      guard let track, movie.tracks.indices.contains(track) else { return }
      try take(box.type, body, &movie.tracks[track])
    }
  }

  private func take(_ type: String, _ body: MP4Bytes, _ track: inout MP4Track) throws(AudioError) {
    let isLong = body.number(0, 1) == 1
    switch type {
    case "tkhd":
      track.isEnabled = (body.word(0) ?? 1) & 1 == 1
      track.id = body.word(isLong ? 20 : 12) ?? 0
    case "tref":
      guard let chapters = body.boxes().first(where: { $0.type == "chap" })?.body else { return }
      track.chapterTracks = (0..<min(chapters.count / 4, 16)).compactMap { chapters.word(4 * $0) }
    case "mdhd":
      track.timescale = body.word(isLong ? 20 : 12) ?? 0
      track.duration = Self.duration(body, isLong ? 24 : 16, isLong ? 8 : 4)
    case "hdlr": track.handler = body.type(8) ?? ""
    case "elst":
      let entry = isLong ? 20 : 12
      for index in 0..<min(Int(body.word(4) ?? 0), (body.count - 8) / entry, Self.editLimit) {
        let at = 8 + index * entry
        guard let duration = body.number(at, isLong ? 8 : 4) else { return }
        let time =
          isLong ? Int64(bitPattern: body.number(at + 8, 8) ?? 0) : Int64(Int32(bitPattern: body.word(at + 4) ?? 0))
        // A rate of 0 is a picture that stands still.
        guard body.number(at + (isLong ? 16 : 8), 2) != 0 else { continue }
        track.edits.append(MP4Edit(duration: duration, mediaTime: time))
      }
    case "stsd":
      guard track.handler == "soun", track.entry == nil else { return }
      do throws(AudioError) {
        track.entry = try MP4SampleEntry(body, timescale: Int(track.timescale))
      } catch {
        track.failure = error
      }
    case "sgpd":
      // Version 1 states the length of its entries: the roll distance is a signed number of 16 bits.
      guard body.type(4) == "roll", body.number(0, 1) == 1, body.word(8) == 2 else { return }
      for index in 0..<min(Int(body.word(12) ?? 0), 64) {
        let distance = Int(Int16(bitPattern: UInt16(body.number(16 + 2 * index, 2) ?? 0)))
        track.rollSamples = max(track.rollSamples, min(-distance, 1_024))
      }
    default: break
    }
  }

  /// Ticks; all ones mean that they are not known.
  private static func duration(_ body: MP4Bytes, _ offset: Int, _ size: Int) -> Int64? {
    guard let ticks = body.number(offset, size), ticks > 0, ticks < MP4Timeline.limit else { return nil }
    return size == 4 && ticks == 0xFFFF_FFFF ? nil : Int64(ticks)
  }

  // MARK: Tables

  private mutating func beginTable(_ box: MP4Box, _ window: ByteWindow) -> ByteRequest? {
    guard let track, movie.tracks[track].wantsTables else {
      position = box.end
      return nil
    }
    let head = box.type == "stsz" || box.type == "stz2" ? 12 : 8
    guard window.settles(box.start, count: Int(box.body - box.start) + head) else {
      return ByteRequest(position: box.start, count: Int(box.body - box.start) + head)
    }
    position = box.end
    guard box.bodySize >= head, let count = window.bigEndian(box.body + Int64(head) - 4, size: 4) else { return nil }
    var fresh = Table(type: box.type, position: box.body + Int64(head), left: Int64(count), entryBytes: 4)
    switch box.type {
    case "stts": fresh.entryBytes = 8
    case "stsc": fresh.entryBytes = 12
    case "co64": fresh.entryBytes = 8
    case "stsz":
      let size = window.bigEndian(box.body + 4, size: 4) ?? 0
      if size > 0 {
        movie.tracks[track].tables.setConstantSize(UInt32(size), count: UInt32(count))
        return nil
      }
    case "stz2":
      fresh.bits = Int(window.byte(box.body + 7) ?? 0)
      guard [4, 8, 16].contains(fresh.bits) else { return nil }
      fresh.entryBytes = fresh.bits == 16 ? 2 : 1
      if fresh.bits == 4 { fresh.left = (fresh.left + 1) / 2 }
    default: break
    }
    fresh.left = min(fresh.left, (box.end - fresh.position) / Int64(fresh.entryBytes))
    if movie.tracks[track].handler != "soun" && fresh.left > Self.chapterLimit { return nil }
    // A second table of a kind would count everything twice.
    if fresh.left > 0 && !movie.tracks[track].tables.has(box.type) { table = fresh }
    return nil
  }

  private mutating func readTable(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    guard var current = table, let track else { return nil }
    let entries = Int(min(current.left, Int64(Self.tablePiece / current.entryBytes)))
    let wanted = entries * current.entryBytes
    guard window.settles(current.position, count: wanted) else {
      return ByteRequest(position: current.position, count: wanted)
    }
    let whole = window.available(current.position, limit: wanted) / current.entryBytes
    let before = movie.tracks[track].tables.byteCount
    window.withBytes(current.position, count: whole * current.entryBytes) { bytes in
      for index in 0..<whole { current.add(bytes, index, &movie.tracks[track].tables) }
    }
    tableBytes += movie.tracks[track].tables.byteCount - before
    guard tableBytes <= MP4SampleTables.byteLimit else {
      throw AudioError(
        .limitReached, "The file's tables of samples take more than \(MP4SampleTables.byteLimit >> 20) MiB")
    }
    current.position += Int64(whole * current.entryBytes)
    current.left -= Int64(whole)
    table = whole == entries && current.left > 0 ? current : nil
    return nil
  }
}

extension MP4MovieReader.Table {
  /// Adds one entry.
  fileprivate func add(_ bytes: UnsafeRawBufferPointer, _ index: Int, _ tables: inout MP4SampleTables) {
    func word(_ offset: Int) -> UInt32 {
      UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index * entryBytes + offset, as: UInt32.self))
    }
    switch type {
    case "stts": tables.addTime(count: word(0), delta: word(4))
    case "stsc": tables.addChunks(first: word(0), samples: word(4))
    case "stsz": tables.addSize(word(0))
    case "stco": tables.addOffset(UInt64(word(0)))
    case "co64": tables.addOffset(UInt64(word(0)) << 32 | UInt64(word(4)))
    case "stss": tables.addSync(word(0))
    default:
      let byte = UInt32(bytes[index * entryBytes])
      switch bits {
      case 4:
        tables.addSize(byte >> 4)
        tables.addSize(byte & 15)
      case 8: tables.addSize(byte)
      default: tables.addSize(byte << 8 | UInt32(bytes[index * entryBytes + 1]))
      }
    }
  }
}
