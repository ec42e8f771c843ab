import AudioModel

/// A place in a stream of frames, just before one of them.
struct FramePoint: IndexedPoint, Hashable {
  var position: Int64
  var packet: Int64
  /// Frame at which a run of packets of one coding begins, at the first coding's rate.
  var base: Int64
  /// PCM frames from there on, at this coding's rate.
  var inRun: Int64
  /// Which of the stream's codings.
  var coding: Int
  /// First PCM frame of the packet, at the first coding's rate; the one before where it begins between two.
  var frame: Int64
  /// How far behind ``frame`` it begins, in parts of a frame.
  var fraction = 0.0
  /// The first frame that is not before it.
  var end: Int64 { fraction > 0 ? frame + 1 : frame }
}

/// How large the frames of a stream are, as far as they were seen: what an estimate of its length rests on.
struct FrameSizes {
  private(set) var bytes: Int64 = 0
  private(set) var frames: Int64 = 0
  private var group: (bytes: Int64, frames: Int64, packets: Int) = (0, 0, 0)
  /// Bytes for each PCM frame of the sparsest and of the densest stretch.
  private var sparsest = Double.infinity
  private var densest = 0.0

  /// Packets of a stretch.
  private static let groupSize = 16

  /// Takes note of a packet. `frames` are those of the first coding's rate.
  mutating func note(bytes count: Int, frames length: Int64) {
    bytes += Int64(count)
    frames += length
    group = (group.bytes + Int64(count), group.frames + length, group.packets + 1)
    guard group.packets == Self.groupSize, group.frames > 0 else { return }
    let density = Double(group.bytes) / Double(group.frames)
    sparsest = min(sparsest, density)
    densest = max(densest, density)
    group = (0, 0, 0)
  }

  /// PCM frames that `count` bytes hold, and how many fewer or more they are if all of them are as dense as the densest
  /// stretch so far or as sparse as the sparsest.
  func estimate(bytes count: Int64) -> (frames: Double, error: Double?)? {
    guard frames > 0, bytes > 0 else { return nil }
    let average = Double(count) * Double(frames) / Double(bytes)
    guard average < 9e15 else { return nil }
    guard densest > 0 else { return (average, nil) }
    return (average, max(Double(count) / sparsest - average, average - Double(count) / densest, 0))
  }
}

/// What is known of a whole stream of frames: by what has passed so far, or by having seen it all.
struct FrameOutline {
  /// Where the sound ends as far as the source's length and tags at its end tell.
  var audioEnd: Int64?
  /// The furthest place that was reached without a gap from the first frame on.
  var frontier: FramePoint
  /// The end was reached without a gap.
  private(set) var isFinished = false
  /// Where the first frame begins.
  private(set) var soundStart: Int64 = 0
  /// Frames that were looked at beforehand, and those that have passed.
  private var sampled = FrameSizes()
  private var seen = FrameSizes()

  init(at point: FramePoint) { frontier = point }

  mutating func begin(at point: FramePoint) {
    soundStart = point.position
    frontier = point
  }

  mutating func sample(bytes: Int, frames: Int) { sampled.note(bytes: bytes, frames: Int64(frames)) }

  /// Takes note of the packet between the frontier and a place.
  mutating func note(bytes: Int, to point: FramePoint) {
    seen.note(bytes: bytes, frames: point.frame - frontier.frame)
    frontier = point
  }

  mutating func finish() {
    isFinished = true
    audioEnd = frontier.position
  }

  /// Bytes and frames that estimates rest on.
  private var sizes: FrameSizes { seen.bytes >= sampled.bytes ? seen : sampled }
  /// Frames of a packet on average.
  var packetFrames: Int { seen.frames > 0 ? Int(seen.frames / max(frontier.packet, 1)) : 1_024 }

  /// When the estimate of the duration is told anew: after 64 packets, and after every fourfold.
  static func isTimeToRefine(packets: Int64) -> Bool {
    packets >= 64 && packets.nonzeroBitCount == 1 && packets.trailingZeroBitCount % 2 == 0
  }

  /// How long it plays.
  /// - Parameter isOneRate: All codings have the same rate: sound of another one is converted, and every conversion rounds
  ///   its end.
  func duration(_ rate: SampleRate, isOneRate: Bool) -> MediaDuration? {
    if isFinished { return MediaDuration(frames: frontier.end, isExact: isOneRate, errorSeconds: 0.01) }
    guard let audioEnd else { return nil }
    let rest = max(audioEnd - max(frontier.position, soundStart), 0)
    guard let estimate = sizes.estimate(bytes: rest) else { return nil }
    return MediaDuration(
      frames: frontier.frame.addingSaturating(Int64(estimate.frames.rounded())), isExact: false,
      errorSeconds: estimate.error.map { $0 / Double(rate.hertz) })
  }

  /// Bits per second on average.
  func bitRate(_ rate: SampleRate) -> Int? {
    guard sizes.frames > 0 else { return nil }
    return Int(exactly: (Double(sizes.bytes) * 8 * Double(rate.hertz) / Double(sizes.frames)).rounded())
  }

  /// Where a frame should be, without having seen it.
  func position(of frame: Int64) -> Int64? {
    guard sizes.frames > 0 else { return nil }
    let offset = Double(frame) * Double(sizes.bytes) / Double(sizes.frames)
    guard offset < 9e15 else { return nil }
    let position = soundStart.addingSaturating(Int64(offset))
    return audioEnd.map { min(position, max($0, soundStart)) } ?? position
  }
}
