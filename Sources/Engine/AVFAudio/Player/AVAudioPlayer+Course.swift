internal import Foundation
internal import Platform
internal import RenderGraph

/// How the sound gets from the file to the node.
extension AVAudioPlayer {
  /// Gives the node the first pieces, unless it has them.
  /// - Parameter begins: From the beginning where it stands at the end.
  func prepare(begins: Bool) {
    let generation = state.withLock { state -> Int? in
      if state.isPrepared { return nil }
      if begins, state.start >= feed.length { state.start = 0 }
      begin(&state)
      return state.generation
    }
    guard let generation else { return }
    reading.sync { read(generation, anew: true) }
  }

  /// Begins a new course of sound at `start`; what belongs to the old one counts no more.
  private func begin(_ state: inout State) {
    state.generation += 1
    state.isPrepared = true
    state.played = 0
    state.loopStart = nil
    state.scheduled = 0
    state.waiting = 0
    state.isComplete = false
    state.error = nil
    node.stop()
    // Nothing is heard that could be cut: what was read ahead must not be heard later.
    if !hub.isHeard(unit) { unit.reset() }
    hub.attach(node, unit, passesUnit: state.isRateEnabled, format: feed.format) { [weak self] isBack in
      self?.deviceChanged(isBack)
    }
    node.volume = state.volume
    unit.volume = state.volume
    updateTap(&state)
  }

  /// Lets go what the node has.
  func release(_ state: inout State) {
    state.generation += 1
    state.isPlaying = false
    state.isPrepared = false
    state.played = 0
    state.loopStart = nil
    state.passes = 0
    node.stop()
    unit.time.cut()
  }

  func play(at time: AVAudioTime?, begins: Bool = true) -> Bool {
    if isPlaying { return true }
    prepare(begins: begins)
    do { try hub.run(node) } catch { return false }
    state.withLock { state in
      state.isPlaying = true
      node.play(at: time)
    }
    return true
  }

  /// Goes elsewhere in the file.
  func jump(to frame: AVAudioFramePosition) {
    let wasPlaying = state.withLock { state -> Bool in
      let wasPlaying = state.isPlaying
      let passes = state.passes
      release(&state)
      state.passes = passes
      state.start = frame
      return wasPlaying
    }
    // At the end it ends, and does not begin anew.
    if wasPlaying { _ = play(at: nil, begins: false) }
  }

  /// Lets the rate count, or not: the way to the mixer is another.
  func enableRate(_ isEnabled: Bool) {
    let frame = state.withLock { state -> AVAudioFramePosition? in
      guard state.isRateEnabled != isEnabled else { return nil }
      let frame = state.isPrepared ? position(&state) : nil
      state.isRateEnabled = isEnabled
      return frame
    }
    if let frame { jump(to: frame) }
  }

  /// The file's frame that is being played; notes it for times when the node does not say.
  func position(_ state: inout State) -> AVAudioFramePosition {
    if state.isPlaying, let now = node.lastRenderTime, let time = node.playerTime(forNodeTime: now) {
      state.played = max(state.played, min(time.sampleTime - framesAhead(state), state.scheduled))
    }
    return place(state)
  }

  /// Frames that left the node and are not heard yet.
  private func framesAhead(_ state: State) -> AVAudioFramePosition {
    state.isRateEnabled ? AVAudioFramePosition(unit.time.framesAhead) : 0
  }

  /// The file's frame that was last known to be played.
  private func place(_ state: State) -> AVAudioFramePosition {
    guard let loopStart = state.loopStart, state.played >= loopStart, feed.length > 0 else {
      return min(feed.length, state.start + state.played)
    }
    return (state.played - loopStart) % feed.length
  }

  /// A tenth of a second at least is ready, or all of it. For tests, which otherwise had to wait for time.
  package var isFed: Bool {
    state.withLock { state in
      if !state.isPrepared || state.isComplete { return true }
      _ = position(&state)
      return Double(state.scheduled - state.played - framesAhead(state)) >= 0.1 * sampleRate
    }
  }

  // MARK: The reading queue

  /// Reads until enough is ahead.
  /// - Parameter anew: From `start` on; else where the last reading ended.
  private func read(_ generation: Int, anew: Bool = false) {
    if anew, let start = state.withLock({ $0.generation == generation ? $0.start : nil }) { feed.seek(start) }
    while wantsMore(generation) {
      let piece = feed.next(loop: { beginsAnew(generation) })
      state.withLock { state in
        guard state.generation == generation else { return }
        schedule(piece, &state)
      }
    }
  }

  private func wantsMore(_ generation: Int) -> Bool {
    state.withLock { $0.generation == generation && !$0.isComplete && $0.waiting < Self.piecesAhead }
  }

  private func beginsAnew(_ generation: Int) -> Bool {
    state.withLock { state in
      guard state.generation == generation, state.numberOfLoops < 0 || state.passes < state.numberOfLoops else {
        return false
      }
      state.passes += 1
      return true
    }
  }

  private func schedule(_ piece: PlayerFeed.Piece, _ state: inout State) {
    let generation = state.generation
    if let frames = piece.framesBeforeLoop, state.loopStart == nil {
      state.loopStart = state.scheduled + AVAudioFramePosition(frames)
    }
    state.scheduled += AVAudioFramePosition(piece.buffer.frameLength)
    state.waiting += 1
    state.isComplete = piece.isLast
    state.error = piece.error
    guard piece.isLast, state.isRateEnabled else {
      return schedule(piece.buffer, generation, isLast: piece.isLast)
    }
    // What is read ahead of the end is silence; when the node has given that, the end was heard.
    schedule(piece.buffer, generation, isLast: false)
    state.waiting += 1
    schedule(feed.silence(seconds: PlayerRateUnit.reach), generation, isLast: true)
  }

  private func schedule(_ buffer: AVAudioPCMBuffer, _ generation: Int, isLast: Bool) {
    let use: AVAudioPlayerNodeCompletionCallbackType = isLast ? .dataPlayedBack : .dataConsumed
    node.scheduleBuffer(buffer, at: nil, options: [], completionCallbackType: use) { [weak self] _ in
      self?.reading.async { [weak self] in self?.used(generation, isLast: isLast) }
    }
  }

  /// The node has used up a piece, or dropped it.
  private func used(_ generation: Int, isLast: Bool) {
    let isPlaying = state.withLock { state -> Bool? in
      guard state.generation == generation else { return nil }
      state.waiting -= 1
      _ = position(&state)
      return state.isPlaying
    }
    guard let isPlaying else { return }
    // The engine stopped by itself: this was dropped, not heard.
    if isPlaying, !hub.isRunning { return }
    if isLast { finish(generation, isWhole: true) } else { read(generation) }
  }

  /// The engine had to stop, and what the node had is gone.
  private func deviceChanged(_ isBack: Bool) {
    reading.async { [weak self] in
      guard let self, let generation = state.withLock({ $0.isPlaying ? $0.generation : nil }) else { return }
      if !isBack { return finish(generation, isWhole: false) }
      // Not on this queue, which has to read what is to be played.
      DispatchQueue.global().async { [weak self] in self?.playOn(generation) }
    }
  }

  /// Goes on where it was last known to be.
  private func playOn(_ generation: Int) {
    let frame = state.withLock { state -> AVAudioFramePosition? in
      guard state.generation == generation, state.isPlaying else { return nil }
      return place(state)
    }
    if let frame { jump(to: frame) }
  }

  private func finish(_ generation: Int, isWhole: Bool) {
    let error = state.withLock { state -> (error: (any Error)?, Void)? in
      guard state.generation == generation else { return nil }
      let error = state.error
      release(&state)
      state.start = 0
      return (error, ())
    }
    guard let error else { return }
    hub.rest(node)
    meter.clear()
    let failure = UncheckedBox(error.error)
    DispatchQueue.main.async { [self] in
      if let error = failure.value { delegate?.audioPlayerDecodeErrorDidOccur(self, error: error) }
      delegate?.audioPlayerDidFinishPlaying(self, successfully: isWhole && failure.value == nil)
    }
  }

  // MARK: Levels

  /// Puts the tap where it is wanted, once that is in an engine: behind what reads ahead.
  func updateTap(_ state: inout State) {
    let place: AVAudioNode = state.isRateEnabled ? unit : node
    let wanted = state.isMeteringEnabled ? place : nil
    guard state.tapped !== wanted, place.engine != nil else { return }
    state.tapped?.removeTap(onBus: 0)
    state.tapped = wanted
    wanted?.installTap(onBus: 0, bufferSize: 1024, format: nil) { [meter] buffer, _ in meter.measure(buffer) }
  }
}

/// Carries an error to another thread; it is not touched by the first any more.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
