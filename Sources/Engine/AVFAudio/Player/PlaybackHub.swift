internal import Foundation
internal import Platform

/// One engine for many players: one stream of the sound server, however many sounds there are, and one clock for all.
///
/// The engine runs while any of them plays.
package final class PlaybackHub: @unchecked Sendable {
  /// The hub of all players that are given none.
  package static let shared = PlaybackHub(AVAudioEngine())

  private struct State {
    /// Those that play.
    var playing: Set<ObjectIdentifier> = []
    var listeners: [ObjectIdentifier: @Sendable (_ isBack: Bool) -> Void] = [:]
  }

  // An engine's methods may be called from any thread; the observation is set once, in `init`.
  private let engine: AVAudioEngine
  private let state = Monitor(State())
  private var observation: (any NSObjectProtocol)?

  /// Makes a hub.
  /// - Parameter engine: Where the players are mixed; it belongs to the hub from now on.
  package init(_ engine: AVAudioEngine) {
    self.engine = engine
    observation = NotificationCenter.default.addObserver(
      forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
    ) { [weak self] _ in self?.engineChanged() }
  }

  deinit { if let observation { NotificationCenter.default.removeObserver(observation) } }

  /// Brings a player's node into the engine, or gives it another way to the mixer.
  /// - Parameters:
  ///   - unit: What may stand on its way.
  ///   - passesUnit: Whether it does.
  ///   - onChange: Called on another thread where the engine had to stop, which empties the nodes: whether it runs again.
  func attach(
    _ node: AVAudioPlayerNode, _ unit: AVAudioUnit, passesUnit: Bool, format: AVAudioFormat,
    onChange: @escaping @Sendable (_ isBack: Bool) -> Void
  ) {
    let mixer = engine.mainMixerNode
    let target = passesUnit ? unit : mixer
    if node.engine == nil { engine.attach(node) }
    if passesUnit, unit.engine == nil { engine.attach(unit) }
    if engine.outputConnectionPoints(for: node, outputBus: 0).first?.node !== target {
      if passesUnit { engine.connect(unit, to: mixer, format: format) }
      engine.connect(node, to: target, format: format)
      if !passesUnit, unit.engine != nil { engine.disconnectNodeOutput(unit) }
    }
    state.withLock { $0.listeners[ObjectIdentifier(node)] = onChange }
  }

  /// Whether what a unit makes is heard.
  func isHeard(_ unit: AVAudioUnit) -> Bool {
    engine.isRunning && !engine.outputConnectionPoints(for: unit, outputBus: 0).isEmpty
  }

  /// Takes it out.
  func detach(_ node: AVAudioPlayerNode, through unit: AVAudioUnit) {
    rest(node)
    state.withLock { _ = $0.listeners.removeValue(forKey: ObjectIdentifier(node)) }
    if node.engine === engine { engine.detach(node) }
    if unit.engine === engine { engine.detach(unit) }
  }

  /// Gets ready to start quickly.
  func prepare() { if !engine.isRunning { engine.prepare() } }

  /// Lets the engine run, for this node at least.
  /// - Throws: What ``AVAudioEngine/start()`` does where there is no device.
  func run(_ node: AVAudioPlayerNode) throws {
    try engine.start()
    state.withLock { _ = $0.playing.insert(ObjectIdentifier(node)) }
  }

  /// Lets the engine rest if no other node needs it.
  func rest(_ node: AVAudioPlayerNode) {
    let isLast = state.withLock { $0.playing.remove(ObjectIdentifier(node)) != nil && $0.playing.isEmpty }
    if isLast { engine.pause() }
  }

  /// Whether the engine runs. While it does not, what nodes let go was not heard.
  var isRunning: Bool { engine.isRunning }

  /// The engine has stopped: the device changed, or is gone.
  private func engineChanged() {
    let (isNeeded, listeners) = state.withLock { (!$0.playing.isEmpty, $0.listeners) }
    guard isNeeded else { return }
    let isBack = (try? engine.start()) != nil
    for listener in listeners.values { listener(isBack) }
  }
}
