public import AudioOutput
internal import CPulse
internal import Platform

/// The devices of a PulseAudio server, or of PipeWire in its place, and their changes.
///
/// It has a thread of its own that sleeps but for changes. Without a server it looks for one after 0.2, 0.5, 1, 2, 5, 5, …
/// seconds.
public final class PulseRouteWatch: RouteWatch {
  private struct State {
    var routes = AudioRoutes()
    /// The server told of a change.
    var isStale = false
    var isLost = false
    var isClosed = false
    /// The first answer, or none, is there.
    var isKnown = false
  }

  /// How long it waits before it looks for a server again, and for a first answer at the beginning, in seconds.
  private static let delays = [0.2, 0.5, 1, 2, 5]
  private static let patience = 1.0

  private let state = Monitor(State())
  private let server: String?
  private let onChange: @Sendable (AudioRoutes) -> Void
  private let thread = Monitor<NamedThread?>(nil)

  /// Begins to watch; returns once it is known what is there, or that there is no server, or after a second.
  /// - Parameters:
  ///   - server: Where the server is; `nil` as ``PulseOutput/init(sink:server:)`` says.
  ///   - onChange: Hears of changes, on the watch's thread. The first state is none.
  public init(server: String? = nil, onChange: @escaping @Sendable (AudioRoutes) -> Void) {
    self.server = server
    self.onChange = onChange
    let state = state
    let worker = Worker(state: state, server: server, onChange: onChange)
    thread.withLock { $0 = NamedThread("martlet-routes") { worker.run() } }
    state.wait(until: MonotonicTime.now.advanced(bySeconds: Self.patience)) { $0.isKnown ? () : nil }
  }

  deinit { close() }

  public var routes: AudioRoutes { state.withLock { $0.routes } }

  public func close() {
    state.signal { $0.isClosed = true }
    thread.withLock { thread in
      // Its own thread may be the one to let it go.
      if let thread, !thread.isCurrent { thread.join() }
      thread = nil
    }
  }

  /// What the thread does; it knows nothing of the watch, which can go while it runs.
  private struct Worker: Sendable {
    let state: Monitor<State>
    let server: String?
    let onChange: @Sendable (AudioRoutes) -> Void

    func run() {
      var attempts = 0
      while !state.withLock({ $0.isClosed }) {
        state.withLock {
          $0.isLost = false
          $0.isStale = false
        }
        if let loop = try? PulseLoop(isRealtime: false) {
          if watch(loop) { attempts = 0 }
          loop.stop()
        }
        publish(AudioRoutes())
        let delay = PulseRouteWatch.delays[min(attempts, PulseRouteWatch.delays.count - 1)]
        attempts += 1
        state.wait(until: MonotonicTime.now.advanced(bySeconds: delay)) { $0.isClosed ? () : nil }
      }
    }

    /// Stays with one server until it is gone, or nobody wants to know any more.
    /// - Returns: Whether there was one.
    private func watch(_ loop: PulseLoop) -> Bool {
      guard let connection = loop.locked({ try? PulseConnection(loop, server: server) }) else { return false }
      let pointer = Unmanaged.passUnretained(state).toOpaque()
      loop.locked { connection.subscribe(pointer, changed: Self.changed, ended: Self.ended) }
      while let answer = loop.locked({ connection.everything() }) {
        publish(answer.routes)
        let goesOn = state.wait { state -> Bool? in
          guard state.isStale || state.isLost || state.isClosed else { return nil }
          state.isStale = false
          return !state.isLost && !state.isClosed
        }
        if goesOn != true { break }
      }
      loop.locked { connection.close() }
      return true
    }

    private func publish(_ routes: AudioRoutes) {
      let isNews = state.signal { state -> Bool in
        let isNews = state.isKnown && state.routes != routes && !state.isClosed
        state.isKnown = true
        state.routes = routes
        return isNews
      }
      if isNews { onChange(routes) }
    }

    private static let changed: pa_context_subscribe_cb_t = { _, _, _, state in
      Unmanaged<Monitor<State>>.fromOpaque(state!).takeUnretainedValue().signal { $0.isStale = true }
    }

    private static let ended: pa_context_notify_cb_t = { context, state in
      guard PA_CONTEXT_IS_GOOD(pulse.pa_context_get_state(context!)) == 0 else { return }
      Unmanaged<Monitor<State>>.fromOpaque(state!).takeUnretainedValue().signal { $0.isLost = true }
    }
  }
}
