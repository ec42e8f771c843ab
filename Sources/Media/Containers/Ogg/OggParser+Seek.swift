internal import AudioModel

extension OggParser {
  package mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
    guard sentFacts != nil else {
      pendingSeek = (max(frame, 0), sourceIsCheap)
      return .at(position: walker.cursor, isExact: true)
    }
    clearQueue()
    guard !chain.entries.isEmpty else {
      state = .end
      return .at(position: begin.cursor, isExact: true)
    }
    isCheap = sourceIsCheap
    isJumped = true
    target = max(frame, 0)
    let index = chain.index(of: max(frame, 0))
    if begin.index != index {
      lastGranule = nil
      guard index > 0 else {
        begin = first
        return search()
      }
      walker = OggWalker(start: chain.entries[index].start, index: index)
      state = .entering
      return .at(position: walker.cursor, isExact: true)
    }
    if let position = lookAtEnd(index) { return .at(position: position, isExact: true) }
    return search()
  }

  /// Before the first seek in a remote stream, asks for its end, unless the target is near.
  private mutating func lookAtEnd(_ index: Int) -> Int64? {
    guard !isCheap, !tailIsKnown, !chain.isComplete, index == chain.entries.count - 1, let length = sourceLength,
      let target
    else { return nil }
    let entry = chain.entries[index]
    if let lastGranule {
      let bytes = Double(max(walker.pageEnd - begin.cursor, 0))
      let frames = Double(max(lastGranule - entry.origin, 1))
      let distance = Double(granule(of: target, in: entry, begin.link?.coding) - lastGranule)
      if distance < 0 || distance / frames * bytes <= Double(Self.reach.remote) { return nil }
    }
    tailIsKnown = true
    state = .tail(size: Self.remoteTail)
    return max(begin.cursor, length - Self.remoteTail)
  }

  /// Reads the headers of the link that a seek leads to.
  mutating func enter(_ window: ByteWindow) throws(AudioError) -> ByteRequest? {
    begin = walker
    begin.rewind()
    switch try walker.step(window, into: &queue) {
    case .need(let request): return request
    case .end: state = .end
    case .page: if walker.link?.hasBegun == true { _ = search() }
    }
    return nil
  }

  /// Searches the link of ``begin`` for the target.
  mutating func search() -> ParserSeek {
    clearQueue()
    guard let target, let link = begin.link, begin.index < chain.entries.count else {
      state = .end
      return .at(position: begin.cursor, isExact: true)
    }
    let entry = chain.entries[begin.index]
    let wanted = granule(of: target, in: entry, link.coding)
    var low = (position: begin.cursor, granule: entry.origin - link.coding.preSkip)
    resumed = nil
    if let granule = lastGranule, granule <= wanted, walker.index == begin.index, walker.cursor > low.position {
      low = (walker.cursor, granule)
      resumed = walker
    }
    lastGranule = nil
    guard wanted > low.granule, let end = entry.end, let frames = entry.frames else {
      // Near the beginning; or nobody knows how far it is, and all is read on the way.
      settle(at: low.position)
      return .at(position: low.position, isExact: true)
    }
    let search = OggBisection(
      serial: entry.serial, low: low, high: (end, entry.origin.addingSaturating(frames)), target: wanted,
      reach: isCheap ? Self.reach.cheap : Self.reach.remote)
    state = .searching(search)
    return .at(position: search.firstPosition, isExact: true)
  }

  /// Goes on with the page at a position of the link of ``begin``; where the walker stands there, it only walks on.
  mutating func settle(at position: Int64) {
    if let resumed, resumed.cursor == position {
      walker = resumed
      walker.skip()
    } else {
      walker = begin
      let entry = chain.entries[begin.index]
      if position > begin.cursor {
        walker.jump(to: position, origin: entry.origin, shift: chain.shift(at: position, in: entry))
      }
    }
    resumed = nil
    state = .packets
  }

  /// The granule position up to which nothing needs to be decoded for a frame of the timeline.
  func granule(of frame: Int64, in entry: OggChain.Entry, _ coding: OggCoding?) -> Int64 {
    let own = chain.frame(frame, in: entry)
    let margin = Int64(entry.preroll) + Int64(coding?.longestPacket ?? 0)
    return min(own, 1 << 61) + entry.origin - margin - chain.margin(entry)
  }
}
