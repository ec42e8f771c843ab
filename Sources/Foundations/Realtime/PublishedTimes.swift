internal import Synchronization

/// Where a node is, as its render call left it.
package struct NodeTimes: Hashable, Sendable, BitwiseCopyable {
  /// Frames that the node has rendered: the number of its next one.
  package var frame: Int64 = 0
  /// When that frame begins to be rendered, in nanoseconds of the system's monotonic clock; 0 where there is no clock.
  package var hostTime: UInt64 = 0
  /// The frame of a player's timeline at ``frame``.
  package var playerFrame: Int64 = 0
  /// The player's timeline moves.
  package var isPlaying = false

  // MARK: Real-time

  /// The beginning.
  @_noLocks @_noAllocation
  package init() {}
}

/// Times that the device's thread publishes and any number of others read, as often as they like. Nobody waits: a reader
/// that comes in the middle of a change looks again.
package struct PublishedTimes: ~Copyable, Sendable {
  // A sequence lock. Its words are atomic, so that what a reader sees of a change is nothing worse than a mixture, which
  // the sequence number tells.
  private let sequence = Atomic<Int>(0)
  private let frame = Atomic<Int64>(0)
  private let hostTime = Atomic<UInt64>(0)
  private let playerFrame = Atomic<Int64>(0)
  private let isPlaying = Atomic<Bool>(false)

  /// Nothing rendered yet.
  package init() {}

  /// What was published last.
  package var latest: NodeTimes {
    while true {
      let before = sequence.load(ordering: .acquiring)
      var times = NodeTimes()
      times.frame = frame.load(ordering: .relaxed)
      times.hostTime = hostTime.load(ordering: .relaxed)
      times.playerFrame = playerFrame.load(ordering: .relaxed)
      times.isPlaying = isPlaying.load(ordering: .relaxed)
      atomicMemoryFence(ordering: .acquiring)
      if before & 1 == 0, before == sequence.load(ordering: .relaxed) { return times }
    }
  }

  // MARK: Real-time

  /// Publishes. One thread at a time.
  @_noLocks @_noAllocation
  package borrowing func publish(_ times: NodeTimes) {
    let number = sequence.load(ordering: .relaxed)
    sequence.store(number &+ 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    frame.store(times.frame, ordering: .relaxed)
    hostTime.store(times.hostTime, ordering: .relaxed)
    playerFrame.store(times.playerFrame, ordering: .relaxed)
    isPlaying.store(times.isPlaying, ordering: .relaxed)
    sequence.store(number &+ 2, ordering: .releasing)
  }
}
