package import AudioModel
package import AudioOutput
internal import CoreAudioTypes
public import Foundation
package import GraphHost
internal import Platform
internal import RenderGraph

extension NSNotification.Name {
  /// A device of an engine is gone, or can't keep its format. The engine has stopped by then, with its connections as
  /// they were: connect anew what depends on the format, and start. Posted on a queue of its own; the object is the
  /// engine.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let AVAudioEngineConfigurationChange = NSNotification.Name(
    "AVAudioEngineConfigurationChangeNotification")
}

/// A graph of nodes, and the devices that it plays on and records from.
///
/// Attach nodes, connect them, start. The engine opens PulseAudio (also PipeWire's) or ALSA by itself when it starts, or
/// renders into the application's buffers (``enableManualRenderingMode(_:format:maximumFrameCount:)``).
///
/// Nodes may be attached, connected and detached while the engine runs: what sounds on goes on to the sample, what leaves
/// a mixer fades within 5 ms. Rates and channels are converted at the inputs of mixers and at the output, nowhere else.
///
/// Everything may be called from any thread.
public class AVAudioEngine: NSObject, @unchecked Sendable {
  enum RunState { case stopped, running, paused }
  struct ManualMode {
    var mode: AVAudioEngineManualRenderingMode
    var format: AVAudioFormat
    var maximum: AVAudioFrameCount
  }

  // Everything mutable is guarded by `lock`; what the control thread looks at has a lock of its own.
  let lock = NSRecursiveLock()
  var links: [EngineLink] = []
  var nodes: [AVAudioNode] = []
  var state = RunState.stopped
  var manualMode: ManualMode?
  var host: EngineHost?
  var renderer: GraphRenderer?
  var recording: EngineRecording?
  private var mixer: AVAudioMixerNode?
  private var input: AVAudioInputNode?
  private var deviceFormat: AVAudioFormat?
  private let end = AVAudioOutputNode()
  let pumped = Monitor<[AVAudioNode]>([])
  let manual = ManualRenderer()
  let session: StreamSession
  private let makeOutput: @Sendable () throws(AudioError) -> any OutputDevice
  let makeInput: @Sendable (_ target: String?) throws(AudioError) -> any InputDevice
  private let notices = DispatchQueue(label: "martlet.engine")
  private var quietSince: MonotonicTime?

  /// Makes an engine for the devices of this machine.
  public convenience override init() { self.init(output: "auto") }

  /// Makes an engine for an output of one's choice. An addition of Martlet's.
  /// - Parameter list: Names, tried in order: `auto`, `pulse[:SINK]`, `alsa[:PCM]`, `null` (a clock without sound),
  ///   `wav:FILE`. A name that is not known makes ``start()`` throw.
  public convenience init(output list: String) {
    self.init(
      session: .shared,
      output: { () throws(AudioError) in
        try SelectedOutput(list, among: SystemOutputs.registrations + [.null, .wav])
      },
      input: { target throws(AudioError) in try SelectedInput.make(target) })
  }

  /// Makes an engine with devices of one's own, for tests.
  package init(
    session: StreamSession, output: @escaping @Sendable () throws(AudioError) -> any OutputDevice,
    input: @escaping @Sendable (_ target: String?) throws(AudioError) -> any InputDevice
  ) {
    self.session = session
    makeOutput = output
    makeInput = input
    super.init()
    attach(end)
  }

  deinit {
    host?.stop()
    recording?.close()
    for node in nodes {
      node.owner = nil
      node.engineStopped()
    }
  }

  // MARK: The engine's own nodes

  /// The end of the graph.
  public var outputNode: AVAudioOutputNode { end }

  /// The microphone. Made on first access.
  public var inputNode: AVAudioInputNode {
    lock.withLock {
      if let input { return input }
      let fresh = AVAudioInputNode()
      input = fresh
      attach(fresh)
      return fresh
    }
  }

  /// A mixer in front of the output. Made on first access, and connected to the output then; its format follows the
  /// output's.
  public var mainMixerNode: AVAudioMixerNode {
    lock.withLock {
      if let mixer { return mixer }
      let fresh = AVAudioMixerNode()
      mixer = fresh
      attach(fresh)
      fresh.setOutputFormat(hardwareFormat, bus: 0)
      connect(fresh, to: end, format: nil)
      return fresh
    }
  }

  /// All nodes of the engine, its own included.
  public var attachedNodes: Set<AVAudioNode> { lock.withLock { Set(nodes) } }

  /// Whether it renders, or would if it were asked to.
  public var isRunning: Bool { lock.withLock { state == .running } }

  /// Lets the device rest after a second in which no node had anything to say; it goes on by itself. Default `false`.
  ///
  /// Differs: a node that a block makes sound in, and a microphone that is used, keep the device awake, since nobody knows
  /// when they have something to say.
  public var isAutoShutdownEnabled: Bool {
    get { settings.withLock { $0 } }
    set { settings.withLock { $0 = newValue } }
  }
  private let settings = Monitor(false)

  // MARK: Formats

  /// Format of the device, or of manual rendering.
  var hardwareFormat: AVAudioFormat {
    lock.withLock {
      if let manualMode { return manualMode.format }
      if let deviceFormat { return deviceFormat }
      var format = SystemOutputs.defaultFormat.map { AVAudioFormat($0) } ?? AVAudioNode.usualFormat
      if let rate = session.wishes.sampleRate, rate > 0,
        let wanted = AVAudioFormat(standardFormatWithSampleRate: rate, channels: min(2, format.channelCount))
      {
        format = wanted
      }
      deviceFormat = format
      return format
    }
  }

  /// Seconds that the device keeps frames before they are heard.
  var presentationLatency: TimeInterval {
    lock.withLock {
      guard let host else { return 0 }
      return Double(host.timing.pending) / hardwareFormat.sampleRate
    }
  }

  func adoptHardwareFormat(_ format: AVAudioFormat?) {
    deviceFormat = format
    guard let mixer else { return }
    mixer.setOutputFormat(hardwareFormat, bus: 0)
    mixer.refreshTaps()
  }

  // MARK: Running

  /// Gets ready, so that ``start()`` is quick. Optional; it makes the engine's own nodes.
  public func prepare() { _ = hardwareFormat }

  /// Opens the devices and begins to render, or goes on after ``pause()``.
  ///
  /// Differs: a device's change of rate or channels is no reason to stop, since the sound server converts; only a device
  /// that is lost for good posts a change of configuration.
  /// - Throws: Where nothing leads to the output or comes from the input, where no device works, and where units are
  ///   connected in formats that they can't have.
  public func start() throws {
    try lock.withLock {
      guard state != .running else { return }
      try checkConnections()
      if manualMode != nil {
        startManual()
      } else {
        do throws(AudioError) {
          try startDevice()
        } catch {
          closeDevices()
          throw EngineError.make(error)
        }
      }
      state = .running
    }
  }

  private func startDevice() throws(AudioError) {
    if state == .paused, let host {
      try host.start()
      recording?.resume()
      return
    }
    let isHeard = links.contains { $0.destination === end }
    if let input, links.contains(where: { $0.source === input }) || !input.taps.all.isEmpty {
      recording = try EngineRecording(
        input, session: session, onFailure: { [weak self] in self?.deviceFailed($0) }, make: makeInput)
      input.refreshTaps()
    }
    let wanted = hardwareFormat.pcmFormat
    let request = OutputRequest(
      format: wanted, latency: session.wishes.latency ?? StreamSession.usualLatency, maximumFrames: 4096,
      role: session.wishes.outputRole)
    // With nothing to be heard, a clock makes the sound of the microphone move on.
    let output = isHeard ? try makeOutput() : NullOutput()
    let fresh = try EngineHost(output: output, request: request, session: session, client: self) { format in
      if format != wanted { adoptHardwareFormat(AVAudioFormat(format)) }
      return describe(format, isSounding: false)
    }
    host = fresh
    renderer = fresh.renderer
    try recording?.start()
    try fresh.start()
  }

  private func startManual() {
    guard let manualMode else { return }
    let isOffline = manualMode.mode == .offline
    for node in nodes { node.setSynchronous(isOffline) }
    if renderer == nil {
      let format = manualMode.format.pcmFormat
      let fresh = GraphRenderer(
        describe(format, isSounding: false), maximumFrames: min(512, Int(manualMode.maximum)), isRealtime: false)
      renderer = fresh
      manual.install(
        ManualRenderer.Setup(
          fresh, format: manualMode.format, maximum: manualMode.maximum, input: input?.manualInput))
    }
    manual.setRunning(true)
  }

  /// Stops rendering, with everything as it is; ``start()`` goes on.
  public func pause() {
    lock.withLock {
      guard state == .running else { return }
      state = .paused
      host?.pause()
      recording?.pause()
      manual.setRunning(false)
    }
  }

  /// Stops rendering and closes the devices. Players stop, and the handlers of what they had are called; all times begin
  /// anew. Connections stay.
  public func stop() {
    let (host, present) = lock.withLock { () -> (EngineHost?, [AVAudioNode]) in
      state = .stopped
      manual.setRunning(false)
      manual.install(nil)
      manual.resetTime()
      defer { (self.host, renderer) = (nil, nil) }
      return (self.host, nodes)
    }
    // Outside the lock: the control thread may be waiting for it.
    host?.stop()
    lock.withLock {
      recording?.close()
      recording = nil
      if manualMode == nil { adoptHardwareFormat(nil) }
    }
    for node in present { node.engineStopped() }
  }

  private func closeDevices() {
    host?.stop()
    recording?.close()
    (host, renderer, recording) = (nil, nil, nil)
  }

  /// Resets all nodes: delay lines and tails are forgotten, and players drop what is scheduled.
  public func reset() { for node in lock.withLock({ nodes }) { node.reset() } }

  /// How render calls have kept to their time since the device was opened.
  package var renderFigures: RenderGate.Figures { lock.withLock { host?.figures } ?? RenderGate.Figures() }

  // MARK: For people

  /// Nodes and connections, for people.
  public override var description: String {
    lock.withLock {
      var text = "<AVAudioEngine: \(state)"
      for link in links {
        text += "\n  \(type(of: link.source)) output \(link.sourceBus) → \(type(of: link.destination)) "
        text += "input \(link.destinationBus), \(link.source.outputFormat(forBus: link.sourceBus))"
      }
      return text + ">"
    }
  }

  // MARK: The nodes' side

  /// The graph is another one: the renderer gets it.
  func graphChanged() {
    lock.withLock {
      pumped.withLock { $0 = nodes }
      guard let renderer, let format = rendererFormat else { return }
      renderer.install(describe(format, isSounding: state == .running && host != nil))
      host?.wake()
    }
  }

  private var rendererFormat: PCMFormat? { manualMode?.format.pcmFormat ?? deviceFormat?.pcmFormat }

  /// Lets a player's command take effect: at once where nothing renders, else soon.
  func settle(_ player: AVAudioPlayerNode) {
    let (host, state, isManual) = lock.withLock { (self.host, self.state, manualMode != nil) }
    if let host {
      if state == .running {
        wakeDevice()
        return host.wake()
      }
      _ = host.gate.withoutRendering { player.player.settle() }
      _ = player.pump(heard: host.timing.heard)
    } else {
      let isIdle = isManual ? manual.withoutRendering { player.player.settle() } : true
      if !isManual { player.player.settle() }
      if isIdle { _ = player.pump(heard: .max) }
    }
  }

  /// Lets a player that was detached call its handlers, as soon as the renderer has let go of it.
  func finish(_ player: AVAudioPlayerNode) {
    let isRendered = lock.withLock { host != nil && state == .running }
    guard isRendered else {
      if manual.withoutRendering({ player.player.settle() }) { _ = player.pump(heard: .max) }
      return
    }
    leaving.withLock { $0.append(player) }
    lock.withLock { host }?.wake()
  }
  private let leaving = Monitor<[AVAudioPlayerNode]>([])

  /// Ends a rest of the device.
  private func wakeDevice() {
    lock.withLock {
      guard quietSince != nil else { return }
      quietSince = nil
      if isResting { try? host?.start() }
      isResting = false
    }
  }
  private var isResting = false

  /// Lets the device rest where nobody has had anything to say for a second.
  private func restIfIdle(_ present: [AVAudioNode]) {
    guard isAutoShutdownEnabled, !present.contains(where: \.keepsRunning) else {
      return wakeDevice()
    }
    lock.withLock {
      guard let quietSince else { return self.quietSince = .now }
      guard !isResting, MonotonicTime.now.seconds(since: quietSince) > 1 else { return }
      isResting = true
      host?.pause()
    }
  }
}

extension AVAudioEngine: EngineHost.Client {
  package func pump(heard: Int64) -> Bool {
    let present = pumped.withLock { $0 }
    var isWaiting = false
    for node in present where node.pump(heard: heard) { isWaiting = true }
    restIfIdle(present)
    // Players that were detached fade for a moment, and what they had is over then.
    let gone = leaving.withLock { $0 }
    for player in gone where !player.pump(heard: .max) { leaving.withLock { $0.removeAll { $0 === player } } }
    return isWaiting || !gone.isEmpty
  }

  package func deviceFailed(_ error: AudioError) {
    notices.async { [weak self] in
      // Loudspeaker and microphone may go together, which is one change.
      guard let self, lock.withLock({ host != nil }) else { return }
      stop()
      NotificationCenter.default.post(name: .AVAudioEngineConfigurationChange, object: self)
    }
  }
}
