internal import AVFAudio
internal import AudioModel
internal import AudioOutput
internal import Foundation
internal import GraphHost
internal import MartletTestSupport
internal import Platform
internal import Testing

/// An engine that the test renders, with players into its main mixer.
struct OfflineRig {
  let engine = AVAudioEngine()
  let format: AVAudioFormat

  /// Makes an engine in offline mode; it is started by ``start()``.
  init(rate: Double = 44_100, channels: UInt32 = 1, maximum: UInt32 = 4096) throws {
    format = try Self.format(rate, channels)
    try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: maximum)
  }

  static func format(_ rate: Double, _ channels: UInt32) throws -> AVAudioFormat {
    if channels > 2 {
      let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_DiscreteInOrder | channels))
      return AVAudioFormat(standardFormatWithSampleRate: rate, channelLayout: layout)
    }
    return try #require(AVAudioFormat(standardFormatWithSampleRate: rate, channels: channels))
  }

  /// A player into the main mixer.
  func player(_ format: AVAudioFormat? = nil) -> AVAudioPlayerNode {
    let node = AVAudioPlayerNode()
    engine.attach(node)
    engine.connect(node, to: engine.mainMixerNode, format: format ?? self.format)
    return node
  }

  /// Renders in calls of `part` frames, and gives one channel.
  @discardableResult
  func render(_ frames: Int, by part: Int = 512, channel: Int = 0) throws -> [Float] {
    try renderAll(frames, by: part)[channel]
  }

  func renderAll(_ frames: Int, by part: Int = 512) throws -> [[Float]] {
    var channels = [[Float]](repeating: [], count: Int(format.channelCount))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(part)))
    var left = frames
    while left > 0 {
      let count = min(left, part)
      let status = try engine.renderOffline(AVAudioFrameCount(count), to: buffer)
      #expect(status == .success)
      let data = try #require(buffer.floatChannelData)
      for channel in channels.indices {
        channels[channel] += Array(UnsafeBufferPointer(start: data[channel], count: Int(buffer.frameLength)))
      }
      left -= count
    }
    return channels
  }

  /// Frame f of channel c is (first + f + 1) + c / 2: never silent, and it says its own number.
  func ruler(_ frames: Int, from first: Int = 0, format: AVAudioFormat? = nil) throws -> AVAudioPCMBuffer {
    let format = format ?? self.format
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(max(1, frames))))
    buffer.frameLength = AVAudioFrameCount(frames)
    let data = try #require(buffer.floatChannelData)
    for channel in 0..<Int(format.channelCount) {
      for frame in 0..<frames { data[channel][frame] = Float(first + frame + 1) + Float(channel) / 2 }
    }
    return buffer
  }
}

/// The numbers `first` … of a ruler's first channel.
func numbers(_ count: Int, from first: Int = 0) -> [Float] { (0..<count).map { Float(first + $0 + 1) } }

func silence(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }

/// Notes what handlers say, from any thread.
final class Notes: Sendable {
  private let notes = Monitor<[String]>([])
  func add(_ note: String) { notes.signal { $0.append(note) } }
  var all: [String] { notes.withLock { $0 } }
  /// Waits until there are so many, and gives them.
  func wait(for count: Int) -> [String] {
    notes.wait(until: .now.advanced(bySeconds: 30)) { $0.count >= count ? $0 : nil } ?? all
  }
}

/// An engine on a device whose callbacks are the test's.
struct DeviceRig {
  let output: ManualOutput
  let engine: AVAudioEngine
  let format: AVAudioFormat

  init(rate: Int = 48_000, channels: Int = 1, queue: Int = 0) throws {
    let output = ManualOutput(
      format: PCMFormat(
        sampleRate: try #require(SampleRate(hertz: rate)), layout: try #require(ChannelLayout(count: channels))),
      queue: queue)
    self.output = output
    engine = AVAudioEngine(
      session: StreamSession(), output: { () throws(AudioError) in output },
      input: { _ throws(AudioError) in throw AudioError(.noOutput, "there is no microphone") })
    format = try OfflineRig.format(Double(rate), UInt32(channels))
  }

  func player() -> AVAudioPlayerNode {
    let node = AVAudioPlayerNode()
    engine.attach(node)
    engine.connect(node, to: engine.mainMixerNode, format: format)
    return node
  }
}
