public import AudioModel
public import AudioOutput
internal import Platform
public import Realtime

/// Recording from ALSA.
///
/// Overflows: tells `overrun` and goes on. Wakes with the system. A device that vanishes is looked for after 0.1, 0.2,
/// 0.5, 1, 2, 2, … seconds, for a minute.
public final class ALSAInput: InputDevice, @unchecked Sendable {
  // What both threads touch is behind `monitor`; the rest belongs to the control thread.
  private let name: String
  private let configuration: String?
  private let samples: [ALSASample]
  private let monitor = Monitor<ALSARecorder?>(nil)
  private var thread: NamedThread?
  private var events: InputEventHandler = { _ in }
  private var lastTiming = InputTiming(delivered: 0, latency: 0)

  /// Makes an input.
  /// - Parameter pcm: The PCM's name, as `arecord -L` lists it. Default `default`.
  public init(pcm: String = "default") {
    name = pcm
    configuration = nil
    samples = ALSASample.allCases
  }

  /// For tests.
  /// - Parameters:
  ///   - pcm: The PCM's name.
  ///   - configuration: A configuration of its own, in the words of `asound.conf`.
  ///   - integerBytes: Take only integers of so many bytes, 2…4; `nil` takes what the device can.
  package init(pcm: String, configuration: String? = nil, integerBytes: Int? = nil) {
    name = pcm
    self.configuration = configuration
    samples = ALSASample.allCases.filter { integerBytes == nil || $0 != .f32 && $0.bytes == integerBytes }
  }

  public func open(
    _ request: InputRequest, sink: any CaptureSink, events: @escaping InputEventHandler
  ) throws(AudioError) -> PCMFormat {
    // The buffer is larger than what is wanted to wait in it: a late thread is to lose nothing.
    let latency = 4 * min(max(request.latency.isNaN ? 0 : request.latency, 0.005), 0.5)
    let maximum = max(1, request.maximumFrames)
    let open: @Sendable () throws(AudioError) -> ALSAPCM = { [name, configuration, samples] () throws(AudioError) in
      try ALSAPCM(
        .recording, name, configuration, request.format, latency: latency, samples: samples, maximumFrames: maximum)
    }
    let pcm = try open()
    let format = pcm.format
    let recorder = ALSARecorder(pcm, maximumFrames: maximum, sink: sink, reopen: open)
    monitor.withLock { $0 = recorder }
    self.events = events
    return format
  }

  public func start() throws(AudioError) {
    change { $0.resume() }
    guard thread == nil else { return }
    thread = NamedThread("martlet-device") { [self] in run() }
  }

  public func pause() { change { $0.pause() } }
  public func resume() { change { $0.resume() } }
  public var timing: InputTiming { monitor.withLock { $0?.timing() } ?? lastTiming }

  public func close() {
    lastTiming = timing
    guard monitor.withLock({ $0?.close() ?? false }) else { return }
    change { _ in }
    thread?.join()
    monitor.withLock { recorder in
      if let recorder { lastTiming.delivered = recorder.timing().delivered }
      recorder = nil
    }
    events = { _ in }
  }

  private func change(_ body: (ALSARecorder) -> Void) {
    monitor.signal { recorder in
      guard let recorder else { return }
      body(recorder)
      recorder.isChanged = true
    }
  }

  private func run() {
    CurrentThread.flushDenormals()
    CurrentThread.requestRealtimePriority()
    while true {
      switch monitor.withLock({ $0?.next(at: .now) ?? .stop }) {
      case .tell(let event): events(event)
      case .wait(let deadline): monitor.wait(until: deadline) { $0?.takeChange() }
      case .again: continue
      case .stop: return
      }
    }
  }
}

extension InputRegistration {
  /// `alsa`, `alsa:PCM`.
  public static let alsa = InputRegistration(
    name: "alsa", summary: "ALSA: alsa[:PCM]", isAutomatic: true,
    make: { target throws(AudioError) in
      if target == "" { throw AudioError(.usage, "The input alsa: lacks the name of a PCM") }
      return ALSAInput(pcm: target ?? "default")
    },
    devices: { ALSAInput.devices() })
}

extension ALSAInput {
  /// The PCMs that the library's configuration names for recording.
  public static func devices() -> [InputDescription] {
    // No direction is both.
    ALSAPCM.list(where: { $0 != "Output" }).map {
      InputDescription(
        route: AudioRoute(target: $0.name, summary: $0.summary, kind: .other), isDefault: $0.name == "default")
    }
  }
}
