package import AudioOutput
public import Foundation
package import GraphHost
internal import Platform

/// What an application wants of the machine's audio, and what happens to it.
///
/// What it means on Linux:
/// - Category and mode become the role of streams that are opened from then on (`media.role`, such as `music`, `phone`).
///   Sound servers choose devices by it, and silence streams by it: PulseAudio with `module-role-cork`.
/// - Streams that the server silences and gives back are interruptions: ``interruptionNotification``. They go on by
///   themselves; nothing has to be started again, and starting does no harm.
/// - A change of the server's default devices is a change of route: ``routeChangeNotification``.
/// - Activation takes nothing and refuses nothing: many programs sound at once, and the server mixes them.
///
/// Everything may be called from any thread. Notifications come on a thread of their own, one after the other, from the
/// first time on that the session is activated or asked about its route.
public final class AVAudioSession: NSObject, Sendable {
  private static let shared = AVAudioSession(streams: .shared) { DefaultInputs.watch($0) }

  /// The session of this process.
  public class func sharedInstance() -> AVAudioSession { shared }

  typealias Watch = @Sendable (_ onChange: @escaping @Sendable (AudioRoutes) -> Void) -> (any RouteWatch)?

  struct State {
    var category = Category.soloAmbient
    var mode = Mode.default
    var options: CategoryOptions = []
    var policy = RouteSharingPolicy.default
    var isActive = false
    var preferredSampleRate = 0.0
    var preferredIOBufferDuration = 0.0
    var preferredInput: AVAudioSessionPortDescription?
    var watch: (any RouteWatch)?
    /// Somebody is opening the watch, or has done so.
    var isAsked = false
    var isKnown = false
    /// As it was when it was last told of.
    var routes = AudioRoutes()
  }

  let streams: StreamSession
  let state = Monitor(State())
  private let openWatch: Watch
  private let queue = DispatchQueue(label: "martlet.session")

  /// Makes a session.
  /// - Parameters:
  ///   - streams: What it controls.
  ///   - watch: Who knows of devices.
  package init(
    streams: StreamSession,
    watch: @escaping @Sendable (@escaping @Sendable (AudioRoutes) -> Void) -> (any RouteWatch)?
  ) {
    self.streams = streams
    openWatch = watch
    super.init()
    streams.observe { [weak self] in self?.streamsTold($0) }
  }

  deinit { state.withLock { $0.watch }?.close() }

  // MARK: Activation

  /// Activates the session, or lets it rest.
  ///
  /// On Linux it begins to watch the devices. Engines and players run whether or not it is active, and no other program
  /// is silenced or told to go on but by the sound server's own rules.
  public func setActive(_ active: Bool, options: SetActiveOptions = []) throws {
    state.withLock { $0.isActive = active }
    if active { _ = routes }
  }

  // MARK: Devices

  /// The devices as they are now. Begins to watch them.
  var routes: AudioRoutes {
    let isFirst = state.withLock { state -> Bool in
      defer { state.isAsked = true }
      return !state.isAsked
    }
    if isFirst {
      let watch = openWatch { [weak self] in self?.routesChanged($0) }
      let known = watch?.routes ?? AudioRoutes()
      state.signal {
        $0.watch = watch
        $0.routes = known
        $0.isKnown = true
      }
    }
    let watch = state.wait { $0.isKnown ? .some($0.watch) : nil }
    return watch??.routes ?? AudioRoutes()
  }

  private func routesChanged(_ routes: AudioRoutes) {
    queue.async { [weak self] in self?.tell(of: routes) }
  }

  private func tell(of routes: AudioRoutes) {
    let (old, category, preferred) = state.withLock { state in
      defer { state.routes = routes }
      return (state.routes, state.category, state.preferredInput?.uid)
    }
    let isLost = routes == AudioRoutes()
    if isLost != (old == AudioRoutes()) {
      post(isLost ? Self.mediaServicesWereLostNotification : Self.mediaServicesWereResetNotification)
    }
    let change = SessionRouteChange(from: old, to: routes, category: category, preferredInput: preferred)
    guard let reason = change.reason else { return }
    post(reason, previous: change.previousRoute)
  }

  // MARK: Notifications

  /// The sound server silenced a stream, or gave it back; `userInfo` has ``AVAudioSessionInterruptionTypeKey``. That an
  /// interruption ended comes with ``InterruptionOptions/shouldResume``. It stands for all streams: it begins with the
  /// first that is silenced and ends with the last that is given back.
  public class var interruptionNotification: NSNotification.Name { .init("AVAudioSessionInterruptionNotification") }
  /// The route changed; `userInfo` has ``AVAudioSessionRouteChangeReasonKey`` and
  /// ``AVAudioSessionRouteChangePreviousRouteKey``.
  public class var routeChangeNotification: NSNotification.Name { .init("AVAudioSessionRouteChangeNotification") }
  /// The sound server is gone. Engines wait for it to come back.
  public class var mediaServicesWereLostNotification: NSNotification.Name {
    .init("AVAudioSessionMediaServicesWereLostNotification")
  }
  /// The sound server is back. Nothing has to be made anew.
  public class var mediaServicesWereResetNotification: NSNotification.Name {
    .init("AVAudioSessionMediaServicesWereResetNotification")
  }

  private func streamsTold(_ event: StreamSession.Event) {
    guard case .interrupted(let isNow) = event else { return }
    queue.async { [weak self] in
      self?.post(
        Self.interruptionNotification,
        isNow
          ? [
            AVAudioSessionInterruptionTypeKey: InterruptionType.began.rawValue,
            AVAudioSessionInterruptionReasonKey: InterruptionReason.default.rawValue,
          ]
          : [
            AVAudioSessionInterruptionTypeKey: InterruptionType.ended.rawValue,
            AVAudioSessionInterruptionOptionKey: InterruptionOptions.shouldResume.rawValue,
          ])
    }
  }

  /// Tells later, on the notifications' thread, that the application itself changed the route.
  func postLater(_ reason: RouteChangeReason, previous: AVAudioSessionRouteDescription) {
    queue.async { [weak self] in self?.post(reason, previous: previous) }
  }

  private func post(_ reason: RouteChangeReason, previous: AVAudioSessionRouteDescription) {
    post(
      Self.routeChangeNotification,
      [
        AVAudioSessionRouteChangeReasonKey: reason.rawValue,
        AVAudioSessionRouteChangePreviousRouteKey: previous,
      ])
  }

  private func post(_ name: NSNotification.Name, _ userInfo: [String: Any] = [:]) {
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }
}
