internal import AudioModel
internal import ByteSource
internal import DSP
internal import Media
internal import Platform
internal import RenderGraph
internal import Synchronization

/// Opens one item and decodes it into the buffer it is given, on a thread of its own, until it is cancelled.
///
/// The control thread gives it buffers (``assign(_:from:)``); what it has to say goes through `report`. It blocks on
/// its source and on a full buffer, never on anything else.
final class ItemWorker: Sendable {
  private struct Box {
    var assignment: Assignment?
    var watermark: Int?
    var kicks = 0
    var isCancelled = false
    var source: (any ByteSource)?
    /// The item is open: its source may be interrupted.
    var isServing = false
    var metadata: [(offset: Int64, StreamMetadata)] = []
  }

  private struct Assignment {
    var buffer: StreamBuffer
    var mediaFrame: Int64?
  }

  /// Frames that are decoded between two looks at the mailbox.
  private static let stride = 2048

  private let item: PlayerItem
  private let makeSource: PlayerItem.SourceFactory
  private let report: @Sendable (WorkerReport) -> Void
  private let box = Monitor(Box())
  private let received = Atomic<Int64>(0)

  init(
    item: PlayerItem, makeSource: @escaping PlayerItem.SourceFactory,
    report: @escaping @Sendable (WorkerReport) -> Void
  ) {
    self.item = item
    self.makeSource = makeSource
    self.report = report
    _ = NamedThread("martlet-decode") { [self] in run() }
  }

  // MARK: Control side

  /// Bytes read from the source so far.
  var bytesReceived: Int64 { received.load(ordering: .relaxed) }

  /// Gives the worker a buffer to write to, in place of the one before.
  /// - Parameters:
  ///   - mediaFrame: Where in the item to begin; `nil` goes on from the item's start, or from where it was.
  ///   - watermark: As ``notify(whenAhead:)``, of this buffer: what is in the one before must not answer it.
  func assign(_ buffer: StreamBuffer, from mediaFrame: Int64?, notifyingAhead watermark: Int?) {
    box.signal {
      $0.assignment = Assignment(buffer: buffer, mediaFrame: mediaFrame)
      // A seek must not wait for bytes that nobody wants any more.
      if mediaFrame != nil && $0.isServing { $0.source?.setInterrupted(true) }
      if let watermark { $0.watermark = watermark }
    }
  }

  /// Asks for one ``WorkerReport/filled(generation:)`` as soon as `frames` are ahead of the device.
  func notify(whenAhead frames: Int) { box.signal { $0.watermark = frames } }

  /// Says that the buffer has room again.
  func kick() { box.signal { $0.kicks &+= 1 } }

  /// Ends the worker soon, whatever it waits for. It reports nothing more.
  func cancel() {
    let source = box.signal { box in
      box.isCancelled = true
      return box.source
    }
    source?.cancel()
  }

  // MARK: Worker thread

  private var isCancelled: Bool { box.withLock { $0.isCancelled } }

  private func tell(_ what: WorkerReport) { if !isCancelled { report(what) } }

  private func run() {
    do {
      let raw = try makeSource { [weak self] event in self?.heard(event) }
      let source = CountingSource(raw, count: { [self] in _ = received.add(Int64($0), ordering: .relaxed) })
      defer {
        box.withLock { $0.source = nil }
        source.close()
      }
      let isCancelled = box.withLock { box in
        box.source = source
        return box.isCancelled
      }
      if isCancelled { return }
      try serve(source)
    } catch {
      tell(.failed(generation: nil, streamFrame: 0, mediaFrame: 0, error))
    }
  }

  private func serve(_ source: any ByteSource) throws(AudioError) {
    let reader = MediaReader(source: source) { [weak self] event in self?.heard(event) }
    try reader.open()
    let rate = reader.facts.format.sampleRate
    if item.start > 0 { _ = try reader.seek(toFrame: rate.frames(item.start)) }
    tell(.ready(ReadyItem(facts: reader.facts, source: reader.sourceFacts)))
    box.withLock { $0.isServing = true }
    while let assignment = nextAssignment() {
      do {
        try write(reader, to: assignment)
      } catch  where error.code == .interrupted {
        continue
      } catch {
        tell(
          .failed(
            generation: assignment.buffer.generation, streamFrame: assignment.buffer.framesWritten,
            mediaFrame: reader.position, error))
        return
      }
    }
  }

  /// Waits for the next buffer; `nil` when the worker is cancelled.
  private func nextAssignment() -> Assignment? {
    box.wait { box -> Assignment?? in
      if box.isCancelled { return .some(nil) }
      guard let assignment = box.assignment else { return nil }
      box.assignment = nil
      box.source?.setInterrupted(false)
      return assignment
    } ?? nil
  }

  /// Whether the buffer being written to is still the right one.
  private var isInterrupted: Bool { box.withLock { $0.isCancelled || $0.assignment != nil } }

  private func write(_ reader: MediaReader, to assignment: Assignment) throws(AudioError) {
    let buffer = assignment.buffer
    // What stands there already need not be sought, and a pipe could not.
    if let target = assignment.mediaFrame { _ = try reader.seek(toFrame: target) }
    var facts = reader.facts
    let converter = FormatConverter(from: facts.format, to: buffer.format)
    let decoded = PCMBlock(channels: facts.format.channels, capacity: Self.stride)
    let converted = PCMBlock(channels: buffer.format.channels, capacity: Self.stride)
    // A strange rate must not blow up a block of a few frames to gigabytes.
    let stride = max(1, min(Self.stride, converter.inputFrames(within: 4 * Self.stride)))
    let end = item.end.map { facts.format.sampleRate.frames($0) } ?? .max
    tell(.began(generation: buffer.generation, streamFrame: buffer.framesWritten, mediaFrame: reader.position))
    while !isInterrupted {
      let start = reader.position
      decoded.removeAll()
      let wanted = Int(min(Int64(stride), max(0, end - start)))
      let count = wanted == 0 ? 0 : try reader.read(into: decoded, upTo: wanted)
      passMetadata(upTo: reader.bytePosition, mediaFrame: start)
      if reader.facts != facts {
        facts = reader.facts
        tell(.facts(facts))
      }
      converted.removeAll()
      if count == 0 {
        converter.finish(into: converted)
        guard put(converted, into: buffer) else { return }
        finish(reader, buffer)
        return
      }
      if converter.isIdentity {
        guard put(decoded, into: buffer) else { return }
      } else {
        converter.process(decoded, from: 0, count: decoded.frameCount, into: converted)
        guard put(converted, into: buffer) else { return }
      }
    }
  }

  private func finish(_ reader: MediaReader, _ buffer: StreamBuffer) {
    box.withLock { if $0.assignment == nil { $0.watermark = nil } }
    tell(
      .completed(
        generation: buffer.generation, streamFrame: buffer.framesWritten, mediaFrame: reader.position,
        DecodeAccount(concealedPackets: reader.concealedPackets, isTruncated: reader.isTruncated)))
  }

  /// Writes a block, waiting for room. Answers false when the buffer is no longer wanted.
  private func put(_ block: PCMBlock, into buffer: StreamBuffer) -> Bool {
    var done = 0
    while done < block.frameCount {
      let kicks = box.withLock { $0.kicks }
      let written = buffer.write(block, from: done, count: block.frameCount - done)
      done += written
      noteFill(of: buffer)
      if written == 0 {
        let goesOn = box.wait { box -> Bool? in
          if box.isCancelled || box.assignment != nil { return false }
          return box.kicks != kicks ? true : nil
        }
        if goesOn != true { return false }
      }
    }
    return true
  }

  private func noteFill(of buffer: StreamBuffer) {
    let ahead = Int(buffer.framesWritten - buffer.framesRead)
    let isFilled = box.withLock { box in
      guard box.assignment == nil, let watermark = box.watermark, ahead >= watermark || buffer.writableFrames == 0
      else { return false }
      box.watermark = nil
      return true
    }
    if isFilled { tell(.filled(generation: buffer.generation)) }
  }

  // MARK: The source's events

  private func heard(_ event: SourceEvent) {
    if case .metadata(let metadata, let offset) = event {
      // A stream that is never decoded on must not collect titles without bound.
      box.withLock { box in
        if box.metadata.count >= 256 { box.metadata.removeFirst() }
        box.metadata.append((offset, metadata))
      }
    } else {
      tell(.source(event))
    }
  }

  private func passMetadata(upTo position: Int64, mediaFrame: Int64) {
    let due = box.withLock { box in
      let due = box.metadata.prefix { $0.offset <= position }.map { $0.1 }
      box.metadata.removeFirst(due.count)
      return due
    }
    for metadata in due { tell(.metadata(metadata, mediaFrame: mediaFrame)) }
  }
}
