/// The greatest of the last values of a signal that is mostly 0.
///
/// Keeps those only that may still become the greatest (a monotonic queue), so that a step takes constant time on
/// average.
struct SlidingMaximum {
  private let values: UnsafeMutablePointer<Float>
  private let times: UnsafeMutablePointer<Int>
  private let mask: Int
  private let width: Int
  private var now = 0
  private var head = 0
  private var tail = 0

  /// Takes memory, which the owner frees by ``deallocate()``.
  /// - Parameter width: Values that count, the present one among them; at least 1.
  init(width: Int) {
    precondition(width > 0)
    self.width = width
    var size = 1
    while size < width + 1 { size *= 2 }
    mask = size - 1
    values = .allocate(capacity: size)
    times = .allocate(capacity: size)
    values.initialize(repeating: 0, count: size)
    times.initialize(repeating: 0, count: size)
  }

  func deallocate() {
    values.deallocate()
    times.deallocate()
  }

  // MARK: Real-time

  /// Whether all values that count are 0.
  var isEmpty: Bool {
    @_noLocks @_noAllocation
    get { head == tail }
  }

  /// Takes a value, 0 or more, and gives the greatest of the last ones.
  @_noLocks @_noAllocation
  mutating func push(_ value: Float) -> Float {
    now &+= 1
    if head != tail {
      if times[head & mask] &+ width <= now { head &+= 1 }
    }
    if value > 0 {
      while head != tail {
        if values[(tail &- 1) & mask] > value { break }
        tail &-= 1
      }
      values[tail & mask] = value
      times[tail & mask] = now
      tail &+= 1
    }
    return head == tail ? 0 : values[head & mask]
  }

  /// Forgets everything.
  @_noLocks @_noAllocation
  mutating func reset() {
    now = 0
    head = 0
    tail = 0
  }
}
