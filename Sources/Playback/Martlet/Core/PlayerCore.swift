internal import AudioModel
internal import AudioOutput
internal import Platform
internal import Synchronization

/// The player's front desk: takes messages from any thread, lets one control thread work on them in order, and
/// publishes the snapshot and the events that come of it.
final class PlayerCore: Sendable {
  private struct Inbox {
    var messages: [Message] = []
    var isClosing = false
  }

  private struct Audience {
    var snapshot = PlayerSnapshot()
    var observers: [(id: Int, handler: @Sendable (PlayerEvent?) -> Void)] = []
    var nextObserver = 0
    var isClosed = false
  }

  private let inbox = Monitor(Inbox())
  private let audience: Monitor<Audience>
  private let nextItem = Atomic<Int>(1)
  private let thread: Monitor<NamedThread?> = Monitor(nil)
  private let hasEnded = Monitor(false)
  private let clock: PlayerClock

  init(output: any OutputDevice, configuration: PlayerConfiguration, clock: PlayerClock) {
    self.clock = clock
    var first = PlayerSnapshot()
    first.volume = configuration.volume
    first.effects = configuration.effects.clamped
    audience = Monitor(Audience(snapshot: first))
    let control = NamedThread("martlet-control") { [self] in
      let session = PlayerSession(
        output: output, configuration: configuration, clock: clock,
        post: { [weak self] in self?.post($0) }, emit: { [weak self] in self?.emit($0) })
      run(session)
    }
    thread.withLock { $0 = control }
  }

  var snapshot: PlayerSnapshot { audience.withLock { $0.snapshot } }

  // MARK: Messages

  func post(_ message: Message) {
    inbox.signal { if !$0.isClosing { $0.messages.append(message) } }
  }

  func append(_ item: PlayerItem) -> Int {
    let id = nextItem.wrappingAdd(1, ordering: .relaxed).oldValue
    post(.append(id: id, item))
    return id
  }

  func enqueue(_ command: PlayerCommand, completion: (@Sendable (Result<Void, AudioError>) -> Void)?) {
    let isAccepted = inbox.signal { box in
      if !box.isClosing { box.messages.append(.command(command, completion: completion)) }
      return !box.isClosing
    }
    if !isAccepted { completion?(.failure(AudioError(.cancelled, "the player is closed"))) }
  }

  func performAndWait(_ command: PlayerCommand) -> Result<Void, AudioError> {
    let answer = Monitor<Result<Void, AudioError>?>(nil)
    enqueue(command) { result in answer.signal { $0 = result } }
    return answer.wait { $0 } ?? .failure(AudioError(.cancelled, "the player is closed"))
  }

  /// Lets the control thread look at the device, and waits until everything posted before is done and told.
  func settle() {
    let isDone = Monitor(false)
    let isAccepted = inbox.signal { box in
      if !box.isClosing { box.messages.append(.poke { isDone.signal { $0 = true } }) }
      return !box.isClosing
    }
    if isAccepted { _ = isDone.wait { $0 ? true : nil } }
  }

  /// Ends the control thread. From inside an event handler it can't be waited for; it ends right after.
  func shutDown(wait: Bool) {
    inbox.signal { $0.isClosing = true }
    guard wait else { return }
    if let control = thread.withLock({ $0 }), !control.isCurrent {
      _ = hasEnded.wait { $0 ? true : nil }
    }
  }

  // MARK: Events

  func observe(_ handler: @escaping @Sendable (PlayerEvent?) -> Void) -> Int {
    let (id, isClosed) = audience.withLock { audience in
      audience.nextObserver += 1
      if !audience.isClosed { audience.observers.append((audience.nextObserver, handler)) }
      return (audience.nextObserver, audience.isClosed)
    }
    if isClosed { handler(nil) }
    return id
  }

  func removeObserver(_ id: Int) {
    audience.withLock { $0.observers.removeAll { $0.id == id } }
  }

  private func emit(_ event: PlayerEvent) {
    // Handlers run outside the lock: they may ask for the snapshot, give commands, or end their observation.
    for observer in audience.withLock({ $0.observers }) { observer.handler(event) }
  }

  // MARK: The control thread

  private func run(_ session: PlayerSession) {
    while true {
      let deadline = clock.isRunning ? session.nextDeadline : nil
      let (messages, isClosing) =
        inbox.wait(until: deadline) { box -> ([Message], Bool)? in
          guard !box.messages.isEmpty || box.isClosing else { return nil }
          defer { box.messages.removeAll(keepingCapacity: true) }
          return (box.messages, box.isClosing)
        } ?? ([], false)
      var replies: [@Sendable () -> Void] = []
      for message in messages {
        let result = session.handle(message)
        switch message {
        case .command(_, let completion?): replies.append { completion(result) }
        case .poke(let completion): replies.append(completion)
        default: break
        }
      }
      if isClosing {
        session.close()
      } else {
        session.tick()
      }
      let snapshot = session.snapshot
      audience.withLock { $0.snapshot = snapshot }
      session.emitPending()
      for reply in replies { reply() }
      if isClosing { break }
    }
    let observers = audience.withLock { audience in
      audience.isClosed = true
      defer { audience.observers = [] }
      return audience.observers
    }
    for observer in observers { observer.handler(nil) }
    hasEnded.signal { $0 = true }
  }
}
