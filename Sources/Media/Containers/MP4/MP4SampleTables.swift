/// Where the samples of a track lie, and when they are heard: the tables of its `stbl` box, packed (ISO/IEC 14496-12
/// §8.6.1, §8.7). What a sample is, the sample entry says: a packet, or a frame of PCM.
struct MP4SampleTables {
  /// Most bytes that the tables of all tracks may take: enough for days of sound in packets.
  static let byteLimit = 64 << 20

  /// Samples that last as long as each other.
  struct TimeRun {
    var count: UInt32
    var delta: UInt32

    /// Ticks of so many of them, or of all.
    func ticks(_ samples: Int64? = nil) -> Int64 {
      Int64(clamping: UInt64(samples.map { UInt32(clamping: $0) } ?? count) * UInt64(delta))
    }
  }
  /// Chunks with as many samples as each other, from `first` (counted from 0) on.
  struct ChunkRun {
    var first: UInt32
    var samples: UInt32
  }

  private(set) var times: [TimeRun] = []
  private(set) var chunkRuns: [ChunkRun] = []
  private(set) var syncs: [UInt32] = []
  /// Size of every sample; 0 where each has its own.
  private(set) var constantSize: UInt32 = 0
  private var statedCount: Int64 = 0
  private var sizes = PackedNumbers<UInt16, UInt32>()
  private var offsets = PackedNumbers<UInt32, UInt64>()
  /// Sum of the samples' own sizes.
  private(set) var sizeSum: Int64 = 0

  // MARK: Filling

  /// Bytes that the tables take.
  var byteCount: Int { times.count * 8 + chunkRuns.count * 8 + syncs.count * 4 + sizes.byteCount + offsets.byteCount }

  /// Samples are listed, whether or not it is said where they are.
  var hasSizes: Bool { sizes.count > 0 || (constantSize > 0 && statedCount > 0) }

  /// Whether a table was filled already.
  func has(_ type: String) -> Bool {
    switch type {
    case "stts": !times.isEmpty
    case "stsc": !chunkRuns.isEmpty
    case "stsz", "stz2": sizes.count > 0 || constantSize > 0
    case "stss": !syncs.isEmpty
    default: offsets.count > 0
    }
  }

  mutating func addTime(count: UInt32, delta: UInt32) {
    if let last = times.last, last.delta == delta, last.count <= .max - count {
      times[times.count - 1].count += count
    } else if count > 0 {
      times.append(TimeRun(count: count, delta: delta))
    }
  }

  mutating func addChunks(first: UInt32, samples: UInt32) {
    // Chunks are counted from 1; one that does not come behind the last is nonsense.
    guard first > 0, chunkRuns.last.map({ $0.first < first - 1 }) ?? true else { return }
    if chunkRuns.last?.samples == samples { return }
    chunkRuns.append(ChunkRun(first: chunkRuns.isEmpty ? 0 : first - 1, samples: samples))
  }

  mutating func setConstantSize(_ size: UInt32, count: UInt32) {
    constantSize = size
    statedCount = Int64(count)
  }

  mutating func addSize(_ size: UInt32) {
    sizes.append(UInt64(size))
    sizeSum += Int64(size)
  }
  mutating func addOffset(_ offset: UInt64) { offsets.append(offset) }
  mutating func addSync(_ sample: UInt32) { if sample > 0, syncs.last ?? 0 < sample { syncs.append(sample) } }

  // MARK: Reading

  /// Samples that have a size and a place.
  private(set) var count: Int64 = 0

  /// Makes ready for reading: counts the samples, and turns blocks that are counted by the frame into samples.
  /// - Parameters:
  ///   - blockBytes: For codings in small blocks of one size: bytes of a block; 0 for all others.
  ///   - blockFrames: Frames of a block.
  mutating func finish(blockBytes: Int = 0, blockFrames: Int = 1) {
    if constantSize > 0 && Int(constantSize) < blockBytes {
      // QuickTime counts single frames here, whatever they are packed into; the block is the sample in truth.
      let frames = UInt32(blockFrames)
      constantSize = UInt32(blockBytes)
      statedCount /= Int64(frames)
      for index in chunkRuns.indices { chunkRuns[index].samples /= frames }
      times = [TimeRun(count: UInt32(clamping: statedCount), delta: frames)]
    }
    if constantSize == 0 { statedCount = Int64(sizes.count) }
    var room: Int64 = 0
    for (index, run) in chunkRuns.enumerated() {
      room = room.addingSaturating(chunks(of: index) &* Int64(run.samples))
    }
    count = min(statedCount, room)
    if constantSize > 0 { sizeSum = bytes(count) }
  }

  /// Bytes of so many samples of one size.
  private func bytes(_ samples: Int64) -> Int64 {
    Int64(clamping: UInt64(UInt32(clamping: samples)) * UInt64(constantSize))
  }

  /// Number of chunks of a run.
  private func chunks(of run: Int) -> Int64 {
    let next = run + 1 < chunkRuns.count ? Int64(chunkRuns[run + 1].first) : Int64(offsets.count)
    return max(0, min(next, Int64(offsets.count)) - Int64(chunkRuns[run].first))
  }

  /// Ticks of all samples.
  var ticks: Int64 {
    var left = count
    var sum: Int64 = 0
    for run in times where left > 0 {
      sum = sum.addingSaturating(run.ticks(min(left, Int64(run.count))))
      left -= Int64(run.count)
    }
    return sum
  }

  /// How long most samples last.
  var usualDelta: UInt32 { times.max { $0.count < $1.count }?.delta ?? 0 }

  /// Size of a sample.
  func size(_ sample: Int64) -> Int {
    constantSize > 0 ? Int(constantSize) : sample < sizes.count ? Int(sizes[Int(sample)]) : 0
  }

  /// The sample that plays at a tick, or the last.
  func sample(at tick: Int64) -> Int64 {
    var first: Int64 = 0
    var time: Int64 = 0
    for run in times {
      let length = run.ticks()
      if run.delta > 0 && tick < time.addingSaturating(length) {
        return min(first + max(tick - time, 0) / Int64(run.delta), max(count - 1, 0))
      }
      time = time.addingSaturating(length)
      first = first.addingSaturating(Int64(run.count))
    }
    return max(count - 1, 0)
  }

  /// Where a sample is.
  func cursor(at sample: Int64) -> MP4SampleCursor {
    var cursor = MP4SampleCursor()
    cursor.sample = sample
    guard sample < count else { return cursor }
    var left = sample
    while cursor.timeRun < times.count, left >= Int64(times[cursor.timeRun].count) {
      let run = times[cursor.timeRun]
      cursor.time = cursor.time.addingSaturating(run.ticks())
      left -= Int64(run.count)
      cursor.timeRun += 1
    }
    if cursor.timeRun < times.count {
      cursor.inTimeRun = left
      cursor.time = cursor.time.addingSaturating(times[cursor.timeRun].ticks(left))
    }
    left = sample
    for (index, run) in chunkRuns.enumerated() {
      let length = chunks(of: index) * Int64(run.samples)
      if left < length {
        cursor.chunkRun = index
        cursor.chunk = Int(run.first) + Int(left / Int64(run.samples))
        cursor.inChunk = left % Int64(run.samples)
        break
      }
      left -= length
    }
    var offset = Int64(clamping: offsets[cursor.chunk])
    if constantSize > 0 {
      offset = offset.addingSaturating(bytes(cursor.inChunk))
    } else {
      for before in sample - cursor.inChunk..<sample { offset = offset.addingSaturating(Int64(size(before))) }
    }
    cursor.position = offset
    return cursor
  }

  /// Samples from the cursor's to the end of its chunk.
  func left(inChunkOf cursor: MP4SampleCursor) -> Int64 {
    min(Int64(chunkRuns[cursor.chunkRun].samples) - cursor.inChunk, count - cursor.sample)
  }

  /// Goes behind `samples` samples of one chunk, which have `bytes` bytes.
  func advance(_ cursor: inout MP4SampleCursor, samples: Int64, bytes: Int64) {
    cursor.sample += samples
    guard cursor.sample < count else { return }
    var left = samples
    while cursor.timeRun < times.count, left > 0 {
      let run = times[cursor.timeRun]
      let step = min(left, Int64(run.count) - cursor.inTimeRun)
      cursor.time = cursor.time.addingSaturating(run.ticks(step))
      cursor.inTimeRun += step
      left -= step
      guard cursor.inTimeRun >= Int64(run.count) else { break }
      cursor.timeRun += 1
      cursor.inTimeRun = 0
    }
    cursor.inChunk += samples
    cursor.position = cursor.position.addingSaturating(bytes)
    guard cursor.inChunk >= Int64(chunkRuns[cursor.chunkRun].samples) else { return }
    cursor.inChunk = 0
    repeat {
      cursor.chunk += 1
      let next = cursor.chunkRun + 1
      if next < chunkRuns.count, cursor.chunk >= Int(chunkRuns[next].first) { cursor.chunkRun = next }
    } while chunkRuns[cursor.chunkRun].samples == 0 && cursor.chunk < offsets.count - 1
    cursor.position = cursor.chunk < offsets.count ? Int64(clamping: offsets[cursor.chunk]) : .max
  }

  /// The last sample at or before one that decoding can begin with.
  func sync(before sample: Int64) -> Int64 {
    guard !syncs.isEmpty, Int64(syncs.count) < count else { return sample }
    var (low, high) = (0, syncs.count)
    while low < high {
      let middle = (low + high) / 2
      if Int64(syncs[middle]) - 1 <= sample { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? Int64(syncs[low - 1]) - 1 : 0
  }
}

/// A place in a track's samples.
struct MP4SampleCursor {
  var sample: Int64 = 0
  /// Ticks from the first sample to here.
  var time: Int64 = 0
  /// Where the sample's bytes are.
  var position: Int64 = 0
  fileprivate(set) var chunk = 0
  fileprivate(set) var chunkRun = 0
  fileprivate(set) var inChunk: Int64 = 0
  fileprivate(set) var timeRun = 0
  fileprivate(set) var inTimeRun: Int64 = 0
}

/// Numbers that are kept narrow until one does not fit.
struct PackedNumbers<Narrow: FixedWidthInteger & UnsignedInteger, Wide: FixedWidthInteger & UnsignedInteger> {
  private var narrow: [Narrow] = []
  private var wide: [Wide] = []

  var count: Int { max(narrow.count, wide.count) }
  var byteCount: Int { narrow.count * MemoryLayout<Narrow>.size + wide.count * MemoryLayout<Wide>.size }

  mutating func append(_ number: UInt64) {
    if wide.isEmpty, let small = Narrow(exactly: number) {
      narrow.append(small)
      return
    }
    if wide.isEmpty {
      wide = narrow.map { Wide($0) }
      narrow = []
    }
    wide.append(Wide(clamping: number))
  }

  subscript(index: Int) -> UInt64 { wide.isEmpty ? UInt64(narrow[index]) : UInt64(wide[index]) }
}
