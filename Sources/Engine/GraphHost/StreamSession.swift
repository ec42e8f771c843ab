package import AudioOutput
internal import Platform

/// What an application asks of all its streams, and what happens to them: what is called a session elsewhere.
///
/// Whoever opens a stream reads the wishes first, and reports what the sound server does to it.
package final class StreamSession: Sendable {
  /// What is asked of streams that are opened from now on.
  package struct Wishes: Hashable, Sendable {
    /// What the sound that is played is for.
    package var outputRole = StreamRole.music
    /// What the sound that is recorded is for.
    package var inputRole = StreamRole.production
    /// How long a frame should wait in the device, in seconds; `nil` leaves it to the engine.
    package var latency: Double?
    /// Hertz of the device side; `nil` leaves it to the device.
    package var sampleRate: Double?
    /// The microphone, as a target of the automatic input; `nil` is the server's default.
    package var inputTarget: String?
  }

  /// What happened.
  package enum Event: Hashable, Sendable {
    /// The first stream was silenced by another program or the system, or the last was given back.
    case interrupted(Bool)
    /// A stream goes on at another device.
    case routeChanged(AudioRoute)
  }

  private struct State {
    var wishes = Wishes()
    var interrupted: Set<ObjectIdentifier> = []
    var observer: (@Sendable (Event) -> Void)?
  }

  /// How long a frame waits in the device where nobody asks for anything else, in seconds.
  package static let usualLatency = 0.05

  /// The session of this process.
  package static let shared = StreamSession()

  private let state = Monitor(State())

  /// Makes a session: one of its own, for tests.
  package init() {}

  /// What is asked of streams.
  package var wishes: Wishes {
    get { state.withLock { $0.wishes } }
    set { state.withLock { $0.wishes = newValue } }
  }

  /// Whether a stream is silenced now.
  package var isInterrupted: Bool { state.withLock { !$0.interrupted.isEmpty } }

  /// Who hears of events, on the thread that reports them; it returns at once. There is one.
  package func observe(_ body: (@Sendable (Event) -> Void)?) { state.withLock { $0.observer = body } }

  /// Reports what happened to a stream that plays.
  package func report(_ event: OutputEvent, from stream: AnyObject) {
    switch event {
    case .interrupted(let isNow): interrupt(stream, isNow)
    case .routeChanged(let route): tell(.routeChanged(route))
    case .failed: interrupt(stream, false)
    default: break
    }
  }

  /// Reports what happened to a stream that records.
  package func report(_ event: InputEvent, from stream: AnyObject) {
    switch event {
    case .interrupted(let isNow): interrupt(stream, isNow)
    case .routeChanged(let route): tell(.routeChanged(route))
    case .failed: interrupt(stream, false)
    default: break
    }
  }

  /// The stream is closed: what silenced it matters no more.
  package func forget(_ stream: AnyObject) { interrupt(stream, false) }

  private func interrupt(_ stream: AnyObject, _ isNow: Bool) {
    let isNews = state.withLock { state -> Bool in
      let wasInterrupted = !state.interrupted.isEmpty
      if isNow {
        state.interrupted.insert(ObjectIdentifier(stream))
      } else {
        state.interrupted.remove(ObjectIdentifier(stream))
      }
      return wasInterrupted == state.interrupted.isEmpty
    }
    if isNews { tell(.interrupted(isNow)) }
  }

  private func tell(_ event: Event) { state.withLock { $0.observer }?(event) }
}
