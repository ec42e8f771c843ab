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
  /// First PCM frame of the packet, at the first coding's rate.
  var frame: Int64
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
