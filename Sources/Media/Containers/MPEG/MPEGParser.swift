package import AudioModel

/// Reads MPEG audio as files and radio streams hold it: frames of MPEG-1, 2 and 2.5, layers I…III, free format
/// included, with tags and junk before, between and behind them.
///
/// Frame positions are exact as long as the stream is read from its start on, or over a scan of it (sources where reading
/// costs nothing), or where a constant bit rate is certain; elsewhere a seek estimates and says so.
package struct MPEGParser: ContainerParser {
  /// Most junk in front of the first frame.
  package static let junkLimit = 128 << 10
  /// Most junk between frames; more of it ends the stream.
  package static let gapLimit = 1 << 20
  /// What a decoder of layer III adds in front: its filter bank's delay of 528 frames, and one.
  static let decoderDelay = 529
  /// Longest file that is read whole for its length.
  static let scanLimit: Int64 = 16 << 20

  private enum State {
    case tail
    case first
    case facts
    case packets
    case ended
    case end
  }

  private let start: Int64
  /// Where the stream ends if it is part of something longer.
  private let streamEnd: Int64?
  private var state = State.tail
  private var tags: TagSet
  private var tagReader: TagReader?
  private var endTags: EndTags?
  var outline = MPEGOutline()
  private var sentFacts: StreamFacts?
  private var factsAreDue = false

  /// The next packet to come.
  private var cursor: MPEGPoint
  private var cursorIsExact = true
  private var header: MPEGHeader?
  private var freeBytes: Int?
  /// What the stream was found by.
  private var firstFrame: MPEGSync.Frame?
  private var isDiscontinuous = true
  /// After a jump: a header counts only when others follow it.
  private var isLost = false
  private var junk: Int64 = 0

  private var index = MPEGIndex(alignment: MPEGIndex.alignment)
  /// The furthest place that was reached without a gap from the first frame on.
  private var frontier: MPEGPoint
  /// While going to a seek's target: packets before this frame are passed over.
  private var walkStop: Int64?
  /// Without a header that tells it, the length is found by reading all of a short file where that costs nothing.
  private var isScanning = false
  private var pendingSeek: (frame: Int64, sourceIsCheap: Bool)?

  /// Makes a parser for a stream that begins at `start`, maybe with junk, and ends at `end` or with the source.
  package init(start: Int64, leading: TagSet = TagSet(), end: Int64? = nil) {
    self.start = start
    streamEnd = end
    tags = leading
    cursor = MPEGPoint(position: start, packet: 0, frame: 0)
    frontier = cursor
  }

  package mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      switch state {
      case .tail:
        if let request = readTail(window) { return .need(request) }
        state = .first
      case .first:
        if let request = try readFirst(window) { return .need(request) }
        isScanning = window.sourceIsCheap && outline.wantsScan
        walkStop = isScanning ? .max : nil
        state = isScanning ? .packets : .facts
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
        case .frame(let frame):
          if let request = checkEnd(frame, window) { return .need(request) }
          if !isScanning, let step = freshFactsIfDue(window) { return step }
          if let step = take(frame, window) { return step }
        case .none: state = .ended
        }
      case .ended:
        // Reached without a gap, the end tells the true length, once.
        state = .end
        if cursorIsExact && cursor == frontier && !outline.isFinished {
          outline.finish(packets: frontier.packet, frame: frontier.end, position: frontier.position)
          if isScanning { restart() } else if let step = freshFacts(window) { return step }
        }
      case .end:
        return .end
      }
    }
  }

  // MARK: Beginning

  private mutating func readTail(_ window: ByteWindow) -> ByteRequest? {
    if let streamEnd {
      outline.audioEnd = min(streamEnd, window.sourceLength ?? streamEnd)
      return nil
    }
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
    if outline.audioEnd == nil { outline.audioEnd = window.sourceLength }
    switch locate(window) {
    case .need(let request): return request
    case .none: throw AudioError(.noAudio, "The file holds no MPEG audio")
    case .frame(let frame):
      let bytes = window.bytes(frame.position, count: frame.byteCount) ?? []
      let info = MPEGInfoFrame(bytes, header: frame.header)
      accept(frame)
      firstFrame = frame
      cursor.position = frame.position + (info == nil ? 0 : Int64(frame.byteCount))
      // The sound's own first header tells mono from stereo where an information frame in front differs.
      let second = info == nil ? nil : MPEGHeader(window, at: cursor.position)
      let header = second.flatMap { $0.continues(frame.header) ? $0 : nil } ?? frame.header
      outline.begin(header, frame: frame, info: info, gapless: tags.gapless, soundStart: cursor.position)
      cursor.frame = outline.firstFrame
      frontier = cursor
      index.add(cursor)
      return nil
    }
  }

  /// Goes back to the first frame after a scan.
  private mutating func restart() {
    isScanning = false
    walkStop = nil
    cursor = index.points.first ?? frontier
    // What the scan ended with, another kind of frame maybe and junk, is not in front of the first one.
    if let firstFrame { accept(firstFrame) }
    state = .facts
  }

  private mutating func freshFacts(_ window: ByteWindow) -> ParserStep? {
    guard var facts = outline.facts(scanned: frontier, sourceIsCheap: window.sourceIsCheap) else { return nil }
    var set = tags
    set.loudness.trackGain = set.loudness.trackGain ?? outline.info?.trackGain
    set.loudness.albumGain = set.loudness.albumGain ?? outline.info?.albumGain
    facts.take(set)
    guard facts != sentFacts else { return nil }
    sentFacts = facts
    return .facts(facts)
  }

  // MARK: Frames

  /// Finds the next frame from the cursor on; its bytes are then in the window.
  private mutating func locate(_ window: ByteWindow) -> MPEGSync.Search {
    while true {
      if tagReader != nil {
        if case .need(let request)? = tagReader?.next(in: window) { return .need(request) }
        if let reader = tagReader { leave(reader) }
        tagReader = nil
      }
      let position = cursor.position
      if let streamEnd, position >= streamEnd { return .none(position: position) }
      guard window.settles(position, count: MPEGTail.size) else {
        return .need(ByteRequest(position: position, count: MPEGTail.size))
      }
      // Behind junk only the search counts, so that nothing depends on where the window happened to end.
      if junk == 0 {
        if !isLost, let header, let next = MPEGHeader(window, at: position), next.continues(header),
          let byteCount = next.byteCount ?? freeBytes.map({ $0 + next.padding * next.slot })
        {
          let frame = MPEGSync.Frame(position: position, header: next, byteCount: byteCount, freeBytes: freeBytes)
          return whole(frame, window)
        }
        if let reader = TagReader(window, at: position) {
          tagReader = reader
          continue
        }
        if window.matches("TAG", at: position), !window.settles(position, count: ID3v1.size) {
          return .need(ByteRequest(position: position, count: ID3v1.size))
        }
        if let length = MPEGTail.length(window, at: position) {
          if let set = ID3v1.read(window, at: position) { tags.complete(with: set) }
          move(behind: position.addingSaturating(length))
          continue
        }
      }
      let limit = Int64(header == nil ? Self.junkLimit : Self.gapLimit) - junk
      guard limit > 0 else { return .none(position: position) }
      let end = min(position.addingSaturating(limit), streamEnd ?? .max)
      let trust = header != nil ? MPEGSync.Trust.stream : junk > 0 ? .junk : .beginning
      switch MPEGSync.search(window, from: position, limit: end, trust: trust) {
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

  /// Goes on behind a tag. What it says counts in front of the sound, and behind it where nothing was said before: in
  /// between it may be about another piece that was joined to this one.
  private mutating func leave(_ reader: TagReader) {
    if header == nil || tags.tags.isEmpty {
      var set = reader.tags
      if header != nil { set.gapless = nil }
      tags.complete(with: set)
    }
    move(behind: reader.end)
  }

  private mutating func move(behind end: Int64) {
    cursor.position = end
    if cursorIsExact && cursor.packet == frontier.packet { frontier = cursor }
  }

  /// Leaves junk behind. Where no packet was lost in it, the frontier goes along.
  private mutating func pass(to position: Int64) {
    let isFrontier = cursorIsExact && cursor == frontier
    junk += position - cursor.position
    cursor.position = position
    if isFrontier { frontier = cursor }
  }

  /// A frame is given out only whole: a decoder can do nothing with a cut one, which is dropped. Where the stream is part
  /// of something longer, whose writer counted its bytes, the last frame is often cut in its stuffing; zeros replace it.
  private func whole(_ frame: MPEGSync.Frame, _ window: ByteWindow) -> MPEGSync.Search {
    guard window.settles(frame.position, count: frame.byteCount) else {
      return .need(ByteRequest(position: frame.position, count: frame.byteCount))
    }
    let isThere = window.contains(frame.position, count: frame.byteCount)
    let isEnough = streamEnd != nil && window.available(frame.position, limit: frame.byteCount) * 2 > frame.byteCount
    return isThere || isEnough ? .frame(frame) : .none(position: frame.position)
  }

  private mutating func accept(_ frame: MPEGSync.Frame) {
    header = frame.header
    freeBytes = frame.freeBytes
    isLost = false
    junk = 0
  }

  /// Before the first packet that is to be trimmed: looks whether the sound ends where it should.
  private mutating func checkEnd(_ frame: MPEGSync.Frame, _ window: ByteWindow) -> ByteRequest? {
    guard cursorIsExact else { return nil }
    if outline.isBeyondDeclared(cursor.packet) {
      outline.dropDeclaration()
      factsAreDue = true
      return nil
    }
    guard let packets = outline.packetsToCheck(at: cursor, frameCount: frame.header.frameCount) else { return nil }
    var position = frame.position
    var end = cursor.frame
    var goesOn = false
    for number in 0...packets {
      guard window.settles(position, count: MPEGTail.size) else {
        return ByteRequest(position: frame.position, count: Int(position - frame.position) + MPEGTail.size)
      }
      // The packet before is cut.
      if position > window.end { break }
      var reach = cursor
      outline.advance(&reach, by: frame.header, packets: Int64(number))
      end = reach.frame
      // A tag of this kind may stand in front of more.
      goesOn = window.matches("ID3", at: position)
      guard let next = MPEGHeader(window, at: position), next.continues(frame.header),
        let size = next.byteCount ?? frame.freeBytes.map({ $0 + next.padding * next.slot })
      else { break }
      goesOn = number == packets
      position += Int64(size)
    }
    outline.decide(end: end, goesOn: goesOn)
    factsAreDue = true
    return nil
  }

  private mutating func freshFactsIfDue(_ window: ByteWindow) -> ParserStep? {
    guard factsAreDue else { return nil }
    factsAreDue = false
    return freshFacts(window)
  }

  /// Takes a frame as the next packet.
  private mutating func take(_ frame: MPEGSync.Frame, _ window: ByteWindow) -> ParserStep? {
    cursor.position = frame.position
    let isFrontier = cursorIsExact && cursor.packet == frontier.packet
    accept(frame)
    outline.note(frame)
    outline.enter(frame.header, &cursor)
    let here = cursor
    cursor.position += Int64(frame.byteCount)
    cursor.packet += 1
    outline.advance(&cursor, by: frame.header, packets: 1)
    if isFrontier {
      index.add(here)
      frontier = cursor
    }
    if let stop = walkStop {
      let isAligned = here.packet % MPEGIndex.alignment == 0
      var reach = here
      outline.advance(&reach, by: frame.header, packets: MPEGIndex.alignment)
      let margin = outline.conversionMargin(here.converted?.sampleRate)
      guard isAligned && reach.frame > stop - margin else { return nil }
      walkStop = nil
    }
    var packet = Packet(
      position: frame.position, byteCount: frame.byteCount, frame: here.frame, frameCount: frame.header.frameCount,
      isDiscontinuous: isDiscontinuous)
    packet.fraction = outline.fraction(here)
    isDiscontinuous = false
    if isFrontier && MPEGOutline.isTimeToRefine(packets: cursor.packet) { state = .facts }
    let have = window.available(frame.position, limit: frame.byteCount)
    guard have < frame.byteCount else { return .packet(packet) }
    let cut = window.bytes(frame.position, count: have) ?? []
    return .assembled(packet, cut + [UInt8](repeating: 0, count: frame.byteCount - have))
  }

  // MARK: Seeking

  package mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    guard sentFacts != nil else {
      pendingSeek = (max(frame, 0), sourceIsCheap)
      return .at(position: cursor.position, isExact: true)
    }
    state = .packets
    isDiscontinuous = true
    isLost = false
    junk = 0
    let stop = max(frame, 0) - outline.prerollFrames
    let known = index.point(before: stop - outline.conversionMargin) ?? frontier
    let near = outline.nearFrames
    if sourceIsCheap || stop <= frontier.frame.addingSaturating(near) || outline.isFinished {
      cursor = known
      cursorIsExact = true
      walkStop = stop
      return .at(position: cursor.position, isExact: true)
    }
    guard let jump = outline.jump(to: stop, scanned: frontier) else { return .impossible }
    cursor = jump.point
    isLost = true
    cursorIsExact = jump.isExact
    // A number that is exact needs the aligned start that exactness of decoding asks for.
    walkStop = jump.isExact ? stop : nil
    return .at(position: cursor.position, isExact: jump.isExact)
  }
}
