internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// The faces of compressor and limiter.
@Suite struct DynamicsUnitTests {
  /// An engine that plays a constant through a unit.
  private func rig(_ unit: AVAudioUnit, value: Float, frames: Int) throws -> OfflineRig {
    let rig = try OfflineRig(rate: 48_000, channels: 2)
    let player = AVAudioPlayerNode()
    rig.engine.attach(player)
    rig.engine.attach(unit)
    rig.engine.connect(player, to: unit, format: rig.format)
    rig.engine.connect(unit, to: rig.engine.mainMixerNode, format: rig.format)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: AVAudioFrameCount(frames)))
    buffer.frameLength = buffer.frameCapacity
    let data = try #require(buffer.floatChannelData)
    for channel in 0..<2 { for frame in 0..<frames { data[channel][frame] = value } }
    player.scheduleBuffer(buffer)
    try rig.engine.start()
    player.play()
    return rig
  }

  @Test func defaultsAndRangesOfACompressor() {
    let unit = AVAudioUnitCompressor()
    #expect(unit.threshold == -20)
    #expect(unit.ratio == 4)
    #expect(unit.knee == 6)
    #expect(unit.attackTime == 0.01)
    #expect(unit.releaseTime == 0.15)
    #expect(unit.makeupGain == 0)
    #expect(unit.latency == 0)
    #expect(unit.gainReduction == 0)
    unit.threshold = -99
    unit.ratio = 0.5
    unit.knee = 99
    unit.attackTime = 0
    unit.releaseTime = 99
    unit.makeupGain = .nan
    #expect(unit.threshold == -60)
    #expect(unit.ratio == 1)
    #expect(unit.knee == 40)
    #expect(unit.attackTime == 0.0001)
    #expect(unit.releaseTime == 5)
    #expect(unit.makeupGain == 0)
    unit.makeupGain = 3.5
    #expect(unit.makeupGain == 3.5)
  }

  @Test func defaultsAndRangesOfALimiter() {
    let unit = AVAudioUnitLimiter()
    #expect(unit.ceiling == -1)
    #expect(unit.preGain == 0)
    #expect(!unit.bypass)
    #expect(unit.gainReduction == 0)
    #expect(unit.latency > 0.003 && unit.latency < 0.005)
    unit.ceiling = 1
    unit.preGain = -99
    #expect(unit.ceiling == 0)
    #expect(unit.preGain == -40)
    unit.bypass = true
    #expect(unit.bypass)
  }

  @Test("a limiter in an engine: as late as it says, bit for bit below the ceiling, and never above it")
  func limiting() throws {
    let unit = AVAudioUnitLimiter()
    let rig = try rig(unit, value: 0.5, frames: 20_000)
    let late = Int((unit.latency * 48_000).rounded())
    let output = try rig.render(4000)
    #expect(difference(output, silence(late) + [Float](repeating: 0.5, count: 4000 - late)) == nil)
    unit.preGain = 20
    let loud = try rig.render(4000, channel: 1)
    #expect(loud.allSatisfy { $0 <= 0.8913 })
    #expect(unit.gainReduction > 12)
    unit.bypass = true
    unit.preGain = 0
    let steps = zip(loud, loud.dropFirst()).map { abs($0 - $1) }.max() ?? 1
    #expect(steps < 0.02)
  }

  @Test("a compressor in an engine lowers what is loud, and tells by how much")
  func compressing() throws {
    let unit = AVAudioUnitCompressor()
    unit.knee = 0
    unit.ratio = 2
    let rig = try rig(unit, value: 1, frames: 20_000)
    let output = try rig.render(9600)
    #expect(abs(output[9599] - 0.3162) < 0.001)
    #expect(abs(unit.gainReduction - 10) < 0.05)
  }
}
