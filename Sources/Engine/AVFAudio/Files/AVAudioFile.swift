internal import AudioModel
internal import CoreAudioTypes
public import Foundation

/// A file of sound, open to be read or written.
///
/// Reads everything that Martlet reads: frames are counted without what encoders put in front and behind, and any frame
/// can be gone to exactly. Writes WAV, AIFF, CAF, FLAC, M4A (AAC and Apple Lossless), MP3, ADTS, and Opus and Vorbis in
/// Ogg. For one thread at a time.
///
/// A file that is written gets its name when it is closed, by ``close()`` or with the last reference: until then an older
/// file of that name stays what it is.
open class AVAudioFile: NSObject, @unchecked Sendable {
  private enum State {
    case reading(FileReading)
    case writing(FileWriting)
    case closed(position: Int64)
  }

  private var state: State
  private var frames: Int64

  /// The file.
  public let url: URL
  /// What is in the file: its coding, rate and channels.
  public let fileFormat: AVAudioFormat
  /// What frames are read or written as.
  public let processingFormat: AVAudioFormat

  // MARK: Opening

  /// Opens a file to be read in the engine's own form, Float32 without interleaving, at the file's rate and with its
  /// channels.
  /// - Throws: Where there is no such file, or nothing in it that can be read.
  public convenience init(forReading fileURL: URL) throws {
    try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Opens a file to be read.
  /// - Parameters:
  ///   - fileURL: A file, not a resource of the network.
  ///   - format: How samples are read; not `.otherFormat`.
  ///   - interleaved: Whether channels stand side by side.
  /// - Throws: Where there is no such file, or nothing in it that can be read.
  public init(forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool) throws {
    try Self.check(fileURL)
    let reading = try FileReading(path: fileURL.path)
    url = fileURL
    fileFormat = reading.fileFormat
    processingFormat = Self.processingFormat(reading.format, format, interleaved)
    frames = reading.length
    state = .reading(reading)
    super.init()
  }

  /// Opens a file to be written in the engine's own form, Float32 without interleaving.
  /// - Parameters:
  ///   - fileURL: Its extension decides about the kind of file, unless `AVAudioFileTypeKey` does.
  ///   - settings: `AVSampleRateKey` and `AVNumberOfChannelsKey` are needed, `AVChannelLayoutKey` for unusual layouts.
  ///     `AVFormatIDKey` is what the kind of file usually holds where it is missing. For linear PCM the keys
  ///     `AVLinearPCMBitDepthKey` (16, or 32 for floats) and `AVLinearPCMIsFloatKey` count; byte order is the file's own,
  ///     but CAF heeds `AVLinearPCMIsBigEndianKey`. `AVEncoderBitDepthHintKey` is the depth of lossless codings (16);
  ///     `AVEncoderBitRateKey`, `AVEncoderBitRatePerChannelKey`, `AVEncoderBitRateStrategyKey`,
  ///     `AVEncoderAudioQualityKey` and `AVEncoderAudioQualityForVBRKey` concern those with loss.
  /// - Throws: Where a setting is missing, impossible or does not fit the others: the description names the key; where
  ///   the file can't be made.
  public convenience init(forWriting fileURL: URL, settings: [String: Any]) throws {
    try self.init(forWriting: fileURL, settings: settings, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Opens a file to be written.
  /// - Parameters:
  ///   - fileURL: As for ``init(forWriting:settings:)``.
  ///   - settings: As for ``init(forWriting:settings:)``.
  ///   - format: How samples are given; not `.otherFormat`.
  ///   - interleaved: Whether channels stand side by side.
  /// - Throws: As ``init(forWriting:settings:)``.
  public init(
    forWriting fileURL: URL, settings: [String: Any], commonFormat format: AVAudioCommonFormat, interleaved: Bool
  ) throws {
    try Self.check(fileURL)
    let writing = try FileWriting(path: fileURL.path, settings: FileSettings(settings, path: fileURL.path))
    url = fileURL
    fileFormat = writing.fileFormat
    processingFormat = Self.processingFormat(writing.format, format, interleaved)
    frames = 0
    state = .writing(writing)
    super.init()
  }

  deinit { close() }

  private static func check(_ url: URL) throws {
    guard url.isFileURL else {
      throw EngineError.make(kAudioFileUnspecifiedError, "AVAudioFile opens files, and \(url.absoluteString) is none")
    }
  }

  private static func processingFormat(
    _ format: PCMFormat, _ common: AVAudioCommonFormat, _ interleaved: Bool
  ) -> AVAudioFormat {
    require(
      common != .otherFormat, "AVAudioFile: frames are read and written as a common format, not .otherFormat")
    let standard = AVAudioFormat(format)
    if let layout = standard.channelLayout {
      return AVAudioFormat(
        commonFormat: common, sampleRate: standard.sampleRate, interleaved: interleaved, channelLayout: layout)
    }
    guard
      let format = AVAudioFormat(
        commonFormat: common, sampleRate: standard.sampleRate, channels: standard.channelCount,
        interleaved: interleaved)
    else { fatalError("AVAudioFile: there is no format of \(standard.channelCount) channels") }
    return format
  }

  // MARK: Properties

  /// Frames of the file, exactly: those that can be read, or those written so far.
  public var length: AVAudioFramePosition { frames }

  /// Whether the file has not been closed.
  public var isOpen: Bool {
    if case .closed = state { return false }
    return true
  }

  /// The frame that is read or written next.
  ///
  /// Setting it on a file that is read goes there, to the frame, and to the end where it lies behind it; where that fails,
  /// the next read throws. A file that is written grows at its end only.
  public var framePosition: AVAudioFramePosition {
    get {
      switch state {
      case .reading(let reading): reading.position
      case .writing: frames
      case .closed(let position): position
      }
    }
    set {
      switch state {
      case .reading(let reading): reading.seek(to: newValue)
      case .writing:
        require(
          newValue == frames,
          "AVAudioFile: a file that is written grows at its end, frame \(frames), not at \(newValue)")
      case .closed: fatalError("AVAudioFile: the file is closed, and has no position to be set")
      }
    }
  }

  // MARK: Reading and writing

  /// Reads as many frames as fit, fewer only at the end.
  /// - Parameter buffer: Of ``processingFormat``; its `frameLength` tells how many came.
  /// - Throws: At the end (`kAudioFileEndOfFileError`, with a `frameLength` of 0), and where the file can't be read.
  open func read(into buffer: AVAudioPCMBuffer) throws { try read(into: buffer, frameCount: buffer.frameCapacity) }

  /// Reads frames.
  /// - Parameters:
  ///   - buffer: Of ``processingFormat``; its `frameLength` tells how many came.
  ///   - frames: How many; no more than fit are read.
  /// - Throws: As ``read(into:)``.
  open func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
    require(
      buffer.format == processingFormat,
      "AVAudioFile: the buffer to read into has \(buffer.format), but the processingFormat is \(processingFormat)")
    buffer.frameLength = 0
    switch state {
    case .reading(let reading): try reading.read(into: buffer, upTo: Int(min(frames, buffer.frameCapacity)))
    case .writing:
      throw EngineError.make(kAudioFilePermissionsError, "The file is open to be written and can't be read")
    case .closed: throw Self.closed
    }
  }

  /// Adds a buffer's frames, and gives what is encoded so far to the system.
  /// - Parameter buffer: Of ``processingFormat``; as many frames as its `frameLength` says.
  /// - Throws: Where the file is not open to be written, or the system refuses: a full disk. Nothing is left of the file
  ///   then, and all later calls throw the same.
  open func write(from buffer: AVAudioPCMBuffer) throws {
    require(
      buffer.format == processingFormat,
      "AVAudioFile: the buffer to write has \(buffer.format), but the processingFormat is \(processingFormat)")
    switch state {
    case .reading:
      throw EngineError.make(kAudioFilePermissionsError, "The file is open to be read and can't be written")
    case .writing(let writing):
      try writing.write(buffer)
      frames += Int64(buffer.frameLength)
    case .closed: throw Self.closed
    }
  }

  /// Completes a file that is written, and lets go of it. Closing twice does no harm.
  ///
  /// What an encoder still holds, and a head that tells lengths, are written now. Where that fails (a full disk) nothing is
  /// left of the file, and nobody is told: ``finish()`` tells.
  public func close() { try? finish() }

  /// Completes a file that is written, and lets go of it, as ``close()`` does, and tells what went wrong. An addition of
  /// Martlet's.
  /// - Throws: Where the last bytes can't be written, and where an earlier write has failed; nothing is left of the file
  ///   then. Not for a file that is read, nor a second time.
  public func finish() throws {
    let position = framePosition
    defer { state = .closed(position: position) }
    switch state {
    case .reading(let reading): reading.close()
    case .writing(let writing): try writing.finish()
    case .closed: return
    }
  }

  private static var closed: NSError { EngineError.make(kAudioFileNotOpenError, "The file is closed") }
}
