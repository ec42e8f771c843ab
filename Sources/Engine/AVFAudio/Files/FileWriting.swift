internal import AudioModel
internal import CoreAudioTypes
internal import Foundation
internal import Media

/// A file that is written.
final class FileWriting {
  /// Rate and channels.
  let format: PCMFormat
  /// What is on disk.
  let fileFormat: AVAudioFormat

  private let writer: MediaFileWriter
  private let block: PCMBlock

  init(path: String, settings: FileSettings) throws {
    do throws(AudioError) {
      writer = try MediaFileWriter(settings.target, format: settings.format, options: settings.options)
    } catch {
      throw EngineError.make(FileFailure.code(error), error.message, underlying: error)
    }
    format = settings.format
    fileFormat = FileFormat.make(
      settings.target.codec, settings.format, coding: writer.sampleCoding, framesPerPacket: writer.framesPerPacket)
    block = PCMBlock(channels: format.channels, capacity: 4096)
  }

  func write(_ buffer: AVAudioPCMBuffer) throws {
    let count = Int(buffer.frameLength)
    guard count > 0 else { return }
    block.removeAll()
    block.reserve(count)
    buffer.load { block.plane($0) }
    block.advance(count)
    do throws(AudioError) {
      try writer.write(block)
      try writer.flush()
    } catch {
      throw EngineError.make(FileFailure.code(error), error.message, underlying: error)
    }
  }

  /// Completes the file. A failure leaves nothing behind.
  func finish() throws {
    do throws(AudioError) {
      try writer.finish()
    } catch {
      throw EngineError.make(FileFailure.code(error), error.message, underlying: error)
    }
  }
}

/// Core Audio's codes for failures with files.
enum FileFailure {
  static func code(_ error: AudioError) -> OSStatus {
    switch error.code {
    case .notFound: kAudioFileFileNotFoundError
    case .unreadable: kAudioFilePermissionsError
    case .writeFailed: kAudioFileUnspecifiedError
    case .unrecognized, .noAudio, .unsupportedContainer: kAudioFileUnsupportedFileTypeError
    case .unsupportedCodec, .decoderUnavailable, .encoderUnavailable, .encodingUnsupported:
      kAudioFileUnsupportedDataFormatError
    case .malformed, .empty, .limitReached, .damagedPacket: kAudioFileInvalidFileError
    default: kAudioFileUnspecifiedError
    }
  }
}
