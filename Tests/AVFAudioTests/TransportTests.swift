internal import AVFAudio
internal import AudioModel
internal import AudioOutput
internal import Foundation
internal import GraphHost
internal import MartletTestSupport
internal import Testing

/// Playing, pausing, stopping, and what time it is then.
@Suite struct TransportTests {
  @Test func pauseLosesAndRepeatsNothing() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(500))
    player.play()
    var heard = try rig.render(100)
    player.pause()
    #expect(!player.isPlaying)
    #expect(difference(try rig.render(70), silence(70)) == nil)
    let time = try #require(player.lastRenderTime)
    #expect(player.playerTime(forNodeTime: time) == nil)
    player.play()
    heard += try rig.render(450)
    #expect(difference(heard, numbers(500) + silence(50)) == nil)
    let later = try #require(player.lastRenderTime)
    #expect(later.sampleTime == 620)
    #expect(player.playerTime(forNodeTime: later)?.sampleTime == 550)
  }

  @Test func stopDropsAndBeginsAnew() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(500))
    player.play()
    try rig.render(100)
    player.stop()
    #expect(!player.isPlaying)
    player.scheduleBuffer(try rig.ruler(50, from: 1000))
    #expect(difference(try rig.render(10), silence(10)) == nil)
    player.play()
    #expect(difference(try rig.render(60), numbers(50, from: 1000) + silence(10)) == nil)
    let time = try #require(player.lastRenderTime)
    #expect(player.playerTime(forNodeTime: time)?.sampleTime == 60)
  }

  @Test func resetDropsAndPlaysOn() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(500))
    player.play()
    try rig.render(100)
    player.reset()
    #expect(player.isPlaying)
    #expect(difference(try rig.render(10), silence(10)) == nil)
    player.scheduleBuffer(try rig.ruler(5))
    #expect(difference(try rig.render(10), numbers(5) + silence(5)) == nil)
  }

  @Test func playAtATime() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    try rig.render(100)
    player.scheduleBuffer(try rig.ruler(50))
    player.play(at: AVAudioTime(sampleTime: 250, atRate: 44_100))
    #expect(difference(try rig.render(100, by: 30), silence(100)) == nil)
    let early = try #require(player.lastRenderTime)
    #expect(player.playerTime(forNodeTime: early)?.sampleTime == -50)
    #expect(difference(try rig.render(110, by: 30), silence(50) + numbers(50) + silence(10)) == nil)
  }

  @Test func timesConvertBothWays() throws {
    let rig = try OfflineRig(rate: 48_000)
    let format = try OfflineRig.format(44_100, 1)
    let player = rig.player(format)
    try rig.engine.start()
    #expect(player.nodeTime(forPlayerTime: AVAudioTime(sampleTime: 0, atRate: 44_100)) == nil)
    player.play()
    try rig.render(4800)
    let now = try #require(player.lastRenderTime)
    #expect(now.sampleRate == 44_100)
    // The filter looks ahead by half its length.
    #expect(now.sampleTime >= 4410 && now.sampleTime < 4410 + 200)
    let place = try #require(player.playerTime(forNodeTime: now))
    #expect(player.nodeTime(forPlayerTime: place)?.sampleTime == now.sampleTime)
    let otherRate = try #require(player.playerTime(forNodeTime: AVAudioTime(sampleTime: 96_000, atRate: 96_000)))
    #expect(otherRate.sampleTime == 44_100)
  }

  @Test func noTimeWithoutRendering() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    #expect(player.lastRenderTime == nil)
    try rig.engine.start()
    #expect(player.lastRenderTime?.sampleTime == 0)
    rig.engine.disconnectNodeOutput(player)
    #expect(player.lastRenderTime == nil)
    rig.engine.stop()
    #expect(rig.engine.mainMixerNode.lastRenderTime == nil)
  }

  @Test func theEnginePausesAndGoesOn() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(500))
    player.play()
    var heard = try rig.render(100)
    rig.engine.pause()
    #expect(!rig.engine.isRunning)
    #expect(rig.engine.manualRenderingSampleTime == 100)
    #expect(throws: NSError.self) { try rig.render(10) }
    try rig.engine.start()
    heard += try rig.render(450)
    #expect(difference(heard, numbers(500) + silence(50)) == nil)
    rig.engine.stop()
    #expect(rig.engine.manualRenderingSampleTime == 0)
    #expect(!player.isPlaying)
  }

  @Test func stopsAndStartsAgain() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    for _ in 0..<3 {
      try rig.engine.start()
      player.scheduleBuffer(try rig.ruler(50))
      player.play()
      #expect(difference(try rig.render(60), numbers(50) + silence(10)) == nil)
      let time = try #require(player.lastRenderTime)
      #expect(time.sampleTime == 60)
      rig.engine.stop()
    }
  }

  // MARK: On a device

  @Test func aDeviceHearsEveryFrame() throws {
    let rig = try DeviceRig()
    let player = rig.player()
    let offline = try OfflineRig(rate: 48_000)
    player.scheduleBuffer(try offline.ruler(1000))
    player.play()
    try rig.engine.start()
    #expect(rig.output.state == .playing)
    for frames in [100, 1, 512, 700] { rig.output.pull(frames: frames) }
    #expect(difference(rig.output.heard, numbers(1000) + silence(313)) == nil)
    let time = try #require(player.lastRenderTime)
    #expect(time.isHostTimeValid && time.sampleTime == 1313)
    rig.engine.pause()
    #expect(rig.output.state == .paused)
    try rig.engine.start()
    #expect(rig.output.state == .playing)
    rig.engine.stop()
    #expect(rig.output.state == .closed)
  }

  @Test func soundThatIsCutFades() throws {
    let rig = try DeviceRig()
    let player = rig.player()
    try rig.engine.start()
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: 48_000))
    buffer.frameLength = 48_000
    for frame in 0..<48_000 { buffer.floatChannelData![0][frame] = 1 }
    player.scheduleBuffer(buffer)
    player.play()
    rig.output.pull(frames: 480)
    player.pause()
    rig.output.pull(frames: 480)
    player.play()
    rig.output.pull(frames: 480)
    player.stop()
    rig.output.pull(frames: 480)
    let heard = rig.output.heard
    #expect(heard[0] == 1 && heard[479] == 1)
    #expect(heard[480 + 240..<960].allSatisfy { $0 == 0 })
    #expect(heard[1439] == 1)
    #expect(heard[1440 + 240..<1920].allSatisfy { $0 == 0 })
    let steps = zip(heard, heard.dropFirst()).map { abs($1 - $0) }
    #expect(steps.max() ?? 1 < 0.005)
  }

  @Test func aDeviceThatIsLost() throws {
    let rig = try DeviceRig()
    _ = rig.player()
    try rig.engine.start()
    let notes = Notes()
    let engine = Unowned(rig.engine)
    let token = NotificationCenter.default.addObserver(
      forName: .AVAudioEngineConfigurationChange, object: rig.engine, queue: nil
    ) { _ in notes.add(engine.engine.isRunning ? "running" : "stopped") }
    rig.output.deliver(.failed(AudioError(.outputLost, "gone")))
    #expect(notes.wait(for: 1) == ["stopped"])
    #expect(!Thread.isMainThread || rig.output.state == .closed)
    NotificationCenter.default.removeObserver(token)
  }

  private struct Unowned: @unchecked Sendable {
    unowned let engine: AVAudioEngine
    init(_ engine: AVAudioEngine) { self.engine = engine }
  }

  @Test func noDevice() throws {
    let engine = AVAudioEngine(
      session: StreamSession(),
      output: { () throws(AudioError) in throw AudioError(.noOutput, "there is no loudspeaker") },
      input: { _ throws(AudioError) in throw AudioError(.noOutput, "there is no microphone") })
    #expect {
      try engine.start()
    } throws: { ($0 as NSError).localizedDescription.contains("Nothing is connected") }
    _ = engine.mainMixerNode
    #expect {
      try engine.start()
    } throws: { error in
      (error as NSError).localizedDescription == "there is no loudspeaker"
        && (error as NSError).code == Int(kAudioUnitErr_FailedInitialization)
    }
    #expect(!engine.isRunning)
  }
}
