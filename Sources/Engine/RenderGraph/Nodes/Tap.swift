package import AudioModel
internal import Realtime
internal import Synchronization

/// Listens at a node's output: the render call writes, the control side takes blocks of one size.
///
/// Where the control side is slow, what does not fit is dropped and counted; rendering never waits.
package final class Tap: @unchecked Sendable {
  /// Frames of a block.
  package let blockFrames: Int
  /// Format of the output that is listened to.
  package let format: PCMFormat

  private struct Mark: BitwiseCopyable {
    /// The ring's frame that the mark is for.
    var ringFrame: Int64
    var sampleTime: Int64
    var hostTime: UInt64
  }

  private let ring: PCMRing
  private let marks = SPSCRing<Mark>(minimumCapacity: 4096)
  private let dropped = Atomic<Int64>(0)
  // Belong to the control side.
  private let block: PCMBlock
  private var current: Mark?
  private var following: Mark?
  // Belongs to the thread that renders: the sample time that follows what was written last.
  private var expected = Int64.min

  /// Makes a tap.
  /// - Parameters:
  ///   - format: Format of the output.
  ///   - blockFrames: Frames of a block.
  ///   - capacity: Frames that can wait for the control side.
  package init(format: PCMFormat, blockFrames: Int, capacity: Int) {
    precondition(blockFrames > 0 && capacity >= blockFrames)
    self.format = format
    self.blockFrames = blockFrames
    ring = PCMRing(channels: format.channels, capacity: capacity, history: 0)
    block = PCMBlock(channels: format.channels, capacity: blockFrames)
  }

  /// Frames that did not fit.
  package var droppedFrames: Int64 { dropped.load(ordering: .relaxed) }

  /// Hands out all whole blocks that are there. One thread of the control side at a time.
  /// - Parameter body: Gets the block, valid for the call, and the node's number and host time of its first frame.
  package func take(_ body: (PCMBlock, _ sampleTime: Int64, _ hostTime: UInt64) -> Void) {
    while ring.readableFrames >= blockFrames {
      let start = ring.framesRead
      let (sampleTime, hostTime) = time(of: start)
      block.removeAll()
      block.advance(ring.read(into: block.plane(0), stride: block.capacity, count: blockFrames))
      body(block, sampleTime, hostTime)
    }
  }

  private func time(of frame: Int64) -> (Int64, UInt64) {
    while true {
      if following == nil { following = marks.pop() }
      guard let next = following, next.ringFrame <= frame else { break }
      current = next
      following = nil
    }
    guard let current else { return (frame, 0) }
    let distance = frame - current.ringFrame
    let nanoseconds = UInt64(distance) * 1_000_000_000 / UInt64(format.sampleRate.hertz)
    return (current.sampleTime + distance, current.hostTime == 0 ? 0 : current.hostTime + nanoseconds)
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  func write(_ block: RenderedBlock, sampleTime: Int64, hostTime: UInt64) {
    let room = ring.writableFrames
    guard room >= block.count, marks.hasRoom else {
      dropped.add(Int64(block.count), ordering: .relaxed)
      return
    }
    // One mark for each call keeps host times true; sample times would need one only where something is missing.
    let isMarked = hostTime != 0 ? true : sampleTime != expected
    if isMarked {
      _ = marks.push(Mark(ringFrame: ring.framesWritten, sampleTime: sampleTime, hostTime: hostTime))
    }
    _ = ring.write(block.planes, stride: block.stride, count: block.count)
    expected = sampleTime &+ Int64(block.count)
  }
}
