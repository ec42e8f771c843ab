internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Realtime

/// A stream that plays.
final class PulseStream: PulseClient {
  let source: any RenderSource
  private let events: OutputEventHandler
  private let request: OutputRequest

  private(set) var drain: OpaquePointer?
  var hasEnded = false
  private(set) var hasDrained = false

  var account = PulseAccount()
  /// How long drawing took, in seconds for each frame: the longest of late, forgotten by and by.
  private(set) var drawingTime = 0.0
  /// When the server's word on the latency last went into the account.
  private var observed: pa_usec_t = 0

  init(
    _ loop: PulseLoop, _ place: Place, _ request: OutputRequest, source: any RenderSource,
    events: @escaping OutputEventHandler
  ) {
    self.request = request
    self.source = source
    self.events = events
    super.init(loop, place, request.format)
  }

  static func from(_ pointer: UnsafeMutableRawPointer?) -> PulseStream {
    Unmanaged<PulseStream>.fromOpaque(pointer!).takeUnretainedValue()
  }

  func tell(_ event: OutputEvent) { if state != .closed { events(event) } }

  override func tell(_ news: News) {
    switch news {
    case .lost(let reason): tell(OutputEvent.lost(reason))
    case .restored: tell(OutputEvent.restored)
    case .failed(let error): tell(OutputEvent.failed(error))
    case .interrupted(let isNow): tell(OutputEvent.interrupted(isNow))
    case .routeChanged(let route): tell(OutputEvent.routeChanged(route))
    }
  }

  override var direction: PulseDirection { .output }
  override var label: (title: String, role: StreamRole) { (request.title, request.role) }

  // MARK: Control

  override func prepareToRun() {
    hasEnded = false
    hasDrained = false
    cancelDrain()
    fill()
  }

  override func prepareToContinue() { fill() }
  override var isIdle: Bool { hasDrained }

  var timing: OutputTiming {
    let latency = latency
    if latency != nil { observed = pulse.pa_rtclock_now() }
    return account.timing(latency: latency)
  }

  // MARK: The stream

  override func connect(_ stream: OpaquePointer, device: String?, flags: pa_stream_flags_t) -> Bool {
    account.beginStream()
    pulse.pa_stream_set_write_callback(stream, { PulseStream.from($2).fill() }, pointer)
    pulse.pa_stream_set_underflow_callback(stream, { PulseStream.from($1).underflowed() }, pointer)
    let latency = min(max(request.latency.isNaN ? 0 : request.latency, 0.005), 2)
    var attributes = pa_buffer_attr(
      maxlength: .max, tlength: UInt32(format.sampleRate.frames(latency)) * UInt32(frameBytes), prebuf: .max,
      minreq: .max, fragsize: .max)
    return pulse.pa_stream_connect_playback(stream, device, &attributes, flags, nil, nil) >= 0
  }

  override func release(_ stream: OpaquePointer) {
    cancelDrain()
    pulse.pa_stream_set_write_callback(stream, nil, nil)
    pulse.pa_stream_set_underflow_callback(stream, nil, nil)
  }

  override func streamWentAway() {
    // The stream can't be asked any more; since it last could, it has played on.
    if !isCorked { account.elapsed(format.sampleRate.frames(Double(pulse.pa_rtclock_now() - observed) / 1e6)) }
    let unheard = account.unheard
    let taken = unheard > 0 ? max(0, min(unheard, Int64(source.rewind(frames: Int(unheard))))) : 0
    account.lost(taken)
    if taken > 0 { hasEnded = false }
  }

  override func streamCameBack() {
    if hasEnded, !hasDrained { hasEnded = false }
    fill()
  }

  private func underflowed() { if isDrawing { tell(.underrun(frames: 0)) } }

  // MARK: Drawing

  var isDrawing: Bool { isRunning && !hasEnded }

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
}
