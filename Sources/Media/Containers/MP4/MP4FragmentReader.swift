import AudioModel

/// Gives the packets of a fragmented movie: walks over the boxes behind `moov`, one fragment at a time.
struct MP4FragmentReader {
  /// Longest file that is looked through for its fragments, where that costs nothing.
  static let scanLimit: Int64 = 64 << 20
  /// Most bytes of an index.
  private static let indexLimit = 4 << 20

  private let track: UInt32
  private let defaults: MP4FragmentDefaults
  private(set) var entry: MP4SampleEntry
  private(set) var timeline: MP4Timeline
  private(set) var index = MP4FragmentIndex()
  private let origin: Int64
  private let start: Int64
  private var position: Int64
  private var fragment: MP4Fragment?
  /// The fragment's data was not met yet.
  private var awaitsData = false
  /// Frame of the fragment's first sample, counted from the media's beginning.
  private var base: Int64 = 0
  private var ticks: Int64 = 0
  private var sample = 0
  /// Frame behind the last fragment; `nil` behind a jump.
  private var clock: Int64?
  /// Samples before this frame are passed over.
  private var skipBefore: Int64?
  private var isDiscontinuous = true
  private var account = MP4Account()
  /// Read without a gap from the first fragment on.
  private var isUnbroken = true
  private var hasBegun = false
  /// Frame that the first fragment begins with, counted from the media's beginning.
  private(set) var firstFrame: Int64 = 0
  /// Frames of all segments that an index at the front lists.
  private(set) var statedFrames: Int64?
  /// The end that was met.
  private(set) var foundEnd: Int64?

  /// - Parameters:
  ///   - position: Behind the `moov` box.
  ///   - clock: Frames of the samples that tables list in front of the fragments.
  init(
    track: MP4Track, entry: MP4SampleEntry, timeline: MP4Timeline, defaults: MP4FragmentDefaults, origin: Int64,
    position: Int64, clock: Int64?
  ) {
    self.track = track.id
    self.entry = entry
    self.timeline = timeline
    self.defaults = defaults
    self.origin = origin
    self.position = position
    self.clock = clock
    start = position
  }

  /// Reads as far as the first fragment, so that it is known where the sound begins.
  /// - Returns: The bytes wanted; `nil` when that is done, or there is none.
  mutating func begin(in window: ByteWindow) throws(AudioError) -> ByteRequest? {
    while !hasBegun {
      guard let walked = try walk(window) else { return nil }
      if case .need(let request) = walked { return request }
    }
    return nil
  }

  /// Looks through the whole file for its fragments.
  /// - Returns: The bytes wanted; `nil` when that is done. Packets then begin anew.
  mutating func scan(in window: ByteWindow) throws(AudioError) -> ByteRequest? {
    while let walked = try walk(window) {
      if case .need(let request) = walked { return request }
      fragment = nil
    }
    foundEnd = clock
    index.isWhole = true
    restart(at: start, clock: nil)
    isUnbroken = true
    return nil
  }

  /// The next packet, a wish, or `nil` at the end.
  mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep? {
    while true {
      if let fragment, !awaitsData, sample < fragment.samples.count {
        if let step = packet(of: fragment, window) { return step }
        continue
      }
      switch try walk(window) {
      case .need(let request): return .need(request)
      case .moved: continue
      case nil:
        if isUnbroken { foundEnd = clock }
        return nil
      }
    }
  }

  /// Prepares to go to a frame of the trimmed timeline.
  /// - Returns: Where to read on.
  mutating func seek(to frame: Int64) -> Int64 {
    let target = max(0, min(frame, MP4Timeline.limit) + timeline.start - Int64(entry.preroll))
    let known = index.entry(before: target)
    restart(at: known?.position ?? start, clock: known?.frame)
    skipBefore = target
    isUnbroken = false
    return position
  }

  /// Takes the index at the end of the file, whose last bytes say how long it is (`mfra`, `mfro`).
  /// - Returns: The bytes wanted; `nil` when it is read or there is none.
  mutating func readTail(_ window: ByteWindow, length: Int64) -> ByteRequest? {
    let mark = length - 16
    guard mark > start, !index.isWhole else { return nil }
    guard window.settles(mark, count: 16) else {
      // Over a network the index itself comes along with its length.
      let from = max(start, length - (64 << 10))
      return ByteRequest(position: from, count: Int(length - from))
    }
    guard window.matches("mfro", at: mark + 4), let size = window.bigEndian(mark + 12, size: 4),
      size > 16, size <= UInt64(Self.indexLimit), Int64(size) < length - start
    else { return nil }
    let from = length - Int64(size)
    guard window.settles(from, count: Int(size)) else { return ByteRequest(position: from, count: Int(size)) }
    guard window.matches("mfra", at: from + 4), let bytes = window.bytes(from + 8, count: Int(size) - 8) else {
      return nil
    }
    let timeline = timeline
    var whole = MP4FragmentIndex()
    for part in MP4Bytes(bytes).boxes() where part.type == "tfra" {
      whole.read(tfra: part.body, track: track, origin: origin) { timeline.frames($0) }
    }
    if whole.isWhole && !whole.entries.isEmpty { index = whole }
    return nil
  }

  // MARK: Boxes

  private enum Walk {
    case need(ByteRequest)
    case moved
  }

  private mutating func restart(at position: Int64, clock: Int64?) {
    self.position = position
    self.clock = clock
    fragment = nil
    awaitsData = false
    isDiscontinuous = true
    account = MP4Account()
    skipBefore = nil
  }

  /// Takes one step over boxes; `nil` at the end.
  private mutating func walk(_ window: ByteWindow) throws(AudioError) -> Walk? {
    if let length = window.sourceLength, position >= length, !awaitsData { return nil }
    let box: MP4Box
    switch MP4Box.look(window, at: position, limit: .max) {
    case .need(let request): return .need(request)
    case .none:
      guard awaitsData else { return nil }
      awaitsData = false
      return .moved
    case .box(let found): box = found
    }
    if awaitsData {
      // What stands between the fragment's header and its data is passed by first, the data's own header included.
      awaitsData = box.type != "mdat" && box.type != "moof" && box.type != "moov"
      if box.type != "moof" && box.type != "moov" { position = box.end }
      return .moved
    }
    let isIndex = box.type == "sidx" && index.entries.isEmpty && !hasBegun
    if box.type == "moof" || isIndex {
      guard box.bodySize <= Int64(MP4Fragment.limit) else {
        throw AudioError(.limitReached, "A fragment's header is larger than \(MP4Fragment.limit >> 20) MiB")
      }
      let count = Int(box.end - box.start)
      guard window.settles(box.start, count: count) else {
        return .need(ByteRequest(position: box.start, count: count))
      }
      guard let bytes = window.bytes(box.body, count: Int(box.bodySize)) else { return nil }
      if isIndex { take(index: MP4Bytes(bytes), box, window) } else { take(fragment: MP4Bytes(bytes), box) }
    }
    position = box.end
    return .moved
  }

  private mutating func take(index body: MP4Bytes, _ box: MP4Box, _ window: ByteWindow) {
    let rate = timeline.rate
    let total = index.read(sidx: body, end: box.end) { time, timescale in MP4Timeline.scale(time, rate, timescale) }
    guard let total else { return }
    // An index of only this segment says nothing about the rest.
    let reach = index.reach
    index.isWhole = window.sourceLength.map { reach.addingSaturating(Int64(Self.indexLimit)) >= $0 } ?? true
    if index.isWhole { statedFrames = MP4Timeline.scale(total.ticks, rate, total.timescale) }
  }

  private mutating func take(fragment body: MP4Bytes, _ box: MP4Box) {
    var fresh = MP4Fragment(body, start: box.start, origin: origin, track: track, defaults: defaults)
    guard !fresh.samples.isEmpty else { return }
    if !hasBegun { timeline.check(usualTicks: fresh.samples[fresh.samples.count / 2].ticks) }
    if entry.isPCM {
      let frames = max(1, min(MP4TrackReader.packetFrames, MP4TrackReader.packetBytes / max(entry.blockBytes, 1)))
      fresh.join(limit: frames * max(entry.blockBytes, 1))
    }
    place(fresh)
    fragment = fresh
    sample = 0
    ticks = 0
    awaitsData = true
    if !hasBegun {
      firstFrame = base
      timeline.begin(at: base)
    }
    hasBegun = true
    index.add(frame: base, position: box.start)
    clock = min(base + length(of: fresh), MP4Timeline.limit)
    skip(fresh)
  }

  /// Finds the frame that a fragment begins with: where its own time agrees with what came before, that is counted on,
  /// packet by packet.
  private mutating func place(_ fresh: MP4Fragment) {
    let stated = fresh.time.map { timeline.frames($0) }
    guard let clock else {
      base = stated ?? 0
      return
    }
    let slack = timeline.packetFrames > 0 ? timeline.packetFrames : timeline.rate / 50
    base = clock
    if let stated, stated - clock >= slack {
      base = stated
      isDiscontinuous = true
    }
  }

  private func length(of fragment: MP4Fragment) -> Int64 {
    timeline.packetFrames > 0
      ? Int64(fragment.samples.count) * timeline.packetFrames : timeline.frames(fragment.ticks)
  }

  /// Passes over samples before a seek's target.
  private mutating func skip(_ fresh: MP4Fragment) {
    guard let skipBefore else { return }
    while sample < fresh.samples.count {
      let end =
        timeline.packetFrames > 0
        ? base + Int64(sample + 1) * timeline.packetFrames
        : base + timeline.frames(ticks + Int64(fresh.samples[sample].ticks))
      if end > skipBefore { break }
      ticks += Int64(fresh.samples[sample].ticks)
      sample += 1
    }
    if sample < fresh.samples.count { self.skipBefore = nil }
  }

  // MARK: Packets

  private mutating func packet(of fragment: MP4Fragment, _ window: ByteWindow) -> ParserStep? {
    let next = fragment.samples[sample]
    let constant = timeline.packetFrames
    let at = constant > 0 ? base + Int64(sample) * constant : base + timeline.frames(ticks)
    let frame = at - timeline.start
    if let end = timeline.end, at >= end {
      self.fragment = nil
      return nil
    }
    var bytes = Int(next.size)
    if entry.blockBytes > 0 { bytes = bytes / entry.blockBytes * entry.blockBytes }
    guard bytes > 0, bytes <= ByteRequest.limit else {
      pass(next)
      return nil
    }
    switch account.grant(next.position, &bytes, block: entry.isPCM ? entry.blockBytes : 0, window) {
    case .need(let request): return .need(request)
    case .end:
      self.fragment = nil
      position = .max
      isUnbroken = false
      return nil
    case .granted: break
    }
    pass(next)
    var count = constant
    if entry.blockBytes > 0 {
      count = Int64(bytes / entry.blockBytes * entry.blockFrames)
    } else if constant == 0 {
      count = base + timeline.frames(ticks) - at
    }
    let packet = Packet(
      position: next.position, byteCount: bytes, frame: frame, frameCount: Int(max(0, min(count, 1 << 20))),
      isDiscontinuous: isDiscontinuous)
    isDiscontinuous = false
    return .packet(packet)
  }

  private mutating func pass(_ next: MP4Fragment.Sample) {
    ticks += Int64(next.ticks)
    sample += 1
  }
}
