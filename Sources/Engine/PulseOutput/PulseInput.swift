public import AudioModel
public import AudioOutput
internal import CPulse
public import Realtime

/// Recording from PulseAudio, and from PipeWire through its PulseAudio socket.
///
/// Never starts a server. When the server restarts or the source goes away, it tells `lost` and looks for a server again
/// after 0.1, 0.2, 0.5, 1, 2, 2, … seconds, for a minute; then `restored`, or `failed`. A named source that is gone is
/// then replaced by the server's default. A server without a microphone may offer the monitor of a sink as its default.
public final class PulseInput: InputDevice, @unchecked Sendable {
  // `stream` is set by `open` and `close` on the control thread; what is in it, the loop's lock guards.
  private let source: String?
  private let server: String?
  private let patience: Double
  private var loop: PulseLoop?
  private var stream: PulseRecordStream?
  private var lastTiming = InputTiming(delivered: 0, latency: 0)

  /// Makes an input.
  /// - Parameters:
  ///   - source: The source's name, `SINK.monitor` for what a sink plays; `nil` is the server's default.
  ///   - server: Where the server is, in PulseAudio's notation; `nil` looks at `PULSE_SERVER`, the user's
  ///     configuration and the usual places.
  public convenience init(source: String? = nil, server: String? = nil) {
    self.init(source: source, server: server, patience: PulseRecovery.usualPatience)
  }

  /// - Parameter patience: How long a server that is gone is looked for, in seconds.
  package init(source: String? = nil, server: String?, patience: Double) {
    self.source = source
    self.server = server
    self.patience = patience
  }

  public func open(
    _ request: InputRequest, sink: any CaptureSink, events: @escaping InputEventHandler
  ) throws(AudioError) -> PCMFormat {
    precondition(stream == nil, "an input is opened once")
    let loop = try PulseLoop()
    let place = PulseClient.Place(server: server, device: source, patience: patience)
    let stream = PulseRecordStream(loop, place, request, sink: sink, events: events)
    try loop.locked { () throws(AudioError) in try stream.open() }
    self.loop = loop
    self.stream = stream
    return stream.format
  }

  public func start() throws(AudioError) { locked { $0.resume() } }
  public func pause() { locked { $0.pause() } }
  public func resume() { locked { $0.resume() } }
  public var timing: InputTiming { locked { $0.timing } ?? lastTiming }

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
  private func locked<Result>(_ body: (PulseRecordStream) -> Result) -> Result? {
    guard let loop, let stream else { return nil }
    return loop.locked { body(stream) }
  }
}

extension InputRegistration {
  /// `pulse`, `pulse:SOURCE`.
  public static let pulse = InputRegistration(
    name: "pulse", summary: "PulseAudio, or PipeWire in its place: pulse[:SOURCE]", isAutomatic: true,
    make: { target throws(AudioError) in
      if target == "" { throw AudioError(.usage, "The input pulse: lacks the name of a source") }
      return PulseInput(source: target)
    },
    devices: { PulseInput.devices() })
}

extension PulseInput {
  /// The sources of a server, monitors of sinks among them; empty where there is none. Takes six seconds at most.
  public static func devices(server: String? = nil) -> [InputDescription] {
    guard let loop = try? PulseLoop() else { return [] }
    return loop.locked {
      guard let connection = try? PulseConnection(loop, server: server) else { return [] }
      defer { connection.close() }
      guard let answer = connection.everything() else { return [] }
      let routes = answer.routes
      return routes.inputs.map {
        InputDescription(route: $0.route, isDefault: $0.route.target == routes.defaultInput)
      }
    }
  }
}
