internal import Platform

/// A clock whose time moves only when the test says so, and which knows who waits for it.
public final class ManualClock: Clock, Sendable {
  /// A moment: how long after the clock was made.
  public struct Instant: InstantProtocol {
    /// Time since the clock was made.
    public var offset: Swift.Duration
    /// Makes a moment.
    public init(offset: Swift.Duration) { self.offset = offset }
    public func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.offset < rhs.offset }
  }

  private struct Sleeper {
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct Time {
    var now = Instant(offset: .zero)
    var next = 0
    var sleepers: [Int: Sleeper] = [:]
    /// Cancelled before they lay down.
    var cancelled: Set<Int> = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let time = Monitor(Time())

  /// Makes a clock that stands at zero.
  public init() {}

  /// Now.
  public var now: Instant { time.withLock { $0.now } }
  public var minimumResolution: Swift.Duration { .nanoseconds(1) }
  /// How many tasks wait for a later moment.
  public var sleeperCount: Int { time.withLock { $0.sleepers.count } }

  /// Moves the time on and wakes, in the order of their deadlines, all whose time has come.
  public func advance(by duration: Swift.Duration) {
    let due = time.withLock { time -> [Sleeper] in
      time.now = time.now.advanced(by: duration)
      let due = time.sleepers.filter { $0.value.deadline <= time.now }
      for key in due.keys { time.sleepers[key] = nil }
      return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }.map(\.value)
    }
    for sleeper in due { sleeper.continuation.resume() }
  }

  /// Returns once at least `count` tasks wait for a later moment.
  public func waitForSleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = time.withLock { time -> Bool in
        if time.sleepers.count >= count { return true }
        time.watchers.append((count, continuation))
        return false
      }
      if isReached { continuation.resume() }
    }
  }

  public func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    let number = time.withLock { time -> Int in
      time.next += 1
      return time.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in lieDown(number, deadline, continuation) }
    } onCancel: {
      let sleeper = time.withLock { time -> Sleeper? in
        guard let sleeper = time.sleepers.removeValue(forKey: number) else {
          time.cancelled.insert(number)
          return nil
        }
        return sleeper
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  private func lieDown(_ number: Int, _ deadline: Instant, _ continuation: CheckedContinuation<Void, any Error>) {
    enum Outcome { case awake, cancelled, asleep([CheckedContinuation<Void, Never>]) }
    let outcome = time.withLock { time -> Outcome in
      if time.cancelled.remove(number) != nil { return .cancelled }
      if deadline <= time.now { return .awake }
      time.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
      let count = time.sleepers.count
      let content = time.watchers.filter { $0.count <= count }
      time.watchers.removeAll { $0.count <= count }
      return .asleep(content.map(\.continuation))
    }
    switch outcome {
    case .awake: continuation.resume()
    case .cancelled: continuation.resume(throwing: CancellationError())
    case .asleep(let watchers): for watcher in watchers { watcher.resume() }
    }
  }
}
