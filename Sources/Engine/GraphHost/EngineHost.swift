package import AudioModel
package import AudioOutput
internal import Platform
package import RenderGraph

/// Joins a graph to the devices: opens them, renders, and lets the control side work at intervals.
///
/// All methods belong to one thread at a time, the engine's. ``Client`` is called on a thread of the host's.
package final class EngineHost: @unchecked Sendable {
  /// What is told of a host that renders on a device.
  package protocol Client: AnyObject, Sendable {
    /// Looks at what was rendered.
    /// - Parameter heard: Frames of the output that were heard so far.
    /// - Returns: Whether something waits that should be looked at soon.
    func pump(heard: Int64) -> Bool
    /// The device is gone for good, or its format can't be kept. Called once; the host is to be stopped.
    func deviceFailed(_ error: AudioError)
  }

  /// Times between two looks, in seconds: while something waits, and otherwise.
  private static let intervals = (busy: 0.01, idle: 0.1)

  private struct Loop {
    var wantsLook = false
    var isEnding = false
    var failure: AudioError?
    var underruns = 0
    var allUnderruns = 0
  }

  /// What is rendered.
  package let renderer: GraphRenderer
  /// Guards the renderer while a device draws.
  package let gate: RenderGate
  private let output: any OutputDevice
  private let session: StreamSession
  private let loop = Monitor(Loop())
  private weak var client: (any Client)?
  private var thread: NamedThread?
  private var isStarted = false

  /// Opens a device and prepares to render on it. Nothing sounds yet.
  /// - Parameters:
  ///   - output: The device, not open yet.
  ///   - request: What is wanted of it.
  ///   - graph: Makes the graph for the format that the device takes.
  ///   - client: Who is called; not kept alive.
  /// - Throws: 5xxx.
  package init(
    output: any OutputDevice, request: OutputRequest, session: StreamSession, client: any Client,
    graph: (PCMFormat) -> GraphDescription
  ) throws(AudioError) {
    self.output = output
    self.session = session
    self.client = client
    // The device's format is known once it is open, and it wants its source before: the gate comes in between.
    let slot = SourceSlot()
    let loop = loop
    let format = try output.open(request, source: slot) { [weak output] event in
      if let output { session.report(event, from: output) }
      loop.signal { loop in
        switch event {
        case .failed(let error): loop.failure = error
        case .underrun:
          loop.underruns += 1
          loop.allUnderruns += 1
        default: break
        }
        loop.wantsLook = true
      }
    }
    renderer = GraphRenderer(graph(format), maximumFrames: 512, isRealtime: true)
    gate = RenderGate(renderer, channels: format.channels, rate: format.sampleRate.hertz)
    slot.fill(gate)
  }

  deinit { stop() }

  /// Begins to draw, or goes on after ``pause()``.
  package func start() throws(AudioError) {
    guard !isStarted else { return output.resume() }
    try output.start()
    isStarted = true
    thread = NamedThread("martlet-graph") { [weak self, loop, gate, renderer, output, weak client] in
      while true {
        let isEnding = loop.withLock { $0.isEnding }
        if isEnding { return }
        // In this order: what was rendered by the time asked for has been told of by then.
        let heard = output.timing.heard
        let isBusy = client?.pump(heard: heard) ?? false
        let isFading = renderer.tick()
        Self.report(loop, gate, client)
        guard self != nil else { return }
        let pause = isBusy || isFading ? Self.intervals.busy : Self.intervals.idle
        _ = loop.wait(until: .now.advanced(bySeconds: pause)) { loop -> Bool? in
          guard loop.isEnding || loop.wantsLook else { return nil }
          loop.wantsLook = false
          return true
        }
      }
    }
  }

  /// The device stands still, with what is queued.
  package func pause() { output.pause() }

  /// Closes the device. No call of the client is running or comes later, unless it is the client that calls.
  package func stop() {
    guard
      loop.signal({ loop -> Bool in
        defer { loop.isEnding = true }
        return !loop.isEnding
      })
    else { return }
    output.close()
    session.forget(output)
    if let thread, !thread.isCurrent { thread.join() }
  }

  /// Something was commanded: the client is called soon.
  package func wake() { loop.signal { $0.wantsLook = true } }

  /// Asks the device to let go what is queued, so that a command is heard soon. Frames let go are not heard.
  package func withdraw() { output.withdraw() }

  /// How render calls have kept to their time so far.
  package var figures: RenderGate.Figures {
    var figures = gate.figures
    figures.underruns = loop.withLock { $0.allUnderruns }
    return figures
  }

  /// How far the device is.
  package var timing: OutputTiming { output.timing }

  private static func report(_ loop: Monitor<Loop>, _ gate: RenderGate, _ client: (any Client)?) {
    let (underruns, failure) = loop.withLock { loop in
      defer {
        loop.underruns = 0
        loop.failure = nil
      }
      return (loop.underruns, loop.failure)
    }
    let lateness = gate.takeLateness()
    if underruns > 0 { HostLog.underruns(underruns, lateness: lateness, longestRender: gate.takeLongest()) }
    if let failure { client?.deviceFailed(failure) }
  }
}
