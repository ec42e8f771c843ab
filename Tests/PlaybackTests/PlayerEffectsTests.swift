import AudioModel
import AudioOutput
import Glibc
import Martlet
import MartletTestSupport
import RenderGraph
import Testing

/// Rate, pitch and effects of a player: commands, what is told of them, and what is heard.
@Suite struct PlayerEffectsTests {
  private static let effects = EffectSettings(
    distortion: DistortionSettings(preset: .distortedFunk, mix: 30), equalizer: EqualizerSettings(.bass),
    delay: DelaySettings(time: 0.03, feedback: 20, mix: 30), reverb: ReverbSettings(preset: .smallRoom, mix: 20))

  /// What a file of counting samples sounds like offline.
  private static func rendered(_ frames: Int, _ effects: EffectSettings, gain: Float = 1) -> [Float] {
    let graph = OfflineRenderer(
      format: PCMFormat(sampleRate: .studio, layout: .mono), capacity: frames, gain: gain, effects: effects)
    let block = PCMBlock(channels: 1, capacity: frames)
    for frame in 0..<frames { block.plane(0)[frame] = Float(1 + frame) / 16_777_216 }
    block.advance(frames)
    _ = graph.buffer.write(block, from: 0, count: frames)
    graph.buffer.finish()
    var output: [Float] = []
    while graph.render(frames: 4096, { output += $0 }) > 0 {}
    return output
  }

  private static func difference(_ found: some Collection<Float>, _ expected: some Collection<Float>) -> String? {
    for (index, pair) in zip(found, expected).enumerated() where pair.0 != pair.1 {
      return "at \(index): \(pair.0), expected \(pair.1); \(found.count) frames, expected \(expected.count)"
    }
    return found.count == expected.count ? nil : "\(found.count) frames, expected \(expected.count)"
  }

  @Test func commandsAreToldInOrderAndShown() throws {
    let rig = PlayerRig()
    let player = rig.player
    let bass = EqualizerSettings(.bass)
    let commands: [PlayerCommand] = [
      .rate(1.5), .rateBy(0.1), .rateBy(-9), .pitch(-300), .pitchBy(100), .stretch(.music), .equalizer(bass),
      .equalizer(bass), .reverb(ReverbSettings(preset: .plate, mix: 250)), .delay(DelaySettings(time: .nan)),
      .distortion(DistortionSettings(preset: .waves)), .equalizer(nil), .pitch(9999), .rate(.nan),
    ]
    for command in commands { try player.performAndWait(command) }
    player.settle()
    let told = rig.events.compactMap { if case .changed(let change) = $0 { change } else { nil } }
    #expect(
      told == [
        .rate(1.5), .rate(1.6), .rate(0.03125), .pitch(-300), .pitch(-200), .stretch(.music), .equalizer(bass),
        .reverb(ReverbSettings(preset: .plate, mix: 100)), .delay(DelaySettings(time: 1)),
        .distortion(DistortionSettings(preset: .waves)), .equalizer(nil), .pitch(2400), .rate(1),
      ])
    #expect(
      player.snapshot.effects
        == EffectSettings(
          time: TimePitchSettings(rate: 1, pitch: 2400, algorithm: .music),
          distortion: DistortionSettings(preset: .waves), delay: DelaySettings(time: 1),
          reverb: ReverbSettings(preset: .plate, mix: 100)))
  }

  @Test func theMethodsAreTheCommands() async throws {
    let rig = PlayerRig { $0.effects.reverb = ReverbSettings(preset: .cathedral, mix: 10) }
    let player = rig.player
    #expect(player.snapshot.effects.reverb?.preset == .cathedral)
    player.setRate(2)
    player.setPitch(100)
    player.setStretch(.speech)
    player.setEqualizer(EqualizerSettings(.night))
    player.setReverb(nil)
    player.setDelay(DelaySettings())
    player.setDistortion(DistortionSettings())
    try await player.perform(.mute(true))
    #expect(
      player.snapshot.effects
        == EffectSettings(
          time: TimePitchSettings(rate: 2, pitch: 100, algorithm: .speech), distortion: DistortionSettings(),
          equalizer: EqualizerSettings(.night), delay: DelaySettings()))
  }

  @Test(arguments: [480, 333]) func playsAsItIsRendered(size: Int) {
    let rig = PlayerRig(queue: 700) { $0.effects = Self.effects }
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 20_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll(by: size)
    let wanted = Self.rendered(20_000, Self.effects)
    let heard = rig.heard()
    #expect(heard.count > wanted.count)
    // Before it there is silence until enough was decoded, and then the effects' latency.
    let start = heard.firstIndex { $0 != 0 } ?? 0
    let first = wanted.firstIndex { $0 != 0 } ?? 0
    #expect(Self.difference(heard[start...], wanted[first...]) == nil)
    #expect(rig.lines(["finished"]) == ["finished 0 ended 20000"])
  }

  @Test func itemsJoinInsideTheEffects() {
    let rig = PlayerRig { $0.effects = Self.effects }
    for part in 0..<3 {
      rig.player.append(PlayerItem("\(part)", bytes: countingWAV(frames: 5000, from: 1 + part * 5000)))
    }
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll(by: 333)
    let wanted = Self.rendered(15_000, Self.effects)
    let heard = rig.heard()
    let start = heard.firstIndex { $0 != 0 } ?? 0
    let first = wanted.firstIndex { $0 != 0 } ?? 0
    #expect(Self.difference(heard[start...], wanted[first...]) == nil)
    #expect(
      rig.lines(["started", "finished"]) == [
        "started 0 gapless -", "finished 0 ended 5000", "started 1 gapless true", "finished 1 ended 5000",
        "started 2 gapless true", "finished 2 ended 5000",
      ])
  }

  @Test func theLimitersLatencyCountsInPositions() throws {
    let plain = PlayerRig()
    let limited = PlayerRig { $0.volume = Decibels(6) }
    for rig in [plain, limited] {
      rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 48_000)))
      rig.player.play()
      rig.wait(for: .playing)
      rig.hear(9600)
    }
    // The frame that is heard last says which one it is.
    for rig in [plain, limited] {
      let loud = rig === limited
      let sample = try #require(rig.heard().last) / (loud ? Float(pow(10, 0.3)) : 1)
      let position = rig.player.snapshot.position * 48_000
      #expect(abs(position - Double(sample * 16_777_216)) < 1.5, "\(position), heard \(sample * 16_777_216)")
    }
  }

  @Test(arguments: [[32.0], [1, 32], [1, 6, 0.5, 32]]) func noRateIsTooFastForTheBuffer(rates: [Double]) throws {
    let rig = PlayerRig(queue: 4800) { $0.effects.time.rate = rates[0] }
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 800_000)))
    rig.player.append(PlayerItem("two", bytes: countingWAV(frames: 200_000)))
    rig.player.play()
    rig.wait(for: .playing)
    for rate in rates {
      try rig.player.performAndWait(.rate(rate))
      rig.hear(9600)
    }
    rig.hearAll(by: 4800)
    #expect(rig.player.snapshot.statistics.underruns == 0)
    #expect(rig.lines(["started"]) == ["started 0 gapless -", "started 1 gapless true"])
    let finished = rig.lines(["finished"])
    #expect(finished.count == 2 && finished.last == "finished 1 ended 200000")
  }

  @Test func switchedOffAgainSoundIsExact() throws {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 60_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(9600)
    try rig.player.performAndWait(.reverb(ReverbSettings(preset: .plate, mix: 50)))
    rig.hear(9600)
    try rig.player.performAndWait(.reverb(nil))
    rig.hear(9600)
    rig.hearAll()
    let heard = rig.heard()
    #expect(Self.difference(heard.suffix(30_000).map { $0 * 16_777_216 }, (30_001...60_000).map(Float.init)) == nil)
    #expect(rig.lines(["finished"]) == ["finished 0 ended 60000"])
    let first = heard.prefix(9000).drop { $0 == 0 }.map(frameNumber)
    #expect(first.elementsEqual(1...first.count))
  }

  @Test func aPauseFreezesEffectsAndLosesNothing() throws {
    let rig = PlayerRig(queue: 500) { $0.effects.delay = DelaySettings(time: 0.1, feedback: 0, mix: 50) }
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 40_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(10_000)
    try rig.player.performAndWait(.pause)
    rig.hear(6000)
    #expect(rig.output.state == .paused, "a player at rest lets the device rest")
    let quiet = rig.heard().suffix(10)
    #expect(quiet.allSatisfy { $0 == 0 })
    try rig.player.performAndWait(.play)
    rig.hearAll()
    #expect(rig.lines(["finished"]) == ["finished 0 ended 40000"])
    #expect(rig.player.snapshot.statistics.framesPlayed == 40_000)
  }

  @Test func anotherBeginningHearsNothingOfTheOneBefore() throws {
    let rig = PlayerRig { $0.effects.delay = DelaySettings(time: 0.3, feedback: 50, mix: 50) }
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 30_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(14_400)
    try rig.player.performAndWait(.stop)
    for _ in 0..<20 {
      rig.output.pull(frames: 300)
      rig.player.settle()
    }
    #expect(rig.output.state == .paused)
    rig.output.clearHeard()
    try rig.player.performAndWait(.play)
    rig.hear(9600)
    // Nothing of the delay comes before its time.
    let heard = rig.heard().drop { $0 == 0 }
    let wanted = Self.rendered(30_000, rig.player.snapshot.effects)
    #expect(Self.difference(heard, wanted.drop { $0 == 0 }.prefix(heard.count)) == nil)
    #expect(heard.count > 8000)
  }
}
