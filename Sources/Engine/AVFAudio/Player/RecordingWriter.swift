internal import CoreAudioTypes
internal import Foundation

/// A file that buffers are written to, converted to its own format. Used by one thread at a time.
final class RecordingWriter {
  private let file: AVAudioFile
  /// For buffers of the format that came last; `nil` where the file takes them as they are.
  private var converter: AVAudioConverter?

  /// Makes the file, in place of one that is there.
  init(_ url: URL, settings: [String: Any]) throws { file = try AVAudioFile(forWriting: url, settings: settings) }

  /// Writes some frames of a buffer.
  func write(_ buffer: AVAudioPCMBuffer, _ range: Range<Int>) throws {
    guard !range.isEmpty else { return }
    guard let part = range.count == Int(buffer.frameLength) ? buffer : Self.copy(range, of: buffer) else { return }
    if let converter, converter.inputFormat != part.format { try drain(converter) }
    guard part.format != file.processingFormat else { return try file.write(from: part) }
    if converter == nil { converter = AVAudioConverter(from: part.format, to: file.processingFormat) }
    guard let converter else {
      throw NSError(
        domain: "NSOSStatusErrorDomain", code: Int(kAudioUnitErr_FormatNotSupported),
        userInfo: [
          NSLocalizedDescriptionKey: "the microphone's \(part.format) can't be converted to \(file.processingFormat)"
        ])
    }
    try convert(converter, part)
  }

  /// Writes what the converter still holds, and completes the file.
  func finish() throws {
    if let converter { try drain(converter) }
    file.close()
  }

  private func drain(_ converter: AVAudioConverter) throws {
    self.converter = nil
    try convert(converter, nil)
  }

  /// - Parameter part: `nil` at the end.
  private func convert(_ converter: AVAudioConverter, _ part: AVAudioPCMBuffer?) throws {
    let ratio = file.processingFormat.sampleRate / converter.inputFormat.sampleRate
    let room = AVAudioFrameCount((Double(part?.frameLength ?? 0) * ratio).rounded(.up)) + 4096
    guard let output = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: room) else { return }
    let given = Given(part)
    while true {
      var error: NSError?
      let status = converter.convert(to: output, error: &error) { _, status in given.take(status) }
      if let error { throw error }
      if output.frameLength > 0 { try file.write(from: output) }
      if status != .haveData { return }
    }
  }

  /// Gives one buffer, once.
  private final class Given: @unchecked Sendable {
    private var part: AVAudioPCMBuffer?
    private let isEnd: Bool

    init(_ part: AVAudioPCMBuffer?) {
      self.part = part
      isEnd = part == nil
    }

    func take(_ status: UnsafeMutablePointer<AVAudioConverterInputStatus>) -> AVAudioBuffer? {
      defer { part = nil }
      status.pointee = part != nil ? .haveData : isEnd ? .endOfStream : .noDataNow
      return part
    }
  }

  private static func copy(_ range: Range<Int>, of buffer: AVAudioPCMBuffer) -> AVAudioPCMBuffer? {
    guard let part = AVAudioPCMBuffer(pcmFormat: buffer.format, frameCapacity: AVAudioFrameCount(range.count)),
      let from = buffer.floatChannelData, let to = part.floatChannelData
    else { return nil }
    for channel in 0..<Int(buffer.format.channelCount) {
      to[channel].update(from: from[channel] + range.lowerBound, count: range.count)
    }
    part.frameLength = AVAudioFrameCount(range.count)
    return part
  }
}
