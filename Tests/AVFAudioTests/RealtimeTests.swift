internal import AVFAudio
internal import AudioModel
internal import Foundation
internal import MartletTestSupport
internal import Realtime
internal import Testing

/// What the thread that renders does in a graph with everything in it.
@Suite(.enabled(if: AllocationGuard.isAvailable, "a sanitizer holds the allocator"))
struct RealtimeTests {
  @Test("10 000 calls with eight players, mixers, taps and changes of the graph allocate, free and lock nothing")
  func neitherAllocatesNorLocks() throws {
    let engine = AVAudioEngine()
    let format = try OfflineRig.format(48_000, 2)
    try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 512)
    let group = AVAudioMixerNode()
    let effect = AVAudioUnitEffect()
    engine.attach(group)
    engine.attach(effect)
    engine.connect(group, to: effect, format: format)
    engine.connect(effect, to: engine.mainMixerNode, format: format)
    let rates: [Double] = [48_000, 44_100, 32_000, 48_000, 22_050, 48_000, 96_000, 48_000]
    let players = try rates.enumerated().map { index, rate in
      let player = AVAudioPlayerNode()
      engine.attach(player)
      let own = try OfflineRig.format(rate, UInt32(1 + index % 2))
      engine.connect(player, to: index < 4 ? group : engine.mainMixerNode, format: own)
      let buffer = try #require(AVAudioPCMBuffer(pcmFormat: own, frameCapacity: 3000))
      buffer.frameLength = 3000
      player.scheduleBuffer(buffer, at: nil, options: .loops)
      player.play()
      return player
    }
    engine.mainMixerNode.installTap(onBus: 0, bufferSize: 1024, format: nil) { _, _ in }
    players[0].installTap(onBus: 0, bufferSize: 1024, format: nil) { _, _ in }
    try engine.start()
    let block = engine.manualRenderingBlock
    let output = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 512))
    var statuses: Set<AVAudioEngineManualRenderingStatus> = []
    func run(_ calls: Int) -> AllocationGuard {
      var counts = AllocationGuard()
      for call in 0..<calls {
        switch call % 50 {
        case 3: players[call / 50 % 8].volume = Float(call % 100) / 100
        case 9: players[call / 50 % 8].pan = Float(call % 20) / 10 - 1
        case 13: players[call / 50 % 8].pause()
        case 17: players[call / 50 % 8].play()
        case 21: engine.connect(players[5], to: call % 100 < 50 ? group : engine.mainMixerNode, format: format)
        case 27: engine.disconnectNodeOutput(players[7])
        case 31: engine.connect(players[7], to: engine.mainMixerNode, format: format)
        case 37: effect.bypass.toggle()
        case 41: engine.mainMixerNode.outputVolume = Float(call % 7) / 7
        case 45: _ = engine.pump(heard: .max)
        default: break
        }
        let list = output.mutableAudioBufferList
        let frames = AVAudioFrameCount(1 + call % 512)
        statuses.insert(counts.watch { block(frames, list, nil) })
      }
      return counts
    }
    // Everything once: the first use of each path makes its metadata.
    _ = run(200)
    #expect(run(10_000) == AllocationGuard())
    #expect(statuses == [.success])
  }

  @Test("the way to a device is as clean")
  func deviceToo() throws {
    let rig = try DeviceRig(channels: 2)
    let player = rig.player()
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: 3000))
    buffer.frameLength = 3000
    player.scheduleBuffer(buffer, at: nil, options: .loops)
    player.play()
    try rig.engine.start()
    rig.output.pull(frames: 512)
    let source = try #require(rig.output.drawingSource)
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 2 * 512)
    defer { samples.deallocate() }
    _ = source.render(samples, frames: 512)
    var counts = AllocationGuard()
    for call in 0..<10_000 { counts.watch { _ = source.render(samples, frames: 1 + call % 512) } }
    #expect(counts == AllocationGuard())
  }
}
