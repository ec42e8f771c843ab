internal import AudioModel
internal import AudioOutput
internal import CPulse

/// A connection to a server with one stream, through all losses. The loop's lock guards everything in it.
///
/// What is the same for playing and for recording; a subclass is one of them.
class PulseClient {
  /// Which device of which server.
  struct Place {
    var server: String?
    var device: String?
    /// How long a server that is gone is looked for, in seconds.
    var patience: Double
  }

  enum State { case connecting, ready, lost, closed }

  /// What both kinds of stream tell.
  enum News {
    case lost(String)
    case restored
    case failed(AudioError)
    case interrupted(Bool)
    case routeChanged(AudioRoute)
  }

  let loop: PulseLoop
  let place: Place
  let format: PCMFormat
  let frameBytes: Int

  private(set) var state = State.connecting
  private(set) var context: OpaquePointer?
  private(set) var stream: OpaquePointer?
  private var recovery = PulseRecovery()
  /// Under way: which device the stream has moved to.
  private var question: OpaquePointer?

  private(set) var hasStarted = false
  private(set) var isPaused = false
  /// By another program's wish.
  private(set) var isInterrupted = false
  private var isSuspended = false
  /// The server moves no frames.
  private(set) var isCorked = true

  init(_ loop: PulseLoop, _ place: Place, _ format: PCMFormat) {
    self.loop = loop
    self.place = place
    self.format = PulseFormat.nearest(format)
    frameBytes = self.format.channels * MemoryLayout<Float>.size
  }

  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  // MARK: For a subclass

  /// Whether the stream plays or records.
  var direction: PulseDirection { preconditionFailure("a subclass says so") }
  /// Tells its owner.
  func tell(_ news: News) {}
  /// Connects a new stream, corked. Answers whether it is under way.
  func connect(_ stream: OpaquePointer, device: String?, flags: pa_stream_flags_t) -> Bool { false }
  /// What the server shows of the stream, and what it is for.
  var label: (title: String, role: StreamRole) { ("", .music) }
  /// The stream is to be uncorked next, if nothing else holds it.
  func prepareToRun() {}
  /// The stream has nothing to do.
  var isIdle: Bool { false }
  /// The stream is gone.
  func streamWentAway() {}
  /// There is a new stream.
  func streamCameBack() {}
  /// Lets go what hangs on the stream besides its callbacks.
  func release(_ stream: OpaquePointer) {}

  // MARK: Control

  func open() throws(AudioError) {
    let connection = try PulseConnection(loop, server: place.server)
    context = connection.context
    do throws(AudioError) {
      if let device = place.device, try !connection.has(direction, device) {
        throw AudioError(.noOutput, "PulseAudio has no \(direction.noun) named \(device)")
      }
      guard makeStream(device: place.device), let stream else { throw failure(connection) }
      let isAnswered = loop.wait(connection.context, seconds: PulseConnection.patience) {
        pulse.pa_stream_get_state(stream) != PA_STREAM_CREATING
      }
      guard isAnswered, state == .ready else { throw failure(connection) }
    } catch {
      close()
      throw error
    }
    watchContext()
  }

  private func failure(_ connection: PulseConnection) -> AudioError {
    let number = pulse.pa_context_errno(connection.context)
    let code: AudioError.Code =
      number == PA_ERR_INVALID.rawValue || number == PA_ERR_NOTSUPPORTED.rawValue ? .outputFormat : .noOutput
    return AudioError(code, "PulseAudio \(direction.verb) no \(format): \(text(number))", detail: Int(number))
  }

  func resume() {
    hasStarted = true
    isPaused = false
    isInterrupted = false
    prepareToRun()
    updateCork()
  }

  func pause() {
    isPaused = true
    updateCork()
  }

  func close() {
    state = .closed
    disconnect()
    recovery.cancel(loop)
  }

  /// It has been started, and neither its owner nor another program wants it to stand still.
  var isRunning: Bool { hasStarted && !isPaused && !isInterrupted && state == .ready }

  /// Corks or uncorks the stream, whichever is right now.
  func updateCork() {
    let wanted = !hasStarted || isPaused || isInterrupted || isIdle
    guard state == .ready, let stream, wanted != isCorked else { return }
    isCorked = wanted
    discard(pulse.pa_stream_cork(stream, wanted ? 1 : 0, nil, nil))
  }

  /// Frames between the stream's end here and the ear or the microphone; `nil` while the server has not said.
  var latency: Int64? {
    guard state == .ready, let stream else { return nil }
    var time: pa_usec_t = 0
    var isNegative: Int32 = 0
    guard pulse.pa_stream_get_latency(stream, &time, &isNegative) >= 0 else { return nil }
    return isNegative != 0 ? 0 : format.sampleRate.frames(Double(time) / 1e6)
  }

  func discard(_ operation: OpaquePointer?) { if let operation { pulse.pa_operation_unref(operation) } }

  // MARK: The stream

  private func makeStream(device: String?) -> Bool {
    guard let context else { return false }
    var specification = PulseFormat.specification(format)
    var map = PulseFormat.map(format.layout)
    let properties = pulse.pa_proplist_new()
    defer { pulse.pa_proplist_free(properties) }
    _ = pulse.pa_proplist_sets(properties, PA_PROP_MEDIA_NAME, label.title)
    _ = pulse.pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, label.role.rawValue)
    stream = pulse.pa_stream_new_with_proplist(context, label.title, &specification, &map, properties)
    guard let stream else { return false }
    isCorked = true
    setCallbacks(stream)
    let flags = pa_stream_flags_t(
      rawValue: PA_STREAM_START_CORKED.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
        | PA_STREAM_AUTO_TIMING_UPDATE.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue)
    return connect(stream, device: device, flags: flags)
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> PulseClient {
    Unmanaged<PulseClient>.fromOpaque(pointer!).takeUnretainedValue()
  }

  private func setCallbacks(_ stream: OpaquePointer) {
    pulse.pa_stream_set_state_callback(stream, { PulseClient.from($1).stateChanged($0!) }, pointer)
    pulse.pa_stream_set_suspended_callback(stream, { PulseClient.from($1).suspended($0!) }, pointer)
    pulse.pa_stream_set_event_callback(stream, { PulseClient.from($3).eventCame($1) }, pointer)
    pulse.pa_stream_set_moved_callback(stream, { PulseClient.from($1).moved($0!) }, pointer)
  }

  private func stateChanged(_ stream: OpaquePointer) {
    switch pulse.pa_stream_get_state(stream) {
    case PA_STREAM_READY:
      let isRecovered = state == .lost
      state = .ready
      if isRecovered { recovered() }
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      lose("The sound server ended the stream")
    default: break
    }
    loop.signal()
  }

  private func suspended(_ stream: OpaquePointer) {
    let isNow = pulse.pa_stream_is_suspended(stream) == 1
    guard isNow != isSuspended, !isNow || !isCorked else { return }
    isSuspended = isNow
    tell(.interrupted(isNow))
  }

  private func eventCame(_ name: UnsafePointer<CChar>?) {
    let name = name.map { String(cString: $0) }
    guard name == PA_STREAM_EVENT_REQUEST_CORK || name == PA_STREAM_EVENT_REQUEST_UNCORK else { return }
    let isNow = name == PA_STREAM_EVENT_REQUEST_CORK
    guard isNow != isInterrupted else { return }
    isInterrupted = isNow
    if !isNow { prepareToContinue() }
    updateCork()
    tell(.interrupted(isNow))
  }

  /// Another program gives the stream back.
  func prepareToContinue() {}

  /// The server took the stream to another device: asks which.
  private func moved(_ stream: OpaquePointer) {
    guard let context else { return }
    forgetQuestion()
    let index = pulse.pa_stream_get_device_index(stream)
    switch direction {
    case .output:
      question = pulse.pa_context_get_sink_info_by_index(
        context, index, { PulseClient.from($3).cameTo($1.flatMap { PulseRoute.route($0.pointee) }) }, pointer)
    case .input:
      question = pulse.pa_context_get_source_info_by_index(
        context, index, { PulseClient.from($3).cameTo($1.flatMap { PulseRoute.route($0.pointee) }) }, pointer)
    }
  }

  private func cameTo(_ route: AudioRoute?) { if let route { tell(.routeChanged(route)) } }

  private func forgetQuestion() {
    guard let question else { return }
    pulse.pa_operation_cancel(question)
    pulse.pa_operation_unref(question)
    self.question = nil
  }

  // MARK: Losses

  /// Hears of the context's end from now on.
  private func watchContext() {
    guard let context else { return }
    pulse.pa_context_set_state_callback(context, { PulseClient.from($1).contextChanged($0!) }, pointer)
  }

  private func contextChanged(_ context: OpaquePointer) {
    switch pulse.pa_context_get_state(context) {
    case PA_CONTEXT_READY:
      if state == .lost, !makeStream(device: recovery.takesAnyDevice ? nil : place.device) { prepareNextTry() }
    case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
      lose("The sound server is gone: \(text(pulse.pa_context_errno(context)))")
    default: break
    }
  }

  /// The server or the device went away, or a try to get it back failed.
  private func lose(_ reason: String) {
    switch state {
    case .connecting, .closed: return
    case .lost: return prepareNextTry()
    case .ready: break
    }
    streamWentAway()
    state = .lost
    recovery.begin(patience: place.patience)
    tell(.lost(reason))
    prepareNextTry()
    loop.signal()
  }

  /// Not to be done in a callback of what is let go, hence the alarm.
  private func prepareNextTry() {
    guard let context else { return }
    if let stream { pulse.pa_stream_set_state_callback(stream, nil, nil) }
    pulse.pa_context_set_state_callback(context, nil, nil)
    recovery.schedule(loop, context, pointer) { PulseClient.from($3).tryAgain() }
  }

  private func tryAgain() {
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
  private func recovered() {
    recovery.cancel(loop)
    tell(.restored)
    streamCameBack()
    updateCork()
  }

  /// Lets the stream and the connection go.
  private func disconnect() {
    forgetQuestion()
    if let stream {
      release(stream)
      pulse.pa_stream_set_state_callback(stream, nil, nil)
      pulse.pa_stream_set_suspended_callback(stream, nil, nil)
      pulse.pa_stream_set_event_callback(stream, nil, nil)
      pulse.pa_stream_set_moved_callback(stream, nil, nil)
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
