internal import CPulse

/// When to look for a server that is gone.
struct PulseRecovery {
  /// How long it looks, in seconds, unless a test is in a hurry.
  static let usualPatience = 60.0
  private static let delays = [0.1, 0.2, 0.5, 1, 2]
  private var attempts = 0
  private var deadline: pa_usec_t = 0
  private var alarm: OpaquePointer?

  mutating func begin(patience: Double) {
    attempts = 0
    deadline = pulse.pa_rtclock_now() + pa_usec_t(patience * 1e6)
  }

  var isHopeless: Bool { pulse.pa_rtclock_now() >= deadline }
  /// Two tries were for the device that was named.
  var takesAnyDevice: Bool { attempts > 2 }

  /// Calls `body` with `pointer` when it is time for the next try.
  mutating func schedule(
    _ loop: PulseLoop, _ context: OpaquePointer, _ pointer: UnsafeMutableRawPointer, _ body: pa_time_event_cb_t
  ) {
    cancel(loop)
    let delay = Self.delays[min(attempts, Self.delays.count - 1)]
    attempts += 1
    alarm = loop.alarm(context, seconds: delay, pointer, body)
  }

  mutating func cancel(_ loop: PulseLoop) {
    if let alarm { loop.free(alarm: alarm) }
    alarm = nil
  }
}
