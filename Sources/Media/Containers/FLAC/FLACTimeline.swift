import AudioModel

/// Tells the place of FLAC frames by the numbers in their headers.
///
/// Numbers may count samples or frames; a stream that was cut begins with a number other than 0, one that was put
/// together counts anew in the middle, and rates may change. An anchor says which sample stands where. Sound of another
/// rate than the first is converted as one from its anchor on, and ends with the first whole frame that is not within it.
struct FLACTimeline: Hashable {
  struct Anchor: Hashable {
    /// Number of a sample.
    var sample: Int64
    /// Its frame on the timeline.
    var frame: Int64
    /// The rate at which samples are counted.
    var rate: SampleRate
    /// Channels of the sound.
    var channels: Int
  }

  /// Most samples of a block.
  static let longestBlock: Int64 = 65_535

  /// The rate at which the timeline counts: that of the first frame.
  let rate: SampleRate
  /// Samples that a frame number stands for.
  let blockSize: Int64
  var anchor: Anchor

  /// Makes a timeline that begins with a frame.
  init(_ header: FLACFrameHeader, info: FLACStreamInfo?) {
    rate = Self.rate(header, info)
    let stated = info.map(\.blockSizes)
    // A number other than 0 may be that of the last block, which is shorter than the others.
    let isLast =
      header.number > 0 && stated.map { $0.shortest == $0.longest && $0.longest > header.blockSize } == true
    blockSize = Int64(isLast ? stated?.longest ?? header.blockSize : header.blockSize)
    anchor = Anchor(sample: 0, frame: 0, rate: rate, channels: header.channels)
    anchor.sample = sample(header)
  }

  /// The rate of a frame: its own word, else STREAMINFO's, else the commonest.
  static func rate(_ header: FLACFrameHeader, _ info: FLACStreamInfo?) -> SampleRate {
    header.sampleRate.flatMap { SampleRate(hertz: $0) } ?? info?.sampleRate ?? .cd
  }

  /// Number of a frame's first sample.
  func sample(_ header: FLACFrameHeader) -> Int64 { header.isVariable ? header.number : header.number * blockSize }
  /// Place of a frame by its number: the timeline's frame at or before it.
  func frame(_ header: FLACFrameHeader) -> Int64 { place(sample(header)).frame }
  /// How far behind that it begins, in parts of a frame.
  func fraction(_ header: FLACFrameHeader) -> Double { place(sample(header)).fraction }
  /// How long a frame is on the timeline: from its place to that of the next.
  func length(_ header: FLACFrameHeader) -> Int64 {
    let sample = sample(header)
    return place(sample.addingSaturating(Int64(header.blockSize))).frame.addingSaturating(-place(sample).frame)
  }
  /// The same if nothing of its kind follows: to the first frame that is not within it.
  func lastLength(_ header: FLACFrameHeader) -> Int64 {
    let end = place(sample(header).addingSaturating(Int64(header.blockSize)))
    return end.frame.addingSaturating((end.fraction > 0 ? 1 : 0) - frame(header))
  }
  /// Whether a frame is converted as one with those that the anchor is of.
  func isAsAnchored(_ header: FLACFrameHeader, _ info: FLACStreamInfo?) -> Bool {
    Self.rate(header, info) == anchor.rate && (anchor.rate == rate || header.channels == anchor.channels)
  }

  /// An anchor for numbers that do not follow those before.
  /// - Parameters:
  ///   - header: The frame that they begin with.
  ///   - previous: The frame before it.
  ///   - expected: The place behind that one.
  func anchor(
    of header: FLACFrameHeader, _ info: FLACStreamInfo?, behind previous: FLACFrameHeader, expected: Int64
  ) -> Anchor {
    let sample = sample(header)
    let endSample = self.sample(previous).addingSaturating(Int64(previous.blockSize))
    let end = place(endSample)
    var new = Anchor(
      sample: sample, frame: expected, rate: Self.rate(header, info), channels: header.channels)
    guard end.frame == expected else { return new }
    if isAsAnchored(header, info) {
      // Sound of one kind: only its numbers are others.
      (new.sample, new.frame) = (sample.addingSaturating(anchor.sample.addingSaturating(-endSample)), anchor.frame)
    } else if end.fraction > 0 {
      new.frame += 1
    }
    return new
  }

  private func place(_ sample: Int64) -> (frame: Int64, fraction: Double) {
    let place = anchor.rate.place(of: sample.addingSaturating(-anchor.sample), at: rate)
    return (anchor.frame.addingSaturating(place.frame), place.fraction)
  }
}

/// Where frames begin: remembered sparsely as they pass, in bounded memory.
struct FLACIndex {
  /// A place in the stream, just before a frame.
  struct Point: Hashable {
    var position: Int64
    /// First frame on the timeline.
    var frame: Int64
    /// What numbers mean there.
    var anchor: FLACTimeline.Anchor
  }

  /// Most points: 320 KiB. When they are reached, every other one goes.
  static let capacity = 8192

  private(set) var points: [Point] = []
  private var stride = 1
  private var seen = 0

  /// Remembers a point if its turn has come. Points must come in order.
  mutating func add(_ point: Point) {
    guard point.position > points.last?.position ?? -1 else { return }
    seen += 1
    guard seen % stride == 0 else { return }
    if points.count == Self.capacity {
      stride *= 2
      points = points.indices.filter { $0 % 2 == 0 }.map { points[$0] }
    }
    points.append(point)
  }

  /// The last point at or before a frame, or the first one, and the one behind it.
  func around(_ frame: Int64) -> (below: Point?, above: Point?) {
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if points[middle].frame <= frame { low = middle + 1 } else { high = middle }
    }
    return (points.isEmpty ? nil : points[max(low - 1, 0)], low < points.count ? points[low] : nil)
  }
}
