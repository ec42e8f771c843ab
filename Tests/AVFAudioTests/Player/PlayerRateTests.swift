import AVFAudio
import AudioModel
import MartletTestSupport
import Testing

/// What a player's rate does to sound, position and end.
@Suite struct PlayerRateTests {
  private let rate = Double(PlayerRig.rate)

  private func sine(_ frames: Int) -> [Float] { Signals.sine(hertz: 1000, rate: PlayerRig.rate, frames: frames) }

  /// Times that sound rises through 0 in each second.
  private func frequency(_ sound: ArraySlice<Float>) -> Double {
    Double(zip(sound, sound.dropFirst()).count { $0 < 0 && $1 >= 0 }) * rate / Double(sound.count)
  }

  /// The greatest step from a frame to the next.
  private func steepest(_ sound: some Collection<Float>) -> Float {
    zip(sound, sound.dropFirst()).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  @Test(arguments: [0.5, 0.8, 1.5, 2] as [Float])
  func playsFasterAtTheSamePitch(faster: Float) throws {
    let rig = try PlayerRig()
    let player = try rig.player(sine(96_000))
    player.enableRate = true
    player.rate = faster
    player.play()
    try rig.render(24_000, player)
    #expect(abs(player.currentTime - 0.5 * Double(faster)) < 0.001, "at \(player.currentTime)")
    let heard = frequency(rig.heard[4000..<24_000])
    #expect(abs(heard - 1000) < 6, "\(heard) Hz")
  }

  @Test func passesBitForBitAtRate1() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 60_001, from: 1)
    let player = try rig.player(samples)
    let listener = PlayerListener()
    player.delegate = listener
    player.enableRate = true
    player.play()
    try rig.render(20_000, player)
    #expect(player.currentTime == 20_000 / rate)
    player.pause()
    #expect(player.currentTime == 20_000 / rate)
    player.play()
    try rig.render(60_000, player)
    #expect(listener.waitForEnd())
    #expect(player.currentTime == 0)
    #expect(rig.difference(samples + Array(repeating: 0, count: 19_999)) == nil)
  }

  @Test func nothingCountsUnlessItIsEnabled() throws {
    let rig = try PlayerRig()
    let samples = Signals.ramp(frames: 9000, from: 1)
    let player = try rig.player(samples)
    player.rate = 2
    player.play()
    try rig.render(4000, player)
    #expect(player.currentTime == 4000 / rate)
    #expect(rig.difference(Array(samples.prefix(4000))) == nil)
  }

  @Test func changesWithoutAJumpAndKnowsWhereItIs() throws {
    let rig = try PlayerRig()
    // After a second it is five times as loud, which is heard.
    var samples = sine(144_000)
    for frame in 0..<48_000 { samples[frame] *= 0.2 }
    let player = try rig.player(samples)
    player.enableRate = true
    player.play()
    let rates = [1, 2, 0.75, 1.5, 0.5, 1.25] as [Float]
    var place: Double?
    for step in 0..<280 {
      if step % 16 == 0 { player.rate = rates[step / 16 % rates.count] }
      let before = player.currentTime
      try rig.render(200, player)
      #expect(player.currentTime >= before)
      if place == nil, rig.heard.suffix(200).contains(where: { abs($0) > 0.3 }) { place = before }
    }
    let found = try #require(place)
    #expect(abs(found - 1) < 0.02, "heard at \(found)")
    // A click would be steeper than the tone.
    #expect(steepest(rig.heard) < 1.3 * steepest(samples), "\(steepest(rig.heard))")
  }

  @Test func goesElsewhereWithoutAClick() throws {
    let rig = try PlayerRig()
    let player = try rig.player(sine(480_000))
    player.enableRate = true
    player.rate = 1.5
    player.play()
    try rig.render(20_300, player)
    // What is gone to begins with a hard edge, but at a zero of the tone.
    player.currentTime = 5
    try rig.render(12_000, player)
    #expect(abs(player.currentTime - 5 - 0.25 * 1.5) < 0.02, "at \(player.currentTime)")
    #expect(steepest(rig.heard) < 1.3 * steepest(sine(1000)), "\(steepest(rig.heard))")
  }

  @Test func isEnabledWhileItPlays() throws {
    let rig = try PlayerRig()
    let player = try rig.player(sine(96_000))
    let listener = PlayerListener()
    player.delegate = listener
    player.rate = 2
    player.play()
    try rig.render(2000, player)
    player.enableRate = true
    try rig.render(24_000, player)
    #expect(abs(player.currentTime - 50_000 / rate) < 0.01, "at \(player.currentTime)")
    player.enableRate = false
    let before = player.currentTime
    try rig.render(4800, player)
    #expect(abs(player.currentTime - before - 0.1) < 0.001)
    try rig.render(48_000, player)
    #expect(listener.waitForEnd())
  }

  @Test func nothingOfBeforeIsHeardWhenItIsEnabledAgain() throws {
    let rig = try PlayerRig()
    // Loud in the first second, silent in the second.
    let player = try rig.player(sine(48_000) + Array(repeating: 0, count: 48_000))
    player.enableRate = true
    player.rate = 1.5
    player.play()
    try rig.render(20_000, player)
    player.enableRate = false
    player.currentTime = 1.2
    try rig.render(4000, player)
    player.enableRate = true
    try rig.render(8000, player)
    #expect(rig.heard.suffix(10_000).allSatisfy { $0 == 0 })
  }

  @Test func nothingOfBeforeIsHeardAfterAStop() throws {
    let rig = try PlayerRig()
    let player = try rig.player(sine(48_000) + Array(repeating: 0, count: 48_000))
    player.enableRate = true
    player.rate = 1.5
    player.play()
    try rig.render(20_000, player)
    player.stop()
    player.currentTime = 1.2
    player.play()
    try rig.render(8000, player)
    #expect(rig.heard.suffix(8000).allSatisfy { $0 == 0 })
  }

  @Test func anotherPlaysOnWhileOneIsPaused() throws {
    let rig = try PlayerRig()
    let player = try rig.player(sine(240_000))
    let silence = Data(rig.bytes(Array(repeating: 0, count: 240_000)))
    let other = try AVAudioPlayer(data: silence, hub: rig.hub)
    player.enableRate = true
    player.rate = 1.5
    other.play()
    player.play()
    try rig.render(24_000, player, other)
    player.pause()
    let paused = player.currentTime
    try rig.render(12_000, other)
    #expect(player.currentTime == paused)
    #expect(rig.heard.suffix(4000).allSatisfy { abs($0) < 1e-3 })
    player.play()
    try rig.render(24_000, player, other)
    // What was read ahead of the pause was heard in it.
    #expect(abs(player.currentTime - paused - 0.75) < 0.12)
    #expect(abs(frequency(rig.heard.suffix(16_000)) - 1000) < 6)
  }

  @Test(arguments: [0.5, 1.6, 2] as [Float])
  func isHeardToItsEndAndNoMore(faster: Float) throws {
    let rig = try PlayerRig()
    let player = try rig.player(sine(24_000))
    let listener = PlayerListener()
    player.delegate = listener
    player.enableRate = true
    player.rate = faster
    player.numberOfLoops = 1
    let length = Int(48_000 / faster)
    for round in 1...2 {
      player.play()
      try rig.render(length + 16_000, player)
      #expect(listener.waitForEnd(round))
      let heard = rig.heard.suffix(length + 16_000)
      let last = try #require(heard.lastIndex { abs($0) > 0.1 }) - heard.startIndex
      #expect(abs(last - length) < 1000, "\(last) of \(length)")
      let first = try #require(heard.firstIndex { abs($0) > 0.1 }) - heard.startIndex
      #expect(first < 1000, "begins at \(first)")
    }
  }

  @Test func volumePanAndLevelsCountToo() throws {
    let rig = try PlayerRig()
    let player = try rig.player(sine(480_000))
    player.enableRate = true
    player.rate = 1.5
    player.volume = 0.5
    player.isMeteringEnabled = true
    player.play()
    try rig.render(24_000, player)
    let loudest = try #require(rig.heard.suffix(9600).max())
    #expect(abs(loudest - 0.25) < 0.01, "\(loudest)")
    let isMeasured = ToolBox.waits {
      player.updateMeters()
      return player.peakPower(forChannel: 0) > -20
    }
    #expect(isMeasured)
    #expect(abs(player.peakPower(forChannel: 0) + 6.02) < 0.3)
    player.enableRate = false
    try rig.render(9600, player)
    let later = try #require(rig.heard.suffix(4800).max())
    #expect(abs(later - 0.25) < 0.001, "\(later)")
  }
}
