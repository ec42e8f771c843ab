internal import AudioModel
internal import Synchronization

/// One peak per channel: one thread raises, another reads and clears.
package struct AtomicPeaks: ~Copyable, @unchecked Sendable {
  // The bits of non-negative floats order like unsigned integers, so that an atomic maximum does.
  private let cells: UnsafeMutablePointer<Atomic<UInt32>>
  private static var count: Int { ChannelLayout.accepted.upperBound }

  /// Makes peaks of 0 for as many channels as any layout has.
  package init() {
    cells = .allocate(capacity: Self.count)
    for channel in 0..<Self.count { (cells + channel).initialize(to: Atomic(0)) }
  }

  deinit {
    cells.deinitialize(count: Self.count)
    cells.deallocate()
  }

  /// The peak of a channel since the last call.
  package borrowing func take(_ channel: Int) -> Float {
    precondition(channel >= 0 && channel < Self.count)
    return Float(bitPattern: cells[channel].exchange(0, ordering: .relaxed))
  }

  // MARK: Real-time

  /// Raises the peak of a channel, 0…63, to `value`, which must not be negative.
  @_noLocks @_noAllocation
  package borrowing func raise(_ channel: Int, to value: Float) {
    _ = cells[channel].max(value.bitPattern, ordering: .relaxed)
  }
}
