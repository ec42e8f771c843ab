public import AudioModel
public import Codecs
public import Containers
internal import DSP

/// Writes a file of any format that the registry knows.
///
/// A file gets its name when it is complete: an older file of that name stays whole until then, and a failure leaves nothing
/// behind. Pipes, devices and standard output are written in order instead. What is read of the file is, frame by frame,
/// what was written: what encoders add in front and behind is told in the file and trimmed by readers that know how.
public final class MediaFileWriter: MediaWriter {
  /// How a file is made.
  public struct Options: Sendable {
    /// How samples are stored: PCM as ``AudioModel/WAVHeader/Sample/f32`` unless said, lossless codecs in 24 bits. The
    /// settings' coding counts more.
    public var sample: WAVHeader.Sample?
    /// What the encoder is asked for.
    public var settings = EncoderSettings()
    /// What the file says about itself.
    public var tags: [Tag] = []
    /// Pictures that are written where the container has a place for them.
    public var pictures: [WrittenPicture] = []

    /// Makes options with everything as usual.
    public init() {}
  }

  /// The format that it takes.
  public let format: PCMFormat
  /// Frames written so far.
  public private(set) var frames: Int64 = 0
  /// What the file is going to be.
  public let target: WritingTarget
  /// How samples lie in the file (PCM), or how deep they are (lossless codecs); `nil` for all else.
  public var sampleCoding: SampleCoding? { encoder.sampleCoding }

  /// Frames that every packet but the last holds; 0 where they differ, 1 for PCM.
  public var framesPerPacket: Int { encoder.framesPerPacket }

  private let encoder: any AudioEncoder
  private var container: any ContainerWriter
  private let file: OutputFile
  private let packets = EncodedPackets()
  private var isFinished = false
  /// What went wrong; nothing is left of the file then.
  private var failure: AudioError?
  private lazy var scratch = PCMBlock(channels: format.channels, capacity: Self.blockFrames)

  /// Frames that are encoded at a time, so that memory stays bounded.
  private static let blockFrames = 8192

  /// Opens a file.
  /// - Parameters:
  ///   - target: Where to and as what.
  ///   - format: What will be written; ``WritingTarget/nearest(to:)`` tells one that fits.
  ///   - options: How.
  ///   - registry: Who encodes.
  /// - Throws: 4005 where the encoder's library is missing; 4006 where encoder or container can't hold this; 1001 where
  ///   the format needs a file and the path is a pipe; 6001 where the system refuses.
  public init(
    _ target: WritingTarget, format: PCMFormat, options: Options = Options(), registry: MediaRegistry = .standard
  ) throws(AudioError) {
    self.target = target
    self.format = format
    var settings = options.settings
    if settings.sampleCoding == nil { settings.sampleCoding = try target.coding(options.sample) }
    encoder = try EncoderTable(registry.encoders).makeEncoder(target.codec, format: format, settings: settings)
    var stream = WrittenStream(codec: target.codec, format: format)
    stream.sampleCoding = encoder.sampleCoding
    stream.decoderConfiguration = encoder.decoderConfiguration
    stream.framesPerPacket = encoder.framesPerPacket
    stream.delay = encoder.delay
    stream.bitRate = encoder.bitRate
    stream.tags = options.tags
    stream.pictures = options.pictures
    container = try target.container.make(stream, target.pathExtension)
    file = try OutputFile(path: target.path)
    if target.container.needsFile(target.codec) && !file.isReplaceable {
      file.abandon()
      throw AudioError(
        .usage, "A file of this kind is completed at its beginning, so it can't go to a pipe; WAV, FLAC and Ogg can")
    }
    try container.begin(file)
  }

  /// Opens a WAV file.
  /// - Throws: 6001 where the system refuses.
  public static func wav(
    path: String, format: PCMFormat, sample: WAVHeader.Sample = .f32, hasDither: Bool = false
  ) throws(AudioError) -> MediaFileWriter {
    var options = Options()
    options.sample = sample
    options.settings.hasDither = hasDither
    return try MediaFileWriter(
      WritingTarget(path: path, container: "wav", registry: .builtIn), format: format, options: options,
      registry: .builtIn)
  }

  deinit { abandon() }

  /// Writes frames.
  /// - Throws: 6001 where the system refuses, 4007 where the encoder fails; nothing is left then.
  public func write(_ block: PCMBlock, from start: Int, count: Int) throws(AudioError) {
    precondition(block.channels == format.channels && start >= 0 && count >= 0 && start + count <= block.frameCount)
    if let failure { throw failure }
    guard !isFinished else { throw AudioError(.usage, "The file is closed") }
    do throws(AudioError) {
      var done = 0
      while done < count {
        let part = min(Self.blockFrames, count - done)
        try encoder.encode(block, from: start + done, count: part, into: packets)
        try drain()
        done += part
        frames += Int64(part)
      }
    } catch {
      fail(error)
      throw error
    }
  }

  /// Writes frames whose samples stand side by side, a whole number of frames.
  /// - Throws: As ``write(_:from:count:)``.
  public func write(interleaved samples: UnsafeBufferPointer<Float>) throws(AudioError) {
    precondition(samples.count % format.channels == 0)
    let total = samples.count / format.channels
    var done = 0
    while done < total, let base = samples.baseAddress {
      let part = min(Self.blockFrames, total - done)
      scratch.removeAll()
      Interleaving.deinterleave(
        base + done * format.channels, channels: format.channels, frames: part, into: scratch.plane(0),
        stride: scratch.capacity)
      scratch.advance(part)
      try write(scratch, from: 0, count: part)
      done += part
    }
  }

  /// Gives what is encoded so far to the system, which then says whether there is room.
  /// - Throws: 6001 where the system refuses; nothing is left then.
  public func flush() throws(AudioError) {
    if let failure { throw failure }
    guard !isFinished else { return }
    do throws(AudioError) {
      try file.flush()
    } catch {
      fail(error)
      throw error
    }
  }

  /// Completes the file, and gives it its name.
  /// - Throws: 6001, 4007, or what an earlier write has thrown; nothing is left then.
  public func finish() throws(AudioError) {
    if let failure { throw failure }
    guard !isFinished else { return }
    isFinished = true
    do throws(AudioError) {
      try encoder.finish(into: packets)
      try drain()
      let ending = StreamEnding(
        frames: frames, padding: encoder.padding, decoderConfiguration: encoder.decoderConfiguration)
      try container.finish(ending, to: file)
      try file.finish()
    } catch {
      fail(error)
      throw error
    }
  }

  /// Gives up, and removes what was written; does nothing once the file is complete.
  public func abandon() {
    isFinished = true
    file.abandon()
  }

  private func fail(_ error: AudioError) {
    failure = error
    abandon()
  }

  private func drain() throws(AudioError) {
    try packets.forEach { bytes, frames throws(AudioError) in
      try container.write(bytes, frames: frames, to: file)
    }
    packets.removeAll()
  }
}
