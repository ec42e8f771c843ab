public import AudioModel
public import AudioOutput
internal import Platform
public import Realtime

/// ALSA.
///
/// Runs dry: tells `underrun` and goes on. Wakes with the system. A device that vanishes is looked for after 0.1, 0.2,
/// 0.5, 1, 2, 2, … seconds, for a minute. Where the device can't pause, what is queued is dropped and taken back.
public final class ALSAOutput: OutputDevice, @unchecked Sendable {
  // What both threads touch is behind `monitor`; the rest belongs to the control thread.
  private let name: String
  private let configuration: String?
  private let samples: [ALSASample]
  private let monitor = Monitor<ALSAPlayer?>(nil)
  private var thread: NamedThread?
  private var events: OutputEventHandler = { _ in }
  private var lastTiming = OutputTiming(rendered: 0, pending: 0)

  /// Makes an output.
  /// - Parameter pcm: The PCM's name, as `aplay -L` lists it. Default `default`.
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
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat {
    let latency = min(max(request.latency.isNaN ? 0 : request.latency, 0.005), 2)
    let maximum = max(1, request.maximumFrames)
    let open: @Sendable () throws(AudioError) -> ALSAPCM = { [name, configuration, samples] () throws(AudioError) in
      try ALSAPCM(
        .playing, name, configuration, request.format, latency: latency, samples: samples, maximumFrames: maximum)
    }
    let pcm = try open()
    let format = pcm.format
    let player = ALSAPlayer(pcm, maximumFrames: maximum, source: source, reopen: open)
    monitor.withLock { $0 = player }
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
  public func withdraw() { change { $0.withdraw() } }
  public var timing: OutputTiming { monitor.withLock { $0?.timing() } ?? lastTiming }

  public func close() {
    lastTiming = timing
    guard monitor.withLock({ $0?.close() ?? false }) else { return }
    change { _ in }
    thread?.join()
    monitor.withLock { $0 = nil }
    events = { _ in }
  }

  private func change(_ body: (ALSAPlayer) -> Void) {
    monitor.signal { player in
      guard let player else { return }
      body(player)
      player.isChanged = true
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

extension OutputRegistration {
  /// `alsa`, `alsa:PCM`.
  public static let alsa = OutputRegistration(
    name: "alsa", summary: "ALSA: alsa[:PCM]", isAutomatic: true,
    make: { target throws(AudioError) in
      if target == "" { throw AudioError(.usage, "The output alsa: lacks the name of a PCM") }
      return ALSAOutput(pcm: target ?? "default")
    },
    devices: { ALSAOutput.devices() })
}

extension ALSAOutput {
  /// The PCMs that the library's configuration names for playing.
  public static func devices() -> [OutputDescription] {
    // No direction is both.
    ALSAPCM.list(where: { $0 != "Input" }).map {
      OutputDescription(target: $0.name, summary: $0.summary, isDefault: $0.name == "default", format: nil)
    }
  }
}
