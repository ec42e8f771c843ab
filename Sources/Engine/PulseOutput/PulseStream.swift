internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Realtime

/// A connection to a server with one playback stream, through all losses. The loop's lock guards everything in it.
final class PulseStream {
  /// Where to play.
  struct Place {
    var server: String?
    var sink: String?
  }

  enum State { case connecting, ready, lost, closed }

  let loop: PulseLoop
  let place: Place
  let format: PCMFormat
  let source: any RenderSource
  let frameBytes: Int
  private let events: OutputEventHandler
  private let request: OutputRequest

  var state = State.connecting
  var context: OpaquePointer?
  var stream: OpaquePointer?
  var drain: OpaquePointer?
  var recovery = PulseRecovery()

  private(set) var hasStarted = false
  private var isPaused = false
  /// By another program's wish.
  private var isInterrupted = false
  private var isSuspended = false
  var hasEnded = false
  var hasDrained = false
  /// The server does not read what is queued.
  private(set) var isCorked = true

  var account = PulseAccount()
  /// How long drawing took, in seconds for each frame: the longest of late, forgotten by and by.
  private(set) var drawingTime = 0.0
  /// When the server's word on the latency last went into the account.
  private(set) var observed: pa_usec_t = 0

  init(
    _ loop: PulseLoop, _ place: Place, _ request: OutputRequest, source: any RenderSource,
    events: @escaping OutputEventHandler
  ) {
    self.loop = loop
    self.place = place
    self.request = request
    self.source = source
    self.events = events
    format = PulseFormat.nearest(request.format)
    frameBytes = format.channels * MemoryLayout<Float>.size
  }

  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func from(_ pointer: UnsafeMutableRawPointer?) -> PulseStream {
    Unmanaged<PulseStream>.fromOpaque(pointer!).takeUnretainedValue()
  }

  func tell(_ event: OutputEvent) { if state != .closed { events(event) } }

  // MARK: Control

  func open() throws(AudioError) {
    let connection = try PulseConnection(loop, server: place.server)
    context = connection.context
    do throws(AudioError) {
      if let sink = place.sink, try !connection.hasSink(sink) {
        throw AudioError(.noOutput, "PulseAudio has no sink named \(sink)")
      }
      guard makeStream(sink: place.sink), let stream else { throw failure(connection) }
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
    return AudioError(code, "PulseAudio plays no \(format): \(text(number))", detail: Int(number))
  }

  func resume() {
    hasStarted = true
    isPaused = false
    isInterrupted = false
    hasEnded = false
    hasDrained = false
    cancelDrain()
    fill()
    updateCork()
  }

  func pause() {
    isPaused = true
    updateCork()
  }

  var timing: OutputTiming {
    let latency = latency
    if latency != nil { observed = pulse.pa_rtclock_now() }
    return account.timing(latency: latency)
  }

  func close() {
    state = .closed
    disconnect()
    recovery.cancel(loop)
  }

  /// Corks or uncorks the stream, whichever is right now.
  func updateCork() {
    let wanted = !hasStarted || isPaused || isInterrupted || hasDrained
    guard state == .ready, let stream, wanted != isCorked else { return }
    isCorked = wanted
    discard(pulse.pa_stream_cork(stream, wanted ? 1 : 0, nil, nil))
  }

  /// Frames between the end of what was written and the ear; `nil` while the server has not said.
  var latency: Int64? {
    guard state == .ready, let stream else { return nil }
    var time: pa_usec_t = 0
    var isNegative: Int32 = 0
    guard pulse.pa_stream_get_latency(stream, &time, &isNegative) >= 0 else { return nil }
    return isNegative != 0 ? 0 : format.sampleRate.frames(Double(time) / 1e6)
  }

  // MARK: The stream

  /// Begins to make a stream, corked.
  func makeStream(sink: String?) -> Bool {
    guard let context else { return false }
    var specification = PulseFormat.specification(format)
    var map = PulseFormat.map(format.layout)
    let properties = pulse.pa_proplist_new()
    defer { pulse.pa_proplist_free(properties) }
    _ = pulse.pa_proplist_sets(properties, PA_PROP_MEDIA_NAME, request.title)
    _ = pulse.pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "music")
    stream = pulse.pa_stream_new_with_proplist(context, request.title, &specification, &map, properties)
    guard let stream else { return false }
    isCorked = true
    account.beginStream()
    setCallbacks(stream)
    let latency = min(max(request.latency.isNaN ? 0 : request.latency, 0.005), 2)
    var attributes = pa_buffer_attr(
      maxlength: .max, tlength: UInt32(format.sampleRate.frames(latency)) * UInt32(frameBytes), prebuf: .max,
      minreq: .max, fragsize: .max)
    let flags = pa_stream_flags_t(
      rawValue: PA_STREAM_START_CORKED.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
        | PA_STREAM_AUTO_TIMING_UPDATE.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue)
    return pulse.pa_stream_connect_playback(stream, sink, &attributes, flags, nil, nil) >= 0
  }

  private func setCallbacks(_ stream: OpaquePointer) {
    pulse.pa_stream_set_state_callback(stream, { PulseStream.from($1).stateChanged($0!) }, pointer)
    pulse.pa_stream_set_write_callback(stream, { PulseStream.from($2).fill() }, pointer)
    pulse.pa_stream_set_underflow_callback(stream, { PulseStream.from($1).underflowed() }, pointer)
    pulse.pa_stream_set_suspended_callback(stream, { PulseStream.from($1).suspended($0!) }, pointer)
    pulse.pa_stream_set_event_callback(stream, { PulseStream.from($3).eventCame($1) }, pointer)
  }

  private func stateChanged(_ stream: OpaquePointer) {
    switch pulse.pa_stream_get_state(stream) {
    case PA_STREAM_READY:
      let isRecovered = state == .lost
      state = .ready
      if isRecovered { recovered() }
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      streamFailed()
    default: break
    }
    loop.signal()
  }

  private func underflowed() { if isDrawing { tell(.underrun(frames: 0)) } }

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
    if !isNow { fill() }
    updateCork()
    tell(.interrupted(isNow))
  }

  // MARK: Drawing

  var isDrawing: Bool { hasStarted && !isPaused && !isInterrupted && !hasEnded && state == .ready }

  /// Draws as much as the server has room for.
  func fill() {
    guard isDrawing, let stream else { return }
    let writable = pulse.pa_stream_writable_size(stream)
    guard writable != .max else { return }
    var room = writable / frameBytes + Int(account.seek)
    let (begun, asked) = (pulse.pa_rtclock_now(), room)
    while room > 0, !hasEnded {
      var block: UnsafeMutableRawPointer?
      var size = min(room, request.maximumFrames) * frameBytes
      guard pulse.pa_stream_begin_write(stream, &block, &size) >= 0, let block, size >= frameBytes else { return }
      let wanted = min(size / frameBytes, room, request.maximumFrames)
      let delivered = max(0, min(wanted, source.render(block.assumingMemoryBound(to: Float.self), frames: wanted)))
      if delivered > 0 {
        write(stream, block, delivered)
        account.wrote(delivered)
      } else {
        _ = pulse.pa_stream_cancel_write(stream)
      }
      room -= delivered
      hasEnded = delivered < wanted
    }
    if asked > room {
      let seconds = Double(pulse.pa_rtclock_now() - begun) / 1e6
      drawingTime = max(seconds / Double(asked - room), drawingTime * 0.9)
    }
    if hasEnded { beginDrain(stream) }
    _ = timing
  }

  private func write(_ stream: OpaquePointer, _ block: UnsafeRawPointer, _ frames: Int) {
    let offset = -account.takeSeek() * Int64(frameBytes)
    _ = pulse.pa_stream_write(stream, block, frames * frameBytes, nil, offset, PA_SEEK_RELATIVE)
  }

  private func beginDrain(_ stream: OpaquePointer) {
    // What was withdrawn and not replaced is still in the server's buffer: silence covers it.
    let uncovered = Int(account.uncovered)
    if uncovered > 0 {
      let silence = [Float](repeating: 0, count: uncovered * format.channels)
      silence.withUnsafeBytes { write(stream, $0.baseAddress!, uncovered) }
      account.wrotePadding(uncovered)
    }
    cancelDrain()
    drain = pulse.pa_stream_drain(stream, { PulseStream.from($2).drained($1 != 0) }, pointer)
  }

  func cancelDrain() {
    guard let drain else { return }
    pulse.pa_operation_cancel(drain)
    pulse.pa_operation_unref(drain)
    self.drain = nil
  }

  private func drained(_ isSuccess: Bool) {
    cancelDrain()
    guard isSuccess, hasEnded, state == .ready else { return }
    hasDrained = true
    account.drained()
    updateCork()
    tell(.drained)
  }

  func discard(_ operation: OpaquePointer?) { if let operation { pulse.pa_operation_unref(operation) } }
}
