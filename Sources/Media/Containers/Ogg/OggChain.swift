internal import AudioModel

/// What is known of the links of a chain.
struct OggChain {
  /// A link whose first page with sound was seen.
  struct Entry {
    /// Where its first page begins.
    var start: Int64
    var serial: UInt32
    /// The frame of the whole at which it begins, at the rate of the first link.
    var timelineStart: Int64
    /// Rate of its own frames.
    var rate: SampleRate
    /// The granule position of its first frame.
    var origin: Int64
    /// Frames to decode in front of a seek's target.
    var preroll: Int
    /// Its frames; `nil` before its end was seen.
    var frames: Int64?
    /// Where it ends; `nil` before that was seen.
    var end: Int64?
    /// Pages from which on frames are others than granule positions say, and by how much: some writers round these.
    fileprivate var shifts: [(position: Int64, frames: Int64)] = []
  }

  /// Most places of a link where positions are off that are remembered.
  private static let shiftLimit = 4096
  /// Most links that are remembered; further ones play, but can't be sought.
  static let limit = 1 << 14

  private(set) var entries: [Entry] = []
  /// The last entry is the last link.
  private(set) var isComplete = false

  /// Rate of the timeline.
  var rate: SampleRate? { entries.first?.rate }

  /// Frames of the whole; `nil` where the end was not seen.
  var frames: Int64? {
    guard isComplete, let last = entries.last, let frames = last.frames else { return nil }
    return last.timelineStart.addingSaturating(scale(frames, last))
  }

  /// A link's own frames at the rate of the timeline.
  func scale(_ frames: Int64, _ entry: Entry) -> Int64 { entry.rate.convert(frames, to: rate ?? entry.rate) }

  /// A frame of the timeline as a link's own.
  func frame(_ timeline: Int64, in entry: Entry) -> Int64 {
    (rate ?? entry.rate).convert(timeline - entry.timelineStart, to: entry.rate)
  }

  /// Largest distance of frames of a link that fall on frames of the timeline, that is kept to.
  private static let alignmentLimit = 4096
  /// Frames that the conversion of rates takes to come to itself.
  private static let conversionFrames = 1024

  /// Distance of a link's frames that fall on whole frames of the timeline.
  private func alignment(_ entry: Entry) -> Int64 {
    var (divisor, rest) = (entry.rate.hertz, rate?.hertz ?? 1)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    let distance = entry.rate.hertz / divisor
    return distance <= Self.alignmentLimit ? Int64(distance) : 1
  }

  /// The first frame of a link from `frame` on that falls on a whole frame of the timeline.
  func aligned(_ frame: Int64, in entry: Entry) -> Int64 {
    let distance = alignment(entry)
    let rest = frame % distance
    return rest == 0 ? frame : frame + distance - rest
  }

  /// Frames that are to be decoded before a seek's target for the conversion of rates.
  func margin(_ entry: Entry) -> Int64 {
    entry.rate == rate ? 0 : alignment(entry) + Int64(Self.conversionFrames)
  }

  /// The link in which a frame lies.
  func index(of frame: Int64) -> Int {
    max((entries.firstIndex { $0.timelineStart > frame } ?? entries.count) - 1, 0)
  }

  /// Takes a link that has begun; the one before must have ended.
  mutating func begin(_ link: OggLink, index: Int) {
    guard index == entries.count, index < Self.limit, let format = link.coding.format, let origin = link.origin else {
      return
    }
    var entry = Entry(
      start: link.start, serial: link.serial, timelineStart: 0, rate: format.sampleRate, origin: origin,
      preroll: link.preroll)
    if let last = entries.last {
      entry.timelineStart = last.timelineStart.addingSaturating(scale(max(last.frames ?? 0, 0), last))
    }
    entries.append(entry)
  }

  /// Takes a page of a link that was read from its beginning on.
  mutating func note(_ page: OggPage, of link: OggLink, index: Int) {
    guard index < entries.count, let granule = link.granule, let origin = link.origin else { return }
    let frames = link.frame - (granule - origin - link.coding.decoderDelay)
    let last = entries[index].shifts.last
    guard page.position > last?.position ?? -1, frames != last?.frames ?? 0 else { return }
    if entries[index].shifts.count < Self.shiftLimit { entries[index].shifts.append((page.position, frames)) }
  }

  /// By how much frames are ahead of granule positions on a page.
  func shift(at position: Int64, in entry: Entry) -> Int64 {
    entry.shifts.last { $0.position <= position }?.frames ?? 0
  }

  /// Takes the end of a link.
  mutating func end(_ index: Int, frames: Int64, position: Int64) {
    guard index < entries.count, entries[index].frames == nil else { return }
    entries[index].frames = max(frames, 0)
    entries[index].end = position
  }

  /// Forgets where links end.
  mutating func forgetEnds() {
    for index in entries.indices { (entries[index].frames, entries[index].end) = (nil, nil) }
  }

  /// No link follows the last one that is known.
  mutating func complete() { isComplete = true }
}
