package import AudioModel

/// Reads native FLAC: frames behind `fLaC` and metadata, or bare. Source: RFC 9639.
///
/// Frame headers are the truth, STREAMINFO only fills in what they leave to it. Numbers in headers give positions, so that
/// seeking is exact with and without a seek table; lost frames are packets of one byte, which decode to nothing and
/// become silence of their length. It holds metadata within their limits, an index of 320 KiB, and no sound.
package struct FLACParser: ContainerParser {
  /// Most bytes that are no frame, in front of the first one and between others; more of them end the stream.
  package static let gapLimit = 1 << 20
  /// Longest gap in the numbers, in frames, that becomes silence. A longer one is believed where the stated length has
  /// room for it, and jumped over; else numbers are taken to count anew.
  static let silenceLimit: Int64 = 1 << 17
  /// Local files up to this size are read whole for their length, longer ones only where their end leaves it open.
  static let smallFile: Int64 = 1 << 20
  /// Longest local file that is read whole.
  static let scanLimit: Int64 = 64 << 20

  private enum State {
    case tail
    case metadata
    case first
    case lastFrames(FLACTail)
    case facts
    case packets
    case search(FLACSearch, guess: Int64)
    case ended
    case end
  }

  private var state = State.tail
  private let start: Int64
  private var leading: TagSet
  private var endTags: EndTags?
  private var metadata: FLACMetadata
  private var audioEnd: Int64?
  private var outline: FLACOutline?
  private var sentFacts: StreamFacts?
  private var refineAt: Int64 = 16

  /// Where the next frame begins, with its header where that is known.
  private var cursor: Int64
  private var header: FLACFrameHeader?
  /// A frame begins at the cursor, whose header was not read again.
  private var isAtFrame = false
  private var scan: FLACFrameScan?
  /// The frame that was found, its place, and what goes before it is still to come.
  private var found: (frame: FLACFrameScan.Frame, place: Int64)?
  private var timeline: FLACTimeline?
  /// The frame of the timeline that comes next.
  private var expected: Int64 = 0
  /// The header before, unless there was a jump.
  private var previous: FLACFrameHeader?
  private var isDiscontinuous = true
  /// The end of the sound if the frame that was read last is the last one.
  private var ending: FLACOutline.Ending?

  private var index = FLACIndex()
  /// The furthest place that was reached without a gap from the first frame on, and the packets before it.
  private var frontier: (position: Int64, packets: Int64) = (0, 0)
  /// Numbers counted anew, or rates changed, somewhere: only places that were passed are certain.
  private var isIrregular = false
  /// What the rates that were met so far take to be converted, in frames before a seek's target.
  private var conversionMargin: Int64 = 0
  /// While going to a seek's target: frames that end before it are passed over.
  private var walkStop: Int64?
  private var isScanning = false
  private var pendingSeek: (frame: Int64, sourceIsCheap: Bool)?

  /// Makes a parser for a stream that begins at `start`.
  package init(start: Int64, leading: TagSet = TagSet()) {
    self.start = start
    self.leading = leading
    metadata = FLACMetadata(start: start)
    cursor = start
  }

  package mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      switch state {
      case .tail:
        if let request = readTail(window) { return .need(request) }
        state = .metadata
      case .metadata:
        if case .need(let request) = metadata.next(in: window) { return .need(request) }
        cursor = metadata.end
        state = .first
      case .first:
        if let request = try readFirst(window) { return .need(request) }
      case .lastFrames(var tail):
        if let request = tail.next(in: window) {
          state = .lastFrames(tail)
          return .need(request)
        }
        outline?.tail = tail.ending
        begin(window)
      case .facts:
        state = .packets
        let step = freshFacts()
        if let pending = pendingSeek {
          pendingSeek = nil
          _ = seek(to: pending.frame, sourceIsCheap: pending.sourceIsCheap)
        }
        if let step { return step }
      case .packets:
        if let step = readFrame(window) { return step }
      case .search(let search, let guess):
        if let request = look(search, at: guess, window) { return .need(request) }
      case .ended:
        state = .end
        guard cursor == frontier.position else { continue }
        outline?.finished = ending
        if isScanning { restart() } else if let step = freshFacts() { return step }
      case .end:
        return .end
      }
    }
  }

  // MARK: Beginning

  private mutating func readTail(_ window: ByteWindow) -> ByteRequest? {
    guard window.sourceIsCheap, let length = window.sourceLength, length > start else {
      audioEnd = window.sourceLength
      return nil
    }
    var reader = endTags ?? EndTags(start: start, length: length)
    let request = reader.next(in: window)
    endTags = reader
    guard request == nil else { return request }
    audioEnd = reader.audioEnd
    leading.complete(with: reader.tags)
    return nil
  }

  private mutating func readFirst(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    if scan == nil {
      guard window.settles(cursor, count: FLACFrameHeader.limit) else {
        return ByteRequest(position: cursor, count: FLACFrameHeader.limit)
      }
      header = FLACFrameHeader(window, at: cursor)
    }
    if header == nil {
      switch locate(window) {
      case .need(let from, let count): return ByteRequest(position: from, count: count)
      case .none: throw AudioError(.noAudio, "There is no frame of sound in the FLAC file")
      case .frame(let frame): (cursor, header) = (frame.position, frame.header)
      }
    }
    guard let header else { return nil }
    let outline = FLACOutline(header: header, position: cursor, info: metadata.streamInfo, audioEnd: audioEnd)
    self.outline = outline
    timeline = outline.timeline
    frontier = (cursor, 0)
    if window.sourceIsCheap, let audioEnd, audioEnd - start > Self.smallFile {
      state = .lastFrames(FLACTail(outline, audioEnd: audioEnd))
    } else {
      begin(window)
    }
    return nil
  }

  /// Goes on to the facts, over all frames where only they tell the length and reading costs nothing.
  private mutating func begin(_ window: ByteWindow) {
    let size = audioEnd.map { $0 - start } ?? .max
    isScanning = window.sourceIsCheap && size <= Self.scanLimit && outline?.isUncertain == true
    walkStop = isScanning ? .max : nil
    state = isScanning ? .packets : .facts
  }

  /// Goes back to the first frame after all were read.
  private mutating func restart() {
    isScanning = false
    walkStop = nil
    if let outline { go(to: FLACIndex.Point(position: outline.position, frame: 0, anchor: outline.timeline.anchor)) }
    header = outline?.header
    state = .facts
  }

  private mutating func freshFacts() -> ParserStep? {
    guard let outline else { return nil }
    var set = metadata.tags
    set.complete(with: leading)
    if set.chapters.isEmpty { set.chapters = FLACCueSheet.chapters(metadata.tracks, rate: outline.timeline.rate) }
    var facts = outline.facts
    facts.take(set)
    // Where the channels are not the usual ones, a comment tells which.
    if let text = facts.tag("waveformatextensible_channel_mask"), text.lowercased().hasPrefix("0x"),
      let mask = UInt32(text.dropFirst(2), radix: 16),
      let layout = ChannelLayout(count: facts.format.channels, mask: mask)
    {
      facts.format.layout = layout
    }
    guard facts != sentFacts else { return nil }
    sentFacts = facts
    return .facts(facts)
  }

  // MARK: Frames

  /// Finds the next frame from the cursor on; its bytes are then in the window.
  private mutating func locate(_ window: ByteWindow) -> FLACFrameScan.Answer {
    var scan =
      self.scan
      ?? header.map { FLACFrameScan(frame: $0, at: cursor, audioEnd: audioEnd) }
      ?? FLACFrameScan(from: cursor, limit: cursor.addingSaturating(Int64(Self.gapLimit)), audioEnd: audioEnd)
    let answer = scan.next(in: window)
    if case .need = answer { self.scan = scan } else { self.scan = nil }
    return answer
  }

  private mutating func readFrame(_ window: ByteWindow) -> ParserStep? {
    if let found { return take(found.frame, at: found.place) }
    if isAtFrame {
      guard window.settles(cursor, count: FLACFrameHeader.limit) else {
        return .need(ByteRequest(position: cursor, count: FLACFrameHeader.limit))
      }
      header = FLACFrameHeader(window, at: cursor)
      isAtFrame = false
    }
    switch locate(window) {
    case .need(let from, let count): return .need(ByteRequest(position: from, count: count))
    case .none(let end):
      pass(to: end)
      state = .ended
      return nil
    case .frame(let frame):
      pass(to: frame.position)
      let place = place(frame.header)
      found = (frame, place)
      return take(frame, at: place)
    }
  }

  /// Leaves junk behind; the frontier goes along.
  private mutating func pass(to position: Int64) {
    if cursor == frontier.position { frontier.position = position }
    cursor = position
  }

  /// Takes a frame as the next packet, or silence or better facts in front of it.
  private mutating func take(_ frame: FLACFrameScan.Frame, at place: Int64) -> ParserStep? {
    guard let timeline else { return nil }
    if place > expected {
      let lost = min(place - expected, FLACTimeline.longestBlock)
      let count = max(1, timeline.rate.convert(lost, to: timeline.anchor.rate))
      let silence = Packet(
        position: frame.position, byteCount: 1, frame: expected, frameCount: Int(min(count, Self.silenceLimit)))
      expected += lost
      return passes(to: expected) ? nil : give(silence)
    }
    let length = timeline.length(frame.header)
    if let step = betterFacts(reaching: expected.addingSaturating(length)) { return step }
    found = nil
    if cursor == frontier.position {
      index.add(FLACIndex.Point(position: frame.position, frame: expected, anchor: timeline.anchor))
      frontier = (frame.end, frontier.packets + 1)
      outline?.note(frames: expected.addingSaturating(length), end: frame.end)
    }
    var packet = Packet(
      position: frame.position, byteCount: Int(frame.end - frame.position), frame: expected,
      frameCount: frame.header.blockSize)
    packet.fraction = timeline.fraction(frame.header)
    ending = FLACOutline.Ending(place: expected, length: timeline.lastLength(frame.header), frame)
    expected = expected.addingSaturating(length)
    (cursor, header, previous) = (frame.end, frame.next, frame.header)
    return passes(to: expected) ? nil : give(packet)
  }

  /// Facts that are due before a frame that ends at `end`: it reaches beyond what was promised, or an estimate got better.
  private mutating func betterFacts(reaching end: Int64) -> ParserStep? {
    guard !isScanning else { return nil }
    let isDue = frontier.packets >= refineAt && sentFacts?.duration?.isExact != true
    let isBeyond = sentFacts?.duration.map { $0.isExact && end > $0.frames } ?? false
    guard isDue || isBeyond else { return nil }
    if isDue { refineAt *= 4 }
    if isBeyond { outline?.reachedFrame = end }
    return freshFacts()
  }

  /// Whether a packet that ends at `end` is passed over on the way to a seek's target.
  private mutating func passes(to end: Int64) -> Bool {
    guard let stop = walkStop else { return false }
    let isBefore = end <= stop - (timeline.map { RateConversion.margin(from: $0.anchor.rate, to: $0.rate) } ?? 0)
    if !isBefore { walkStop = nil }
    return isBefore
  }

  private mutating func give(_ packet: Packet) -> ParserStep {
    var packet = packet
    packet.isDiscontinuous = isDiscontinuous
    isDiscontinuous = false
    return .packet(packet)
  }

  /// The place of a frame on the timeline: where it is expected, or behind that where frames were lost.
  private mutating func place(_ header: FLACFrameHeader) -> Int64 {
    guard let timeline, let outline else { return expected }
    guard let previous else {
      expected = max(0, timeline.frame(header))
      return expected
    }
    let place = timeline.frame(header)
    if timeline.isAsAnchored(header, outline.info) {
      if place == expected { return expected }
      let end = place.addingSaturating(timeline.length(header))
      if place > expected, !header.follows(previous), outline.stated.map({ end <= $0 }) ?? true {
        if place - expected <= Self.silenceLimit { return place }
        if outline.stated != nil {
          expected = place
          isDiscontinuous = true
          return place
        }
      }
    }
    // Another rate, another stream, or nonsense: numbers count from here.
    isIrregular = true
    let anchor = timeline.anchor(of: header, outline.info, behind: previous, expected: expected)
    self.timeline?.anchor = anchor
    conversionMargin = max(conversionMargin, RateConversion.margin(from: anchor.rate, to: timeline.rate))
    if !timeline.isAsAnchored(header, outline.info) { expected = anchor.frame }
    return expected
  }

  // MARK: Seeking

  package mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    let target = max(frame, 0)
    guard sentFacts != nil, let outline else {
      pendingSeek = (target, sourceIsCheap)
      return .at(position: cursor, isExact: true)
    }
    let (below, above) = index.around(target - conversionMargin)
    let low = below ?? FLACIndex.Point(position: outline.position, frame: 0, anchor: outline.timeline.anchor)
    go(to: low)
    walkStop = target
    state = .packets
    guard above == nil, !isIrregular, outline.finished == nil, let audioEnd else {
      return .at(position: low.position, isExact: true)
    }
    let promised = outline.duration.flatMap { $0.isExact || outline.stated != nil ? $0.frames : nil }
    var search = FLACSearch(
      target: target, low: (low.position, low.frame), high: (audioEnd, promised), density: outline.density,
      hint: metadata.seekTable.position(of: target, outline), sourceIsCheap: sourceIsCheap)
    guard case .look(let guess) = search.next() else { return .at(position: low.position, isExact: true) }
    state = .search(search, guess: guess)
    return .at(position: guess, isExact: true)
  }

  /// Stands in front of a frame that was met before.
  private mutating func go(to point: FLACIndex.Point) {
    (cursor, expected) = (point.position, point.frame)
    timeline?.anchor = point.anchor
    (header, previous, scan, found) = (nil, nil, nil, nil)
    isAtFrame = true
    isDiscontinuous = true
    ending = nil
  }

  /// Takes a step of a search.
  private mutating func look(_ search: FLACSearch, at guess: Int64, _ window: ByteWindow) -> ByteRequest? {
    var search = search
    cursor = guess
    header = nil
    switch locate(window) {
    case .need(let from, let count): return ByteRequest(position: from, count: count)
    case .none: search.foundNothing(lookedAt: guess)
    case .frame(let frame):
      guard let timeline, let outline, outline.isAlike(frame.header) else {
        search.foundNothing(lookedAt: guess)
        break
      }
      let place = timeline.frame(frame.header)
      let frames = place..<place.addingSaturating(timeline.length(frame.header))
      if search.found(frame.position, frames: frames, lookedAt: guess) {
        (cursor, header, isAtFrame) = (frame.position, frame.header, false)
        state = .packets
        return nil
      }
    }
    switch search.next() {
    case .look(let next): state = .search(search, guess: next)
    case .walk(let position):
      (cursor, isAtFrame) = (position, true)
      state = .packets
    }
    return nil
  }
}
