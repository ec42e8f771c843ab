package import AudioModel
internal import DSP
package import Realtime
internal import Synchronization

/// Sound on its way from a microphone's thread to one that may take its time. Every frame arrives, or is counted.
package final class CaptureRing: CaptureSink, @unchecked Sendable {
  private struct Mark: BitwiseCopyable {
    var frame: Int64
    var hostNanoseconds: Int64
  }

  private let ring: PCMRing
  private let marks = SPSCRing<Mark>(minimumCapacity: 4096)
  private let dropped = Atomic<Int64>(0)
  private let rate: Int64
  // Belongs to the thread that captures.
  private let staging: UnsafeMutablePointer<Float>
  private let stagingFrames = 1024
  // Belong to the thread that takes.
  private var current = Mark(frame: 0, hostNanoseconds: 0)
  private var following: Mark?

  /// Makes an empty ring.
  /// - Parameter seconds: How much can wait.
  package init(format: PCMFormat, seconds: Double) {
    rate = Int64(format.sampleRate.hertz)
    ring = PCMRing(channels: format.channels, capacity: Int(format.sampleRate.frames(seconds)), history: 0)
    staging = .allocate(capacity: format.channels * stagingFrames)
    staging.initialize(repeating: 0, count: format.channels * stagingFrames)
  }

  deinit { staging.deallocate() }

  /// Frames that found no room since the last call.
  package func takeDropped() -> Int64 { dropped.exchange(0, ordering: .relaxed) }

  /// Takes what waits, at most what fits in the block. One thread at a time.
  /// - Returns: When the first of the frames was captured, in nanoseconds of the monotonic clock; `nil` where there is
  ///   none.
  package func take(into block: PCMBlock) -> Int64? {
    block.removeAll()
    let start = ring.framesRead
    // Whatever is there by now has its mark by now.
    let waiting = ring.readableFrames
    while true {
      if following == nil { following = marks.pop() }
      guard let next = following, next.frame <= start else { break }
      current = next
      following = nil
    }
    // What comes after another mark has a time of its own.
    let reach = following.map { Int($0.frame - start) } ?? waiting
    let count = ring.read(into: block.plane(0), stride: block.capacity, count: min(block.capacity, reach, waiting))
    guard count > 0 else { return nil }
    block.advance(count)
    return current.hostNanoseconds + (start - current.frame) * 1_000_000_000 / rate
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func receive(_ samples: UnsafePointer<Float>, frames: Int, at time: CaptureTime) {
    let channels = ring.channels
    _ = marks.push(Mark(frame: ring.framesWritten, hostNanoseconds: time.hostNanoseconds))
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
}
