internal import AudioModel
internal import ByteSource
internal import CoreAudioTypes
internal import Foundation
internal import Media

/// A file that is read.
final class FileReading {
  /// Rate and channels.
  let format: PCMFormat
  /// What is on disk.
  let fileFormat: AVAudioFormat
  /// Frames that can be read.
  let length: Int64

  private let reader: MediaReader
  private let block: PCMBlock
  /// Why the file could not be sought; the next read tells.
  private var failure: AudioError?

  /// Opens a file; where nothing in it says how long it is, reads it to its end.
  convenience init(path: String) throws { try self.init(FileSource(path: path)) }

  /// Opens what a file holds; where nothing in it says how long it is, reads it to its end.
  init(_ source: any ByteSource) throws {
    let reader = MediaReader(source: source)
    do throws(AudioError) {
      try reader.open()
      length = try Self.length(of: reader)
    } catch {
      throw EngineError.make(FileFailure.code(error), error.message, underlying: error)
    }
    self.reader = reader
    format = reader.facts.format
    fileFormat = FileFormat.make(reader.facts)
    block = PCMBlock(channels: format.channels, capacity: 4096)
  }

  var position: Int64 { reader.position }

  func seek(to frame: Int64) {
    do throws(AudioError) {
      _ = try reader.seek(toFrame: frame)
      failure = nil
    } catch {
      failure = error
    }
  }

  /// Reads up to `frames` into an empty buffer.
  func read(into buffer: AVAudioPCMBuffer, upTo frames: Int) throws {
    let count = try read(into: buffer, from: 0, upTo: frames)
    if count == 0 && frames > 0 { throw EngineError.make(kAudioFileEndOfFileError, "The end of the file is reached") }
  }

  /// Reads up to `frames` behind those that a buffer has.
  /// - Parameter offset: How many it has.
  /// - Returns: How many came: fewer only at the end.
  func read(into buffer: AVAudioPCMBuffer, from offset: Int, upTo frames: Int) throws -> Int {
    if let failure { throw EngineError.make(FileFailure.code(failure), failure.message, underlying: failure) }
    var done = 0
    while done < frames {
      let count: Int
      do throws(AudioError) {
        count = try reader.read(into: block, upTo: min(frames - done, 4096))
      } catch {
        throw EngineError.make(FileFailure.code(error), error.message, underlying: error)
      }
      if count == 0 { break }
      buffer.store(count, at: offset + done) { UnsafePointer(block.plane($0)) }
      done += count
    }
    return done
  }

  func close() { reader.close() }

  private static func length(of reader: MediaReader) throws(AudioError) -> Int64 {
    if let duration = reader.facts.duration, duration.isExact { return duration.frames }
    let block = PCMBlock(channels: reader.facts.format.channels, capacity: 4096)
    while try reader.read(into: block, upTo: 4096) > 0 {}
    let length = reader.position
    _ = try reader.seek(toFrame: 0)
    return length
  }
}
