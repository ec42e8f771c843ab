package import Platform

/// Where a player takes its time from: the system's clock, or a test's.
package struct PlayerClock: Sendable {
  /// The time.
  package var now: @Sendable () -> MonotonicTime
  /// Whether waiting for a later time makes sense. A test's clock stands still: its player acts when it is poked.
  package var isRunning: Bool

  /// Makes a clock.
  package init(isRunning: Bool, now: @escaping @Sendable () -> MonotonicTime) {
    self.now = now
    self.isRunning = isRunning
  }

  /// The system's monotonic clock.
  package static let system = PlayerClock(isRunning: true) { .now }
}
