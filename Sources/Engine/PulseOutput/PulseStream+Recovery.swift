internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Realtime

/// When to look for a server that is gone.
struct PulseRecovery {
  /// How long it looks, in seconds.
  static let patience = 60.0
  private static let delays = [0.1, 0.2, 0.5, 1, 2]
  private var attempts = 0
  private var deadline: pa_usec_t = 0
  private var alarm: OpaquePointer?

  mutating func begin() {
    attempts = 0
    deadline = pulse.pa_rtclock_now() + pa_usec_t(Self.patience * 1e6)
  }

  var isHopeless: Bool { pulse.pa_rtclock_now() >= deadline }
  /// Two tries were for the sink that was named.
  var takesAnySink: Bool { attempts > 2 }

  mutating func schedule(_ stream: PulseStream, _ context: OpaquePointer) {
    cancel(stream.loop)
    let delay = Self.delays[min(attempts, Self.delays.count - 1)]
    attempts += 1
    alarm = stream.loop.alarm(context, seconds: delay, stream.pointer) { PulseStream.from($3).tryAgain() }
  }

  mutating func cancel(_ loop: PulseLoop) {
    if let alarm { loop.free(alarm: alarm) }
    alarm = nil
  }
}

extension PulseStream {
  /// Hears of the context's end from now on.
  func watchContext() {
    guard let context else { return }
    pulse.pa_context_set_state_callback(context, { PulseStream.from($1).contextChanged($0!) }, pointer)
  }

  private func contextChanged(_ context: OpaquePointer) {
    switch pulse.pa_context_get_state(context) {
    case PA_CONTEXT_READY:
      if state == .lost, !makeStream(sink: recovery.takesAnySink ? nil : place.sink) { prepareNextTry() }
    case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
      lose("The sound server is gone: \(text(pulse.pa_context_errno(context)))")
    default: break
    }
  }

  func streamFailed() {
    lose("The sound server ended the stream")
  }

  /// The server or the sink went away, or a try to get it back failed.
  private func lose(_ reason: String) {
    switch state {
    case .connecting, .closed: return
    case .lost: return prepareNextTry()
    case .ready: break
    }
    // The stream can't be asked any more; since it last could, it has played on.
    if !isCorked { account.elapsed(format.sampleRate.frames(Double(pulse.pa_rtclock_now() - observed) / 1e6)) }
    let unheard = account.unheard
    let taken = unheard > 0 ? max(0, min(unheard, Int64(source.rewind(frames: Int(unheard))))) : 0
    account.lost(taken)
    if taken > 0 { hasEnded = false }
    state = .lost
    recovery.begin()
    tell(.lost(reason))
    prepareNextTry()
    loop.signal()
  }

  /// Not to be done in a callback of what is let go, hence the alarm.
  private func prepareNextTry() {
    guard let context else { return }
    if let stream { pulse.pa_stream_set_state_callback(stream, nil, nil) }
    pulse.pa_context_set_state_callback(context, nil, nil)
    recovery.schedule(self, context)
  }

  func tryAgain() {
    guard state == .lost else { return }
    recovery.cancel(loop)
    disconnect()
    if recovery.isHopeless {
      tell(.failed(AudioError(.outputLost, "The sound server did not come back")))
      return close()
    }
    context = loop.makeContext()
    guard let context else { return }
    watchContext()
    if pulse.pa_context_connect(context, place.server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0 { prepareNextTry() }
  }

  /// The new stream is there.
  func recovered() {
    recovery.cancel(loop)
    tell(.restored)
    if hasEnded, !hasDrained { hasEnded = false }
    fill()
    updateCork()
  }

  /// Lets the stream and the connection go.
  func disconnect() {
    cancelDrain()
    if let stream {
      pulse.pa_stream_set_state_callback(stream, nil, nil)
      pulse.pa_stream_set_write_callback(stream, nil, nil)
      pulse.pa_stream_set_underflow_callback(stream, nil, nil)
      pulse.pa_stream_set_suspended_callback(stream, nil, nil)
      pulse.pa_stream_set_event_callback(stream, nil, nil)
      _ = pulse.pa_stream_disconnect(stream)
      pulse.pa_stream_unref(stream)
    }
    if let context {
      pulse.pa_context_set_state_callback(context, nil, nil)
      pulse.pa_context_disconnect(context)
      pulse.pa_context_unref(context)
    }
    stream = nil
    context = nil
  }
}
