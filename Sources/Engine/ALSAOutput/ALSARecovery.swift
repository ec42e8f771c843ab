internal import Platform

/// When to look for a device that is gone.
struct ALSARecovery {
  /// How long it looks, in seconds.
  private static let patience = 60.0
  private static let delays = [0.1, 0.2, 0.5, 1, 2]
  private var attempts = 0
  private var lastTry = MonotonicTime(nanoseconds: 0)
  private var end = MonotonicTime(nanoseconds: 0)

  mutating func begin(at now: MonotonicTime) {
    attempts = 0
    lastTry = now
    end = now.advanced(bySeconds: Self.patience)
  }

  /// When to try next.
  var due: MonotonicTime { lastTry.advanced(bySeconds: Self.delays[min(attempts, Self.delays.count - 1)]) }

  mutating func tried(at now: MonotonicTime) {
    attempts += 1
    lastTry = now
  }

  func isHopeless(at now: MonotonicTime) -> Bool { now >= end }
}
