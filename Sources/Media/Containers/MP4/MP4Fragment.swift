import AudioModel

/// The samples of one track in a movie fragment (`moof`, ISO/IEC 14496-12 §8.8).
struct MP4Fragment {
  /// Most bytes of a `moof` box.
  static let limit = 8 << 20
  /// Most samples of a fragment.
  private static let sampleLimit = 1 << 19

  /// A sample, and where it is.
  struct Sample {
    var position: Int64
    var size: UInt32
    var ticks: UInt32
  }

  private(set) var samples: [Sample] = []
  /// Ticks in front of the first sample (`tfdt`); `nil` where that is not stated.
  private(set) var time: Int64?
  /// Ticks of all samples.
  private(set) var ticks: Int64 = 0

  /// Reads a fragment.
  /// - Parameters:
  ///   - box: The body of the box.
  ///   - start: Where the box begins in the source.
  ///   - origin: Where the file begins that positions are counted from.
  ///   - track: The track that is wanted.
  init(_ box: MP4Bytes, start: Int64, origin: Int64, track: UInt32, defaults: MP4FragmentDefaults) {
    // What has no position of its own follows what came before.
    var follows = start
    for part in box.boxes() where part.type == "traf" {
      let boxes = part.body.boxes()
      guard let header = boxes.first(where: { $0.type == "tfhd" })?.body, let flags = header.word(0) else { continue }
      let isWanted = header.word(4) == track
      var base = flags & 0x2_0000 != 0 ? start : follows
      var standard = defaults
      var at = 8
      if flags & 0x1 != 0 {
        base = origin.addingSaturating(Int64(clamping: header.number(at, 8) ?? 0))
        at += 8
      }
      if flags & 0x2 != 0 { at += 4 }
      if flags & 0x8 != 0 {
        standard.duration = header.word(at) ?? 0
        at += 4
      }
      if flags & 0x10 != 0 { standard.size = header.word(at) ?? 0 }
      if isWanted, time == nil, let clock = boxes.first(where: { $0.type == "tfdt" })?.body {
        time = clock.number(4, clock.number(0, 1) == 1 ? 8 : 4).map {
          Int64(clamping: min($0, UInt64(MP4Timeline.limit)))
        }
      }
      var position = base
      for run in boxes where run.type == "trun" {
        add(run.body, base: base, &position, standard, keeps: isWanted)
      }
      follows = position
    }
  }

  /// Adds the samples of a run.
  private mutating func add(
    _ run: MP4Bytes, base: Int64, _ position: inout Int64, _ standard: MP4FragmentDefaults, keeps: Bool
  ) {
    guard let flags = run.word(0), let count = run.word(4) else { return }
    var at = 8
    if flags & 0x1 != 0 {
      position = max(0, base.addingSaturating(Int64(Int32(bitPattern: run.word(at) ?? 0))))
      at += 4
    }
    if flags & 0x4 != 0 { at += 4 }
    let hasTicks = flags & 0x100 != 0
    let hasSize = flags & 0x200 != 0
    let entry = (hasTicks ? 4 : 0) + (hasSize ? 4 : 0) + (flags & 0x400 != 0 ? 4 : 0) + (flags & 0x800 != 0 ? 4 : 0)
    var left = Int(count)
    if entry > 0 { left = min(left, max(run.count - at, 0) / entry) }
    left = min(left, Self.sampleLimit)
    if entry == 0 && standard.size == 0 { left = 0 }
    for _ in 0..<left {
      let length = hasTicks ? run.word(at) ?? 0 : standard.duration
      let size = hasSize ? run.word(at + (hasTicks ? 4 : 0)) ?? 0 : standard.size
      at += entry
      if keeps && samples.count < Self.sampleLimit {
        samples.append(Sample(position: position, size: size, ticks: length))
        ticks = ticks.addingSaturating(Int64(length))
      }
      position = position.addingSaturating(Int64(size))
    }
  }

  /// Puts neighbouring frames of PCM together, into packets of at most `limit` bytes.
  mutating func join(limit: Int) {
    var joined: [Sample] = []
    for sample in samples {
      if let last = joined.last, last.position.addingSaturating(Int64(last.size)) == sample.position,
        Int(last.size) + Int(sample.size) <= limit, last.ticks <= .max - sample.ticks
      {
        joined[joined.count - 1].size += sample.size
        joined[joined.count - 1].ticks += sample.ticks
      } else {
        joined.append(sample)
      }
    }
    samples = joined
  }
}

/// Where fragments are, by the frame that each begins with.
struct MP4FragmentIndex {
  /// Most entries; a file with more is sought by walking on from the last one.
  private static let limit = 1 << 16

  struct Entry {
    var frame: Int64
    var position: Int64
  }

  private(set) var entries: [Entry] = []
  /// The list reaches over the whole file.
  var isWhole = false

  /// Adds an entry that lies behind all that are there; others are left out.
  mutating func add(frame: Int64, position: Int64) {
    guard entries.count < Self.limit, entries.last.map({ $0.frame <= frame && $0.position < position }) ?? true else {
      return
    }
    entries.append(Entry(frame: frame, position: position))
  }

  /// Behind the last segment that a segment index lists.
  private(set) var reach: Int64 = 0

  /// The last entry at or before a frame.
  func entry(before frame: Int64) -> Entry? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].frame <= frame { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? entries[low - 1] : nil
  }

  /// Makes an index of a segment index box (`sidx`, ISO/IEC 14496-12 §8.16.3).
  /// - Parameters:
  ///   - end: Where the box ends.
  ///   - frame: Turns times of its own timescale into frames.
  /// - Returns: The time that all segments take together, and their timescale.
  mutating func read(
    sidx body: MP4Bytes, end: Int64, frame: (_ time: Int64, _ timescale: Int64) -> Int64
  ) -> (ticks: Int64, timescale: Int64)? {
    guard let timescale = body.word(8), timescale > 0 else { return nil }
    let size = body.number(0, 1) == 0 ? 4 : 8
    guard let first = body.number(12, size), let offset = body.number(12 + size, size),
      let count = body.number(14 + 2 * size, 2), first < 1 << 56, offset < 1 << 56
    else { return nil }
    var time = Int64(first)
    var position = end.addingSaturating(Int64(offset))
    var at = 16 + 2 * size
    for _ in 0..<count {
      guard let reference = body.word(at), let length = body.word(at + 4), reference >> 31 == 0 else { return nil }
      add(frame: frame(time, Int64(timescale)), position: position)
      position = position.addingSaturating(Int64(reference))
      time = time.addingSaturating(Int64(length))
      at += 12
    }
    reach = position
    return (time - Int64(first), Int64(timescale))
  }

  /// Makes an index of a random access box (`tfra`, ISO/IEC 14496-12 §8.8.10) of the wanted track.
  mutating func read(tfra body: MP4Bytes, track: UInt32, origin: Int64, frame: (_ time: Int64) -> Int64) {
    guard body.word(4) == track, let sizes = body.word(8), let count = body.word(12) else { return }
    let size = body.number(0, 1) == 1 ? 8 : 4
    let tail = Int(sizes >> 4 & 3) + Int(sizes >> 2 & 3) + Int(sizes & 3) + 3
    var at = 16
    for _ in 0..<min(Int(count), Self.limit) {
      guard let time = body.number(at, size), let position = body.number(at + size, size), time < 1 << 56,
        position < 1 << 56
      else { return }
      add(frame: frame(Int64(time)), position: origin + Int64(position))
      at += 2 * size + tail
    }
    isWhole = true
  }
}
