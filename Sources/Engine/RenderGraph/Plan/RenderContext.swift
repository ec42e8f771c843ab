/// What is the same for all nodes during a render call.
package struct RenderContext: BitwiseCopyable, Sendable {
  /// The number of the output's frame that the call begins with.
  package var outputFrame: Int64
  /// Frames of the output that it renders.
  package var frames: Int
  /// When its first frame begins to be rendered, in nanoseconds of the system's monotonic clock; 0 where there is none.
  package var hostTime: UInt64

  // MARK: Real-time

  /// Makes a context.
  @_noLocks @_noAllocation
  package init(outputFrame: Int64, frames: Int, hostTime: UInt64) {
    self.outputFrame = outputFrame
    self.frames = frames
    self.hostTime = hostTime
  }

  /// The time of a frame behind the first.
  @_noLocks @_noAllocation
  package func hostTime(after frames: Int, rate: Int) -> UInt64 {
    guard hostTime != 0, rate > 0 else { return 0 }
    return hostTime &+ UInt64(frames) &* 1_000_000_000 / UInt64(rate)
  }
}
