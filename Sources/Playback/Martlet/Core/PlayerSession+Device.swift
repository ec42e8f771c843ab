internal import AudioModel
internal import AudioOutput
internal import Platform
internal import PlaybackLogic
internal import RenderGraph

/// What the device plays: opening it, following it, and what is heard through it.
extension PlayerSession {
  // MARK: Opening

  /// Opens the output with the first item's format; later items are converted to what came of it.
  func openOutput(for format: PCMFormat) -> PCMFormat? {
    if let outputFormat { return outputFormat }
    let post = self.post
    let request = OutputRequest(
      format: format, latency: configuration.outputLatency, title: currentItem?.title ?? configuration.streamTitle)
    do {
      let granted = try output.open(request, source: port, events: { post(.output($0)) })
      let ramp = Int(granted.sampleRate.frames(0.005))
      let renderer = Renderer(format: granted, maximumFrames: request.maximumFrames, rampFrames: ramp)
      renderer.setGain(gain)
      renderer.setEffects(effects)
      port.connect(renderer)
      levels = [Float](repeating: 0, count: granted.channels)
      self.renderer = renderer
      outputFormat = granted
      return granted
    } catch {
      fail(error)
      return nil
    }
  }

  /// Starts the device, or lets it go on.
  func wakeOutput() {
    guard renderer != nil else { return }
    if !isOutputStarted {
      do {
        try output.start()
        isOutputStarted = true
      } catch {
        fail(error)
      }
    } else if isOutputPaused || hasDrained || finishedGeneration != nil {
      isOutputPaused = false
      hasDrained = false
      finishedGeneration = nil
      output.resume()
    }
  }

  /// The output can't be used: nothing more can be heard.
  func fail(_ error: AudioError) {
    tell(.error(error, input: currentItem?.item.input, action: .stop))
    failure = error
    if let item = currentItem { finish(item, reason: .failed) }
    silence()
    _ = transport.handle(.finished(anythingPlayed: false))
  }

  // MARK: Filling

  /// The buffer has enough to sound: the render path gets it.
  func bufferIsFilled() {
    guard let buffer, let renderer else { return }
    if let waiting = pending, !waiting.isHandedOver {
      pending?.isHandedOver = true
      // Effects that stand still hold sound of another place.
      if !isDeviceRunning { renderer.resetEffects() }
      renderer.replace(buffer, ramp: !waiting.startsClean)
      if transport.filled() {
        run()
      } else if let seek = waiting.seek {
        pending?.isReported = true
        report(seek, at: clock.now())
      }
    } else if afterStarvation {
      afterStarvation = false
      if transport.filled() { run() }
      if let starvedAt, let rate = outputFormat?.sampleRate {
        tell(
          .underrun(count: statistics.underruns, seconds: rate.seconds(max(0, output.timing.rendered - starvedAt))))
      }
      starvedAt = nil
    }
    publishState()
  }

  private func report(_ seek: (from: Double, requested: Double), at time: MonotonicTime) {
    tell(
      .seeked(
        .init(
          from: seek.from, requested: seek.requested, position: seek.requested,
          elapsed: max(0, time.seconds(since: pending?.since ?? time)))))
  }

  // MARK: The device's events

  func handle(_ event: OutputEvent) {
    switch event {
    case .drained:
      hasDrained = true
      follow()
      if pending == nil, finishedGeneration == generation {
        drained()
      } else if transport.state == .playing {
        wakeOutput()
      }
    case .underrun(let frames):
      statistics.underruns += 1
      tell(.underrun(count: statistics.underruns, seconds: outputFormat?.sampleRate.seconds(Int64(frames)) ?? 0))
    case .lost(let reason):
      tell(.error(AudioError(.outputLost, reason, recovery: .retry), input: nil, action: .retry))
    case .restored, .routeChanged: break
    case .failed(let error): fail(error)
    case .interrupted(let isInterrupted):
      if isInterrupted {
        guard transport.state == .playing || transport.state == .buffering else { return }
        self.isInterrupted = true
        act(transport.handle(.pause))
      } else if self.isInterrupted {
        self.isInterrupted = false
        act(transport.handle(.play))
      }
    }
    publishState()
  }

  /// Everything was heard to the last frame.
  func drained() {
    // Items without a single frame, and what the ledger could not place, end here.
    for (index, item) in queue.enumerated() where index >= current ?? 0 && !item.isFinished && item.isDecoded {
      current = index
      if item.error == nil && !item.hasStarted { start(item, at: clock.now()) }
      if item.hasStarted { complete(item) }
      walkFailures()
    }
    if let last = decoding, last + 1 < queue.count {
      begin(at: last + 1, from: nil, seek: nil)
    } else {
      end()
    }
  }

  /// Nothing is left to play.
  func end() {
    guard transport.state != .ended && transport.state != .failed else { return }
    for item in queue { dismiss(item) }
    buffer = nil
    pending = nil
    decoding = nil
    _ = transport.handle(.finished(anythingPlayed: anythingPlayed))
    publishState()
  }

  // MARK: Following the device

  /// Looks at the device and says what has come to be heard.
  func tick() {
    follow()
    if let pending, !pending.isHandedOver, clock.now().seconds(since: pending.since) > 0.5 {
      transport.refillIsSlow()
    }
    if effects.time.rate > 1 { growBuffer() }
    kickWorker()
    quiesce()
    reportPosition()
    publishState()
  }

  private func follow() {
    guard let renderer, isOutputStarted else { return }
    // In this order: what is told of frames is told before they count as rendered, so the events taken now cover the
    // time asked for before, however far the device has come meanwhile.
    let timing = output.timing
    renderer.takeEvents { note($0) }
    renderer.isSounding = isDeviceRunning
    renderer.collectRetired()
    advance(to: hasDrained ? timing.rendered : timing.heard - Int64(renderer.latency))
  }

  private func note(_ event: RenderEvent) {
    let mark = Timeline.Mark(
      outputFrame: event.outputFrame, generation: event.generation, streamFrame: event.streamFrame,
      fraction: event.fraction, speed: event.speed, isRunning: event.kind == .running)
    switch event.kind {
    case .running, .holding: timeline.append(mark)
    case .finished:
      timeline.append(mark)
      finishedGeneration = event.generation
    case .starved:
      timeline.append(mark)
      if event.generation == generation { starved(at: event.outputFrame) }
    case .rewound: timeline.rewind(to: event.outputFrame)
    }
  }

  private func starved(at outputFrame: Int64) {
    guard let buffer, !buffer.isFinished, let decoding, pending == nil || pending?.isHandedOver == true else {
      return
    }
    let item = queue[decoding]
    if item.isDecoded {
      // Between two items: the next one is not open yet. A gap, but no fault of the buffer.
      if decoding + 1 < queue.count { queue[decoding + 1].gapReason = "the next item was not ready in time" }
      return
    }
    statistics.underruns += 1
    afterStarvation = true
    starvedAt = outputFrame
    // Nothing is to be heard sooner for it: what is queued is real sound, and it plays on.
    if transport.handle(.starved) == .hold { renderer?.pause() }
    item.worker?.notify(whenAhead: threshold(in: buffer))
    item.worker?.kick()
  }

  /// Accounts for output frames up to `target`, which are heard now.
  private func advance(to target: Int64) {
    guard target > heard, let rate = outputFormat?.sampleRate else { return }
    let now = clock.now()
    for stretch in timeline.stretches(in: heard..<target) {
      // The worker's report of what it writes may still be on its way: look again later.
      guard ledger.covers(stretch.frames.lowerBound, of: stretch.generation) else {
        if stretch.generation < generation { continue }
        heard = max(heard, stretch.outputFrame)
        return
      }
      for happening in ledger.advance(stretch) {
        switch happening {
        case .started(let segment, let frame):
          if let item = item(segment.item) { start(item, at: now.advanced(bySeconds: -rate.seconds(target - frame))) }
        case .arrived(_, let frame):
          arrive(at: now.advanced(bySeconds: -rate.seconds(target - frame)))
        case .completed(let segment, _):
          if let item = item(segment.item) { complete(item) }
        }
      }
      passMetadata()
    }
    heard = target
    timeline.forget(before: heard)
    ledger.forget(generationsBefore: timeline.mark(at: heard)?.generation ?? generation)
  }

  /// The first frame of an item is heard.
  private func start(_ item: QueueItem, at time: MonotonicTime) {
    current = index(of: item.id)
    let isFollowing = anythingPlayed
    if statistics.firstSound == nil { statistics.firstSound = time.seconds(since: birth) }
    anythingPlayed = true
    if !item.hasStarted {
      item.hasStarted = true
      tell(
        .itemStarted(
          .init(
            id: item.id, index: current ?? 0, input: item.item.input, title: item.title,
            isGapless: isFollowing ? item.gapReason == nil && pending == nil : nil,
            gapReason: isFollowing ? item.gapReason ?? (pending == nil ? nil : "the listener skipped to it") : nil)))
    }
    arrive(at: time)
  }

  /// The first frame of a new buffer is heard.
  private func arrive(at time: MonotonicTime) {
    guard let pending, pending.isHandedOver else { return }
    if let seek = pending.seek, !pending.isReported { report(seek, at: time) }
    self.pending = nil
  }

  /// The last frame of an item was heard.
  func complete(_ item: QueueItem) {
    guard !item.isFinished else { return }
    if let error = item.error {
      let isLast = index(of: item.id) == queue.count - 1
      tell(.error(error, input: item.item.input, action: isLast ? .stop : .skip))
      failure = error
    } else if item.isTruncated {
      tell(.warning("the input is truncated: it ends before the length that it states", input: item.item.input))
    }
    finish(item, reason: item.error == nil ? .ended : .failed)
    dismiss(item)
    if let index = index(of: item.id), index + 1 < queue.count, index + 1 <= decoding ?? 0 { current = index + 1 }
    walkFailures()
  }

  private func passMetadata() {
    guard let item = currentItem, let place = ledger.place, place.item == item.id else { return }
    while let first = item.metadata.first, first.mediaFrame <= place.mediaFrame {
      item.metadata.removeFirst()
      item.streamTitle = first.title
      tell(.metadata(id: item.id, title: first.title, tags: item.facts?.tags ?? []))
    }
  }

  // MARK: Housekeeping

  /// Lets the worker go on when half the buffer is free: many small refills would cost wake-ups.
  private func kickWorker() {
    guard let buffer, let decoding, queue.indices.contains(decoding) else { return }
    if buffer.writableFrames >= buffer.capacity / 4 { queue[decoding].worker?.kick() }
  }

  /// Lets the device stand still when the silence that was asked for has been reached.
  private func quiesce() {
    switch transport.state {
    case .paused, .idle, .ended, .failed:
      guard isOutputStarted, !isOutputPaused, !hasDrained, isSilent else { return }
      isOutputPaused = true
      output.pause()
    case .opening, .buffering, .playing: break
    }
  }

  private func reportPosition() {
    let now = clock.now()
    guard transport.state == .playing, let renderer, pending == nil,
      now.seconds(since: lastReport) >= configuration.positionInterval
    else { return }
    lastReport = now
    renderer.takeLevels(into: &levels)
    tell(
      .position(
        .init(
          position: position, duration: currentItem?.duration, bufferedAhead: bufferedAhead,
          levels: levels.map(decibels))))
  }

  // MARK: Closing

  /// Ends everything. What sounds fades out first, as far as a moment allows.
  func close() {
    if let item = currentItem { finish(item, reason: .stopped) }
    if transport.state == .playing, clock.isRunning {
      hold()
      // With effects, what the device holds already is not taken back.
      let isLate = renderer.map { $0.fadeFrames > 0 } ?? false
      let patience = clock.now().advanced(bySeconds: 0.15 + (isLate ? min(configuration.outputLatency, 0.5) : 0))
      while clock.now() < patience {
        follow()
        if isSilent { break }
        CurrentThread.sleep(seconds: 0.005)
      }
    }
    for item in queue { dismiss(item) }
    _ = transport.handle(.finished(anythingPlayed: anythingPlayed))
    publishState()
    output.close()
  }
}
