public import AudioModel
public import ByteSource
internal import Codecs
package import Containers

/// A source's sound: exact, trimmed PCM with sample-exact seeking.
///
/// Order of calls: ``open()`` once, then ``read(into:upTo:)`` and ``seek(toFrame:)`` in any order, then ``close()``. All
/// of these block and belong to one worker thread at a time; ``cancel()`` may come from any. Frames are counted on the
/// trimmed timeline: frame 0 is the first one heard, and what encoders put in front and behind never comes out. Memory
/// is bounded by the largest packet and a window of the source (16 MiB at most), whatever the length.
public final class MediaReader: @unchecked Sendable {
  // One worker at a time by contract; `cancel` touches only `source`, which never changes.

  /// Where the bytes come from.
  public let source: any ByteSource
  private let registry: MediaRegistry
  private let events: SourceEventHandler?
  private var sourceFactsIfOpen: SourceFacts?
  private var pipeline: DecodePipeline?
  private var leading = TagSet()

  /// Makes a reader of a source that is not open yet.
  /// - Parameter events: Hears when what the source gives begins to be kept on disk; the rest, the source itself tells.
  public init(source: any ByteSource, registry: MediaRegistry = .standard, events: SourceEventHandler? = nil) {
    self.source = source
    self.events = events
    self.registry = registry
  }

  /// Opens the source, finds out what it holds, and gets a decoder for it.
  /// - Parameter needsDecoder: Without one, opening fails. Else ``facts`` tell what the container says, ``decoderName`` is
  ///   `none`, and it is reading that fails.
  /// - Throws: What the source throws; 3xxx where the input is empty, a text, or anything else but audio; 4xxx without
  ///   a decoder.
  public func open(needsDecoder: Bool = true) throws(AudioError) {
    precondition(pipeline == nil, "a reader is opened once")
    let facts = try source.open()
    sourceFactsIfOpen = facts
    let opening = try MediaOpening.open(
      WindowedSource(source, facts: facts, events: events), registry: registry, needsDecoder: needsDecoder)
    leading = opening.leading
    let table = DecoderTable(registry.decoders)
    pipeline = DecodePipeline(reader: opening.reader, decoder: opening.decoder, isLive: facts.isLive) {
      facts throws(AudioError) in try table.makeDecoder(for: facts)
    }
  }

  /// What the container says, once open. Its format is that of everything that is read; a duration may become known, or
  /// exact, while reading.
  public var facts: StreamFacts {
    let pipeline = opened
    var facts = pipeline.reader.facts
    facts.format = pipeline.format
    if sourceFacts.isLive {
      facts.duration = nil
      facts.seekability = .no
    } else if sourceFacts.seeking == .none {
      facts.seekability = .no
    }
    if !leading.isEmpty {
      var all = TagSet()
      all.tags = facts.tags
      all.pictures = facts.pictures
      all.chapters = facts.chapters
      all.loudness = facts.loudness
      var complete = leading
      complete.complete(with: all)
      facts.take(complete)
    }
    return facts
  }

  /// The packets as the container gives them, for who wants them undecoded. Whoever reads them reads no sound any more.
  package var packets: any PacketReader { opened.reader }

  /// What the source said when it was opened.
  public var sourceFacts: SourceFacts {
    guard let facts = sourceFactsIfOpen else { preconditionFailure("the reader is not open") }
    return facts
  }

  /// Who decodes.
  public var decoderName: String { opened.decoder.name }
  /// The frame that the next read begins with.
  public var position: Int64 { opened.position }
  /// Packets that could not be decoded and were replaced by silence, since opening.
  public var concealedPackets: Int { opened.concealedPackets }
  /// Frames that were read, since opening.
  public private(set) var decodedFrames: Int64 = 0
  /// The end came before all that the container states; known when the end was reached.
  public var isTruncated: Bool { opened.isTruncated || facts.isTruncated }
  /// Where in the source the sound comes from that was decoded last: what radio metadata is placed by.
  public var bytePosition: Int64 { opened.bytePosition }

  /// Reads sound.
  /// - Parameters:
  ///   - block: Emptied, and given the right number of channels; allocates only where it is too small.
  ///   - frames: The most that is wanted, at least 1.
  /// - Returns: How many frames the block has now, at least 1 and often fewer than `frames`; 0 at the end.
  /// - Throws: What the source throws, and 4xxx where decoding fails for good. A damaged packet throws nothing: it is
  ///   silence of its length.
  public func read(into block: PCMBlock, upTo frames: Int) throws(AudioError) -> Int {
    precondition(frames > 0)
    let pipeline = opened
    if block.channels != pipeline.format.channels {
      block.reshape(channels: pipeline.format.channels, capacity: max(block.capacity, frames))
    }
    block.removeAll()
    block.reserve(frames)
    // One packet at a time: sound that is there never waits for bytes that are not.
    guard try pipeline.fill() else { return 0 }
    let count = min(pipeline.available.count, frames)
    block.append(pipeline.block, from: pipeline.available.lowerBound, count: count)
    pipeline.consume(count)
    decodedFrames += Int64(count)
    return count
  }

  /// Goes to a frame.
  /// - Parameter frame: On the trimmed timeline; below 0 counts as 0, behind a known end as the end.
  /// - Returns: The frame that the next read begins with: the one asked for, or the end.
  /// - Throws: ``AudioModel/AudioError/Code/notSeekable`` for live streams and pipes.
  public func seek(toFrame frame: Int64) throws(AudioError) -> Int64 {
    let pipeline = opened
    let duration = sourceFacts.isLive ? nil : pipeline.reader.facts.duration
    let last = duration?.isExact == true ? duration?.frames ?? .max : .max
    let target = min(max(frame, 0), last)
    if target == pipeline.position && !pipeline.isLost { return target }
    guard !sourceFacts.isLive else { throw AudioError(.notSeekable, "The input can't be sought") }
    try pipeline.seek(to: target)
    _ = try pipeline.fill()
    return pipeline.position
  }

  /// Makes blocked and later calls throw ``AudioModel/AudioError/Code/cancelled``. Any thread.
  public func cancel() { source.cancel() }

  /// Closes the source. After it only ``cancel()`` may be called.
  public func close() {
    pipeline = nil
    source.close()
  }

  private var opened: DecodePipeline {
    guard let pipeline else { preconditionFailure("the reader is not open") }
    return pipeline
  }
}
