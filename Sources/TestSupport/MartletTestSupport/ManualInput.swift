public import AudioModel
public import AudioOutput
internal import Platform
public import Realtime

/// A microphone without thread and clock: one ``push(_:)`` is what it hears next.
///
/// The test calls `push`, `deliver` and reads; the code under test calls the rest. Its clock stands at zero until the
/// first frame and runs by the frames pushed, whether or not anybody takes them.
public final class ManualInput: InputDevice, Sendable {
  /// Where the device stands.
  public enum State: Hashable, Sendable { case closed, opened, capturing, paused }

  private struct Device {
    var state = State.closed
    var format: PCMFormat?
    var maximumFrames = 1
    var delivered: Int64 = 0
    var elapsed: Int64 = 0
  }

  private let accepted: PCMFormat?
  private let latency: Int64
  private let device = Monitor(Device())
  private let sink = Monitor<(any CaptureSink)?>(nil)
  private let events = Monitor<InputEventHandler?>(nil)

  /// Makes a device.
  /// - Parameters:
  ///   - format: The only format it can; `nil` takes any.
  ///   - latency: Frames that it says to have between microphone and delivery. Default 0.
  public init(format: PCMFormat? = nil, latency: Int64 = 0) {
    accepted = format
    self.latency = latency
  }

  // MARK: The test's side

  /// Where the device stands.
  public var state: State { device.withLock { $0.state } }
  /// The format that it was opened with.
  public var format: PCMFormat? { device.withLock { $0.format } }

  /// Hears interleaved samples, and delivers them if it captures: in several calls where there are more frames than
  /// the request's maximum.
  /// - Returns: The frames that were delivered.
  @discardableResult
  public func push(_ samples: [Float]) -> Int {
    device.withLock { device -> Int in
      guard let format = device.format, let sink = sink.withLock({ $0 }) else { return 0 }
      let frames = samples.count / format.channels
      defer { device.elapsed += Int64(frames) }
      guard device.state == .capturing else { return 0 }
      samples.withUnsafeBufferPointer { samples in
        guard let start = samples.baseAddress else { return }
        var done = 0
        while done < frames {
          let count = min(device.maximumFrames, frames - done)
          let seconds = format.sampleRate.seconds(device.elapsed + Int64(done) - latency)
          let time = CaptureTime(frame: device.delivered, hostNanoseconds: Int64((seconds * 1e9).rounded()))
          sink.receive(start + done * format.channels, frames: count, at: time)
          device.delivered += Int64(count)
          done += count
        }
      }
      return frames
    }
  }

  /// Tells an event, as if the device had met it.
  public func deliver(_ event: InputEvent) { events.withLock { $0 }?(event) }

  /// Waits until the device stands so, or the time is over.
  /// - Returns: Whether it does.
  public func wait(for state: State, seconds: Double = 10) -> Bool {
    device.wait(until: MonotonicTime.now.advanced(bySeconds: seconds)) { $0.state == state ? true : nil } ?? false
  }

  // MARK: The device's side

  public func open(
    _ request: InputRequest, sink: any CaptureSink, events: @escaping InputEventHandler
  ) throws(AudioError) -> PCMFormat {
    self.sink.withLock { $0 = sink }
    self.events.withLock { $0 = events }
    let format = accepted ?? request.format
    device.signal {
      $0 = Device()
      $0.state = .opened
      $0.format = format
      $0.maximumFrames = max(1, request.maximumFrames)
    }
    return format
  }

  public func start() throws(AudioError) { resume() }
  public func pause() { device.signal { if $0.state == .capturing { $0.state = .paused } } }
  public func resume() { device.signal { if $0.state != .closed { $0.state = .capturing } } }
  public var timing: InputTiming { device.withLock { InputTiming(delivered: $0.delivered, latency: latency) } }

  public func close() {
    device.signal { $0.state = .closed }
    sink.withLock { $0 = nil }
    events.withLock { $0 = nil }
  }
}
