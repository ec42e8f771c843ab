internal import AudioModel
internal import ByteSource
internal import AudioOutput
internal import Platform
internal import PlaybackLogic
internal import RenderGraph

/// Everything a player knows and decides. Belongs to the control thread: no locks, no waiting, no decoding.
///
/// The extensions hold its parts: commands, the workers' reports, the device's progress.
final class PlayerSession {
  /// A buffer that is being filled and is to be heard as soon as it holds enough.
  struct Pending {
    /// Where the listener was, and where the seek goes, in seconds; `nil` when it is no seek.
    var seek: (from: Double, requested: Double)?
    /// The frame of the item to begin with; `nil` is its start.
    var mediaFrame: Int64?
    /// When it was asked for.
    var since: MonotonicTime
    /// Its first frame must not be ramped: nothing sounds before it.
    var startsClean: Bool
    /// It was handed to the render path.
    var isHandedOver = false
    /// ``PlayerEvent/Kind/seeked(_:)`` was sent: the player is paused, and nobody will hear the target soon.
    var isReported = false
  }

  let configuration: PlayerConfiguration
  let output: any OutputDevice
  let clock: PlayerClock
  let post: @Sendable (Message) -> Void
  let birth: MonotonicTime
  private let emit: (PlayerEvent) -> Void
  private var pendingEvents: [PlayerEvent] = []

  var queue: [QueueItem] = []
  /// Place in the queue of the item that is heard, or is about to be.
  var current: Int?
  /// Place in the queue of the item that is being decoded; at or behind `current`.
  var decoding: Int?
  var transport = Transport()
  var publishedState = PlayerState.idle
  var failure: AudioError?
  var anythingPlayed = false

  var renderer: Renderer?
  var outputFormat: PCMFormat?
  var isOutputStarted = false
  /// The device was told to stand still.
  var isOutputPaused = false
  var hasDrained = false
  let port = RenderPort()
  var buffer: StreamBuffer?
  var generation = 0
  /// The buffer whose last frame was rendered: render calls come back short until another one is given.
  var finishedGeneration: Int?
  var isInterrupted = false
  var pending: Pending?
  var afterStarvation = false
  var starvedAt: Int64?

  var timeline = Timeline()
  var ledger = Ledger()
  /// Output frames accounted for.
  var heard: Int64 = 0

  var volume: Decibels
  var isMuted = false
  var effects: EffectSettings
  var levels: [Float] = []
  var lastReport: MonotonicTime
  var statistics = PlayerStatistics()
  var receivedBefore: Int64 = 0

  init(
    output: any OutputDevice, configuration: PlayerConfiguration, clock: PlayerClock,
    post: @escaping @Sendable (Message) -> Void, emit: @escaping (PlayerEvent) -> Void
  ) {
    self.output = output
    self.configuration = configuration
    self.clock = clock
    self.post = post
    self.emit = emit
    volume = configuration.volume
    effects = configuration.effects.clamped
    birth = clock.now()
    lastReport = birth
  }

  // MARK: Events

  /// Notes an event; it is sent when the snapshot shows what it tells.
  func tell(_ kind: PlayerEvent.Kind) {
    pendingEvents.append(PlayerEvent(time: clock.now().seconds(since: birth), kind: kind))
  }

  func emitPending() {
    let events = pendingEvents
    pendingEvents.removeAll(keepingCapacity: true)
    for event in events { emit(event) }
  }

  /// Tells of the transport's state if it is another one.
  func publishState() {
    let state = PlayerState(transport.state)
    guard state != publishedState else { return }
    let previous = publishedState
    publishedState = state
    tell(.state(state, previous: previous))
  }

  // MARK: What is known

  var currentItem: QueueItem? { current.map { queue[$0] } }

  func item(_ id: Int) -> QueueItem? { queue.first { $0.id == id } }

  func index(of id: Int) -> Int? { queue.firstIndex { $0.id == id } }

  /// Seconds of what is heard of the current item; the target while a seek is pending.
  var position: Double {
    if let seek = pending?.seek { return seek.requested }
    guard let item = currentItem else { return 0 }
    if item.isFinished, let position = item.finalPosition { return position }
    guard let place = ledger.place, place.item == item.id, let rate = item.facts?.format.sampleRate else {
      return item.hasStarted ? 0 : item.item.start
    }
    return rate.seconds(place.mediaFrame)
  }

  /// Seconds that are decoded and not heard.
  var bufferedAhead: Double {
    guard let buffer, pending == nil || pending?.isHandedOver == true else { return 0 }
    let heardFrame = timeline.mark(at: heard).map { mark in
      mark.generation == buffer.generation
        ? mark.streamFrame(at: heard) : buffer.framesRead
    }
    return buffer.format.sampleRate.seconds(max(0, buffer.framesWritten - (heardFrame ?? buffer.framesRead)))
  }

  var snapshot: PlayerSnapshot {
    var snapshot = PlayerSnapshot()
    snapshot.state = publishedState
    if let current {
      let item = queue[current]
      snapshot.id = item.id
      snapshot.index = current
      snapshot.input = item.item.input
      snapshot.title = item.title
      snapshot.duration = item.duration
      snapshot.seekability = item.seekability
      snapshot.facts = item.facts
      if let worker = item.worker, let length = item.ready?.source.length, length > 0 {
        snapshot.receivedShare = min(1, Double(worker.bytesReceived) / Double(length))
      }
      if item.isDecoded { snapshot.receivedShare = 1 }
    }
    snapshot.position = position
    snapshot.bufferedAhead = bufferedAhead
    snapshot.volume = volume
    snapshot.isMuted = isMuted
    snapshot.effects = effects
    snapshot.levels = levels.map(decibels)
    snapshot.queue = queue.map {
      QueueEntry(id: $0.id, input: $0.item.input, title: $0.title, duration: $0.duration)
    }
    snapshot.error = failure
    snapshot.isDecoded = buffer?.isFinished ?? false
    snapshot.statistics = statistics
    if let item = currentItem, !item.isFinished {
      snapshot.statistics.framesPlayed += ledger.framesHeard(of: item.id)
    }
    snapshot.statistics.bytes = receivedBefore + queue.reduce(0) { $0 + ($1.worker?.bytesReceived ?? 0) }
    return snapshot
  }

  /// When to look at the device again though nothing happens.
  var nextDeadline: MonotonicTime? {
    let now = clock.now()
    switch transport.state {
    case .idle, .paused, .ended, .failed: return needsQuiescence ? now.advanced(bySeconds: 0.02) : nil
    case .opening, .buffering: return now.advanced(bySeconds: 0.1)
    case .playing:
      // A pipe empties the buffer as fast as it can be filled.
      if !output.isPaced { return now.advanced(bySeconds: 0.002) }
      // Something is about to be heard that others wait for: look often. Otherwise only as often as is reported.
      if pending != nil || statistics.firstSound == nil || isNearBoundary { return now.advanced(bySeconds: 0.01) }
      let report = max(now, lastReport.advanced(bySeconds: configuration.positionInterval))
      // Faster playing empties the buffer sooner.
      guard effects.time.rate > 1, let buffer else { return report }
      return min(report, now.advanced(bySeconds: max(0.005, policy(of: buffer).capacity / 4 / effects.time.rate)))
    }
  }

  /// The device still plays what is to become silence, and is to be paused after it.
  private var needsQuiescence: Bool { isOutputStarted && !isOutputPaused && !hasDrained }

  /// An item begins or ends within the next report's time.
  private var isNearBoundary: Bool {
    guard let buffer, let decoding, let current else { return false }
    let ahead = bufferedAhead
    return (decoding != current || buffer.isFinished)
      && ahead < (configuration.positionInterval + 0.1) * effects.time.rate
  }
}

extension PlayerState {
  /// The public name of a transport's state.
  init(_ state: Transport.State) {
    switch state {
    case .idle: self = .idle
    case .opening: self = .opening
    case .buffering: self = .buffering
    case .playing: self = .playing
    case .paused: self = .paused
    case .ended: self = .ended
    case .failed: self = .failed
    }
  }
}
