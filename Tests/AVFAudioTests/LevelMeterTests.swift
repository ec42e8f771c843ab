internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// Meters at outputs of nodes.
@Suite struct LevelMeterTests {
  /// An engine that plays a tone of 1 kHz through an equalizer's place: a mixer at half volume.
  private func playing(_ rig: OfflineRig, amplitude: Float, seconds: Int) throws -> AVAudioPlayerNode {
    let player = rig.player()
    let buffer = try #require(
      AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: AVAudioFrameCount(48_000 * seconds)))
    buffer.frameLength = buffer.frameCapacity
    let data = try #require(buffer.floatChannelData)
    let tone = Signals.sine(hertz: 1000, rate: 48_000, frames: 48_000 * seconds, amplitude: amplitude)
    for channel in 0..<Int(rig.format.channelCount) {
      for frame in tone.indices { data[channel][frame] = tone[frame] }
    }
    player.scheduleBuffer(buffer)
    return player
  }

  @Test("levels before and behind a volume, side by side with a tap")
  func levels() throws {
    let rig = try OfflineRig(rate: 48_000, channels: 2)
    let player = try playing(rig, amplitude: 0.5, seconds: 1)
    let before = AVAudioLevelMeter(measuring: .truePeak)
    let behind = AVAudioLevelMeter()
    player.installTap(onBus: 0, bufferSize: 1024, format: nil) { _, _ in }
    before.install(on: player)
    behind.install(on: rig.engine.mainMixerNode)
    rig.engine.mainMixerNode.outputVolume = 0.5
    #expect(before.numberOfChannels == 2)
    #expect(before.node === player)
    try rig.engine.start()
    player.play()
    try rig.render(48_000)
    before.updateMeters()
    behind.updateMeters()
    for channel in 0..<2 {
      #expect(abs(before.peakPower(forChannel: channel) + 6.02) < 0.05)
      #expect(abs(before.averagePower(forChannel: channel) + 9.03) < 0.05)
      #expect(abs(before.truePeak(forChannel: channel) + 6.02) < 0.15)
      #expect(abs(behind.peakPower(forChannel: channel) + 12.04) < 0.05)
      #expect(abs(behind.vuLevel(forChannel: channel) - (1 - 15.05 / 80)) < 0.002)
    }
    #expect(behind.truePeak(forChannel: 0) == -160)
    #expect(before.maximumTruePeak == before.truePeak(forChannel: 0))
    #expect(before.peakPower(forChannel: 2) == -160)
    #expect(before.integratedLoudness == nil)
    // Without new sound, the old values stay.
    let shown = before.peakPower(forChannel: 0)
    before.updateMeters()
    #expect(before.peakPower(forChannel: 0) == shown)
  }

  @Test("loudness on all scales")
  func loudness() throws {
    let rig = try OfflineRig(rate: 48_000, channels: 2)
    let player = try playing(rig, amplitude: 0.1, seconds: 4)
    let meter = AVAudioLevelMeter(measuring: .loudness)
    meter.install(on: rig.engine.mainMixerNode)
    try rig.engine.start()
    player.play()
    #expect(meter.momentaryLoudness == nil)
    try rig.render(4 * 48_000, by: 4096)
    #expect(abs(try #require(meter.momentaryLoudness) + 20) < 0.1)
    #expect(abs(try #require(meter.shortTermLoudness) + 20) < 0.1)
    #expect(abs(try #require(meter.integratedLoudness) + 20) < 0.1)
    #expect(try #require(meter.loudnessRange) < 0.5)
  }

  @Test("nothing is measured after removal, where nobody holds the meter, or where another node is listened to")
  func removal() throws {
    let rig = try OfflineRig(rate: 48_000, channels: 1)
    let player = try playing(rig, amplitude: 0.5, seconds: 1)
    let meter = AVAudioLevelMeter()
    meter.install(on: player)
    try rig.engine.start()
    player.play()
    try rig.render(4800)
    meter.remove()
    meter.remove()
    #expect(meter.node == nil)
    meter.updateMeters()
    #expect(abs(meter.peakPower(forChannel: 0) + 6.02) < 0.05)
    try rig.render(4800)
    meter.updateMeters()
    #expect(abs(meter.peakPower(forChannel: 0) + 6.02) < 0.05)
    meter.install(on: rig.engine.mainMixerNode)
    meter.updateMeters()
    #expect(meter.peakPower(forChannel: 0) == -160)
    try rig.render(4800)
    meter.updateMeters()
    #expect(meter.peakPower(forChannel: 0) > -7)
    weak var forgotten: AVAudioLevelMeter?
    do {
      let other = AVAudioLevelMeter()
      other.install(on: player)
      forgotten = other
    }
    #expect(forgotten == nil)
    try rig.render(480)
  }
}
