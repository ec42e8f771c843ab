public import Synchronization

/// A bounded queue of trivial values between two threads: one pushes, one pops. Neither ever waits.
///
/// All memory is taken at the start. Full and empty are answers.
public struct SPSCRing<Element: BitwiseCopyable>: ~Copyable, @unchecked Sendable {
  // A slot is written only by the producer while it lies outside head..<tail, and read only by the consumer while it
  // lies inside; the counters, which never wrap in practice, hand it over by release and acquire.
  @usableFromInline let slots: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  @usableFromInline let head = Atomic<Int>(0)
  @usableFromInline let tail = Atomic<Int>(0)

  /// Makes an empty ring.
  /// - Parameter minimumCapacity: Elements that must fit, at least 1; rounded up to a power of two.
  public init(minimumCapacity: Int) {
    precondition(minimumCapacity > 0 && minimumCapacity <= 1 << 24)
    var size = 1
    while size < minimumCapacity { size *= 2 }
    slots = .allocate(capacity: size)
    mask = size - 1
  }

  deinit { slots.deallocate() }

  /// How many elements fit.
  public var capacity: Int { mask + 1 }

  // MARK: Real-time
  // Generic code is checked where it is specialised, in the annotated functions that call it; for that it has to be
  // public and inlinable.

  /// Whether the next push will find room. Only the producer can rely on it.
  @inlinable @inline(__always)
  public var hasRoom: Bool {
    tail.load(ordering: .relaxed) &- head.load(ordering: .acquiring) <= mask
  }

  /// Adds an element. Producer only.
  /// - Returns: `false`, with nothing done, when the ring is full.
  @inlinable @inline(__always)
  public borrowing func push(_ element: Element) -> Bool {
    let position = tail.load(ordering: .relaxed)
    guard position &- head.load(ordering: .acquiring) <= mask else { return false }
    slots[position & mask] = element
    tail.store(position &+ 1, ordering: .releasing)
    return true
  }

  /// Takes the oldest element. Consumer only.
  @inlinable @inline(__always)
  public borrowing func pop() -> Element? {
    let position = head.load(ordering: .relaxed)
    guard position != tail.load(ordering: .acquiring) else { return nil }
    let element = slots[position & mask]
    head.store(position &+ 1, ordering: .releasing)
    return element
  }
}
