internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// What is scheduled is played in order, to the frame.
@Suite struct SchedulingTests {
  @Test(
    "buffers follow each other without a frame between, whatever calls ask for", arguments: [1, 7, 64, 333, 4096])
  func gapless(part: Int) throws {
    let rig = try OfflineRig(channels: 2)
    let player = rig.player()
    try rig.engine.start()
    for start in [0, 700, 701, 1500] {
      let end = [0: 700, 700: 701, 701: 1500, 1500: 2000][start] ?? 0
      player.scheduleBuffer(try rig.ruler(end - start, from: start))
    }
    player.play()
    let channels = try rig.renderAll(2500, by: part)
    #expect(difference(channels[0], numbers(2000) + silence(500)) == nil)
    #expect(difference(channels[1], numbers(2000).map { $0 + 0.5 } + silence(500)) == nil)
  }

  @Test func scheduledBeforeTheEngineRuns() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    player.scheduleBuffer(try rig.ruler(100))
    player.play()
    #expect(player.isPlaying)
    try rig.engine.start()
    #expect(difference(try rig.render(150), numbers(100) + silence(50)) == nil)
  }

  @Test func nothingScheduledIsSilenceAndTimeMovesOn() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.play()
    #expect(difference(try rig.render(1000), silence(1000)) == nil)
    #expect(player.isPlaying)
    player.scheduleBuffer(try rig.ruler(10))
    #expect(difference(try rig.render(20), numbers(10) + silence(10)) == nil)
    let time = try #require(player.lastRenderTime)
    #expect(player.playerTime(forNodeTime: time)?.sampleTime == 1020)
  }

  @Test func atFramesOfTheTimeline() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    func at(_ frame: Int64) -> AVAudioTime { AVAudioTime(sampleTime: frame, atRate: 44_100) }
    player.scheduleBuffer(try rig.ruler(10), at: at(100))
    // Past when its turn comes: at once.
    player.scheduleBuffer(try rig.ruler(10, from: 10), at: at(5))
    player.scheduleBuffer(try rig.ruler(10, from: 20), at: at(200))
    player.play()
    let heard = try rig.render(220, by: 33)
    #expect(difference(heard, silence(100) + numbers(20) + silence(80) + numbers(10, from: 20) + silence(10)) == nil)
  }

  @Test func interruptsDropsWhatPlaysAndWaits() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(1000))
    player.scheduleBuffer(try rig.ruler(1000, from: 5000))
    player.play()
    #expect(difference(try rig.render(100), numbers(100)) == nil)
    player.scheduleBuffer(try rig.ruler(50, from: 9000), at: nil, options: .interrupts)
    #expect(difference(try rig.render(100), numbers(50, from: 9000) + silence(50)) == nil)
  }

  @Test func interruptsAtATime() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(1000))
    player.scheduleBuffer(
      try rig.ruler(50, from: 9000), at: AVAudioTime(sampleTime: 300, atRate: 44_100), options: .interrupts)
    player.play()
    #expect(
      difference(try rig.render(400, by: 77), numbers(300) + numbers(50, from: 9000) + silence(50)) == nil)
  }

  @Test func loopsUntilInterrupted() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(30), at: nil, options: .loops)
    player.play()
    #expect(difference(try rig.render(100, by: 7), numbers(30) + numbers(30) + numbers(30) + numbers(10)) == nil)
    player.scheduleBuffer(try rig.ruler(5, from: 100), at: nil, options: .interruptsAtLoop)
    #expect(difference(try rig.render(30), numbers(20, from: 10) + numbers(5, from: 100) + silence(5)) == nil)
  }

  @Test func aLoopGoesOnWithPlainBuffersBehindIt() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(10), at: nil, options: .loops)
    player.scheduleBuffer(try rig.ruler(10, from: 50))
    player.play()
    #expect(difference(try rig.render(25), numbers(10) + numbers(10) + numbers(5)) == nil)
    player.scheduleBuffer(try rig.ruler(10, from: 90), at: nil, options: .interruptsAtLoop)
    #expect(difference(try rig.render(20), numbers(5, from: 5) + numbers(10, from: 90) + silence(5)) == nil)
  }

  @Test func moreThanTheRenderSideHolds() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    for start in 0..<10_000 { player.scheduleBuffer(try rig.ruler(1, from: start)) }
    player.play()
    #expect(difference(try rig.render(10_100, by: 1000), numbers(10_000) + silence(100)) == nil)
  }

  @Test func otherSampleTypesAndInterleaving() throws {
    let rig = try OfflineRig(channels: 2)
    let player = rig.player()
    try rig.engine.start()
    let format = try #require(
      AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 2, interleaved: true))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 100))
    buffer.frameLength = 100
    let data = try #require(buffer.int16ChannelData)
    for frame in 0..<100 {
      data[0][2 * frame] = Int16(frame * 100)
      data[1][2 * frame] = Int16(-frame * 100)
    }
    player.scheduleBuffer(buffer)
    player.play()
    let channels = try rig.renderAll(100)
    #expect(difference(channels[0], (0..<100).map { Float($0 * 100) / 32_768 }) == nil)
    #expect(difference(channels[1], (0..<100).map { Float(-$0 * 100) / 32_768 }) == nil)
  }

  @Test func fromManyThreads() async throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    let one = Shared(try rig.ruler(1))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<200 { player.scheduleBuffer(one.buffer) } } }
    }
    player.play()
    let heard = try rig.render(2000)
    #expect(difference(heard, [Float](repeating: 1, count: 1600) + silence(400)) == nil)
  }

  private struct Shared: @unchecked Sendable {
    let buffer: AVAudioPCMBuffer
    init(_ buffer: AVAudioPCMBuffer) { self.buffer = buffer }
  }
}
