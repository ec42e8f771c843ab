/// When a source that fell out of touch tries again.
///
/// | fault | tries | seconds before each |
/// |---|---|---|
/// | connection refused or not made, host unknown, before the item's first byte | 2 | 1, 2 |
/// | the same later on | 8 in a row | 1, 2, 4, 8, then 10 |
/// | connection lost, stalled, answer incomplete | 8 in a row | 1, 2, 4, 8, then 10 |
/// | status 408, 425, 429, 5xx but 501 and 505 | 8 in a row | Retry-After, else 1, 2, 4, 8, then 10 |
/// | TLS fails before the item's first byte | none | |
/// | the same later on | 8 in a row | 1, 2, 4, 8, then 10 |
/// | any other status, a broken answer | none | |
///
/// "In a row" means without progress between: new bytes start the count anew.
public struct RetryPolicy: Hashable, Sendable {
  /// What went wrong, as far as trying again is concerned.
  public enum Fault: Hashable, Sendable {
    /// No connection could be made: refused, unreachable, timed out, host unknown.
    case unreachable
    /// TLS could not be agreed on, or a certificate is not good.
    case tls
    /// The connection broke, or ended before the body did.
    case lost
    /// Nothing arrived for the stall time-out.
    case stalled
    /// The server answered with an error; `retryAfter` in seconds, if it said so.
    case status(Int, retryAfter: Double? = nil)
    /// The answer breaks the protocol.
    case broken
  }

  /// Seconds before the first, second, … try; the last one repeats. Default: 1, 2, 4, 8, 10.
  public var delays: [Double] = [1, 2, 4, 8, 10]
  /// Tries in a row. Default: 8.
  public var limit = 8
  /// Seconds before the tries when an item's server was never reached. Default: 1, 2.
  public var firstContactDelays: [Double] = [1, 2]
  /// The longest Retry-After that is waited for, in seconds; beyond it the source gives up and its error says when to
  /// come back. Default: 120.
  public var longestRetryAfter: Double = 120

  /// Makes the default policy.
  public init() {}

  /// A policy that never tries again.
  public static var never: RetryPolicy {
    var policy = RetryPolicy()
    policy.limit = 0
    policy.firstContactDelays = []
    return policy
  }

  /// Seconds to wait before try `attempt` (from 1), or `nil` to give up.
  /// - Parameters:
  ///   - attempt: How many tries in a row there are with this one.
  ///   - fault: What went wrong last.
  ///   - hasBegun: Whether any byte of the item has ever arrived.
  public func delay(beforeAttempt attempt: Int, after fault: Fault, hasBegun: Bool) -> Double? {
    switch fault {
    case .unreachable where !hasBegun:
      return attempt <= firstContactDelays.count ? firstContactDelays[max(0, attempt - 1)] : nil
    case .tls where !hasBegun: return nil
    case .unreachable, .tls, .lost, .stalled: return usualDelay(attempt)
    case .status(let code, let retryAfter):
      guard Self.isTransient(status: code), let delay = usualDelay(attempt) else { return nil }
      guard let retryAfter else { return delay }
      return retryAfter <= longestRetryAfter ? max(0, retryAfter) : nil
    case .broken: return nil
    }
  }

  /// Whether a status may be gone at the next try.
  public static func isTransient(status: Int) -> Bool {
    switch status {
    case 408, 425, 429: true
    case 501, 505: false
    default: (500...599).contains(status)
    }
  }

  private func usualDelay(_ attempt: Int) -> Double? {
    guard attempt <= limit else { return nil }
    return delays.isEmpty ? 0 : delays[min(max(0, attempt - 1), delays.count - 1)]
  }
}
