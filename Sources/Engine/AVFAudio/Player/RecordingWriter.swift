internal import AudioModel
internal import CoreAudioTypes
internal import DSP
internal import Foundation

/// A file that the microphone's blocks are written to, converted to its own format. Used by one thread at a time.
final class RecordingWriter {
  private let file: AVAudioFile
  private let converter: FormatConverter
  private let converted: PCMBlock

  /// Makes the file, in place of one that is there.
  /// - Parameter input: The format of all blocks.
  init(_ url: URL, settings: [String: Any], input: PCMFormat) throws {
    file = try AVAudioFile(forWriting: url, settings: settings)
    let output = file.processingFormat.pcmFormat
    converter = FormatConverter(from: input, to: output, quality: .high)
    converted = PCMBlock(channels: output.channels, capacity: 4096)
  }

  /// Writes some frames of a block.
  func write(_ block: PCMBlock, _ range: Range<Int>) throws {
    guard !range.isEmpty else { return }
    converter.process(block, from: range.lowerBound, count: range.count, into: converted)
    try flush()
  }

  /// Writes what the converter still holds, and completes the file.
  func finish() throws {
    converter.finish(into: converted)
    try flush()
    file.close()
  }

  private func flush() throws {
    defer { converted.removeAll() }
    guard converted.frameCount > 0 else { return }
    guard let buffer = AVAudioPCMBuffer(copying: converted, format: file.processingFormat) else {
      throw EngineError.make(kAudio_MemFullError, "There is no memory for a recording's sound")
    }
    try file.write(from: buffer)
  }
}
