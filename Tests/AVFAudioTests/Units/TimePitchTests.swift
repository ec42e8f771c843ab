internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// The faces of time, pitch and varispeed.
@Suite("Time and pitch") struct TimePitchTests {
  /// An engine that plays through a unit: a player, the unit, the mixer.
  private static func rig(
    _ unit: AVAudioUnit, maximum: UInt32 = 4096
  ) throws -> (rig: OfflineRig, player: AVAudioPlayerNode) {
    let rig = try OfflineRig(maximum: maximum)
    let player = AVAudioPlayerNode()
    rig.engine.attach(player)
    rig.engine.attach(unit)
    rig.engine.connect(player, to: unit, format: rig.format)
    rig.engine.connect(unit, to: rig.engine.mainMixerNode, format: rig.format)
    return (rig, player)
  }

  private static func tone(_ frames: Int, _ format: AVAudioFormat) throws -> AVAudioPCMBuffer {
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)))
    buffer.frameLength = buffer.frameCapacity
    let data = try #require(buffer.floatChannelData)
    for frame in 0..<frames { data[0][frame] = Float(0.5 * sin(2 * Double.pi * 441 * Double(frame) / 44_100)) }
    return buffer
  }

  /// Periods a second, by the ways up through zero.
  private static func frequency(_ signal: ArraySlice<Float>) -> Double {
    var crossings: [Double] = []
    for (index, (a, b)) in zip(signal, signal.dropFirst()).enumerated() where a < 0 && b >= 0 {
      crossings.append(Double(index) + Double(a / (a - b)))
    }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) / (last - first) * 44_100
  }

  @Test func defaultsAndRanges() {
    let unit = AVAudioUnitTimePitch()
    #expect(unit.rate == 1)
    #expect(unit.pitch == 0)
    #expect(unit.overlap == 8)
    #expect(!unit.bypass)
    #expect(unit.latency == 0)
    #expect(unit.timePitchAlgorithm == .automatic)
    unit.rate = 99
    unit.pitch = 9999
    unit.overlap = 1
    #expect(unit.rate == 32)
    #expect(unit.pitch == 2400)
    #expect(unit.overlap == 3)
    unit.rate = 0
    unit.pitch = -9999
    unit.overlap = 99
    #expect(unit.rate == 0.03125)
    #expect(unit.pitch == -2400)
    #expect(unit.overlap == 32)
    unit.rate = .nan
    unit.pitch = .nan
    unit.overlap = .nan
    #expect(unit.rate == 1)
    #expect(unit.pitch == 0)
    #expect(unit.overlap == 8)

    let varispeed = AVAudioUnitVarispeed()
    #expect(varispeed.rate == 1)
    #expect(varispeed.latency == 0)
    varispeed.rate = 9
    #expect(varispeed.rate == 4)
    varispeed.rate = 0
    #expect(varispeed.rate == 0.25)
    varispeed.rate = .nan
    #expect(varispeed.rate == 1)
  }

  @Test func algorithmsAndLatencies() {
    let unit = AVAudioUnitTimePitch()
    unit.rate = 1.5
    var latencies: [Double] = []
    for algorithm in [AVAudioTimePitchAlgorithm.varispeed, .timeDomain, .spectral, .automatic] {
      unit.timePitchAlgorithm = algorithm
      #expect(unit.timePitchAlgorithm == algorithm)
      latencies.append(unit.latency)
    }
    #expect(latencies == latencies.sorted())
    #expect(latencies[0] > 0 && latencies[3] < 0.15)
    unit.timePitchAlgorithm = AVAudioTimePitchAlgorithm(rawValue: "what is that")
    #expect(unit.timePitchAlgorithm == .automatic)
    unit.bypass = true
    #expect(unit.bypass)
    #expect(unit.latency == 0)
  }

  @Test func atRateOneEveryBitPasses() throws {
    for unit in [AVAudioUnitTimePitch(), AVAudioUnitVarispeed()] {
      let (rig, player) = try Self.rig(unit)
      player.scheduleBuffer(try rig.ruler(5000))
      try rig.engine.start()
      player.play()
      #expect(difference(try rig.render(6000), numbers(5000) + silence(1000)) == nil)
    }
  }

  @Test func bypassLetsEveryBitPass() throws {
    let unit = AVAudioUnitTimePitch()
    unit.rate = 2
    unit.pitch = 500
    unit.bypass = true
    let (rig, player) = try Self.rig(unit)
    player.scheduleBuffer(try rig.ruler(5000))
    try rig.engine.start()
    player.play()
    #expect(difference(try rig.render(5500), numbers(5000) + silence(500)) == nil)
  }

  @Test(
    "at twice the rate half the time, at the same pitch",
    arguments: [
      AVAudioTimePitchAlgorithm.spectral, .timeDomain, .automatic,
    ])
  func double(algorithm: AVAudioTimePitchAlgorithm) throws {
    let unit = AVAudioUnitTimePitch()
    unit.rate = 2
    unit.timePitchAlgorithm = algorithm
    let (rig, player) = try Self.rig(unit)
    player.scheduleBuffer(try Self.tone(44_100, rig.format))
    try rig.engine.start()
    player.play()
    let heard = try rig.render(26_000)
    #expect(abs(Self.frequency(heard[4000..<20_000]) - 441) < (algorithm == .spectral ? 0.2 : 3))
    #expect(heard[21_000..<21_900].contains { abs($0) > 0.3 })
    #expect(heard[24_000...].allSatisfy { abs($0) < 1e-3 })
  }

  @Test func pitchMovesTheToneAndLeavesTheTime() throws {
    let unit = AVAudioUnitTimePitch()
    unit.pitch = 1200
    unit.timePitchAlgorithm = .spectral
    let (rig, player) = try Self.rig(unit)
    player.scheduleBuffer(try Self.tone(30_000, rig.format))
    try rig.engine.start()
    player.play()
    let heard = try rig.render(32_000)
    #expect(abs(Self.frequency(heard[4000..<20_000]) - 882) < 0.4)
    #expect(heard[29_000..<29_800].contains { abs($0) > 0.3 })
  }

  @Test func aVarispeedMovesBoth() throws {
    let unit = AVAudioUnitVarispeed()
    unit.rate = 1.5
    let (rig, player) = try Self.rig(unit)
    player.scheduleBuffer(try Self.tone(30_000, rig.format))
    try rig.engine.start()
    player.play()
    let heard = try rig.render(21_000)
    #expect(abs(Self.frequency(heard[1000..<19_000]) - 661.5) < 0.1)
    #expect(heard[20_100...].allSatisfy { abs($0) < 1e-3 })
  }

  @Test func aPlayersTimePassesTwiceAsFast() throws {
    let unit = AVAudioUnitTimePitch()
    unit.rate = 2
    unit.timePitchAlgorithm = .spectral
    let (rig, player) = try Self.rig(unit)
    player.scheduleBuffer(try Self.tone(100_000, rig.format))
    try rig.engine.start()
    player.play()
    func played() throws -> Int64 {
      let time = try #require(player.lastRenderTime)
      return try #require(player.playerTime(forNodeTime: time)).sampleTime
    }
    try rig.render(4096)
    let before = try played()
    try rig.render(22_050)
    let passed = try played() - before
    #expect(abs(passed - 44_100) < 2048, "\(passed)")
  }

  @Test func theSameBytesHoweverLongCallsAre() throws {
    func heard(maximum: UInt32, part: Int) throws -> [Float] {
      let unit = AVAudioUnitTimePitch()
      unit.rate = 1.3
      unit.pitch = 200
      let (rig, player) = try Self.rig(unit, maximum: maximum)
      player.scheduleBuffer(try Self.tone(10_000, rig.format))
      try rig.engine.start()
      player.play()
      return try rig.render(8000, by: part)
    }
    let whole = try heard(maximum: 4096, part: 4096)
    #expect(whole.contains { abs($0) > 0.4 })
    #expect(difference(try heard(maximum: 512, part: 512), whole) == nil)
    #expect(difference(try heard(maximum: 100, part: 77), whole) == nil)
    #expect(difference(try heard(maximum: 4096, part: 1000), whole) == nil)
  }
}
