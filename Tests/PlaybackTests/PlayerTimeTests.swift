import AudioModel
import AudioOutput
import Martlet
import MartletTestSupport
import Testing

/// A player at other speeds: how long things take, where they are, and what is heard of them.
@Suite struct PlayerTimeTests {
  /// A rig at a rate; varispeed lets samples of a ruler say which frame they are.
  private static func rig(
    rate: Double, _ algorithm: StretchAlgorithm = .varispeed, queue: Int = 0
  ) -> PlayerRig {
    PlayerRig(queue: queue) { $0.effects.time = TimePitchSettings(rate: rate, algorithm: algorithm) }
  }

  private static func started(_ rig: PlayerRig, _ frames: Int...) {
    for (index, frames) in frames.enumerated() {
      rig.player.append(PlayerItem("\(index)", bytes: countingWAV(frames: frames)))
    }
    rig.player.play()
    rig.wait(for: .playing)
  }

  @Test(arguments: StretchAlgorithm.allCases, [1.5, 2, 0.5, 0.77])
  func anItemPlayedWholeIsAllOfItsFrames(algorithm: StretchAlgorithm, rate: Double) {
    let rig = Self.rig(rate: rate, algorithm, queue: 1000)
    Self.started(rig, 20_001)
    rig.hearAll()
    #expect(rig.lines(["finished"]) == ["finished 0 ended 20001"])
    #expect(rig.player.snapshot.statistics.framesPlayed == 20_001)
    #expect(rig.player.snapshot.statistics.underruns == 0)
    let heard = rig.heard().drop { $0 == 0 }.count
    // What is heard last is cut into callbacks.
    let wanted = Int((20_001 / rate).rounded())
    #expect((wanted - 100...wanted + 2000).contains(heard), "\(heard), wanted \(wanted)")
  }

  @Test(arguments: [2, 0.5, 1.3]) func theRulerIsWhereThePositionSays(rate: Double) throws {
    let rig = Self.rig(rate: rate, queue: 700)
    Self.started(rig, 96_000)
    for _ in 0..<6 {
      rig.hear(3333)
      let sample = try #require(rig.heard().last)
      let position = rig.player.snapshot.position * 48_000
      let ruler = Double(sample) * 16_777_216 - 1
      #expect(abs(position - ruler) < 48, "\(position), heard \(ruler)")
    }
  }

  @Test func theRulerIsWhereThePositionSaysThroughChanges() throws {
    let rig = Self.rig(rate: 1, queue: 960)
    Self.started(rig, 192_000)
    rig.hear(4800)
    for rate in [2, 0.5, 1.7, 1, 3, 0.8, 1] {
      try rig.player.performAndWait(.rate(rate))
      for _ in 0..<3 {
        rig.hear(3200)
        let sample = try #require(rig.heard().last)
        let position = rig.player.snapshot.position * 48_000
        let ruler = Double(sample) * 16_777_216 - 1
        #expect(abs(position - ruler) < 48, "rate \(rate): \(position), heard \(ruler)")
      }
    }
    rig.hearAll(by: 2000)
    #expect(rig.lines(["finished"]) == ["finished 0 ended 192000"])
    #expect(rig.player.snapshot.statistics.framesPlayed == 192_000)
  }

  @Test(arguments: [StretchAlgorithm.varispeed, .music, .speech])
  func itemsJoinWithoutAGap(algorithm: StretchAlgorithm) {
    let rig = Self.rig(rate: 1.5, algorithm)
    for part in 0..<3 {
      rig.player.append(PlayerItem("\(part)", bytes: countingWAV(frames: 9001, from: 100_001 + part * 9001)))
    }
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll(by: 333)
    #expect(
      rig.lines(["started", "finished"]) == [
        "started 0 gapless -", "finished 0 ended 9001", "started 1 gapless true", "finished 1 ended 9001",
        "started 2 gapless true", "finished 2 ended 9001",
      ])
    // As one item would sound: between the beginning and the end no sample is silent.
    let heard = rig.heard().drop { $0 == 0 }
    let inside = heard.dropFirst(3000).prefix(12_000)
    #expect(inside.allSatisfy { (100_001...127_100).contains(frameNumber($0)) })
    if algorithm == .varispeed {
      let numbers = inside.map { Double($0) * 16_777_216 }
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { abs($1 - $0 - 1.5) < 0.5 })
    }
  }

  @Test(arguments: [StretchAlgorithm.varispeed, .music]) func aSeekLandsWhereItShould(algorithm: StretchAlgorithm)
    throws
  {
    let rig = Self.rig(rate: 2, algorithm, queue: 960)
    Self.started(rig, 192_000)
    rig.hear(9600)
    try rig.player.performAndWait(.seek(.absolute(3)))
    #expect(rig.player.snapshot.position == 3)
    rig.output.clearHeard()
    rig.hear(7200)
    let position = rig.player.snapshot.position
    #expect(position > 3.2 && position <= 3.301, "\(position)")
    if algorithm == .varispeed {
      let ruler = Double(try #require(rig.heard().last)) * 16_777_216 - 1
      #expect(abs(position * 48_000 - ruler) < 48)
    }
    rig.hearAll()
    #expect(rig.lines(["finished"]).first?.hasPrefix("finished 0 ended") == true)
    #expect(rig.lines(["seeked"]).count == 1)
  }

  @Test(arguments: [StretchAlgorithm.varispeed, .music, .speech])
  func aPauseLosesAndRepeatsNothing(algorithm: StretchAlgorithm) throws {
    let rig = Self.rig(rate: 2, algorithm, queue: 2000)
    Self.started(rig, 80_000)
    for _ in 0..<3 {
      rig.hear(6000)
      // The device gives back what it has not played.
      try rig.player.performAndWait(.pause)
      rig.hear(3000)
      let position = rig.player.snapshot.position
      rig.hear(3000)
      #expect(rig.player.snapshot.position == position)
      #expect(rig.output.state == .paused)
      try rig.player.performAndWait(.play)
    }
    // Past the queue, and past the fade.
    rig.hear(6000)
    if algorithm == .varispeed {
      let ruler = Double(try #require(rig.heard().last)) * 16_777_216 - 1
      let position = rig.player.snapshot.position * 48_000
      #expect(abs(position - ruler) < 48, "\(position), heard \(ruler)")
    }
    rig.hearAll()
    #expect(rig.lines(["finished"]) == ["finished 0 ended 80000"])
    #expect(rig.player.snapshot.statistics.framesPlayed == 80_000)
  }
}
