internal import AudioModel
internal import AudioOutput
internal import PlaybackLogic
internal import RenderGraph

/// What the listener asks for.
extension PlayerSession {
  func handle(_ message: Message) -> Result<Void, AudioError> {
    switch message {
    case .append(let id, let item):
      queue.append(QueueItem(id: id, item: item))
      tell(.changed(.queue))
      prepareNext()
    case .command(let command, _):
      do {
        try perform(command)
      } catch {
        return .failure(error)
      }
    case .worker(let id, let serial, let report):
      if let item = item(id), item.serial == serial { handle(report, of: item) }
    case .output(let event): handle(event)
    case .poke: break
    }
    return .success(())
  }

  private func perform(_ command: PlayerCommand) throws(AudioError) {
    switch command {
    case .play:
      guard !queue.isEmpty else { throw AudioError(.usage, "the queue is empty: there is nothing to play") }
      act(transport.handle(.play))
    case .pause: act(transport.handle(.pause))
    case .toggle:
      switch transport.state {
      case .opening, .buffering, .playing: try perform(.pause)
      case .idle, .paused, .ended, .failed: try perform(.play)
      }
    case .stop: act(transport.handle(.stop))
    case .next: try skip(by: 1)
    case .previous: try skip(by: position < 3 ? -1 : 0)
    case .seek(let target): try seek(target)
    case .volume(let level): setVolume(level, isMuted: isMuted)
    case .volumeBy(let change): setVolume(Decibels(volume.value + change.value), isMuted: isMuted)
    case .mute(let wanted): setVolume(volume, isMuted: wanted)
    case .toggleMute: setVolume(volume, isMuted: !isMuted)
    case .rate, .rateBy, .pitch, .pitchBy, .stretch, .equalizer, .reverb, .delay, .distortion:
      setEffects(effects.applying(command))
    }
    publishState()
  }

  func act(_ action: Transport.Action?) {
    switch action {
    case .begin: startAgain(at: 0, from: nil, seek: nil)
    case .run: run()
    case .hold: hold()
    case .release: release()
    case nil: break
    }
  }

  /// Begins anew at an item, as if nothing had been played before.
  private func startAgain(at index: Int, from mediaFrame: Int64?, seek: (from: Double, requested: Double)?) {
    failure = nil
    anythingPlayed = false
    for item in queue {
      dismiss(item)
      item.reset()
    }
    current = nil
    begin(at: index, from: mediaFrame, seek: seek)
  }

  // MARK: Transport

  /// Lets the render path run, and the device with it.
  func run() {
    renderer?.run()
    wakeOutput()
    output.withdraw()
  }

  /// Lets the render path hold; the device follows when the ramp has been heard.
  func hold() {
    renderer?.pause()
    output.withdraw()
  }

  private func release() {
    if let item = currentItem { finish(item, reason: .stopped) }
    silence()
    for item in queue { item.reset() }
  }

  // MARK: Places

  private func skip(by step: Int) throws(AudioError) {
    guard let current else { throw AudioError(.usage, "nothing is playing") }
    let target = max(0, current + step)
    finish(queue[current], reason: .skipped)
    guard target < queue.count else {
      endAfterSkip()
      return
    }
    // An item that is open but was not decoded yet is kept: it can begin at once.
    for (index, item) in queue.enumerated() where index != target || index == decoding || step <= 0 { dismiss(item) }
    if queue[target].worker == nil { queue[target].reset() }
    begin(at: target, from: nil, seek: nil)
  }

  /// The listener skipped the last item.
  private func endAfterSkip() {
    silence()
    _ = transport.handle(.finished(anythingPlayed: anythingPlayed))
  }

  /// Drops every worker and buffer; what sounds fades out.
  func silence() {
    for item in queue { dismiss(item) }
    generation += 1
    pending = nil
    buffer = nil
    current = nil
    decoding = nil
    renderer?.replace(nil, ramp: true)
    output.withdraw()
  }

  private func seek(_ target: SeekTarget) throws(AudioError) {
    guard let current, let item = currentItem, item.error == nil || item.hasStarted else {
      throw AudioError(.usage, "nothing is playing")
    }
    let from = position
    var seconds: Double
    switch target {
    case .absolute(let time): seconds = time
    case .relative(let change): seconds = from + change
    case .share(let share):
      guard let duration = item.duration else {
        throw AudioError(.notSeekable, "the duration is not known, so a share of it is no place")
      }
      seconds = share * duration
    }
    guard seconds.isFinite else { throw AudioError(.usage, "that is no time") }
    if item.seekability == .no { throw AudioError(.notSeekable, "this stream can't be sought") }
    seconds = min(max(seconds, item.item.start), item.duration ?? .greatestFiniteMagnitude)
    guard let rate = item.facts?.format.sampleRate else {
      throw AudioError(.notSeekable, "the item is not open yet")
    }
    // A listener who goes back after the end wants to hear it again from there.
    if transport.state == .ended {
      _ = transport.handle(.play)
      return startAgain(at: current, from: rate.frames(seconds), seek: (from, seconds))
    }
    dismissLater(than: current)
    begin(at: current, from: rate.frames(seconds), seek: (from, seconds))
  }

  // MARK: Volume

  private func setVolume(_ level: Decibels, isMuted: Bool) {
    let limited = Decibels(level.value.isNaN ? volume.value : min(level.value, 24))
    if limited != volume {
      volume = limited
      tell(.changed(.volume(limited)))
    }
    if isMuted != self.isMuted {
      self.isMuted = isMuted
      tell(.changed(.mute(isMuted)))
    }
    renderer?.isSounding = isDeviceRunning
    renderer?.setGain(gain)
  }

  /// The amplitude that volume and mute come to.
  var gain: Float { isMuted ? 0 : amplitude(volume) }
}
