/// Objects on their way from the control side to the device's thread and back.
///
/// The control side gives an object and with it one reference. The device's thread takes it, uses it and retires it;
/// the reference is dropped on the control side, by ``collect()``, since freeing is nothing for the device's thread.
public struct HandOver<Object: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
  // Each ring has one producer and one consumer. `outstanding` belongs to the control side and keeps the number of
  // objects under way within the capacity of either ring, so that retiring always finds room.
  @usableFromInline let given: SPSCRing<Unmanaged<Object>>
  @usableFromInline let retired: SPSCRing<Unmanaged<Object>>
  private let outstanding: UnsafeMutablePointer<Int>

  /// Makes an empty hand-over.
  /// - Parameter capacity: Objects that may be under way or in use at once.
  public init(capacity: Int) {
    given = SPSCRing(minimumCapacity: capacity)
    retired = SPSCRing(minimumCapacity: capacity)
    outstanding = .allocate(capacity: 1)
    outstanding.initialize(to: 0)
  }

  deinit {
    while let object = given.pop() { object.release() }
    while let object = retired.pop() { object.release() }
    outstanding.deallocate()
  }

  /// Gives an object to the device's thread. Control side.
  /// - Returns: `false`, with nothing done, while too many are under way; ``collect()`` may help.
  public borrowing func give(_ object: Object) -> Bool {
    guard outstanding.pointee < given.capacity else { return false }
    outstanding.pointee += 1
    let accepted = given.push(.passRetained(object))
    precondition(accepted, "a hand-over holds more than its count says")
    return true
  }

  /// Drops the references to all objects that were retired. Control side.
  public borrowing func collect() {
    while let object = retired.pop() {
      outstanding.pointee -= 1
      object.release()
    }
  }

  // MARK: Real-time
  // Generic code is checked where it is specialised, in the annotated functions that call it; for that it has to be
  // public and inlinable.

  /// Takes the next object, with its reference: it must come back by ``retire(_:)``. Device's thread.
  @inlinable @inline(__always)
  public borrowing func take() -> Unmanaged<Object>? { given.pop() }

  /// Gives an object back. Device's thread.
  @inlinable @inline(__always)
  public borrowing func retire(_ object: Unmanaged<Object>) { _ = retired.push(object) }
}
