package import AudioModel

/// Reads Ogg (RFC 3533): Vorbis, Opus, FLAC and Speex, several logical streams side by side, of which the first with sound is
/// played, and chains of links one behind the other, which may differ in everything.
///
/// Positions are exact everywhere. The length is exact where the end could be looked at: in files at once, elsewhere when
/// it is reached or sought; before that it is an estimate. What is lost between pages is left out of the packets, with
/// positions that go on behind it.
package struct OggParser: ContainerParser {
  enum State {
    /// Looks for the first page with sound.
    case opening
    /// Looks at the last bytes for the length.
    case tail(size: Int64)
    /// Looks whether page numbers rise, or a second link hides behind the same serial number.
    case probes(Int, position: Int64)
    /// Reads all pages for the links of the chain.
    case scanning
    case facts
    case packets
    /// Reads the headers of a link that a seek leads to.
    case entering
    case searching(OggBisection)
    case end
  }

  /// Files up to this size are read whole for their length; of longer ones the last bytes are enough, unless they show
  /// that there is more than one link.
  static let scanLimit: Int64 = 1 << 20
  /// Remote files are looked at the same way where no more than this follows the first page with sound.
  static let remoteScanLimit: Int64 = 64 << 10
  /// As much of the end as is looked at, at first and at most.
  static let tailSizes: ClosedRange<Int64> = 128 << 10...2 << 20
  /// The same at first before a seek in a remote stream, where every byte is waited for: the longest page (65 307 bytes,
  /// RFC 3533 §6) fits in, and one page says where it ends.
  static let remoteTail: Int64 = 64 << 10
  /// Places at which page numbers are looked at.
  private static let probes = 8
  /// Bytes that are read on from the place that a seek finds, in files and elsewhere.
  static let reach: (cheap: Int64, remote: Int64) = (32 << 10, 96 << 10)

  let leading: TagSet
  var state = State.opening
  var walker: OggWalker
  /// The walker before the first page with sound of its link.
  var begin: OggWalker
  /// The same for the first link.
  private(set) var first: OggWalker
  var chain = OggChain()
  var queue: [OggPacket] = []
  private var queueIndex = 0

  private(set) var sourceLength: Int64?
  var sentFacts: StreamFacts?
  var firstFormat: PCMFormat?
  private var codingIsNew = false
  /// The link that the last facts were about.
  var sentIndex = 0
  var factsAreDue = false
  var isJumped = true
  private var refineAt: Int64 = 0
  /// Going to a seek's target: pages that end early enough before it are passed over.
  var target: Int64?
  var isCheap = false
  var tailIsKnown = false
  /// Number of the page that was found last, and of the last one of all.
  private var pageNumbers: (probed: UInt32?, last: UInt32?)
  /// Where the page ends that was read last.
  var lastGranule: Int64?
  /// The walker as it stood when a search began behind it.
  var resumed: OggWalker?
  var pendingSeek: (frame: Int64, sourceIsCheap: Bool)?

  /// Makes a parser for a stream that begins at `start`.
  package init(start: Int64, leading: TagSet = TagSet()) {
    self.leading = leading
    walker = OggWalker(start: start)
    begin = walker
    first = walker
  }

  /// Whether an Ogg page begins at `start`.
  package static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    window.matches("OggS\0", at: start) ? .certain : .no
  }

  package mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
    while true {
      switch state {
      case .opening: if let request = try open(window) { return .need(request) }
      case .tail(let size): if let request = readTail(window, size: size) { return .need(request) }
      case .probes(let number, let position):
        if let request = probe(window, number, from: position) { return .need(request) }
      case .scanning: if let request = scan(window) { return .need(request) }
      case .facts:
        state = .packets
        let facts = freshFacts()
        if let pending = pendingSeek {
          pendingSeek = nil
          _ = seek(to: pending.frame, sourceIsCheap: pending.sourceIsCheap)
        }
        if let facts { return .facts(facts) }
      case .packets: if let step = try readPackets(window) { return step }
      case .entering: if let request = try enter(window) { return .need(request) }
      case .searching(var search):
        let step = search.next(in: window)
        state = .searching(search)
        switch step {
        case .need(let request): return .need(request)
        case .found(let position): settle(at: position)
        }
      case .end: return .end
      }
    }
  }

  // MARK: Beginning

  /// Reads to the first page with sound.
  private mutating func open(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    begin = walker
    begin.rewind()
    sourceLength = window.sourceLength
    switch try walker.step(window, into: &queue) {
    case .need(let request): return request
    case .end:
      guard walker.link?.headers.isComplete == true else {
        throw AudioError(.noAudio, "There is no sound in the Ogg file")
      }
      chain.complete()
      state = .facts
    case .page:
      guard let link = walker.link, link.hasBegun else { return nil }
      first = begin
      chain.begin(link, index: 0)
      refineAt = walker.cursor.addingSaturating(Self.remoteScanLimit)
      let rest = (sourceLength ?? .max) - begin.cursor
      if window.sourceIsCheap ? rest <= Self.scanLimit : rest <= Self.remoteScanLimit {
        state = .scanning
      } else if window.sourceIsCheap, sourceLength != nil {
        state = .tail(size: Self.tailSizes.lowerBound)
      } else {
        state = .facts
      }
    }
    return nil
  }

  /// Reads all pages, then goes back to the first one with sound. Of a remote file all is asked for at once and stays in
  /// the window, with one byte more, so that the end is seen.
  private mutating func scan(_ window: ByteWindow) -> ByteRequest? {
    queue.removeAll(keepingCapacity: true)
    if !window.sourceIsCheap {
      let count = max(Int((sourceLength ?? 0) - begin.cursor), 0) + 1
      guard window.settles(begin.cursor, count: count) else {
        return ByteRequest(position: begin.cursor, count: count)
      }
    }
    do throws(AudioError) {
      switch try walker.step(window, into: &queue) {
      case .need(let request): if window.sourceIsCheap { return request }
      case .page(let page):
        noteLinks(page)
        return nil
      case .end: break
      }
      finishChain()
    } catch {
      // A link that can't be read is no reason not to play those before it; how long all is stays open.
      endLink()
    }
    restart()
    return nil
  }

  /// Goes back to the first page with sound, once the length is known.
  private mutating func restart() {
    queue.removeAll(keepingCapacity: true)
    walker = first
    begin = first
    state = .facts
  }

  /// Keeps what the walker came to know about links.
  private mutating func noteLinks(_ page: OggPage) {
    guard let link = walker.link, link.hasBegun else { return }
    if let finished = walker.finished {
      chain.end(walker.index - 1, frames: finished.frame, position: link.start)
      walker.forgetFinished()
    }
    chain.begin(link, index: walker.index)
    if !walker.hasJumped && page.serial == link.serial { chain.note(page, of: link, index: walker.index) }
  }

  mutating func finishChain() {
    endLink()
    chain.complete()
  }

  /// Takes the place that was reached for the end of the last link with sound.
  private mutating func endLink() {
    if let finished = walker.finished {
      chain.end(walker.index - 1, frames: finished.frame, position: walker.link?.start ?? walker.cursor)
    } else if let link = walker.link {
      chain.end(walker.index, frames: link.frame, position: walker.cursor)
    }
  }

  /// Looks at the last pages. They are read as a stream that is joined there: what they say is what a reading from the
  /// start comes to.
  private mutating func readTail(_ window: ByteWindow, size: Int64) -> ByteRequest? {
    guard let length = sourceLength, let entry = chain.entries.last else {
      endTail(isWhole: false)
      return nil
    }
    let from = max(begin.cursor, length - size)
    // One byte more, so that the end is seen.
    let count = Int(max(length - from, 0)) + 1
    guard window.settles(from, count: count) else { return ByteRequest(position: from, count: count) }
    var scout = begin
    if from > begin.cursor { scout.jump(to: from, origin: entry.origin, shift: 0) }
    let index = scout.index
    var ignored: [OggPacket] = []
    while scout.index == index, !scout.hasStrangers, case .page? = try? scout.step(window, into: &ignored) {
      ignored.removeAll(keepingCapacity: true)
    }
    if scout.index == index, !scout.hasStrangers, let link = scout.link, link.granule != nil {
      chain.end(index, frames: link.frame, position: length)
      pageNumbers = (nil, link.lastSequence)
      endTail(isWhole: true)
    } else if scout.index == index, !scout.hasStrangers, from > begin.cursor, size < Self.tailSizes.upperBound {
      state = .tail(size: min(size * 4, Self.tailSizes.upperBound))
    } else {
      endTail(isWhole: false)
    }
    return nil
  }

  private mutating func endTail(isWhole: Bool) {
    if sentFacts != nil {
      // A seek wanted to know.
      if isWhole { chain.complete() }
      factsAreDue = isWhole
      _ = search()
    } else {
      state = isWhole ? .probes(1, position: probePosition(1)) : .scanning
    }
  }

  private func probePosition(_ number: Int) -> Int64 {
    begin.cursor + ((sourceLength ?? 0) - begin.cursor) / Int64(Self.probes) * Int64(number)
  }

  /// Looks at one place for the number of the page there.
  private mutating func probe(_ window: ByteWindow, _ number: Int, from position: Int64) -> ByteRequest? {
    var found: UInt32?
    switch OggSync.search(window, from: position, limit: probePosition(number + 1)) {
    case .need(let request):
      state = .probes(number, position: request.position)
      return request
    case .none: break
    case .page(let page):
      guard page.serial == begin.link?.serial else {
        state = .probes(number, position: page.end)
        return nil
      }
      found = page.sequence
    }
    if let found {
      if found <= pageNumbers.probed ?? 0 || found > pageNumbers.last ?? 0 {
        chain.forgetEnds()
        state = .scanning
        return nil
      }
      pageNumbers.probed = found
    }
    if number + 1 < Self.probes {
      state = .probes(number + 1, position: probePosition(number + 1))
    } else {
      chain.complete()
      restart()
    }
    return nil
  }

  // MARK: Packets

  private mutating func readPackets(_ window: ByteWindow) throws(AudioError) -> ParserStep? {
    // Those of the next link come with its first packet.
    if factsAreDue && sentIndex == walker.index {
      factsAreDue = false
      if let facts = freshFacts() { return .facts(facts) }
    }
    if queueIndex < queue.count { return emit() }
    clearQueue()
    let before = walker
    switch try walker.step(window, into: &queue) {
    case .need(let request): return .need(request)
    case .end:
      finishChain()
      state = .end
      return freshFacts().map { .facts($0) }
    case .page(let page):
      guard let link = walker.link, link.hasBegun else { return nil }
      if before.index != walker.index || before.link?.hasBegun != true {
        begin = before
        begin.rewind()
      }
      noteLinks(page)
      guard page.serial == link.serial else { return nil }
      lastGranule = link.granule ?? lastGranule
      pass(page)
      if let length = sourceLength, !chain.isComplete, walker.cursor >= refineAt, walker.cursor < length {
        refineAt = walker.cursor.addingSaturating(walker.cursor)
        factsAreDue = true
      }
      return nil
    }
  }

  mutating func clearQueue() {
    queue.removeAll(keepingCapacity: true)
    queueIndex = 0
  }

  /// On the way to a seek's target, leaves out the packets of a page that nothing behind the target depends on.
  private mutating func pass(_ page: OggPage) {
    guard let target, !queue.isEmpty else { return }
    if walker.index < chain.entries.count, !page.isLast, page.granule >= 0,
      page.granule <= granule(of: target, in: chain.entries[walker.index], begin.link?.coding)
    {
      clearQueue()
      walker.skip()
    } else {
      self.target = nil
    }
  }

  private mutating func emit() -> ParserStep {
    let startsNewCoding = sentIndex != walker.index
    if startsNewCoding {
      sentFacts = nil
      if let facts = freshFacts() {
        codingIsNew = true
        return .facts(facts)
      }
    }
    let next = queue[queueIndex]
    queueIndex += 1
    var packet = Packet(
      position: next.position, byteCount: next.byteCount, frame: next.frame, frameCount: next.frameCount,
      isDiscontinuous: next.isDiscontinuous || isJumped)
    packet.discard.atEnd = next.discardAtEnd
    if walker.index > 0, let entry = chain.entries.prefix(walker.index + 1).last {
      var frame = next.frame
      if isJumped || codingIsNew {
        // What lies before a later link's beginning has no place on the timeline; and where the rate is converted, sound
        // begins where it would have been converted from, too, had all been read.
        frame = max(frame, 0)
        if isJumped { frame = chain.aligned(frame, in: entry) }
        packet.discard.atStart = Int(clamping: frame - next.frame)
      }
      packet.frame = entry.timelineStart.addingSaturating(chain.scale(max(frame, 0), entry))
    }
    packet.startsNewCoding = codingIsNew
    codingIsNew = false
    isJumped = false
    if let bytes = next.bytes { return .assembled(packet, bytes) }
    return .packet(packet)
  }
}
