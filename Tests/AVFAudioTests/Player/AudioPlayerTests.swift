import AVFAudio
import AudioModel
import AudioOutput
import GraphHost
import MartletTestSupport
import Platform
import Testing

@Suite struct AudioPlayerTests {
  private let rate = Double(PlayerRig.rate)

  @Test func playsEveryFrameOnceAndTellsTheEnd() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 123_457, from: 1)
    let player = try rig.player(samples)
    let listener = PlayerListener()
    player.delegate = listener
    #expect(player.duration == Double(samples.count) / rate && player.numberOfChannels == 1)
    #expect(!player.isPlaying && player.currentTime == 0)
    #expect(player.play())
    #expect(player.isPlaying)
    try rig.render(125_000, player)
    #expect(listener.waitForEnd())
    #expect(rig.difference(samples + Array(repeating: 0, count: 125_000 - samples.count)) == nil)
    #expect(!player.isPlaying && player.currentTime == 0)
    #expect(listener.ends.withLock { $0 } == [true])
  }

  @Test func playsAgainAfterTheEnd() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 3000, from: 1)
    let player = try rig.player(samples)
    let listener = PlayerListener()
    player.delegate = listener
    for round in 1...3 {
      #expect(player.play())
      try rig.render(4000, player)
      #expect(listener.waitForEnd(round))
    }
    let once = samples + Array(repeating: 0, count: 1000)
    #expect(rig.difference(once + once + once) == nil)
  }

  @Test func tellsWhereItIs() throws {
    let rig = try PlayerRig()
    let player = try rig.player(Signals.ramp(frames: 48_000))
    player.play()
    try rig.render(12_000, player)
    #expect(player.currentTime == 0.25)
    player.pause()
    #expect(player.currentTime == 0.25 && !player.isPlaying)
  }

  @Test func losesNothingByAPause() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 100_000, from: 1)
    let player = try rig.player(samples)
    player.play()
    try rig.render(7000, player)
    player.pause()
    player.play()
    try rig.render(60_000, player)
    #expect(rig.difference(Array(samples.prefix(67_000))) == nil)
  }

  @Test func staysWhereItIsStopped() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 100_000, from: 1)
    let player = try rig.player(samples)
    let listener = PlayerListener()
    player.delegate = listener
    player.play()
    try rig.render(24_000, player)
    player.stop()
    #expect(player.currentTime == 0.5 && !player.isPlaying)
    player.play()
    try rig.render(24_000, player)
    #expect(rig.difference(Array(samples.prefix(48_000))) == nil)
    player.stop()
    player.stop()
    #expect(listener.ends.withLock { $0.isEmpty })
  }

  @Test func goesToAFrame() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 200_000, from: 1)
    let player = try rig.player(samples)
    player.currentTime = 150_000 / rate
    #expect(player.currentTime == 150_000 / rate)
    player.play()
    try rig.render(5000, player)
    player.currentTime = 12_345 / rate
    #expect(player.isPlaying)
    try rig.render(5000, player)
    #expect(player.currentTime == 17_345 / rate)
    player.currentTime = -7
    try rig.render(1000, player)
    #expect(
      rig.difference(
        Array(samples[150_000..<155_000]) + Array(samples[12_345..<17_345]) + Array(samples.prefix(1000))) == nil)
  }

  @Test func endsWhereItIsPutBehindTheEnd() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 20_000, from: 1)
    let player = try rig.player(samples)
    let listener = PlayerListener()
    player.delegate = listener
    player.play()
    try rig.render(1000, player)
    player.currentTime = .infinity
    try rig.render(1000, player)
    #expect(listener.waitForEnd())
    #expect(!player.isPlaying && player.currentTime == 0)
    #expect(rig.difference(Array(samples.prefix(1000)) + Array(repeating: 0, count: 1000)) == nil)
    // While it stands, it begins from there when it is told to play.
    player.currentTime = 99
    #expect(player.currentTime == player.duration)
    player.play()
    try rig.render(1000, player)
    #expect(rig.difference(Array(samples.prefix(1000)), from: 2000) == nil)
  }

  @Test(arguments: [(14_400, 2), (12_000, 3), (10, 2000), (60_001, 1)])
  func repeatsWithoutAGap(frames: Int, loops: Int) throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: frames, from: 1)
    let player = try rig.player(samples)
    let listener = PlayerListener()
    player.delegate = listener
    player.numberOfLoops = loops
    player.play()
    let total = frames * (loops + 1)
    try rig.render(frames + frames / 2, player)
    #expect(player.currentTime == Double(frames / 2) / rate)
    try rig.render(total + 500 - frames - frames / 2, player)
    #expect(listener.waitForEnd())
    let expected = (0...loops).flatMap { _ in samples } + Array(repeating: 0, count: 500)
    #expect(rig.difference(expected) == nil)
    #expect(listener.ends.withLock { $0.count } == 1)
  }

  @Test func repeatsForEverUntilItIsToldNotTo() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 9000, from: 1)
    let player = try rig.player(samples)
    let listener = PlayerListener()
    player.delegate = listener
    player.numberOfLoops = -1
    player.play()
    try rig.render(90_000, player)
    #expect(rig.difference((0..<10).flatMap { _ in samples }) == nil)
    player.numberOfLoops = 0
    try rig.render(90_000, player)
    #expect(listener.waitForEnd())
  }

  @Test func playsData() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 2000, from: 1)
    let data = Data(rig.bytes(samples))
    let player = try AVAudioPlayer(data: data, hub: rig.hub)
    #expect(player.url == nil && player.data == data)
    #expect(player.format.streamDescription.pointee.mFormatID == kAudioFormatLinearPCM)
    #expect(player.settings[AVSampleRateKey] as? Double == rate)
    player.play()
    try rig.render(2000, player)
    #expect(rig.difference(samples) == nil)
  }

  @Test func refusesWhatIsNoSound() throws {
    #expect(throws: (any Error).self) { try AVAudioPlayer(data: Data("no sound".utf8)) }
    #expect(throws: (any Error).self) { try AVAudioPlayer(contentsOf: URL(filePath: "/nowhere/sound.wav")) }
  }

  @Test func playsNothingToItsEnd() throws {
    let rig = try PlayerRig()
    let player = try rig.player([])
    let listener = PlayerListener()
    player.delegate = listener
    player.numberOfLoops = -1
    #expect(player.duration == 0)
    player.play()
    try rig.render(100, player)
    #expect(listener.waitForEnd())
    #expect(rig.difference(Array(repeating: 0, count: 100)) == nil)
  }

  @Test func mixesWithOthers() throws {
    let rig = try PlayerRig()
    let low = try rig.player(Array(repeating: 0.125, count: 4000))
    let high = try rig.player(Array(repeating: 0.25, count: 4000))
    low.play()
    high.play()
    try rig.render(1000, low, high)
    low.stop()
    try rig.render(1000, high)
    #expect(rig.heard.prefix(1000).allSatisfy { $0 == 0.375 })
    #expect(rig.heard.suffix(1000).allSatisfy { $0 == 0.25 })
  }

  // MARK: How it sounds

  @Test func clampsVolumeAndPan() throws {
    let player = try PlayerRig().player([0])
    #expect(player.volume == 1 && player.pan == 0 && player.rate == 1 && !player.enableRate)
    for (wanted, got) in [(0.5, 0.5), (-1, 0), (7, 1), (Float.nan, 0)] as [(Float, Float)] {
      player.volume = wanted
      #expect(player.volume == got)
    }
    for (wanted, got) in [(0.5, 0.5), (-3, -1), (7, 1), (Float.nan, 0)] as [(Float, Float)] {
      player.pan = wanted
      #expect(player.pan == got)
    }
    for (wanted, got) in [(1.5, 1.5), (0, 0.5), (7, 2), (Float.nan, 1)] as [(Float, Float)] {
      player.rate = wanted
      #expect(player.rate == got)
    }
  }

  @Test func fades() throws {
    let player = try PlayerRig().player([0])
    player.volume = 0.25
    player.setVolume(0.75, fadeDuration: 0.05)
    var last = player.volume
    let arrives = ToolBox.waits {
      let now = player.volume
      defer { last = now }
      return now < last || now == 0.75
    }
    #expect(arrives && player.volume == 0.75)
    player.setVolume(0.5, fadeDuration: 0)
    #expect(player.volume == 0.5)
  }

  // MARK: Levels

  @Test func measures() throws {
    let rig = try PlayerRig()
    let player = try rig.player(Signals.sine(hertz: 1000, rate: PlayerRig.rate, frames: 96_000))
    player.isMeteringEnabled = true
    #expect(player.peakPower(forChannel: 0) == -160 && player.averagePower(forChannel: 0) == -160)
    player.play()
    try rig.render(9600, player)
    let isMeasured = ToolBox.waits {
      player.updateMeters()
      return player.peakPower(forChannel: 0) > -160
    }
    #expect(isMeasured)
    #expect(abs(player.peakPower(forChannel: 0) + 6.02) < 0.05)
    #expect(abs(player.averagePower(forChannel: 0) + 9.03) < 0.2)
    #expect(player.averagePower(forChannel: 1) == -160 && player.peakPower(forChannel: -1) == -160)
    player.stop()
    #expect(player.peakPower(forChannel: 0) == -160)
  }

  // MARK: Devices that change

  /// Devices that are taken in turn; none is left at the end.
  private func engine(_ devices: [ManualOutput]) -> AVAudioEngine {
    let left = Monitor(devices)
    let streams = StreamSession()
    streams.wishes.sampleRate = rate
    return AVAudioEngine(
      session: streams,
      output: { () throws(AudioError) in
        guard let next = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
          throw AudioError(.noOutput, "no device is left")
        }
        return next
      },
      input: { _ throws(AudioError) in throw AudioError(.noOutput, "no microphone") })
  }

  @Test func goesOnWithAnotherDevice() throws {
    let devices = [ManualOutput(), ManualOutput()]
    let rig = try PlayerRig(engine(devices))
    let player = try rig.player(Signals.ramp(frames: 96_000, from: 1))
    let listener = PlayerListener()
    player.delegate = listener
    #expect(player.play())
    devices[0].pull(frames: 30_000)
    #expect(player.currentTime == 30_000 / rate)
    devices[0].deliver(.failed(AudioError(.outputLost, "gone")))
    #expect(devices[1].wait(for: .playing))
    // It goes on where it was, once it has read that.
    let goesOn = ToolBox.waits {
      devices[1].pull(frames: 100)
      return devices[1].heard.contains { LosslessRuler.frame(of: $0).map { $0 > 30_000 } == true }
    }
    #expect(goesOn)
    #expect(player.isPlaying && player.currentTime > 30_000 / rate)
    #expect(listener.ends.withLock { $0.isEmpty })
    player.stop()
  }

  @Test func endsWithTheLastDevice() throws {
    let devices = [ManualOutput()]
    let rig = try PlayerRig(engine(devices))
    let player = try rig.player(Signals.ramp(frames: 24_000, from: 1))
    let listener = PlayerListener()
    player.delegate = listener
    #expect(player.play())
    devices[0].pull(frames: 1_000)
    devices[0].deliver(.failed(AudioError(.outputLost, "gone")))
    #expect(listener.waitForEnd())
    #expect(listener.ends.withLock { $0 } == [false])
    #expect(!player.isPlaying && !player.play())
  }

  @Test func endsWithItsOwner() throws {
    let rig = try PlayerRig()
    var player: AVAudioPlayer? = try rig.player(Array(repeating: 0.5, count: 50_000))
    player?.play()
    weak let gone = player
    player = nil
    #expect(ToolBox.waits { gone == nil })
  }
}
