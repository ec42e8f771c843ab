internal import CAllocationGuard

/// Counts what a render call must not do: allocate, free, lock, wait.
///
/// Every call of the C library's functions on this thread counts, from whatever language. A Swift `Mutex` that nobody
/// contends for is not seen; the compiler's own check (`@_noLocks`) finds that. Debug builds may allocate where release
/// builds do not.
public struct AllocationGuard: Hashable, Sendable {
  /// Blocks of memory taken.
  public private(set) var allocations = 0
  /// Blocks of memory given back.
  public private(set) var frees = 0
  /// Calls on mutexes, read-write locks, conditions and semaphores.
  public private(set) var locks = 0
  /// System calls by `syscall`, futex waits among them.
  public private(set) var systemCalls = 0

  /// Nothing counted yet.
  public init() {}

  /// Whether anything is counted at all: not under a sanitizer, which needs the functions for itself.
  public static var isAvailable: Bool { martlet_guard_is_available() != 0 }

  /// Nothing forbidden was done so far.
  public var isClean: Bool { self == AllocationGuard() }

  /// Runs `body` and adds what it does to the counts. Call it once before without the guard: the first run of any Swift
  /// code makes metadata. Not to be nested.
  public mutating func watch<Result>(_ body: () -> Result) -> Result {
    martlet_guard_begin()
    let result = body()
    let counts = martlet_guard_end()
    allocations += counts.allocations
    frees += counts.frees
    locks += counts.locks
    systemCalls += counts.system_calls
    return result
  }
}
