internal import AudioModel
internal import ByteSource
internal import Codecs
internal import DSP
internal import Glibc
internal import Martlet
internal import Media
internal import Platform
internal import RenderGraph

/// `render`: what `play` would sound like, into a file, as fast as it goes.
enum RenderCommand {
  /// Frames of a block.
  private static let blockFrames = 8192

  static func run(_ options: RenderOptions) throws(AudioError) -> ExitCode {
    let isInterrupted = Monitor(false)
    let source = try DefaultSources.make(options.input, http: options.http) { _ in }
    _ = SignalWatcher(
      handler: { number in
        guard number == SIGINT else { return }
        isInterrupted.withLock { $0 = true }
        source.cancel()
      },
      force: {})
    do throws(AudioError) {
      let reader = MediaReader(source: source)
      defer { reader.close() }
      try reader.open()
      try render(reader, options) { isInterrupted.withLock { $0 } }
      return .success
    } catch {
      if isInterrupted.withLock({ $0 }) { return .interrupted }
      if error.code == .writeFailed { throw error }
      Console.complain(error, about: options.input)
      return ExitCode(error)
    }
  }

  private static func render(
    _ reader: MediaReader, _ options: RenderOptions, isInterrupted: () -> Bool
  ) throws(AudioError) {
    let source = reader.facts.format
    let wanted = PCMFormat(
      sampleRate: options.sampleRate ?? source.sampleRate, layout: options.layout ?? source.layout)
    let target = options.target.nearest(to: wanted)
    try skip(reader, to: source.sampleRate.frames(options.start))
    // Opened last: an input that is no audio must not touch the output.
    let writer = try makeWriter(reader, target, options)
    defer { writer.abandon() }  // does nothing once it is finished
    let converter = FormatConverter(from: source, to: target)
    let graph = OfflineRenderer(
      format: target, capacity: 2 * blockFrames, maximumFrames: blockFrames,
      gain: Float(pow(10, min(options.volume.value, 24) / 20)), effects: options.effects)
    func pass(_ block: PCMBlock) throws(AudioError) { try render(block, through: graph, to: writer) }
    let decoded = PCMBlock(channels: source.channels, capacity: blockFrames)
    let converted = PCMBlock(channels: target.channels, capacity: blockFrames)
    let stride = min(blockFrames, converter.inputFrames(within: blockFrames))
    let end = options.end.map { source.sampleRate.frames($0) } ?? .max
    var progress = RenderProgress(start: reader.position, end: end, rate: source.sampleRate)
    while reader.position < end {
      if isInterrupted() { throw AudioError(.cancelled, "interrupted") }
      let wanted = Int(min(Int64(stride), end - reader.position))
      guard try reader.read(into: decoded, upTo: wanted) > 0 else { break }
      if converter.isIdentity {
        try pass(decoded)
      } else {
        converted.removeAll()
        converter.process(decoded, from: 0, count: decoded.frameCount, into: converted)
        try pass(converted)
      }
      progress.show(reader.position, of: reader.facts.duration?.frames)
    }
    if !converter.isIdentity {
      converted.removeAll()
      converter.finish(into: converted)
      try pass(converted)
    }
    graph.buffer.finish()
    var count = 1
    while count > 0 {
      if isInterrupted() { throw AudioError(.cancelled, "interrupted") }
      count = try graph.render(frames: blockFrames) { samples throws(AudioError) in
        try writer.write(interleaved: samples)
      }
    }
    try writer.finish()
    progress.clear()
    warn(reader, options.input)
  }

  /// Makes the file, with the input's texts.
  private static func makeWriter(
    _ reader: MediaReader, _ format: PCMFormat, _ options: RenderOptions
  ) throws(AudioError) -> MediaFileWriter {
    let facts = reader.facts
    var writing = MediaFileWriter.Options()
    writing.sample = options.sample
    if options.sample == nil, options.target.keepsIntegers, let coding = facts.sampleCoding, coding.kind != .float,
      coding.bits <= 16, format == facts.format, options.volume == .unity,
      options.effects.isIdentity
    {
      // Integers that nothing touches fit where they came from.
      writing.sample = .s16
    }
    writing.settings.hasDither = options.hasDither
    writing.settings.bitRate = options.bitRate
    writing.settings.originalRate = facts.format.sampleRate
    writing.tags = facts.tags
    writing.pictures = PictureFiles.read(facts.pictures, of: options.input)
    return try MediaFileWriter(options.target, format: format, options: writing)
  }

  /// Takes a block the way that it takes to a loudspeaker, and writes what comes of it.
  private static func render(
    _ block: PCMBlock, through graph: OfflineRenderer, to writer: MediaFileWriter
  ) throws(AudioError) {
    var done = 0
    while done < block.frameCount {
      done += graph.buffer.write(block, from: done, count: block.frameCount - done)
      var count = 1
      while count > 0 {
        count = try graph.render(frames: blockFrames) { samples throws(AudioError) in
          try writer.write(interleaved: samples)
        }
      }
    }
  }

  /// Goes to the first frame wanted; what can't be sought is read over.
  private static func skip(_ reader: MediaReader, to frame: Int64) throws(AudioError) {
    guard frame > 0 else { return }
    if reader.facts.seekability != .no {
      _ = try reader.seek(toFrame: frame)
      return
    }
    let block = PCMBlock(channels: reader.facts.format.channels, capacity: blockFrames)
    while reader.position < frame {
      let wanted = Int(min(Int64(blockFrames), frame - reader.position))
      guard try reader.read(into: block, upTo: wanted) > 0 else { return }
    }
  }

  private static func warn(_ reader: MediaReader, _ input: String) {
    if reader.isTruncated {
      Console.complain("\(input): the input is truncated: it ends before the length that it states")
    }
    if reader.concealedPackets > 0 {
      Console.complain("\(input): \(reader.concealedPackets) damaged packets were replaced by silence")
    }
  }
}
