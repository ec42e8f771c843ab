internal import AudioModel
internal import Synchronization

/// The mean square of each channel: one thread adds, another reads and clears.
package struct AtomicSquares: ~Copyable, @unchecked Sendable {
  // A cell has the sum in its upper half, as the bits of a float, and the number of frames in the lower one: both change
  // together.
  private let cells: UnsafeMutablePointer<Atomic<UInt64>>
  private static var count: Int { ChannelLayout.accepted.upperBound }

  /// Makes sums of nothing for as many channels as any layout has.
  package init() {
    cells = .allocate(capacity: Self.count)
    for channel in 0..<Self.count { (cells + channel).initialize(to: Atomic(0)) }
  }

  deinit {
    cells.deinitialize(count: Self.count)
    cells.deallocate()
  }

  /// The mean square of a channel since the last call; 0 where nothing was added.
  package borrowing func take(_ channel: Int) -> Float {
    precondition(channel >= 0 && channel < Self.count)
    let cell = cells[channel].exchange(0, ordering: .relaxed)
    let frames = UInt32(truncatingIfNeeded: cell)
    return frames > 0 ? Float(bitPattern: UInt32(cell >> 32)) / Float(frames) : 0
  }

  // MARK: Real-time

  /// Adds frames to a channel, 0…63. What is no number is not added.
  @_noLocks @_noAllocation
  package borrowing func add(_ channel: Int, meanSquare: Float, frames: Int) {
    guard meanSquare >= 0, meanSquare < .infinity else { return }
    let old = cells[channel].load(ordering: .relaxed)
    var sum = Float(bitPattern: UInt32(truncatingIfNeeded: old >> 32))
    var count = UInt32(truncatingIfNeeded: old)
    // Where nobody reads, the past fades, so that the sum stays exact enough.
    if count > 1 << 20 {
      sum /= 2
      count /= 2
    }
    let added = UInt32(truncatingIfNeeded: frames)
    let fresh = combined(sum + meanSquare * Float(added), count &+ added)
    // Only a reader that has just cleared it can come between: then this begins anew.
    let result = cells[channel].compareExchange(expected: old, desired: fresh, ordering: .relaxed)
    if !result.exchanged {
      cells[channel].store(combined(meanSquare * Float(added), added), ordering: .relaxed)
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private borrowing func combined(_ sum: Float, _ frames: UInt32) -> UInt64 {
    UInt64(sum.bitPattern) << 32 | UInt64(frames)
  }
}
