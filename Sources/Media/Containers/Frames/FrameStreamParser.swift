import AudioModel

/// Reads streams that are nothing but frames: finds them among tags and junk, counts them, and finds its way back by
/// content.
///
/// Frame positions are exact as long as the stream is read from its start on, or over a scan of it (sources where reading
/// costs nothing); elsewhere a seek estimates and says so. No such format states a length: it is known after a scan or at
/// the end, and estimated by the size of the frames that were seen before. A stream may change its coding; the timeline
/// then goes on at the first one's rate.
struct FrameStreamParser<Syntax: FrameSyntax>: ContainerParser {
  /// Most junk between frames; more of it ends the stream.
  static var gapLimit: Int { 1 << 20 }
  /// Longest file that is read whole for its length.
  static var scanLimit: Int64 { 64 << 20 }
  /// Bytes whose frames the first estimate rests on: where reading costs nothing, and elsewhere.
  static var sampleSize: (cheap: Int, other: Int) { (1 << 20, 8 << 10) }
  /// Codings that a stream may have; frames of others are passed over.
  static var codingLimit: Int { 64 }

  private enum State {
    case tail, prologue, first, sample, facts, packets, ended, end
  }
  private struct KnownCoding {
    var kind: UInt64
    var coding: FrameCoding
  }

  private let start: Int64
  private var syntax = Syntax()
  private var state = State.tail
  private var tags: TagSet
  private var tagReader: ID3v2Reader?
  private var endTags: EndTags?
  private var outline: FrameOutline
  private var codings: [KnownCoding] = []
  private var sentFacts: StreamFacts?
  /// The coding that the facts sent last are of.
  private var sentCoding = 0
  private var startsNewCoding = false
  /// What iTunes' comment says of the encoder's delay, in a tag in front of the stream.
  private var gapless: GaplessTag?

  /// The next packet to come.
  private var cursor: FramePoint
  private var cursorIsExact = true
  private var kind: UInt64?
  private var isDiscontinuous = true
  /// After a jump: a header counts only when others follow it.
  private var isLost = false
  private var junk: Int64 = 0

  private var index = PacketIndex<FramePoint>(alignment: 1)
  /// While going to a seek's target: packets before this frame are passed over.
  private var walkStop: Int64?
  private var isScanning = false
  private var pendingSeek: (frame: Int64, sourceIsCheap: Bool)?

  /// Makes a parser for a stream that begins at `start`, maybe with junk.
  init(start: Int64, leading: TagSet) {
    self.start = start
    tags = leading
    cursor = FramePoint(position: start, packet: 0, base: 0, inRun: 0, coding: 0, frame: 0)
    outline = FrameOutline(at: cursor)
  }

  mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      switch state {
      case .tail:
        if let request = readTail(window) { return .need(request) }
        state = .prologue
      case .prologue:
        let size = Syntax.prologueSize
        guard size == 0 || window.settles(start, count: size) else {
          return .need(ByteRequest(position: start, count: size))
        }
        cursor.position += Int64(try syntax.readPrologue(window, at: start))
        kind = syntax.knownKind
        state = .first
      case .first:
        if let request = try readFirst(window) { return .need(request) }
        isScanning = window.sourceIsCheap && (outline.audioEnd ?? .max) - outline.soundStart <= Self.scanLimit
        walkStop = isScanning ? .max : nil
        state = isScanning ? .packets : .sample
      case .sample:
        if let request = takeSample(window) { return .need(request) }
        state = .facts
      case .facts:
        state = .packets
        let step = freshFacts(window)
        if let pending = pendingSeek {
          pendingSeek = nil
          _ = seek(to: pending.frame, sourceIsCheap: pending.sourceIsCheap)
        }
        if let step { return step }
      case .packets:
        switch locate(window) {
        case .need(let request): return .need(request)
        case .frame(let frame): if let step = take(frame, window) { return step }
        case .none: state = .ended
        }
      case .ended:
        // Reached without a gap, the end tells the true length, once.
        state = .end
        if isAtFrontier && !outline.isFinished {
          outline.finish()
          if isScanning { restart() } else if let step = freshFacts(window) { return step }
        }
      case .end:
        return .end
      }
    }
  }

  // MARK: Beginning

  private mutating func readTail(_ window: ByteWindow) -> ByteRequest? {
    outline.audioEnd = window.sourceLength
    guard window.sourceIsCheap, let length = window.sourceLength, length > start else { return nil }
    var reader = endTags ?? EndTags(start: start, length: length)
    let request = reader.next(in: window)
    endTags = reader
    guard request == nil else { return request }
    outline.audioEnd = reader.audioEnd
    tags.complete(with: reader.tags)
    return nil
  }

  private mutating func readFirst(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    while true {
      switch locate(window) {
      case .need(let request): return request
      case .none: throw AudioError(.noAudio, "The file holds no frames of sound")
      case .frame(let frame):
        guard let coding = syntax.coding(window, frame) else {
          cursor.position = frame.position + Int64(frame.byteCount)
          junk += Int64(frame.byteCount)
          continue
        }
        codings = [KnownCoding(kind: frame.header.kind, coding: coding)]
        gapless = coding.codec == .aac ? tags.gapless : nil
        kind = frame.header.kind
        cursor.position = frame.position
        (isLost, junk) = (false, 0)
        outline.begin(at: cursor)
        index.add(cursor)
        return nil
      }
    }
  }

  /// Counts the first frames' bytes, which are then in the window.
  private mutating func takeSample(_ window: ByteWindow) -> ByteRequest? {
    guard let audioEnd = outline.audioEnd else { return nil }
    let size = window.sourceIsCheap ? Self.sampleSize.cheap : Self.sampleSize.other
    let start = outline.soundStart
    let count = Int(min(max(audioEnd - start, 0), Int64(size)))
    guard count > 0 else { return nil }
    guard window.settles(start, count: count) else { return ByteRequest(position: start, count: count) }
    let end = start + Int64(count)
    var position = start
    while let header = syntax.header(window, at: position), header.kind == kind,
      case .bytes(let size) = syntax.extent(window, at: position, header),
      position + Int64(size + Syntax.headerSize) <= end
    {
      outline.sample(bytes: size, frames: header.frameCount)
      position += Int64(size)
    }
    return nil
  }

  /// Goes back to the first frame after a scan.
  private mutating func restart() {
    isScanning = false
    walkStop = nil
    cursor = index.points.first ?? outline.frontier
    kind = codings[cursor.coding].kind
    // Junk that the scan ended with is not in front of the first frame.
    (isLost, junk) = (false, 0)
    state = .facts
  }

  // MARK: Facts

  private mutating func freshFacts(_ window: ByteWindow) -> ParserStep? {
    let coding = codings[sentCoding].coding
    let first = codings[0].coding
    var facts = StreamFacts(container: coding.container, codec: coding.codec, format: first.format)
    facts.decoderConfiguration = coding.decoderConfiguration
    let isOneRate = codings.allSatisfy { $0.coding.format.sampleRate == rate }
    facts.duration = outline.duration(rate, isOneRate: isOneRate)
    facts.bitRate = outline.bitRate(rate)
    facts.seekability = window.sourceIsCheap || outline.isFinished ? .exact : .estimated
    facts.seekPreroll = Syntax.prerollPackets * outline.packetFrames
    gapless?.trim(&facts)
    facts.take(tags)
    guard facts != sentFacts else { return nil }
    sentFacts = facts
    return .facts(facts)
  }

  private func conversionMargin(_ coding: Int) -> Int64 {
    RateConversion.margin(from: codings[coding].coding.format.sampleRate, to: rate)
  }

  private var rate: SampleRate { codings[0].coding.format.sampleRate }

  /// The next packet is the first one that was never reached before.
  private var isAtFrontier: Bool { cursorIsExact && cursor.packet == outline.frontier.packet }
}

// MARK: - Frames

extension FrameStreamParser {
  /// Finds the next frame from the cursor on; its bytes are then in the window.
  private mutating func locate(_ window: ByteWindow) -> FrameSync.Search {
    while true {
      if tagReader != nil {
        if case .need(let request)? = tagReader?.next(in: window) { return .need(request) }
        if let reader = tagReader {
          tags.complete(with: reader.tags)
          cursor.position = reader.end
        }
        tagReader = nil
      }
      let position = cursor.position
      let look = max(Syntax.headerSize, MPEGTail.size)
      guard window.settles(position, count: look) else { return .need(ByteRequest(position: position, count: look)) }
      // Behind junk only the search counts, so that nothing depends on where the window happened to end.
      if junk == 0 {
        if !isLost, let kind, let header = syntax.header(window, at: position), header.kind == kind {
          return whole(FoundFrame(position: position, byteCount: header.byteCount, header: header), window)
        }
        if codings.isEmpty, let reader = ID3v2Reader(window, at: position) {
          tagReader = reader
          continue
        }
        if window.matches("TAG", at: position), !window.settles(position, count: ID3v1.size) {
          return .need(ByteRequest(position: position, count: ID3v1.size))
        }
        if let length = MPEGTail.length(window, at: position) {
          if let set = ID3v1.read(window, at: position) { tags.complete(with: set) }
          pass(to: position.addingSaturating(length))
          junk = 0
          continue
        }
      }
      let limit = Int64(codings.isEmpty ? FrameSync.junkLimit : Self.gapLimit) - junk
      guard limit > 0 else { return .none(position: position) }
      let trust = !codings.isEmpty ? FrameSync.Trust.stream : junk > 0 ? .junk : .beginning
      switch FrameSync.search(syntax, window, from: position, limit: position.addingSaturating(limit), trust: trust) {
      case .need(let request):
        pass(to: request.position)
        return .need(request)
      case .none(let end):
        pass(to: end)
        if end == position { return .none(position: end) }
      case .frame(let frame):
        pass(to: frame.position)
        return whole(frame, window)
      }
    }
  }

  /// Leaves bytes behind that are no frames. Where no packet was lost in them, the frontier goes along.
  private mutating func pass(to position: Int64) {
    let isFrontier = isAtFrontier
    junk += position - cursor.position
    cursor.position = position
    if isFrontier { outline.frontier = cursor }
  }

  /// A frame is given out only whole: a decoder can do nothing with a cut one, which is dropped.
  private func whole(_ frame: FoundFrame, _ window: ByteWindow) -> FrameSync.Search {
    var frame = frame
    switch syntax.extent(window, at: frame.position, frame.header) {
    case .need(let count): return .need(ByteRequest(position: frame.position, count: count))
    case .bytes(let count): frame.byteCount = count
    }
    guard window.settles(frame.position, count: frame.byteCount) else {
      return .need(ByteRequest(position: frame.position, count: frame.byteCount))
    }
    return window.contains(frame.position, count: frame.byteCount) ? .frame(frame) : .none(position: frame.position)
  }

  /// Takes a frame as the next packet.
  private mutating func take(_ frame: FoundFrame, _ window: ByteWindow) -> ParserStep? {
    cursor.position = frame.position
    if !enterCoding(of: frame, window) {
      cursor.position += Int64(frame.byteCount)
      return nil
    }
    if walkStop == nil && cursor.coding != sentCoding {
      sentCoding = cursor.coding
      startsNewCoding = true
      if let step = freshFacts(window) { return step }
    }
    (isLost, junk) = (false, 0)
    let isFrontier = isAtFrontier
    let here = cursor
    advance(frame)
    if isFrontier {
      index.add(here)
      outline.note(bytes: frame.byteCount, to: cursor)
    }
    if let stop = walkStop {
      guard cursor.frame > stop - conversionMargin(cursor.coding) else { return nil }
      walkStop = nil
      // The packet is given out after the facts that may have to come before it.
      cursor = here
      return nil
    }
    if isFrontier && FrameOutline.isTimeToRefine(packets: cursor.packet) { state = .facts }
    return step(frame, at: here, window)
  }

  private mutating func step(_ frame: FoundFrame, at point: FramePoint, _ window: ByteWindow) -> ParserStep {
    var packet = Packet(
      position: frame.position, byteCount: frame.byteCount, frame: point.frame - Int64(gapless?.delay ?? 0),
      frameCount: frame.header.frameCount,
      isDiscontinuous: isDiscontinuous)
    packet.fraction = point.fraction
    packet.startsNewCoding = startsNewCoding
    (isDiscontinuous, startsNewCoding) = (false, false)
    switch syntax.payload(window, frame) {
    case .range(let position, let count):
      packet.position = position
      packet.byteCount = count
      return .packet(packet)
    case .assembled(let bytes):
      packet.byteCount = bytes.count
      return .assembled(packet, bytes)
    }
  }

  /// Moves the cursor behind a frame.
  private mutating func advance(_ frame: FoundFrame) {
    cursor.position = frame.position + Int64(frame.byteCount)
    cursor.packet += 1
    cursor.inRun += Int64(frame.header.frameCount)
    let own = codings[cursor.coding].coding.format.sampleRate
    let place = own.place(of: cursor.inRun, at: rate)
    (cursor.frame, cursor.fraction) = (cursor.base + place.frame, place.fraction)
  }

  /// Finds the coding of a frame that is not of the kind before.
  /// - Returns: `false` where it can't be decoded.
  private mutating func enterCoding(of frame: FoundFrame, _ window: ByteWindow) -> Bool {
    let new = frame.header.kind
    kind = new
    guard codings[cursor.coding].kind != new else { return true }
    if let known = codings.firstIndex(where: { $0.kind == new }) {
      cursor.coding = known
    } else {
      guard codings.count < Self.codingLimit, let coding = syntax.coding(window, frame) else { return false }
      cursor.coding = codings.count
      codings.append(KnownCoding(kind: new, coding: coding))
    }
    // The run before is converted to its end.
    (cursor.frame, cursor.fraction) = (cursor.end, 0)
    (cursor.base, cursor.inRun) = (cursor.frame, 0)
    return true
  }

  // MARK: Seeking

  mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    guard sentFacts != nil else {
      pendingSeek = (max(frame, 0), sourceIsCheap)
      return .at(position: cursor.position, isExact: true)
    }
    state = .packets
    (isDiscontinuous, isLost, junk) = (true, false, 0)
    tagReader = nil
    let preroll = Int64(Syntax.prerollPackets * outline.packetFrames)
    let stop = max(frame, 0).addingSaturating(Int64(gapless?.delay ?? 0)) - preroll
    // How far ahead reading on is no worse than jumping: 64 packets.
    let near = outline.frontier.frame.addingSaturating(Int64(64 * outline.packetFrames))
    if sourceIsCheap || stop <= near || outline.isFinished {
      let margin = codings.indices.map(conversionMargin).max() ?? 0
      cursor = index.point(before: stop - margin) ?? outline.frontier
      kind = codings[cursor.coding].kind
      cursorIsExact = true
      walkStop = stop
      return .at(position: cursor.position, isExact: true)
    }
    guard let position = outline.position(of: stop) else { return .impossible }
    cursor = FramePoint(
      position: position, packet: .max >> 1, base: stop, inRun: 0, coding: cursor.coding, frame: stop)
    cursorIsExact = false
    isLost = true
    walkStop = nil
    return .at(position: position, isExact: false)
  }
}
