import AVFAudio
import MartletTestSupport
import Testing

/// Files of sound in a folder of the test's own.
final class FileFixture {
  let folder = ToolBox.temporaryFolder()
  deinit { ToolBox.remove(folder) }

  func url(_ name: String) -> URL { URL(fileURLWithPath: "\(folder)/\(name)") }

  static func settings(
    _ code: AudioFormatID = kAudioFormatLinearPCM, rate: Double = 44_100, channels: Int = 2, more: [String: Any] = [:]
  ) -> [String: Any] {
    [AVFormatIDKey: code, AVSampleRateKey: rate, AVNumberOfChannelsKey: channels].merging(more) { $1 }
  }

  /// A file with a ruler of 24 bits in each channel.
  func ruler(_ name: String, frames: Int, _ settings: [String: Any]) throws -> URL {
    let file = try AVAudioFile(forWriting: url(name), settings: settings)
    try file.write(
      from: Self.buffer(file.processingFormat, frames: frames) { LosslessRuler.sample(Int64($1), channel: $0) })
    file.close()
    return url(name)
  }

  /// A buffer whose sample in a channel and frame `sample` tells.
  static func buffer(
    _ format: AVAudioFormat, frames: Int, _ sample: (Int, Int) -> Float
  ) throws -> AVAudioPCMBuffer {
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(max(frames, 1))))
    buffer.frameLength = AVAudioFrameCount(frames)
    for channel in 0..<Int(format.channelCount) {
      for frame in 0..<frames {
        let value = sample(channel, frame)
        if let data = buffer.floatChannelData { data[channel][frame * buffer.stride] = value }
        if let data = buffer.int16ChannelData { data[channel][frame * buffer.stride] = Int16(value * 32_768) }
        if let data = buffer.int32ChannelData { data[channel][frame * buffer.stride] = Int32(value * 0x1p31) }
      }
    }
    return buffer
  }

  /// The first frame of a buffer that is no ruler's from `start` on; nil where all are.
  static func breach(_ buffer: AVAudioPCMBuffer, from start: Int) -> String? {
    guard let data = buffer.floatChannelData else { return "no Float32" }
    for channel in 0..<Int(buffer.format.channelCount) {
      for frame in 0..<Int(buffer.frameLength) {
        let expected = LosslessRuler.sample(Int64(start + frame), channel: channel)
        if data[channel][frame * buffer.stride] != expected { return "channel \(channel), frame \(frame)" }
      }
    }
    return nil
  }

  /// What an attempt is refused with.
  static func refusal(_ attempt: () throws -> Void) -> NSError? {
    do {
      try attempt()
      return nil
    } catch { return error as NSError }
  }
}
