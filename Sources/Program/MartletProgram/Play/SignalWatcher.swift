internal import Glibc
internal import Platform

/// Receives signals on a thread of their own, where everything is allowed that a handler may not do.
final class SignalWatcher: Sendable {
  /// Seconds that an orderly end may take before it becomes one by force.
  private static let patience = 5

  /// Begins to receive. To be made before any other thread, for threads inherit which signals are held back.
  /// - Parameters:
  ///   - handler: Hears of SIGINT, SIGTERM, SIGHUP (all three as SIGINT), SIGTSTP, SIGCONT and SIGWINCH.
  ///   - force: Called before the process ends by force: at the second of the signals that end it, or when the first
  ///     has had no effect for a while. Must not wait for anything.
  init(handler: @escaping @Sendable (Int32) -> Void, force: @escaping @Sendable () -> Void) {
    signal(SIGPIPE, SIG_IGN)
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGTSTP, SIGCONT, SIGWINCH] { sigaddset(&signals, number) }
    if !Self.isIgnored(SIGHUP) { sigaddset(&signals, SIGHUP) }  // `nohup` wishes so
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let watched = signals
    _ = NamedThread("signals") {
      var signals = watched
      var number: Int32 = 0
      var isEnding = false
      while true {
        if isEnding {
          var limit = timespec(tv_sec: Self.patience, tv_nsec: 0)
          number = sigtimedwait(&signals, nil, &limit)
          if number < 0 && errno == EINTR { continue }
        } else {
          guard sigwait(&signals, &number) == 0 else { continue }
        }
        let ends = number < 0 || number == SIGINT || number == SIGTERM || number == SIGHUP
        if ends && isEnding {
          force()
          _exit(ExitCode.interrupted.rawValue)
        }
        if ends { isEnding = true }
        handler(ends ? SIGINT : number)
      }
    }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return false }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1  // SIG_IGN
  }
}
