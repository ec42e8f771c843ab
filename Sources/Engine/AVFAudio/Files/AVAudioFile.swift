internal import AudioModel
internal import ByteSource
public import Foundation
internal import Media
internal import Platform

/// A file of sound.
///
/// Reads everything that Martlet reads. Frames are counted without what encoders put in front and behind, and any frame
/// can be gone to exactly. For one thread at a time.
open class AVAudioFile: NSObject, @unchecked Sendable {
  private let reader: MediaReader
  private let block: PCMBlock
  /// The file.
  public let url: URL
  /// What is in the file: its coding, rate and channels.
  public let fileFormat: AVAudioFormat
  /// What frames are read as.
  public let processingFormat: AVAudioFormat
  /// Frames of the file.
  public let length: AVAudioFramePosition

  /// Opens a file to be read in the engine's own form.
  /// - Throws: Where there is no such file, or nothing in it that can be read.
  public convenience init(forReading fileURL: URL) throws {
    try self.init(forReading: fileURL, commonFormat: .pcmFormatFloat32, interleaved: false)
  }

  /// Opens a file.
  /// - Parameters:
  ///   - format: How samples are read.
  ///   - interleaved: Whether channels stand side by side.
  public init(forReading fileURL: URL, commonFormat format: AVAudioCommonFormat, interleaved: Bool) throws {
    url = fileURL
    let source = FileSource(path: fileURL.path)
    reader = MediaReader(source: source)
    do throws(AudioError) {
      try reader.open()
      length = try Self.length(of: reader)
    } catch {
      throw EngineError.make(error)
    }
    let own = reader.facts.format
    let standard = AVAudioFormat(own)
    fileFormat = standard
    processingFormat =
      standard.channelLayout.map {
        AVAudioFormat(commonFormat: format, sampleRate: standard.sampleRate, interleaved: interleaved, channelLayout: $0)
      } ?? AVAudioFormat(
        commonFormat: format, sampleRate: standard.sampleRate, channels: standard.channelCount, interleaved: interleaved)
      ?? standard
    block = PCMBlock(channels: own.channels, capacity: 4096)
    super.init()
  }

  deinit { reader.close() }

  private static func length(of reader: MediaReader) throws(AudioError) -> Int64 {
    if let duration = reader.facts.duration, duration.isExact { return duration.frames }
    // Nothing in the file says it: what can be read counts.
    let block = PCMBlock(channels: reader.facts.format.channels, capacity: 4096)
    while try reader.read(into: block, upTo: 4096) > 0 {}
    let length = reader.position
    _ = try reader.seek(toFrame: 0)
    return length
  }

  /// The frame that is read next. Setting it goes there, to the frame.
  public var framePosition: AVAudioFramePosition {
    get { reader.position }
    set { _ = try? reader.seek(toFrame: newValue) }
  }

  /// Reads as many frames as fit.
  /// - Throws: At the end, with the buffer's `frameLength` 0.
  public func read(into buffer: AVAudioPCMBuffer) throws { try read(into: buffer, frameCount: buffer.frameCapacity) }

  /// Reads frames.
  public func read(into buffer: AVAudioPCMBuffer, frameCount frames: AVAudioFrameCount) throws {
    precondition(
      buffer.format == processingFormat,
      "read: the buffer's format \(buffer.format) is not the file's processingFormat, \(processingFormat)")
    buffer.frameLength = 0
    let wanted = Int(min(frames, buffer.frameCapacity))
    var done = 0
    while done < wanted {
      do throws(AudioError) {
        let count = try reader.read(into: block, upTo: wanted - done)
        if count == 0 { break }
        buffer.store(count, at: done) { UnsafePointer(block.plane($0)) }
        done += count
      } catch {
        throw EngineError.make(error)
      }
    }
    if done == 0 && wanted > 0 { throw EngineError.make(-39, "The file's end was reached") }
  }
}
