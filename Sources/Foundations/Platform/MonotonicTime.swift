internal import Glibc

/// An instant of the system's monotonic clock, which no change of date moves.
package struct MonotonicTime: Hashable, Comparable, Sendable {
  /// Nanoseconds since some fixed moment.
  package var nanoseconds: Int64

  /// Makes an instant.
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Now.
  package static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// The instant `seconds` later (or earlier, if negative).
  package func advanced(bySeconds seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds + Int64((seconds * 1e9).rounded()))
  }

  /// Seconds from `earlier` to here.
  package func seconds(since earlier: MonotonicTime) -> Double { Double(nanoseconds - earlier.nanoseconds) / 1e9 }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}
