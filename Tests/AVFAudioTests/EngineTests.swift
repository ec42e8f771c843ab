internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

@Suite struct EngineTests {
  /// Frame f of channel c is f + 1 + c / 2.
  static func ruler(_ format: AVAudioFormat, frames: Int, from first: Int = 0) throws -> AVAudioPCMBuffer {
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)))
    buffer.frameLength = AVAudioFrameCount(frames)
    let data = try #require(buffer.floatChannelData)
    for channel in 0..<Int(format.channelCount) {
      for frame in 0..<frames { data[channel][frame] = Float(first + frame + 1) + Float(channel) / 2 }
    }
    return buffer
  }

  static func render(_ engine: AVAudioEngine, _ frames: Int, by part: Int = 512) throws -> [[Float]] {
    let format = engine.manualRenderingFormat
    var channels = [[Float]](repeating: [], count: Int(format.channelCount))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(part)))
    var left = frames
    while left > 0 {
      let count = min(left, part)
      #expect(try engine.renderOffline(AVAudioFrameCount(count), to: buffer) == .success)
      let data = try #require(buffer.floatChannelData)
      for channel in channels.indices {
        channels[channel] += Array(UnsafeBufferPointer(start: data[channel], count: Int(buffer.frameLength)))
      }
      left -= count
    }
    return channels
  }

  @Test func buffersFollowEachOther() throws {
    let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
    let engine = AVAudioEngine()
    let player = AVAudioPlayerNode()
    engine.attach(player)
    engine.connect(player, to: engine.mainMixerNode, format: format)
    try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 4096)
    try engine.start()
    player.scheduleBuffer(try Self.ruler(format, frames: 1000))
    player.scheduleBuffer(try Self.ruler(format, frames: 500, from: 1000))
    player.play()
    let channels = try Self.render(engine, 2000, by: 333)
    for channel in 0..<2 {
      let expected = (0..<1500).map { Float($0 + 1) + Float(channel) / 2 } + [Float](repeating: 0, count: 500)
      #expect(channels[channel] == expected)
    }
    let time = try #require(player.lastRenderTime)
    #expect(time.sampleTime == 2000)
    #expect(player.playerTime(forNodeTime: time)?.sampleTime == 2000)
  }
}
