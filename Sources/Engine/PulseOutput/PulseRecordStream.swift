internal import AudioModel
internal import AudioOutput
internal import CPulse
internal import Realtime

/// A stream that records.
final class PulseRecordStream: PulseClient {
  private let sink: any CaptureSink
  private let events: InputEventHandler
  private let request: InputRequest
  private let maximumFrames: Int
  private let silence: UnsafeMutablePointer<Float>

  private var delivered: Int64 = 0
  /// When the last block was captured: two blocks never change places, whatever the server thinks of its latency.
  private var lastTime: Int64 = 0

  init(
    _ loop: PulseLoop, _ place: Place, _ request: InputRequest, sink: any CaptureSink,
    events: @escaping InputEventHandler
  ) {
    self.request = request
    self.sink = sink
    self.events = events
    maximumFrames = max(1, request.maximumFrames)
    let samples = maximumFrames * PulseFormat.nearest(request.format).channels
    silence = .allocate(capacity: samples)
    silence.initialize(repeating: 0, count: samples)
    super.init(loop, place, request.format)
  }

  deinit { silence.deallocate() }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> PulseRecordStream {
    Unmanaged<PulseRecordStream>.fromOpaque(pointer!).takeUnretainedValue()
  }

  func tell(_ event: InputEvent) { if state != .closed { events(event) } }

  override func tell(_ news: News) {
    switch news {
    case .lost(let reason): tell(InputEvent.lost(reason))
    case .restored: tell(InputEvent.restored)
    case .failed(let error): tell(InputEvent.failed(error))
    case .interrupted(let isNow): tell(InputEvent.interrupted(isNow))
    case .routeChanged(let route): tell(InputEvent.routeChanged(route))
    }
  }

  override var direction: PulseDirection { .input }
  override var label: (title: String, role: StreamRole) { (request.title, request.role) }

  var timing: InputTiming { InputTiming(delivered: delivered, latency: latency ?? 0) }

  override func connect(_ stream: OpaquePointer, device: String?, flags: pa_stream_flags_t) -> Bool {
    pulse.pa_stream_set_read_callback(stream, { PulseRecordStream.from($2).read($0!) }, pointer)
    pulse.pa_stream_set_overflow_callback(stream, { PulseRecordStream.from($1).overflowed() }, pointer)
    let latency = min(max(request.latency.isNaN ? 0 : request.latency, 0.002), 2)
    let fragment = max(1, format.sampleRate.frames(latency))
    var attributes = pa_buffer_attr(
      maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(fragment) * UInt32(frameBytes))
    return pulse.pa_stream_connect_record(stream, device, &attributes, flags) >= 0
  }

  override func release(_ stream: OpaquePointer) {
    pulse.pa_stream_set_read_callback(stream, nil, nil)
    pulse.pa_stream_set_overflow_callback(stream, nil, nil)
  }

  private func overflowed() { tell(.overrun(frames: 0)) }

  /// Delivers all there is, or drops it while nobody wants it: what was said then is not to come later.
  private func read(_ stream: OpaquePointer) {
    while true {
      var block: UnsafeRawPointer?
      var size = 0
      guard pulse.pa_stream_peek(stream, &block, &size) >= 0, size > 0 else { return }
      if isRunning { deliver(block, frames: size / frameBytes) }
      _ = pulse.pa_stream_drop(stream)
    }
  }

  /// - Parameter block: `nil` for a hole in the stream, which counts as silence.
  private func deliver(_ block: UnsafeRawPointer?, frames: Int) {
    let age = format.sampleRate.seconds(latency ?? Int64(frames))
    let start = Int64(pulse.pa_rtclock_now()) * 1000 - Int64(age * 1e9)
    var done = 0
    while done < frames {
      let count = min(maximumFrames, frames - done)
      let samples =
        block.map { ($0 + done * frameBytes).assumingMemoryBound(to: Float.self) } ?? UnsafePointer(silence)
      lastTime = max(lastTime, start + Int64(format.sampleRate.seconds(Int64(done)) * 1e9))
      sink.receive(samples, frames: count, at: CaptureTime(frame: delivered, hostNanoseconds: lastTime))
      delivered += Int64(count)
      done += count
    }
  }
}
