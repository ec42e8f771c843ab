internal import AudioModel
internal import CPulse
internal import Platform

/// libpulse's main loop on a thread of its own, and the lock that guards all that belongs to it.
final class PulseLoop: Sendable {
  // libpulse's object is made for use from several threads.
  nonisolated(unsafe) private let loop: OpaquePointer
  nonisolated(unsafe) private let api: UnsafeMutablePointer<pa_mainloop_api>

  /// - Parameter isRealtime: It moves sound, and does not only ask questions.
  /// - Throws: ``AudioModel/AudioError/Code/noOutput`` where there is no libpulse.
  init(isRealtime: Bool = true) throws(AudioError) {
    try PulseLibrary.load()
    let unusable = AudioError(.noOutput, "PulseAudio can't be used")
    guard let loop = pulse.pa_threaded_mainloop_new() else { throw unusable }
    pulse.pa_threaded_mainloop_set_name(loop, isRealtime ? "martlet-device" : "martlet-pulse")
    guard let api = pulse.pa_threaded_mainloop_get_api(loop), pulse.pa_threaded_mainloop_start(loop) == 0 else {
      pulse.pa_threaded_mainloop_free(loop)
      throw unusable
    }
    self.loop = loop
    self.api = api
    guard isRealtime else { return }
    locked {
      pulse.pa_mainloop_api_once(
        api,
        { _, _ in
          CurrentThread.flushDenormals()
          CurrentThread.requestRealtimePriority()
        }, nil)
    }
  }

  deinit {
    stop()
    pulse.pa_threaded_mainloop_free(loop)
  }

  /// Ends the thread: no callback comes later. The lock is not held.
  func stop() { pulse.pa_threaded_mainloop_stop(loop) }

  /// Runs `body` with the lock held. Not from the loop's own thread, which holds it in every callback.
  func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    pulse.pa_threaded_mainloop_lock(loop)
    defer { pulse.pa_threaded_mainloop_unlock(loop) }
    return try body()
  }

  /// Wakes ``wait(_:seconds:until:)``.
  func signal() { pulse.pa_threaded_mainloop_signal(loop, 0) }

  /// Gives the lock away until `isDone` says so after a ``signal()``, or the time is over.
  /// - Returns: Whether it is done.
  func wait(_ context: OpaquePointer, seconds: Double, until isDone: () -> Bool) -> Bool {
    if isDone() { return true }
    let deadline = pulse.pa_rtclock_now() + pa_usec_t(seconds * 1e6)
    let alarm = alarm(context, seconds: seconds, UnsafeMutableRawPointer(loop)) { _, _, _, loop in
      pulse.pa_threaded_mainloop_signal(OpaquePointer(loop!), 0)
    }
    defer { if let alarm { free(alarm: alarm) } }
    while !isDone() {
      if pulse.pa_rtclock_now() >= deadline { return false }
      pulse.pa_threaded_mainloop_wait(loop)
    }
    return true
  }

  /// Waits for an operation and lets it go.
  /// - Returns: Whether it came to its end in time.
  func finish(_ operation: OpaquePointer?, _ context: OpaquePointer, seconds: Double) -> Bool {
    guard let operation else { return false }
    defer { pulse.pa_operation_unref(operation) }
    let isDone = wait(context, seconds: seconds) { pulse.pa_operation_get_state(operation) != PA_OPERATION_RUNNING }
    if !isDone { pulse.pa_operation_cancel(operation) }
    return isDone && pulse.pa_operation_get_state(operation) == PA_OPERATION_DONE
  }

  /// Calls `body` after a while, unless the alarm is freed before.
  func alarm(
    _ context: OpaquePointer, seconds: Double, _ pointer: UnsafeMutableRawPointer, _ body: pa_time_event_cb_t
  ) -> OpaquePointer? {
    pulse.pa_context_rttime_new(context, pulse.pa_rtclock_now() + pa_usec_t(seconds * 1e6), body, pointer)
  }

  func free(alarm: OpaquePointer) { api.pointee.time_free(alarm) }

  /// A new context that is not connected yet.
  func makeContext() -> OpaquePointer? {
    let properties = pulse.pa_proplist_new()
    defer { pulse.pa_proplist_free(properties) }
    _ = pulse.pa_proplist_sets(properties, PA_PROP_APPLICATION_NAME, "Martlet")
    _ = pulse.pa_proplist_sets(properties, PA_PROP_APPLICATION_ID, "martlet")
    return pulse.pa_context_new_with_proplist(api, "Martlet", properties)
  }
}
