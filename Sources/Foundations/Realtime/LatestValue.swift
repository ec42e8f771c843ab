public import Synchronization

/// A mailbox for trivial values of which only the latest counts: one thread stores, one takes. Neither ever waits.
///
/// Three slots: one belongs to each side, and the third changes hands by an atomic exchange, so that a value is never
/// seen half written.
public struct LatestValue<Value: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // `slots[3]` are the values; `owned[0]` is the writer's slot number and `owned[1]` the reader's, each touched by its
  // own side only. `shared` is the number of the slot in between, with bit 2 set while nobody has read it.
  @usableFromInline let slots: UnsafeMutablePointer<Value>
  @usableFromInline let owned: UnsafeMutablePointer<Int>
  @usableFromInline let shared = Atomic<Int>(2)

  /// Makes an empty mailbox.
  /// - Parameter blank: Any value; it is never delivered.
  public init(blank: Value) {
    slots = .allocate(capacity: 3)
    slots.initialize(repeating: blank, count: 3)
    owned = .allocate(capacity: 2)
    owned[0] = 0
    owned[1] = 1
  }

  deinit {
    slots.deallocate()
    owned.deallocate()
  }

  // MARK: Real-time
  // Generic code is checked where it is specialised, in the annotated functions that call it; for that it has to be
  // public and inlinable.

  /// Leaves a value, in place of one that was not taken yet.
  @inlinable @inline(__always)
  public borrowing func store(_ value: Value) {
    let mine = owned[0]
    slots[mine] = value
    owned[0] = shared.exchange(mine | 4, ordering: .acquiringAndReleasing) & 3
  }

  /// Takes the latest value, if one was stored since the last call.
  @inlinable @inline(__always)
  public borrowing func take() -> Value? {
    guard shared.load(ordering: .relaxed) & 4 != 0 else { return nil }
    let mine = shared.exchange(owned[1], ordering: .acquiringAndReleasing) & 3
    owned[1] = mine
    return slots[mine]
  }
}
