internal import DSP
internal import Realtime
internal import Synchronization

/// What the device's thread knows about playing: which buffer, whether it runs, and how far the output is.
///
/// A stretch is a run of output frames throughout which the stream either moved or stood still. Only frames of the present
/// one can be taken back. The stream moves one for one until a rate or a pitch is wanted; from then on it goes through a
/// ``StretchedStream``, until another one comes.
final class Transport: GraphNode, @unchecked Sendable {
  // Everything mutable but the atomic belongs to the device's thread; `deinit` runs when that is gone.
  private enum State: BitwiseCopyable {
    case holding, starved, running, finished
    /// Ramping out over that many more frames.
    case closing(Int)
  }

  /// What happened, for the control side.
  let events = SPSCRing<RenderEvent>(minimumCapacity: 256)
  /// Buffers on their way to the device's thread and back.
  let streams = HandOver<StreamBuffer>(capacity: 16)
  /// Frames of silence rendered because a running buffer was empty.
  let starvedFrames = Atomic<Int64>(0)

  /// How fast it shall play, and how high.
  let timeCommands = LatestValue<TimeCommand>(blank: TimeCommand())
  /// What changes that, on its way to the device's thread.
  let stretchers = HandOver<StretchedStream>(capacity: 2)

  private let rampFrames: Int
  var time = TimeCommand()
  var stretched: Unmanaged<StretchedStream>?
  var isStretching = false
  private var state = State.holding
  private var isWanted = false
  var stream: Unmanaged<StreamBuffer>?
  private var fade = GainRamp(0)
  private var startsHard = false

  // What follows the ramp that is going out.
  private var isReplacing = false
  private var successor: Unmanaged<StreamBuffer>?
  private var successorStartsHard = false

  var outputFrame: Int64 = 0
  var stretchStart: Int64 = 0
  var isAnnounced = true
  private var voidFrom = Int64.max
  // What the control side was told last of where the stream is.
  var toldFrame: Int64 = 0
  var toldMedia = 0.0
  var toldSpeed = 1.0
  /// Whether the last frames were silence by wish: paused, or without a buffer.
  private(set) var isHeld = false

  /// Makes a transport without a buffer.
  /// - Parameter rampFrames: Frames over which sound fades in and out; 0 for hard edges.
  init(rampFrames: Int) { self.rampFrames = rampFrames }

  deinit {
    stream?.release()
    successor?.release()
    stretched?.release()
  }

  // MARK: Real-time

  /// Goes on, or begins.
  @_noLocks @_noAllocation
  func run() {
    isWanted = true
    if case .closing = state, !isReplacing {
      begin(.running)
      fade.move(to: 1, over: rampFrames)
    }
  }

  /// Fades out and stands.
  @_noLocks @_noAllocation
  func pause() {
    isWanted = false
    switch state {
    case .running: close()
    case .starved: enter(.holding)
    case .holding, .closing, .finished: break
    }
  }

  /// Goes over to the buffer that was given last, or to none.
  @_noLocks @_noAllocation
  func replace(withBuffer: Bool, ramp: Bool) {
    if let superseded = successor { streams.retire(superseded) }
    successor = withBuffer ? streams.take() : nil
    successorStartsHard = !ramp
    isReplacing = true
    switch state {
    case .running where ramp: close()
    case .closing where ramp: break
    case .holding, .starved, .running, .finished, .closing: settle()
    }
  }

  /// Fills planes with the next frames: real ones or silence, but never both in one call.
  /// - Returns: How many; 0 when the sound has ended.
  @_noLocks @_noAllocation
  func fill(_ planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int, frames: Int) -> Int {
    keepTime()
    while true {
      switch state {
      case .running:
        isHeld = false
        let count = read(planes, stride: stride, channels: channels, frames: frames)
        if count > 0 { return count }
      case .closing(let left):
        let count = read(planes, stride: stride, channels: channels, frames: left < frames ? left : frames)
        if case .closing = state {
          if count < left { state = .closing(left &- count) } else { settle() }
        }
        if count > 0 { return count }
      case .holding, .starved:
        if resume(channels: channels) { continue }
        if case .finished = state { continue }
        announce()
        isHeld = true
        if case .starved = state {
          isHeld = false
          starvedFrames.add(Int64(frames), ordering: .relaxed)
        }
        silence(planes, stride: stride, channels: channels, frames: frames)
        return frames
      case .finished:
        announce()
        return 0
      }
    }
  }

  /// How many of `frames` can be rendered without silence; all of them at the end, since none will follow.
  @_noLocks @_noAllocation
  func readyFrames(_ frames: Int) -> Int {
    keepTime()
    switch state {
    case .finished: return frames
    case .closing(let left): return left < frames ? left : frames
    case .holding where !isWanted: return 0
    case .running, .holding, .starved: break
    }
    guard let stream else { return 0 }
    // Asked for before counting: once it is true, what can be read is all there will be.
    var isEnding = stream._withUnsafeGuaranteedRef { $0.isFinished }
    let readable = readable(frames, of: stream, isEnding: &isEnding)
    if readable == 0 { return isEnding ? frames : 0 }
    return readable < frames ? readable : frames
  }

  /// Counts frames of the output that are no frames of the stream: what effects make behind its end.
  @_noLocks @_noAllocation
  func pass(_ frames: Int) {
    outputFrame &+= Int64(frames)
    isHeld = false
  }

  /// Lets no frame be taken back that was rendered so far.
  @_noLocks @_noAllocation
  func seal() { stretchStart = outputFrame }

  /// Tells the control side about a state that was entered by the last frame of a call.
  @_noLocks @_noAllocation
  func flush() { announce() }

  /// Takes back up to `frames` of the output.
  /// - Returns: How many.
  @_noLocks @_noAllocation
  func rewind(_ frames: Int) -> Int {
    let possible = Int(outputFrame &- stretchStart)
    var count = frames < possible ? frames : possible
    guard count > 0 else { return 0 }
    switch state {
    case .holding: break
    case .starved: starvedFrames.subtract(Int64(count), ordering: .relaxed)
    case .running, .closing, .finished:
      guard let stream else { return 0 }
      if isStretching {
        count = stretched?._withUnsafeGuaranteedRef { $0.rewind(count) } ?? 0
      } else {
        count = stream._withUnsafeGuaranteedRef { $0.ring.rewind(count) }
      }
      guard count > 0 else { return 0 }
      fade.rewind(count)
      if case .closing(let left) = state { state = .closing(left &+ count) }
      if case .finished = state { state = .running }
    }
    outputFrame &-= Int64(count)
    if outputFrame < voidFrom { voidFrom = outputFrame }
    isAnnounced = false
    announce()
    return count
  }

  /// Reads frames of the stream and fades them; where there are none, finds out why.
  @_noLocks @_noAllocation
  private func read(
    _ planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int, frames: Int
  ) -> Int {
    guard let stream, stream._withUnsafeGuaranteedRef({ $0.channels == channels }) else {
      settle()
      return 0
    }
    announce()
    // Asked for before reading: once it is true, what can be read is all there will be.
    var isEnding = stream._withUnsafeGuaranteedRef { $0.isFinished }
    var count = 0
    if isStretching, let stretched {
      let ready = readable(frames, of: stream, isEnding: &isEnding)
      tellBend(stretched)
      count = stretched._withUnsafeGuaranteedRef {
        let straight = $0.nextBend
        return $0.read(
          into: planes, stride: stride, count: straight < Int64(ready) ? Int(straight) : ready)
      }
    } else {
      count = stream._withUnsafeGuaranteedRef { $0.ring.read(into: planes, stride: stride, count: frames) }
    }
    if count > 0 {
      fade.apply(to: planes, stride: stride, channels: channels, count: count)
      outputFrame &+= Int64(count)
    } else if case .running = state {
      // The end belongs to the stretch of the frames before it, which can still be taken back.
      if isEnding {
        state = .finished
        isAnnounced = false
      } else {
        enter(.starved)
      }
    }
    return count
  }

  /// Begins to run if that is wanted and the stream has a frame, or its end, to give.
  /// - Returns: Whether it runs now.
  @_noLocks @_noAllocation
  private func resume(channels: Int) -> Bool {
    guard isWanted, let stream, stream._withUnsafeGuaranteedRef({ $0.channels == channels }) else {
      return false
    }
    var isEnding = stream._withUnsafeGuaranteedRef { $0.isFinished }
    if readable(1, of: stream, isEnding: &isEnding) == 0 {
      if isEnding { enter(.finished) }
      return false
    }
    if case .holding = state {
      if startsHard { fade = GainRamp(1) } else { fade.move(to: 1, over: rampFrames) }
      startsHard = false
    } else {
      fade.rebase()
    }
    enter(.running)
    return true
  }

  /// Begins to fade out what is left of the stream, at most `rampFrames`.
  @_noLocks @_noAllocation
  private func close() {
    guard let stream else { return }
    var isEnding = false
    let available = readable(rampFrames, of: stream, isEnding: &isEnding)
    let frames = available < rampFrames ? available : rampFrames
    begin(.closing(frames))
    if frames > 0 { fade.move(to: 0, over: frames) } else { settle() }
  }

  /// Stands still behind the fade: with the successor, if there is one.
  @_noLocks @_noAllocation
  private func settle() {
    if isReplacing {
      if let stream { streams.retire(stream) }
      stream = successor
      startsHard = successorStartsHard
      successor = nil
      isReplacing = false
      isStretching = false
      stretch()
    }
    fade = GainRamp(0)
    enter(.holding)
  }

  /// Begins a stretch of the same meaning as the one before.
  @_noLocks @_noAllocation
  private func begin(_ next: State) {
    state = next
    stretchStart = outputFrame
  }

  /// Begins a stretch that the control side hears of.
  @_noLocks @_noAllocation
  private func enter(_ next: State) {
    begin(next)
    isAnnounced = false
  }

  /// Reports the state unless that has been done. When the ring is full it is tried again at the next occasion, with
  /// what is true then: a state may be told late, but it is told.
  @_noLocks @_noAllocation
  func announce() {
    guard !isAnnounced else { return }
    if voidFrom != .max {
      guard events.push(event(.rewound, at: voidFrom)) else { return }
      voidFrom = .max
    }
    let kind: RenderEvent.Kind =
      switch state {
      case .holding: .holding
      case .starved: .starved
      case .running, .closing: .running
      case .finished: .finished
      }
    let next = event(kind, at: outputFrame)
    isAnnounced = events.push(next)
    guard isAnnounced else { return }
    toldFrame = outputFrame
    toldMedia = Double(next.streamFrame) + next.fraction
    toldSpeed = next.speed
  }

  @_noLocks @_noAllocation
  private func event(_ kind: RenderEvent.Kind, at frame: Int64) -> RenderEvent {
    var event = RenderEvent(kind: kind, outputFrame: frame, generation: -1, streamFrame: 0)
    if let stream {
      event.generation = stream._withUnsafeGuaranteedRef { $0.generation }
      var place = place()
      // All was read, whatever the rounding of the length says of the place.
      if case .finished = kind { place.media = Double(stream._withUnsafeGuaranteedRef { $0.framesRead }) }
      // Positions that are whole but for rounding are whole.
      let whole = Int64(place.media + 1e-6)
      event.streamFrame = whole
      event.fraction = place.media - Double(whole)
      if event.fraction < 2e-6 { event.fraction = 0 }
      event.speed = place.speed
    }
    return event
  }

  @_noLocks @_noAllocation
  private func silence(_ planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int, frames: Int) {
    var channel = 0
    while channel < channels {
      (planes + channel &* stride).update(repeating: 0, count: frames)
      channel &+= 1
    }
    outputFrame &+= Int64(frames)
  }
}
