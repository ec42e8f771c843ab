import AudioModel

/// Reads AIFF and AIFF-C.
///
/// PCM of all widths in both byte orders, float, A-law and µ-law, and codings in blocks. The sound ends where the common
/// chunk, the sound chunk or the source ends, whichever is first. Codings that are not known are refused with
/// ``AudioModel/AudioError/Code/unsupportedContainer``. Sources: see ``AIFFFormat``; the ID3 chunk by common use.
struct AIFFParser: ContainerParser {
  private enum State {
    case start, chunks, facts, sound, end
  }
  private struct Sound {
    var start: Int64
    var stated: Int64
    /// Behind the chunk.
    var end: Int64
  }

  /// Most chunks that are looked at.
  private static let chunkLimit = 4096

  private let start: Int64
  private var state = State.start
  private var isCompressed = false
  private var format: AIFFFormat?
  private var sound: Sound?
  private var run: BlockRun?
  /// The target of a seek before the header was read.
  private var pendingSeek: Int64?
  private var tags: TagSet
  private var texts = AIFFTexts()
  private var position: Int64
  private var mayBePadded = false
  private var isTailRead = false
  private var chunksSeen = 0
  private var tagReader: ID3v2Reader?
  private var facts: StreamFacts?
  private var length: Int64?

  /// Makes a parser for a file whose `FORM` is at `start`.
  init(start: Int64, leading: TagSet) {
    self.start = start
    tags = leading
    position = start
  }

  mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      switch state {
      case .start:
        guard window.settles(start, count: 12) else { return .need(ByteRequest(position: start, count: 12)) }
        isCompressed = window.matches("AIFC", at: start + 8)
        position = start + 12
        state = .chunks
      case .chunks:
        if let request = try walk(window) { return .need(request) }
        state = .facts
      case .facts:
        let fresh = try makeFacts(window)
        if let pendingSeek { _ = run?.seek(to: pendingSeek, length: length) }
        pendingSeek = nil
        state = run == nil ? .end : .sound
        if fresh != facts {
          facts = fresh
          return .facts(fresh)
        }
      case .sound:
        if let step = run?.step(window, length: length) { return step }
        state = .end
        length = window.knownLength
        if !isTailRead, let sound {
          go(to: sound.end)
          isTailRead = true
          state = .chunks
        }
      case .end:
        return .end
      }
    }
  }

  mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    guard facts != nil, let target = run?.seek(to: max(frame, 0), length: length) else {
      pendingSeek = max(frame, 0)
      return .at(position: position, isExact: true)
    }
    state = .sound
    return .at(position: target, isExact: true)
  }

  // MARK: Chunks

  /// Walks over chunks until the sound is found, and on behind it where that is cheap.
  private mutating func walk(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    while true {
      if tagReader != nil, let request = readTag(window) { return request }
      length = window.knownLength
      if let length, position >= length { return try finishWalk() }
      let wanted = 8 + AIFFFormat.size + 1
      guard window.settles(position, count: wanted) else { return ByteRequest(position: position, count: wanted) }
      if mayBePadded {
        // Some writers leave out the pad byte: a name right there tells.
        if Self.name(window, position) == nil { position += 1 }
        mayBePadded = false
      }
      guard let id = Self.name(window, position),
        let size = window.bigEndian(position + 4, size: 4).map({ Int64($0) }),
        chunksSeen < Self.chunkLimit
      else { return try finishWalk() }
      chunksSeen += 1
      let body = position + 8
      switch id {
      case "COMM" where format == nil:
        let count = min(Int(min(size, Int64(AIFFFormat.size))), window.available(body, limit: AIFFFormat.size))
        format = try AIFFFormat(window.bytes(body, count: count) ?? [], isCompressed: isCompressed)
      case "SSND" where sound == nil:
        let offset = Int64(window.bigEndian(body, size: 4) ?? 0)
        sound = Sound(
          start: body + 8 + offset, stated: max(size - 8 - offset, 0), end: body.addingSaturating(size + size & 1))
        // The end is looked at first only where nothing is lost by it, or where nothing can be read without.
        if format != nil && !(window.sourceIsCheap && window.sourceLength != nil) { return nil }
        isTailRead = format != nil
      case "ID3 ", "id3 ":
        guard window.settles(body, count: ID3v2Reader.headerSize) else {
          return ByteRequest(position: position, count: 8 + ID3v2Reader.headerSize)
        }
        tagReader = ID3v2Reader(window, at: body, limit: body.addingSaturating(size))
      case _ where AIFFTexts.names.contains(id) && size <= Int64(AIFFTexts.limit):
        guard window.settles(body, count: Int(size)) else {
          return ByteRequest(position: position, count: 8 + Int(size))
        }
        texts.take(id, window.bytes(body, count: window.available(body, limit: Int(size))) ?? [])
      default: break
      }
      go(to: body.addingSaturating(size))
      mayBePadded = size & 1 == 1
    }
  }

  private func finishWalk() throws(AudioError) -> ByteRequest? {
    if format == nil { throw AudioError(.malformed, "The AIFF file has no common chunk") }
    return nil
  }

  private mutating func go(to end: Int64) { position = min(end, .max >> 1) }

  private static func name(_ window: ByteWindow, _ position: Int64) -> String? {
    guard let name = window.bytes(position, count: 4), name.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return nil
    }
    return String(decoding: name, as: UTF8.self)
  }

  private mutating func readTag(_ window: ByteWindow) -> ByteRequest? {
    if case .need(let request)? = tagReader?.next(in: window) { return request }
    if var richer = tagReader?.tags {
      richer.complete(with: tags)
      tags = richer
    }
    tagReader = nil
    return nil
  }

  // MARK: Sound

  private mutating func makeFacts(_ window: ByteWindow) throws(AudioError) -> StreamFacts {
    length = window.knownLength
    guard let format else { throw AudioError(.malformed, "The AIFF file has no common chunk") }
    if run == nil, let sound {
      // A writer that could not go back leaves sizes near the largest number, or a count of 0.
      let isOpen = sound.stated >= 0x7F00_0000
      var fresh = BlockRun(
        start: sound.start, blockBytes: format.blockBytes, blockFrames: format.blockFrames,
        areJoined: format.blockFrames == 1 || format.blockFrames == 6, stated: isOpen ? nil : sound.stated)
      fresh.statedFrames = format.frames > 0 && !(isOpen && format.frames >= 0x7F00_0000 / 4) ? format.frames : nil
      fresh.preroll = format.blockFrames > 1 ? 4_096 : 0
      run = fresh
    }
    var fresh = StreamFacts(container: "aiff", codec: format.codec, format: format.format)
    fresh.sampleCoding = format.coding
    fresh.seekPreroll = run?.preroll ?? 0
    fresh.bitRate = run?.bitRate(format.format.sampleRate)
    fresh.isTruncated = run?.isCut(length) ?? false
    let frames = run == nil ? 0 : run?.frames(length)
    fresh.duration = frames.map { MediaDuration(frames: $0, isExact: true) }
    var all = tags
    all.complete(with: texts.tags)
    if all.chapters.isEmpty { all.chapters = texts.chapters(format.format.sampleRate) }
    fresh.take(all)
    return fresh
  }

  /// Whether an AIFF file begins there.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    guard window.settles(start, count: 12) else { return .more(count: 12) }
    guard window.matches("FORM", at: start) else { return .no }
    return window.matches("AIFF", at: start + 8) || window.matches("AIFC", at: start + 8) ? .certain : .no
  }
}
