public import Synchronization

/// A mailbox for objects of which only the latest counts: the control side puts, the thread that renders takes. Neither
/// ever waits, and objects are freed on the control side.
///
/// Where ``HandOver`` delivers each object once, this one forgets those that nobody took.
public struct LatestObject<Object: AnyObject & Sendable>: ~Copyable, @unchecked Sendable {
  // An object's bits, with one reference; 0 while there is none.
  @usableFromInline let shared = Atomic<UInt>(0)
  // Between two calls of `collect` the renderer can retire one object for each that it takes, and what it held before.
  @usableFromInline let retired = SPSCRing<Unmanaged<Object>>(minimumCapacity: 8)

  /// Makes an empty mailbox.
  public init() {}

  deinit {
    Self.object(shared.load(ordering: .acquiring))?.release()
    collect()
  }

  /// Leaves an object, in place of one that was not taken yet, and frees what was retired. Control side, one thread at a
  /// time.
  public borrowing func put(_ object: Object) {
    let bits = UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
    Self.object(shared.exchange(bits, ordering: .acquiringAndReleasing))?.release()
    collect()
  }

  /// Frees what was retired. Control side, one thread at a time.
  public borrowing func collect() {
    while let object = retired.pop() { object.release() }
  }

  @usableFromInline static func object(_ bits: UInt) -> Unmanaged<Object>? {
    UnsafeRawPointer(bitPattern: bits).map { .fromOpaque($0) }
  }

  // MARK: Real-time
  // Generic code is checked where it is specialised, in the annotated functions that call it; for that it has to be
  // public and inlinable.

  /// Takes the latest object, if one was put since the last call, with its reference: it must come back by
  /// ``retire(_:)``. The taker holds two objects at most.
  @inlinable @inline(__always)
  public borrowing func take() -> Unmanaged<Object>? {
    guard shared.load(ordering: .relaxed) != 0 else { return nil }
    let bits = shared.exchange(0, ordering: .acquiringAndReleasing)
    guard let pointer = UnsafeRawPointer(bitPattern: bits) else { return nil }
    return .fromOpaque(pointer)
  }

  /// Gives an object back.
  @inlinable @inline(__always)
  public borrowing func retire(_ object: Unmanaged<Object>) { _ = retired.push(object) }
}
