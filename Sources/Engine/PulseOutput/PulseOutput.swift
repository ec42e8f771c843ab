public import AudioModel
public import AudioOutput
internal import CPulse
public import Realtime

/// PulseAudio, and PipeWire through its PulseAudio socket.
///
/// Never starts a server. When the server restarts or the sink goes away, it tells `lost`, takes back what was not
/// heard, and looks for a server again after 0.1, 0.2, 0.5, 1, 2, 2, … seconds, for a minute; then `restored`, or
/// `failed`. A named sink that is gone is then replaced by the server's default.
public final class PulseOutput: OutputDevice, @unchecked Sendable {
  // `stream` is set by `open` and `close` on the control thread; what is in it, the loop's lock guards.
  private let sink: String?
  private let server: String?
  private let patience: Double
  private var loop: PulseLoop?
  private var stream: PulseStream?
  private var lastTiming = OutputTiming(rendered: 0, pending: 0)

  /// Makes an output.
  /// - Parameters:
  ///   - sink: The sink's name; `nil` is the server's default.
  ///   - server: Where the server is, in PulseAudio's notation; `nil` looks at `PULSE_SERVER`, the user's
  ///     configuration and the usual places.
  public convenience init(sink: String? = nil, server: String? = nil) {
    self.init(sink: sink, server: server, patience: PulseRecovery.usualPatience)
  }

  /// - Parameter patience: How long a server that is gone is looked for, in seconds.
  package init(sink: String? = nil, server: String?, patience: Double) {
    self.sink = sink
    self.server = server
    self.patience = patience
  }

  public func open(
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat {
    precondition(stream == nil, "an output is opened once")
    let loop = try PulseLoop()
    let place = PulseClient.Place(server: server, device: sink, patience: patience)
    let stream = PulseStream(loop, place, request, source: source, events: events)
    try loop.locked { () throws(AudioError) in try stream.open() }
    self.loop = loop
    self.stream = stream
    return stream.format
  }

  public func start() throws(AudioError) { locked { $0.resume() } }
  public func pause() { locked { $0.pause() } }
  public func resume() { locked { $0.resume() } }
  public func withdraw() { locked { $0.withdraw() } }

  public var timing: OutputTiming {
    locked { $0.timing } ?? lastTiming
  }

  public func close() {
    locked {
      lastTiming = $0.timing
      $0.close()
    }
    // The thread ends before the stream goes, which its callbacks point to.
    loop?.stop()
    loop = nil
    stream = nil
  }

  deinit { close() }

  @discardableResult
  private func locked<Result>(_ body: (PulseStream) -> Result) -> Result? {
    guard let loop, let stream else { return nil }
    return loop.locked { body(stream) }
  }
}

extension OutputRegistration {
  /// `pulse`, `pulse:SINK`.
  public static let pulse = OutputRegistration(
    name: "pulse", summary: "PulseAudio, or PipeWire in its place: pulse[:SINK]", isAutomatic: true,
    make: { target throws(AudioError) in
      if target == "" { throw AudioError(.usage, "The output pulse: lacks the name of a sink") }
      return PulseOutput(sink: target)
    },
    devices: { PulseOutput.devices() })
}

extension PulseOutput {
  /// The sinks of a server; empty where there is none. Takes five seconds at most.
  public static func devices(server: String? = nil) -> [OutputDescription] {
    guard let loop = try? PulseLoop() else { return [] }
    return loop.locked {
      guard let connection = try? PulseConnection(loop, server: server) else { return [] }
      defer { connection.close() }
      guard let answer = connection.everything() else { return [] }
      let routes = answer.routes
      return routes.outputs.map {
        OutputDescription(
          target: $0.route.target, summary: $0.route.summary, isDefault: $0.route.target == routes.defaultOutput,
          format: $0.route.format)
      }
    }
  }
}
