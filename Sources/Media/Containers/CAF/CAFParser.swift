import AudioModel

/// Reads Apple's Core Audio Format.
///
/// PCM, A-law and µ-law, codings in packets of one size, and those whose sizes stand in a packet table, which may lie behind
/// the sound. Source: Apple, "Core Audio Format Specification 1.0".
struct CAFParser: ContainerParser {
  private enum State {
    case start, chunks, packets, facts, sound, end
  }
  private struct Sound {
    var start: Int64
    /// `nil` where the writer did not know.
    var stated: Int64?
  }

  /// Most chunks that are looked at.
  private static let chunkLimit = 4096
  /// Largest `info` chunk that is read.
  private static let infoLimit = 256 << 10

  private let start: Int64
  private var state = State.start
  private var position: Int64
  private var chunksSeen = 0
  private var isTailRead = false
  private var format: CAFFormat?
  private var sound: Sound?
  private var cookie: [UInt8] = []
  private var tableBytes: [UInt8]?
  private var table: CAFPacketTable?
  /// Frames of the last packet, where it is known that they are fewer than of the others.
  private var lastFrames: Int?
  private var isLastRead = false
  private var mask: UInt32 = 0
  private var run: BlockRun?
  /// The target of a seek before the header was read.
  private var pendingSeek: Int64?
  private var cursor = CAFPacketTable.Cursor()
  private var isDiscontinuous = true
  private var tags: TagSet
  private var facts: StreamFacts?
  private var length: Int64?

  /// Makes a parser for a file that begins at `start`.
  init(start: Int64, leading: TagSet) {
    self.start = start
    tags = leading
    position = start
  }

  mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      switch state {
      case .start:
        guard window.settles(start, count: 8) else { return .need(ByteRequest(position: start, count: 8)) }
        position = start + 8
        state = .chunks
      case .chunks:
        if let request = try walk(window) { return .need(request) }
        state = .packets
      case .packets:
        if let request = readFirstPacket(window) { return .need(request) }
        try prepare()
        if let request = readLastPacket(window) { return .need(request) }
        state = .facts
      case .facts:
        let fresh = try makeFacts(window)
        state = .sound
        let isFresh = fresh != facts
        facts = fresh
        if let pendingSeek { _ = seek(to: pendingSeek, sourceIsCheap: window.sourceIsCheap) }
        pendingSeek = nil
        if isFresh { return .facts(fresh) }
      case .sound:
        if let step = run != nil ? run?.step(window, length: length) : packet(window) { return step }
        state = .end
        length = window.knownLength
        if !isTailRead, let sound, let stated = sound.stated {
          position = min(sound.start.addingSaturating(stated), .max >> 1)
          isTailRead = true
          state = .chunks
        }
      case .end:
        return .end
      }
    }
  }

  mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    guard facts != nil, let sound else {
      pendingSeek = max(frame, 0)
      return .at(position: position, isExact: true)
    }
    state = .sound
    if let target = run?.seek(to: max(frame, 0), length: length) { return .at(position: target, isExact: true) }
    guard let table else { return .impossible }
    isDiscontinuous = true
    let target = max(frame, 0).addingSaturating(Int64(table.priming)) - Int64(preroll)
    cursor = table.cursor(before: max(target, 0))
    return .at(position: sound.start.addingSaturating(cursor.bytes), isExact: true)
  }

  // MARK: Chunks

  /// Walks over chunks until all is known that the sound needs, and on behind it where that is cheap.
  private mutating func walk(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    while true {
      length = window.knownLength
      if let length, position >= length { return nil }
      guard window.settles(position, count: 16) else { return ByteRequest(position: position, count: 16) }
      guard let id = window.bytes(position, count: 4), let raw = window.bigEndian(position + 4, size: 8),
        chunksSeen < Self.chunkLimit
      else { return nil }
      let size = Int64(bitPattern: raw)
      let body = position + 12
      let name = String(decoding: id, as: UTF8.self)
      let isOpen = name == "data" && size == -1
      guard size >= 0 || isOpen else { return nil }
      if let limit = Self.limits[name], name != "data" {
        let count = Int(min(size, Int64(limit)))
        guard window.settles(body, count: count) else { return ByteRequest(position: position, count: 12 + count) }
        try take(name, window.bytes(body, count: window.available(body, limit: count)) ?? [], size: size)
      }
      chunksSeen += 1
      if name == "data", sound == nil {
        // An edit count stands in front.
        sound = Sound(start: body + 4, stated: isOpen ? nil : max(size - 4, 0))
        let isWaited = format == nil || needsTable && tableBytes == nil
        if isOpen || !(isWaited || window.sourceIsCheap && window.sourceLength != nil) { return nil }
        isTailRead = true
      }
      position = min(body.addingSaturating(size), .max >> 1)
      // Over a network, nothing more is looked for behind the sound than what it needs.
      if isTailRead, !window.sourceIsCheap, facts == nil, format != nil, !needsTable || tableBytes != nil {
        isTailRead = false
        return nil
      }
    }
  }

  /// The chunks that are read, and how much of each.
  private static let limits = [
    "desc": CAFFormat.size, "kuki": CAFCookie.limit, "pakt": CAFPacketTable.limit, "chan": CAFLayout.size,
    "info": infoLimit,
  ]

  private mutating func take(_ name: String, _ body: [UInt8], size: Int64) throws(AudioError) {
    switch name {
    case "desc" where format == nil: format = try CAFFormat(body)
    case "kuki" where cookie.isEmpty: cookie = body
    case "pakt" where tableBytes == nil:
      guard size <= Int64(CAFPacketTable.limit) else {
        throw AudioError(.limitReached, "The CAF file's packet table is larger than \(CAFPacketTable.limit) bytes")
      }
      tableBytes = body
    case "chan": mask = CAFLayout.mask(body) ?? 0
    case "info": takeTexts(body)
    default: break
    }
  }

  /// Pairs of texts, each ended by a NUL, behind their number.
  private mutating func takeTexts(_ body: [UInt8]) {
    var texts = body.dropFirst(4).split(separator: 0, omittingEmptySubsequences: false)[...]
    while texts.count >= 2 {
      let key = String(decoding: texts.removeFirst(), as: UTF8.self).lowercased()
      let value = String(decoding: texts.removeFirst(), as: UTF8.self)
      if let name = Self.names[key] { tags.add(name, value) }
    }
  }

  private static let names = [
    "title": "title", "artist": "artist", "album": "album", "track number": "track", "year": "date",
    "recorded date": "date", "composer": "composer", "genre": "genre", "comments": "comment",
    "copyright": "copyright",
    "encoding application": "encoder", "encoder": "encoder",
  ]

  private var needsTable: Bool { format.map { $0.packetBytes == 0 || $0.packetFrames == 0 } ?? true }

  // MARK: Facts

  /// Puts together what the chunks say.
  private mutating func prepare() throws(AudioError) {
    guard let format else { throw AudioError(.malformed, "The CAF file has no description") }
    guard let sound else { throw AudioError(.malformed, "The CAF file has no sound data") }
    guard table == nil && run == nil else { return }
    if let tableBytes {
      table = CAFPacketTable(tableBytes, packetBytes: format.packetBytes, packetFrames: format.packetFrames)
      self.tableBytes = []
    }
    if needsTable {
      if table == nil { throw AudioError(.malformed, "The CAF file has no packet table") }
      return
    }
    var fresh = BlockRun(
      start: sound.start, blockBytes: format.packetBytes, blockFrames: format.packetFrames,
      areJoined: format.packetFrames == 1, stated: sound.stated)
    fresh.preroll = preroll
    fresh.first = -Int64(table?.priming ?? 0)
    fresh.statedFrames = table.flatMap { $0.valid > 0 ? $0.valid : nil }
    run = fresh
  }

  /// Looks how many frames every packet of FLAC has, whose writers put an average into the description.
  private mutating func readFirstPacket(_ window: ByteWindow) -> ByteRequest? {
    guard format?.codec == .flac, table == nil, let sound else { return nil }
    let count = CAFPacketLength.size
    guard window.settles(sound.start, count: count) else { return ByteRequest(position: sound.start, count: count) }
    let head = window.bytes(sound.start, count: count) ?? []
    if let frames = CAFPacketLength.frames(head, .flac) { format?.packetFrames = frames }
    return nil
  }

  /// Looks how many frames the last packet of a lossless codec has: a table that counts whole packets does not tell.
  private mutating func readLastPacket(_ window: ByteWindow) -> ByteRequest? {
    guard window.sourceIsCheap, !isLastRead, isLossless, let format, let table, let last = table.last, let sound,
      table.priming == 0, table.remainder == 0
    else { return nil }
    let position = sound.start.addingSaturating(table.end.bytes - Int64(last.bytes))
    let count = CAFPacketLength.size
    guard position < window.knownLength ?? 0 else { return nil }
    guard window.settles(position, count: count) else { return ByteRequest(position: position, count: count) }
    isLastRead = true
    guard let head = window.bytes(position, count: min(window.available(position, limit: count), last.bytes)) else {
      return nil
    }
    lastFrames = CAFPacketLength.frames(head, format.codec).map { min($0, last.frames) } ?? last.frames
    return nil
  }

  private var isLossless: Bool { format?.codec == .alac || format?.codec == .flac }

  /// Frames to decode before a target: for coders with overlap and those that refer to what was before.
  private var preroll: Int {
    guard let format else { return 0 }
    switch format.codec {
    case .pcm, .alaw, .mulaw, .alac, .flac: return 0
    // Its prediction fades more slowly than the 80 ms of RFC 7845 suggest.
    case .opus: return 24_000
    case .mp1, .mp2, .mp3: return 10 * 1_152
    default: return 4_096
    }
  }

  private mutating func makeFacts(_ window: ByteWindow) throws(AudioError) -> StreamFacts {
    length = window.knownLength
    guard let format, let sound else { throw AudioError(.malformed, "The CAF file has no description") }
    var pcm = format.format
    if let layout = ChannelLayout(count: pcm.channels, mask: mask) { pcm.layout = layout }
    var fresh = StreamFacts(container: "caf", codec: format.codec, format: pcm)
    fresh.decoderConfiguration = CAFCookie.configuration(cookie, format, priming: table?.priming ?? 0)
    fresh.sampleCoding = format.coding
    if let bits = CAFCookie.depth(fresh.decoderConfiguration, format.codec) {
      fresh.sampleCoding = SampleCoding(kind: .signed, bits: bits, bytes: (bits + 7) / 8)
    }
    fresh.seekPreroll = preroll
    if let table, table.priming > 0 {
      fresh.encoderDelay = table.priming
      fresh.encoderPadding = table.remainder
    }
    if let run {
      fresh.duration = run.frames(length).map { MediaDuration(frames: $0, isExact: true) }
      fresh.bitRate = run.bitRate(pcm.sampleRate)
      fresh.isTruncated = run.isCut(length)
    } else if let table {
      fresh.duration = duration(table)
      let end = sound.start.addingSaturating(table.end.bytes)
      fresh.isTruncated = length.map { end > $0 } ?? false
      if table.end.frames > 0 {
        let bits = Double(table.end.bytes) * 8 * Double(pcm.sampleRate.hertz) / Double(table.end.frames)
        fresh.bitRate = Int(exactly: bits.rounded())
      }
    }
    fresh.take(tags)
    return fresh
  }

  private func duration(_ table: CAFPacketTable) -> MediaDuration {
    let whole = max(table.end.frames - Int64(table.priming), 0)
    let valid = table.valid > 0 ? min(table.valid, whole) : whole
    // Some writers count whole packets, though the last one is shorter; of lossless ones only.
    let isTrimmed = table.priming > 0 || table.remainder > 0
    if isTrimmed || !isLossless { return MediaDuration(frames: valid, isExact: true) }
    guard let last = table.last else { return MediaDuration(frames: 0, isExact: true) }
    if let lastFrames {
      return MediaDuration(frames: min(valid, whole - Int64(last.frames - lastFrames)), isExact: true)
    }
    return MediaDuration(frames: valid, isExact: false, errorSeconds: 0.1)
  }

  // MARK: Packets

  /// The next packet of a table.
  private mutating func packet(_ window: ByteWindow) -> ParserStep? {
    guard let table, let sound else { return nil }
    while true {
      var next = cursor
      guard let entry = table.entry(&next) else { return nil }
      let position = sound.start.addingSaturating(cursor.bytes)
      guard entry.bytes > 0 else {
        cursor = next
        continue
      }
      guard window.contains(position, count: entry.bytes) else {
        // A packet that is cut off can't be decoded.
        return window.isEnd && position >= window.start
          ? nil : .need(ByteRequest(position: position, count: entry.bytes))
      }
      let packet = Packet(
        position: position, byteCount: entry.bytes, frame: cursor.frames - Int64(table.priming),
        frameCount: next.bytes == table.end.bytes ? lastFrames ?? entry.frames : entry.frames,
        isDiscontinuous: isDiscontinuous)
      cursor = next
      isDiscontinuous = false
      return .packet(packet)
    }
  }

  /// Whether a CAF file begins there.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    guard window.settles(start, count: 8) else { return .more(count: 8) }
    return window.matches("caff", at: start) && window.bigEndian(start + 4, size: 2) == 1 ? .certain : .no
  }
}
