internal import Foundation

/// A file that buffers of one format are written to, converted to its own. Used by one thread at a time.
final class RecordingWriter {
  private let file: AVAudioFile
  private let input: AVAudioFormat
  /// `nil` where the file takes the buffers as they are.
  private let converter: AVAudioConverter?

  /// Makes the file, in place of one that is there.
  init(_ url: URL, settings: [String: Any], input: AVAudioFormat) throws {
    guard input.sampleRate > 0, input.channelCount > 0 else {
      throw NSError(
        domain: "NSOSStatusErrorDomain", code: AVAudioSession.ErrorCode.resourceNotAvailable.rawValue,
        userInfo: [NSLocalizedDescriptionKey: "there is no microphone"])
    }
    file = try AVAudioFile(forWriting: url, settings: settings)
    self.input = input
    if input == file.processingFormat {
      converter = nil
    } else {
      guard let converter = AVAudioConverter(from: input, to: file.processingFormat) else {
        throw NSError(
          domain: "NSOSStatusErrorDomain", code: -50,
          userInfo: [NSLocalizedDescriptionKey: "\(input) can't be converted to \(file.processingFormat)"])
      }
      self.converter = converter
    }
  }

  /// Writes some frames of a buffer.
  func write(_ buffer: AVAudioPCMBuffer, _ range: Range<Int>) throws {
    guard !range.isEmpty else { return }
    guard let part = range.count == Int(buffer.frameLength) ? buffer : Self.copy(range, of: buffer) else { return }
    guard let converter else { return try file.write(from: part) }
    try convert(converter, part)
  }

  /// Writes what the converter still holds, and completes the file.
  func finish() throws {
    if let converter { try convert(converter, nil) }
    file.close()
  }

  /// - Parameter part: `nil` at the end.
  private func convert(_ converter: AVAudioConverter, _ part: AVAudioPCMBuffer?) throws {
    let ratio = file.processingFormat.sampleRate / input.sampleRate
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
    let channels = Int(buffer.format.channelCount)
    if buffer.format.isInterleaved {
      to[0].update(from: from[0] + range.lowerBound * channels, count: range.count * channels)
    } else {
      for channel in 0..<channels { to[channel].update(from: from[channel] + range.lowerBound, count: range.count) }
    }
    part.frameLength = AVAudioFrameCount(range.count)
    return part
  }
}
