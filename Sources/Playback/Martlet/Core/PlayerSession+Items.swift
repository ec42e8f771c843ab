internal import AudioModel
internal import AudioOutput
internal import ByteSource
internal import HTTPSource
internal import PlaybackLogic
internal import RenderGraph

/// How items are opened, decoded one behind the other, and ended.
extension PlayerSession {
  // MARK: Beginning

  /// Goes on at an item, in a fresh buffer.
  /// - Parameters:
  ///   - index: Place in the queue.
  ///   - mediaFrame: Where in the item; `nil` is its start.
  ///   - seek: What the listener asked for, if it is a seek.
  func begin(at index: Int, from mediaFrame: Int64?, seek: (from: Double, requested: Double)?) {
    generation += 1
    buffer = nil
    current = index
    decoding = index
    afterStarvation = false
    starvedAt = nil
    pending = Pending(seek: seek, mediaFrame: mediaFrame, since: clock.now(), startsClean: !isSounding && seek == nil)
    transport.refill()
    // What still sounds of the old buffer fades out now; the new one comes when it has enough.
    if isSounding {
      renderer?.replace(nil, ramp: true)
      output.withdraw()
    }
    let item = queue[index]
    item.isDecoded = false
    item.metadata = []
    // A worker that failed has ended; a new one may do better.
    if item.worker == nil || item.error != nil { open(item) }
    if item.ready != nil { assign(item, from: mediaFrame ?? item.firstFrame) }
  }

  private var isSounding: Bool {
    isOutputStarted && !isOutputPaused && !hasDrained && timeline.silence(after: heard) == nil
  }

  /// Starts a worker for an item.
  private func open(_ item: QueueItem) {
    item.worker?.cancel()
    item.serial += 1
    item.ready = nil
    item.error = nil
    item.isDecoded = false
    let id = item.id
    let serial = item.serial
    let post = self.post
    let makeSource = item.item.makeSource(http: configuration.http)
    item.worker = ItemWorker(item: item.item, makeSource: makeSource) { report in
      post(.worker(item: id, serial: serial, report))
    }
  }

  /// Lets the item behind the decoded one follow in the same buffer, so that there is no gap. It is opened ahead of
  /// time; one that could not be opened is left out, and what there is to say is said when the listener gets there.
  func prepareNext() {
    while let decoding, queue[decoding].isDecoded, decoding + 1 < queue.count {
      let next = queue[decoding + 1]
      if next.error != nil {
        next.isDecoded = true
        self.decoding = decoding + 1
        continue
      }
      if next.ready != nil {
        // What was added after the end of the queue was decoded begins anew when that end is heard.
        if buffer?.isFinished == true { return }
        self.decoding = decoding + 1
        assign(next, from: nil)
      } else if next.worker == nil {
        open(next)
      }
      return
    }
  }

  /// Lets an open item write into the buffer.
  private func assign(_ item: QueueItem, from mediaFrame: Int64?) {
    guard let facts = item.facts, let worker = item.worker else { return }
    if buffer == nil {
      guard let format = openOutput(for: facts.format) else { return }
      buffer = makeBuffer(format)
    }
    guard let buffer else { return }
    _ = transport.handle(.opened)
    item.isDecoded = false
    worker.assign(buffer, from: mediaFrame, notifyingAhead: pending == nil ? nil : threshold(in: buffer))
  }

  private func makeBuffer(_ format: PCMFormat) -> StreamBuffer {
    let seconds = min(max(configuration.outputLatency * 2, 0.2), 4)
    return StreamBuffer(
      format: format, capacity: capacity(for: format), history: Int(format.sampleRate.frames(seconds)),
      generation: generation)
  }

  /// Frames that a buffer may hold at the present rate.
  private func capacity(for format: PCMFormat) -> Int {
    let seconds = policy(capacity: 0).capacity(ahead: min(max(configuration.decodedAhead, 0.5), 10))
    let ahead = Int(format.sampleRate.frames(seconds))
    return max(8192, min(ahead, (4 << 20) / (format.channels * MemoryLayout<Float>.size)))
  }

  func threshold(in buffer: StreamBuffer) -> Int {
    let seconds = policy(of: buffer).threshold(afterStarvation: afterStarvation)
    return max(1, Int(buffer.format.sampleRate.frames(seconds)))
  }

  func policy(of buffer: StreamBuffer) -> BufferingPolicy {
    policy(capacity: buffer.format.sampleRate.seconds(Int64(buffer.capacity)))
  }

  private func policy(capacity: Double) -> BufferingPolicy {
    BufferingPolicy(
      startThreshold: configuration.startThreshold, restartThreshold: configuration.restartThreshold,
      outputLatency: configuration.outputLatency, capacity: capacity, rate: effects.time.rate)
  }

  /// Goes over to a larger buffer, at the same place, where the present one is too small for the rate.
  func growBuffer() {
    guard let buffer, let current, let item = currentItem, let rate = item.facts?.format.sampleRate, pending == nil,
      item.seekability != .no, policy(of: buffer).isTooSmall, isLarger(than: buffer)
    else { return }
    dismissLater(than: current)
    begin(at: current, from: rate.frames(position), seek: nil)
  }

  private func isLarger(than buffer: StreamBuffer) -> Bool { capacity(for: buffer.format) > buffer.capacity }

  /// Drops what was decoded of the items behind one: they begin anew.
  func dismissLater(than index: Int) {
    for later in queue[(index + 1)...] where later.worker != nil {
      dismiss(later)
      later.reset()
    }
  }

  // MARK: The workers' reports

  func handle(_ report: WorkerReport, of item: QueueItem) {
    switch report {
    case .ready(let ready):
      item.ready = ready
      update(item, ready.facts)
      tell(.ready(id: item.id, index: index(of: item.id) ?? 0))
      if let decoding, queue[decoding] === item, pending != nil {
        assign(item, from: pending?.mediaFrame)
      } else {
        prepareNext()
      }
    case .began(let generation, let streamFrame, let mediaFrame):
      guard let rate = item.facts?.format.sampleRate, let streamRate = buffer?.format.sampleRate else { return }
      ledger.open(
        Ledger.Segment(
          item: item.id, generation: generation, start: streamFrame, mediaStart: mediaFrame, mediaRate: rate,
          streamRate: streamRate, opensItem: !item.hasStarted))
    case .filled(let generation):
      if generation == self.generation { bufferIsFilled() }
    case .facts(let facts): update(item, facts)
    case .completed(let generation, let streamFrame, let mediaFrame, let account):
      guard generation == self.generation else { return }
      let isHeard = ledger.close(item: item.id, generation: generation, end: streamFrame, mediaEnd: mediaFrame)
      statistics.concealedPackets += account.concealedPackets
      item.isTruncated = account.isTruncated
      item.isDecoded = true
      tell(.buffered(id: item.id, index: index(of: item.id) ?? 0))
      if isHeard { complete(item) }
      completeDecoding()
    case .failed(let generation, let streamFrame, let mediaFrame, let error):
      item.error = error
      if let generation {
        guard generation == self.generation else { return }
        if ledger.close(item: item.id, generation: generation, end: streamFrame, mediaEnd: mediaFrame) {
          complete(item)
        }
      }
      guard let decoding else { return }
      if queue[decoding] === item { item.isDecoded = true }
      if queue[decoding].isDecoded { completeDecoding() }
    case .metadata(let metadata, let mediaFrame):
      item.metadata.append((mediaFrame, metadata.title))
    case .source(let event):
      if case .connected = event { statistics.requests += 1 }
      tell(.network(id: item.id, event))
    }
  }

  private func update(_ item: QueueItem, _ facts: StreamFacts) {
    let known = item.facts?.duration
    item.facts = facts
    if known != facts.duration || item.ready == nil || known == nil {
      tell(.duration(id: item.id, item.playedDuration, facts.format.sampleRate))
    }
  }

  /// The item being decoded is decoded to its end, or as far as it can be: the next one follows, or nothing does.
  private func completeDecoding() {
    prepareNext()
    if let decoding, queue[decoding].isDecoded {
      if decoding + 1 == queue.count {
        buffer?.finish()
      }
      // The buffer may hold less than the threshold asks, and nothing comes before the next item is open.
      if let buffer, buffer.framesWritten > 0 { bufferIsFilled() }
    }
    walkFailures()
    if let buffer, buffer.isFinished, buffer.framesWritten == 0 { drained() }
  }

  /// Says of the items that could not be opened, as far as the listener has come.
  func walkFailures() {
    while let current, let item = currentItem, let error = item.error, !ledger.knows(item.id) || item.isFinished {
      if !item.isFinished {
        let isLast = current + 1 == queue.count
        tell(.error(error, input: item.item.input, action: isLast ? .stop : .skip))
        failure = error
        finish(item, reason: .failed)
      }
      guard current + 1 < queue.count else {
        if buffer == nil || buffer?.framesWritten == 0 { end() }
        return
      }
      self.current = current + 1
    }
  }

  // MARK: Ending

  /// Says that an item is over, once.
  func finish(_ item: QueueItem, reason: FinishReason) {
    guard !item.isFinished else { return }
    item.isFinished = true
    let rate = item.facts?.format.sampleRate
    let frames = ledger.framesHeard(of: item.id)
    let place = ledger.place.flatMap { $0.item == item.id ? $0.mediaFrame : nil } ?? (reason == .ended ? frames : 0)
    let reached = rate?.seconds(place) ?? 0
    // Who sought to the very end is there, though no frame of it was left to be heard.
    let position = reason == .ended ? item.duration ?? reached : reached
    item.finalPosition = position
    tell(
      .itemFinished(
        .init(
          id: item.id, index: index(of: item.id) ?? 0, reason: reason, framesPlayed: frames, framesSkipped: 0,
          position: position, duration: item.duration)))
    statistics.framesPlayed += frames
    ledger.forget(item: item.id)
  }

  /// Ends an item's worker and keeps what it counted.
  func dismiss(_ item: QueueItem, unless keeps: Bool = false) {
    guard !keeps, let worker = item.worker else { return }
    receivedBefore += worker.bytesReceived
    worker.cancel()
    item.worker = nil
    item.serial += 1
    item.ready = nil
  }
}

extension PlayerItem {
  /// What makes its source: its own closure, or what its name means.
  fileprivate func makeSource(http: HTTPSourceConfiguration) -> SourceFactory {
    if let makeSource { return makeSource }
    let input = self.input
    return { (events) throws(AudioError) -> any ByteSource in
      try DefaultSources.make(input, http: http, events: events)
    }
  }
}

extension QueueItem {
  /// The duration, cut where the listener wants it to end.
  fileprivate var playedDuration: MediaDuration? {
    guard let facts, var duration = facts.duration, let end = item.end else { return facts?.duration }
    let frames = facts.format.sampleRate.frames(end)
    if frames < duration.frames { duration = MediaDuration(frames: frames, isExact: true) }
    return duration
  }

  /// The frame at which it begins.
  var firstFrame: Int64 { facts.map { $0.format.sampleRate.frames(item.start) } ?? 0 }

  /// How well it can be sought, given what it comes from.
  var seekability: Seekability? {
    guard let ready, let facts else { return nil }
    return ready.source.seeking == .none || ready.source.isLive ? .no : facts.seekability
  }
}
