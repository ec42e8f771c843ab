internal import AudioModel
internal import DSP
internal import Platform
internal import Realtime
internal import Synchronization

/// Plays clips in the order in which they are scheduled, on a timeline of its own.
///
/// Any thread schedules and commands; what is commanded takes effect in order, at the start of a render call. Clips
/// follow each other without a frame between. Each clip gives one ``ClipEvent``, in the order of scheduling. With nothing
/// to play the player is silent, and its timeline moves on.
package final class ClipPlayer: GraphNode, @unchecked Sendable {
  private enum Command: BitwiseCopyable {
    case schedule, pause, stop, reset
    case play(Clip.Start)
  }
  private struct Desk {
    /// What found no room, in order. Clips as a rule, and commands only where the ring itself was full.
    var pending: [(Command, Clip?)] = []
    var hasPendingCommand = false
    var isPlaying = false
    /// Clips that were given to the thread that renders, and how many of these are over.
    var given = 0
    var told = 0
    /// Clips that were dropped before they were given: they are over when `after` of the others are.
    var dropped: [(after: Int, ticket: Int64)] = []
  }
  private enum State: BitwiseCopyable {
    case standing, playing
    /// Fading out over that many more frames, then what was commanded.
    case closing(Int, Command)
  }

  /// Clips that the thread that renders can have at a time; more wait on the control side. A render call of the usual
  /// length does not come to their end even if each has a single frame.
  private static var capacity: Int { 4096 }

  private let desk = Monitor(Desk())
  private let commands = SPSCRing<Command>(minimumCapacity: 2 * ClipPlayer.capacity)
  private let clips = HandOver<Clip>(capacity: ClipPlayer.capacity)
  private let events = SPSCRing<ClipEvent>(minimumCapacity: ClipPlayer.capacity)
  private let starved = Atomic<Int64>(0)

  // Belong to the thread that renders.
  private var queue = ClipQueue(capacity: ClipPlayer.capacity)
  private var state = State.standing
  private var fade = GainRamp(1)
  private var wasCut = false
  private var delay = 0
  private var playerFrame: Int64 = 0

  /// Makes a player that stands still.
  package override init() {}

  deinit { queue.deallocate() }

  // MARK: Control

  /// Adds a clip to what is to be played.
  package func schedule(_ clip: Clip) { send(.schedule, clip) }

  /// Plays, or goes on after a pause.
  /// - Parameter start: When; a frame is one of the node's (``GraphNode/times``), not of the player's timeline.
  package func play(at start: Clip.Start = .next) { send(.play(start), nil) { $0.isPlaying = true } }

  /// Stands still; clips and timeline wait.
  package func pause() { send(.pause, nil) { $0.isPlaying = false } }

  /// Drops everything that is scheduled, and puts the timeline back to 0.
  package func stop() { send(.stop, nil) { $0.isPlaying = false } }

  /// Drops everything that is scheduled; whether it plays stays as it is.
  package func reset() { send(.reset, nil) }

  /// Whether ``play(at:)`` was called last, and neither ``pause()`` nor ``stop()`` after it.
  package var isPlaying: Bool { desk.withLock { $0.isPlaying } }

  /// Frames of silence because a clip's feeder was late.
  package var starvedFrames: Int64 { starved.load(ordering: .relaxed) }

  /// Hands out what became of clips, in order, and frees them.
  package func takeEvents(_ body: (ClipEvent) -> Void) {
    var taken: [ClipEvent] = []
    desk.withLock { desk in
      var isDone = false
      while !isDone {
        while let first = desk.dropped.first, first.after <= desk.told {
          taken.append(ClipEvent(ticket: first.ticket, kind: .dropped, outputFrame: 0))
          desk.dropped.removeFirst()
        }
        if let event = events.pop() {
          desk.told += 1
          taken.append(event)
        } else {
          isDone = true
        }
      }
      clips.collect()
      deliver(&desk)
    }
    for event in taken { body(event) }
  }

  /// Obeys everything that was commanded, in place of the thread that renders. Only while nothing renders.
  package func settle() {
    let context = RenderContext(outputFrame: 0, frames: 0, hostTime: 0)
    while true {
      let isDone = desk.withLock { desk in
        deliver(&desk)
        return desk.pending.isEmpty
      }
      if case .closing(_, let command) = state { close(command) }
      obey(context, first: clock.pointee.frame, offset: 0, rate: 1, edge: 0)
      publish(clock, context, frames: 0, rate: 1)
      if isDone { return }
      // Room comes from what was dropped; where nothing was, what waits can wait on.
      let before = desk.withLock { $0.pending.count }
      desk.withLock { desk in
        clips.collect()
        deliver(&desk)
      }
      if desk.withLock({ $0.pending.count }) == before { return }
    }
  }

  private func send(_ command: Command, _ clip: Clip?, _ change: (inout Desk) -> Void = { _ in }) {
    desk.withLock { desk in
      change(&desk)
      deliver(&desk)
      if desk.hasPendingCommand || clip != nil {
        desk.pending.append((command, clip))
        if clip == nil { desk.hasPendingCommand = true }
      } else {
        // A command does not wait for room for clips: what is to be dropped is dropped here, and playing makes the room.
        switch command {
        case .stop, .reset:
          desk.dropped += desk.pending.compactMap { $0.1 }.map { (desk.given, $0.ticket) }
          desk.pending = []
        case .schedule, .play, .pause: break
        }
        if !commands.push(command) {
          desk.pending.append((command, nil))
          desk.hasPendingCommand = true
        }
      }
      deliver(&desk)
    }
  }

  private func deliver(_ desk: inout Desk) {
    var sent = 0
    for (command, clip) in desk.pending {
      guard commands.hasRoom else { break }
      if let clip {
        guard clips.give(clip) else { break }
        desk.given += 1
      }
      _ = commands.push(command)
      sent += 1
    }
    guard sent > 0 else { return }
    desk.pending.removeFirst(sent)
    desk.hasPendingCommand = desk.pending.contains { $0.1 == nil }
  }

  // MARK: Real-time

  /// Renders frames: of clips, or silence.
  /// - Parameters:
  ///   - edge: Frames over which sound fades where it is cut; 0 for hard edges.
  ///   - latency: Frames of the output from here to the graph's end.
  @_noLocks @_noAllocation
  func render(
    _ block: RenderedBlock, _ clock: UnsafeMutablePointer<NodeClock>, channels: Int, rate: Int, edge: Int,
    latency: Int, _ context: RenderContext
  ) {
    let first = clock.pointee.frame
    var done = 0
    while done < block.count {
      obey(context, first: first, offset: done, rate: rate, edge: edge)
      var part = block.count &- done
      if case .closing(let left, _) = state, left < part { part = left }
      if delay > 0, delay < part { part = delay }
      let piece = RenderedBlock(planes: block.planes + done, stride: block.stride, count: part)
      if case .standing = state {
        Mixing.clear(piece.planes, stride: piece.stride, channels: channels, count: part)
      } else if delay > 0 {
        Mixing.clear(piece.planes, stride: piece.stride, channels: channels, count: part)
        delay &-= part
      } else {
        play(piece, channels: channels, rate: rate, offset: done, latency: latency, of: block.count, context)
        fade.apply(to: piece.planes, stride: piece.stride, channels: channels, count: part)
      }
      done &+= part
      if case .closing(let left, let command) = state {
        if left > part { state = .closing(left &- part, command) } else { close(command) }
      }
    }
    clock.pointee.count(block.count)
    publish(clock, context, frames: block.count, rate: rate)
  }

  @_noLocks @_noAllocation
  private func publish(
    _ clock: UnsafeMutablePointer<NodeClock>, _ context: RenderContext, frames: Int, rate: Int
  ) {
    var times = NodeTimes()
    times.playerFrame = playerFrame &- Int64(delay)
    if case .playing = state { times.isPlaying = true }
    clock.pointee.publish(times, frames, context, rate: rate)
  }

  @_noLocks @_noAllocation
  private func obey(_ context: RenderContext, first: Int64, offset: Int, rate: Int, edge: Int) {
    while true {
      if case .closing = state { return }
      guard let command = commands.pop() else { return }
      switch command {
      case .schedule: if let clip = clips.take() { queue.append(clip) }
      case .play(let start):
        if case .playing = state { continue }
        state = .playing
        delay = wait(for: start, at: first &+ Int64(offset), context, offset: offset, rate: rate)
        fade = GainRamp(wasCut && edge > 0 ? 0 : 1)
        fade.move(to: 1, over: edge)
        wasCut = false
      case .pause, .stop, .reset:
        if case .playing = state, edge > 0, queue.count > 0, delay == 0 {
          fade.move(to: 0, over: edge)
          state = .closing(edge, command)
        } else {
          close(command)
        }
      }
    }
  }

  /// Does what a fade was for.
  @_noLocks @_noAllocation
  private func close(_ command: Command) {
    if case .closing = state { wasCut = true }
    switch command {
    case .pause: state = .standing
    case .stop:
      state = .standing
      drop(queue.count)
      playerFrame = 0
      delay = 0
    case .reset:
      drop(queue.count)
      if case .closing = state {
        state = .playing
        fade = GainRamp(1)
        wasCut = false
      }
    case .schedule, .play: break
    }
  }

  /// Frames from here to a start.
  /// - Parameter now: The frame of the timeline that `.frame` counts on.
  @_noLocks @_noAllocation
  private func wait(for start: Clip.Start, at now: Int64, _ context: RenderContext, offset: Int, rate: Int) -> Int {
    switch start {
    case .next: return 0
    case .frame(let frame): return frame > now ? Int(frame &- now) : 0
    case .hostTime(let time):
      let here = context.hostTime(after: offset, rate: rate)
      guard here != 0, time > here else { return 0 }
      let distance = time &- here
      guard distance < 1 << 50 else { return Int.max / 2 }
      return Int(distance / 1_000) &* rate / 1_000_000
    }
  }

  /// Fills a piece while the timeline moves.
  @_noLocks @_noAllocation
  private func play(
    _ piece: RenderedBlock, channels: Int, rate: Int, offset: Int, latency: Int, of frames: Int,
    _ context: RenderContext
  ) {
    var made = 0
    while made < piece.count {
      var wanted = piece.count &- made
      let here = offset &+ made
      if let limit = interruption(context, offset: here, rate: rate) {
        if limit == 0 { continue }
        if limit < wanted { wanted = limit }
      }
      let target = piece.planes + made
      var got = 0
      if queue.count > 0 {
        let clip = queue.clip(0)
        let start = clip._withUnsafeGuaranteedRef { $0.start }
        let pause = wait(for: start, at: playerFrame, context, offset: here, rate: rate)
        if pause == 0 {
          got = clip._withUnsafeGuaranteedRef { clip in
            clip.channels == channels ? clip.read(into: target, stride: piece.stride, count: wanted) : 0
          }
          playerFrame &+= Int64(got)
          made &+= got
          if leaveHead(channels, end: here &+ got, of: frames, latency: latency, context) || got > 0 { continue }
          starved.add(Int64(wanted), ordering: .relaxed)
        } else if pause < wanted {
          wanted = pause
        }
      }
      Mixing.clear(target, stride: piece.stride, channels: channels, count: wanted)
      playerFrame &+= Int64(wanted)
      made &+= wanted
    }
  }

  /// Goes over to the next clip, or to the next round, where the first is at its end.
  /// - Returns: Whether it did.
  @_noLocks @_noAllocation
  private func leaveHead(_ channels: Int, end: Int, of frames: Int, latency: Int, _ context: RenderContext) -> Bool {
    let clip = queue.clip(0)
    let fits = clip._withUnsafeGuaranteedRef { $0.channels == channels }
    if fits && !clip._withUnsafeGuaranteedRef({ $0.isAtEnd }) { return false }
    let interrupter = queue.loopInterrupter
    if fits, interrupter == 0, clip._withUnsafeGuaranteedRef({ $0.goesRound }) {
      clip._withUnsafeGuaranteedRef { $0.rewind() }
      return true
    }
    let within = frames > 0 ? (end &* context.frames &+ frames &- 1) / frames : 0
    let event = ClipEvent(
      ticket: clip._withUnsafeGuaranteedRef { $0.ticket }, kind: fits ? .played : .dropped,
      outputFrame: context.outputFrame &+ Int64(within &+ latency))
    _ = events.push(event)
    clips.retire(queue.removeFirst())
    if interrupter > 1 { drop(interrupter &- 1) }
    return true
  }

  /// Drops what an interrupting clip interrupts, when its time has come.
  /// - Returns: Frames until then; 0 after dropping; `nil` where none interrupts what plays.
  @_noLocks @_noAllocation
  private func interruption(_ context: RenderContext, offset: Int, rate: Int) -> Int? {
    guard let index = queue.interrupter, index > 0 else { return nil }
    let start = queue.clip(index)._withUnsafeGuaranteedRef { $0.start }
    let pause = wait(for: start, at: playerFrame, context, offset: offset, rate: rate)
    if pause == 0 { drop(index) }
    return pause
  }

  /// Drops the first clips.
  @_noLocks @_noAllocation
  private func drop(_ number: Int) {
    var left = number
    while left > 0 {
      guard queue.count > 0 else { return }
      let clip = queue.removeFirst()
      let ticket = clip._withUnsafeGuaranteedRef { $0.ticket }
      _ = events.push(ClipEvent(ticket: ticket, kind: .dropped, outputFrame: 0))
      clips.retire(clip)
      left &-= 1
    }
  }
}
