package import AudioModel
internal import DSP
package import Realtime
internal import Synchronization

/// Sound from a device that captures, on its way to the graph.
///
/// The capturing thread writes, the render call reads. Two clocks that differ are kept together roughly: where too
/// little is there silence stands in, and where more waits than the limit the oldest is dropped; both are counted.
package final class CaptureSource: GraphNode, CaptureSink, @unchecked Sendable {
  private let ring: PCMRing
  private let limit: Int
  private let missing = Atomic<Int64>(0)
  private let dropped = Atomic<Int64>(0)
  // Belongs to the thread that renders: sound has come, and enough of it.
  private var isFlowing = false
  private let cushion: Int
  // Belongs to the thread that captures.
  private let staging: UnsafeMutablePointer<Float>
  private let stagingFrames = 1024

  /// Format of what is captured.
  package let format: PCMFormat

  /// Makes a source.
  /// - Parameters:
  ///   - format: Format of what is captured.
  ///   - cushion: Frames that wait before the first is rendered, and again after too few were there.
  ///   - limit: The most frames that wait. A second at least is kept by the ring.
  package init(format: PCMFormat, cushion: Int, limit: Int) {
    precondition(cushion >= 0 && limit > cushion)
    self.format = format
    self.cushion = cushion
    self.limit = limit
    ring = PCMRing(channels: format.channels, capacity: max(format.sampleRate.hertz, 2 * limit), history: 0)
    staging = .allocate(capacity: format.channels * stagingFrames)
    staging.initialize(repeating: 0, count: format.channels * stagingFrames)
  }

  deinit { staging.deallocate() }

  /// Frames of silence that stood in for sound since the first came.
  package var missingFrames: Int64 { missing.load(ordering: .relaxed) }
  /// Frames that were dropped, since too many waited.
  package var droppedFrames: Int64 { dropped.load(ordering: .relaxed) }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func receive(_ samples: UnsafePointer<Float>, frames: Int, at time: CaptureTime) {
    let channels = ring.channels
    var done = 0
    while done < frames {
      let part = frames &- done < stagingFrames ? frames &- done : stagingFrames
      Interleaving.deinterleave(
        samples + done &* channels, channels: channels, frames: part, into: staging, stride: stagingFrames)
      let taken = ring.write(staging, stride: stagingFrames, count: part)
      if taken < part { dropped.add(Int64(part &- taken), ordering: .relaxed) }
      done &+= part
    }
  }

  @_noLocks @_noAllocation
  func render(_ planes: UnsafeMutablePointer<Float>, stride: Int, frames: Int) {
    let waiting = ring.readableFrames
    if !isFlowing { isFlowing = waiting >= cushion &+ frames }
    if waiting > limit &+ frames {
      let surplus = ring.skip(waiting &- cushion &- frames)
      dropped.add(Int64(surplus), ordering: .relaxed)
    }
    let count = isFlowing ? ring.read(into: planes, stride: stride, count: frames) : 0
    guard count < frames else { return }
    if isFlowing {
      missing.add(Int64(frames &- count), ordering: .relaxed)
      isFlowing = false
    }
    var channel = 0
    while channel < ring.channels {
      (planes + channel &* stride + count).update(repeating: 0, count: frames &- count)
      channel &+= 1
    }
  }
}
