import AudioModel
import AudioOutput
import ByteSource
import Martlet
import MartletTestSupport
import Platform
import Realtime
import Testing

/// The player on a manual loudspeaker: every frame that is heard is looked at.
@Suite struct PlayerTests {
  private let order: Set<String> = ["started", "finished", "state", "error", "underrun"]

  @Test func oneItemIsHeardExactlyOnceAndBitForBit() {
    let rig = PlayerRig(queue: 1000)
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 30_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll()
    #expect(difference(rig.heard().map(frameNumber).drop { $0 == 0 }, 1...30_000) == nil)
    #expect(
      rig.lines(order) == [
        "idle -> opening", "opening -> buffering", "buffering -> playing", "started 0 gapless -",
        "finished 0 ended 30000", "playing -> ended",
      ])
    #expect(rig.player.snapshot.statistics.framesPlayed == 30_000)
  }

  @Test func itemsJoinWithoutAGap() {
    let rig = PlayerRig()
    for part in 0..<3 {
      rig.player.append(PlayerItem("\(part)", bytes: countingWAV(frames: 5000, from: 1 + part * 5000)))
    }
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll(by: 333)
    #expect(difference(rig.heard().map(frameNumber).drop { $0 == 0 }, 1...15_000) == nil)
    #expect(
      rig.lines(["started", "finished"]) == [
        "started 0 gapless -", "finished 0 ended 5000", "started 1 gapless true", "finished 1 ended 5000",
        "started 2 gapless true", "finished 2 ended 5000",
      ])
  }

  @Test func aPauseLosesRepeatsAndAddsNothing() throws {
    let rig = PlayerRig(queue: 2000)
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 40_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(10_000)
    try rig.player.performAndWait(.pause)
    rig.hear(6000)
    #expect(rig.player.snapshot.state == .paused)
    #expect(rig.output.state == .paused, "a player at rest lets the device rest")
    try rig.player.performAndWait(.play)
    rig.hearAll()
    // 5 ms of ramp on either side scale real frames; all others are exact, and none is missing.
    let heard = rig.heard().drop { $0 == 0 }
    let first = heard.prefix { $0 != 0 }.map(frameNumber)
    let resumed = heard.drop { $0 != 0 }.drop { $0 == 0 }.map(frameNumber)
    let ramp = 240
    #expect(difference(first.prefix(first.count - ramp), 1...(first.count - ramp)) == nil)
    let tail = resumed.dropFirst(ramp)
    #expect(difference(tail, (40_001 - tail.count)...40_000) == nil)
    // A ramp's outermost frame may be scaled to nothing; all others are there.
    #expect((39_998...40_000).contains(first.count + resumed.count), "\(first.count) + \(resumed.count)")
    #expect(rig.lines(["finished"]) == ["finished 0 ended 40000"])
  }

  @Test func nextSkipsAndTheLastOneEnds() throws {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("a", bytes: countingWAV(frames: 48_000)))
    rig.player.append(PlayerItem("b", bytes: countingWAV(frames: 48_000, from: 100_001)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(4800)
    try rig.player.performAndWait(.next)
    rig.hear(9600)
    #expect(rig.player.snapshot.index == 1)
    try rig.player.performAndWait(.next)
    #expect(rig.player.snapshot.state == .ended)
    let lines = rig.lines(["started", "finished"])
    #expect(lines.count == 4)
    #expect(lines[0] == "started 0 gapless -")
    #expect(lines[1] == "finished 0 skipped 4800")
    #expect(lines[2] == "started 1 gapless false")
    #expect(lines[3].hasPrefix("finished 1 skipped "))
  }

  @Test func anItemThatCannotBeOpenedIsToldInItsTurn() {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("a", bytes: countingWAV(frames: 5000)))
    rig.player.append(PlayerItem("bad", bytes: Array("this is no audio at all, just text\n".utf8)))
    rig.player.append(PlayerItem("none", bytes: []))
    rig.player.append(PlayerItem("b", bytes: countingWAV(frames: 5000, from: 5001)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll()
    #expect(
      rig.lines(["started", "finished", "error"]) == [
        "started 0 gapless -", "finished 0 ended 5000", "error 3001 skip", "finished 1 failed 0", "error 3004 skip",
        "finished 2 failed 0", "started 3 gapless true", "finished 3 ended 5000",
      ])
  }

  @Test func anItemThatBreaksOffIsHeardAsFarAsItGoesAndThenToldOf() {
    let rig = PlayerRig()
    let bytes = countingWAV(frames: 50_000)
    let broken = PlayerItem(name: "broken") { (_) throws(AudioError) -> any ByteSource in
      BreakingSource(bytes, at: 100_000)
    }
    rig.player.append(broken)
    rig.player.append(PlayerItem("b", bytes: countingWAV(frames: 5000, from: 50_001)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll()
    let lines = rig.lines(["started", "finished", "error"])
    #expect(lines.count == 5)
    #expect(lines.first == "started 0 gapless -")
    #expect(lines.dropFirst().first == "error 2012 skip")
    #expect(lines.last == "finished 1 ended 5000")
    let heard = rig.heard().map(frameNumber).filter { $0 != 0 }
    let whole = heard.prefix { $0 <= 50_000 }
    #expect(whole.count > 20_000)
    #expect(difference(whole, 1...whole.count) == nil)
    #expect(lines[2] == "finished 0 failed \(whole.count)")
  }

  @Test func nothingButBadItemsIsAFailure() {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("bad", bytes: Array("nothing to hear here".utf8)))
    rig.player.append(PlayerItem("none", bytes: []))
    rig.player.play()
    rig.wait(for: .failed)
    #expect(
      rig.lines(["started", "finished", "error", "state"]) == [
        "idle -> opening", "error 3001 skip", "finished 0 failed 0", "error 3004 stop", "finished 1 failed 0",
        "opening -> failed",
      ])
  }

  @Test func playAfterTheEndStartsAgain() throws {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("a", bytes: countingWAV(frames: 5000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll()
    rig.output.clearHeard()
    try rig.player.performAndWait(.play)
    rig.fill(0.1)
    rig.hearAll()
    #expect(difference(rig.heard().map(frameNumber).filter { $0 != 0 }, 1...5000) == nil)
    #expect(rig.lines(["started", "finished"]).count == 4)
  }

  @Test func anItemAddedLateFollows() throws {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("a", bytes: countingWAV(frames: 5000)))
    rig.player.play()
    rig.wait { if case .buffered = $0 { true } else { false } }
    rig.hear(480)
    rig.player.append(PlayerItem("b", bytes: countingWAV(frames: 5000, from: 5001)))
    rig.hearAll()
    #expect(difference(rig.heard().map(frameNumber).filter { $0 != 0 }, 1...10_000) == nil)
    #expect(rig.lines(["finished"]) == ["finished 0 ended 5000", "finished 1 ended 5000"])
  }

  @Test func volumeIsRampedAndMuteIsSilence() throws {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("a", bytes: countingWAV(frames: 48_000)))
    try rig.player.performAndWait(.volume(Decibels(-6)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(9600)
    let expected = Float(9000) / 16_777_216 * 0.501_187_2
    #expect(abs(rig.heard()[8999] / expected - 1) < 1e-5)
    try rig.player.performAndWait(.mute(true))
    #expect(rig.player.snapshot.isMuted)
    rig.hear(4800)
    #expect(rig.heard().suffix(2000).allSatisfy { $0 == 0 })
    #expect(rig.player.snapshot.volume == Decibels(-6))
  }

  @Test func anotherFormatIsConvertedToTheOutputs() {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("a", bytes: countingWAV(frames: 4800)))
    rig.player.append(
      PlayerItem("b", bytes: countingWAV(frames: 44_100, rate: .cd, layout: .stereo)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll()
    #expect(rig.output.format == PCMFormat(sampleRate: .studio, layout: .mono))
    #expect(rig.lines(["finished"]) == ["finished 0 ended 4800", "finished 1 ended 44100"])
    #expect(rig.heard().count - 4800 >= 48_000)
  }

  @Test func startAndEndCutTheItem() {
    let rig = PlayerRig()
    var item = PlayerItem("a", bytes: countingWAV(frames: 48_000))
    item.start = 0.25
    item.end = 0.5
    rig.player.append(item)
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll()
    #expect(difference(rig.heard().map(frameNumber).filter { $0 != 0 }, 12_001...24_000) == nil)
  }

  @Test func commandsFromHandlersAndManyThreadsAreSafe() async throws {
    let rig = PlayerRig()
    for part in 0..<4 { rig.player.append(PlayerItem("\(part)", bytes: countingWAV(frames: 20_000))) }
    rig.player.observe { [weak player = rig.player] event in
      if case .itemStarted = event?.kind { player?.seek(.relative(0.1)) }
    }
    rig.player.play()
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<8 {
        group.addTask {
          for step in 0..<50 {
            switch (thread + step) % 6 {
            case 0: rig.player.pause()
            case 1, 2: rig.player.play()
            case 3: rig.player.seek(.share(0.3))
            case 4: rig.player.next()
            default: _ = rig.player.snapshot
            }
          }
        }
      }
    }
    try rig.player.performAndWait(.stop)
    #expect(rig.player.snapshot.state == .idle)
    #expect(rig.lines(["started"]).count <= rig.lines(["finished"]).count)
  }

  @Test(arguments: [7, 64, 4000])
  func aDeviceThatRunsWhileItIsAskedIsFollowedFromTheFirstFrame(step: Int) {
    let output = RunningOutput(step: step)
    let player = AudioPlayer(
      output: output, configuration: PlayerConfiguration(),
      clock: PlayerClock(isRunning: false) { .now })
    defer { player.close() }
    let events = Monitor<[PlayerEvent.Kind]>([])
    player.observe { event in if let event { events.signal { $0.append(event.kind) } } }
    player.append(PlayerItem("a", bytes: countingWAV(frames: 8000)))
    player.play()
    ToolBox.waits {
      player.settle()
      return player.snapshot.state == .ended
    }
    #expect(player.snapshot.state == .ended)
    let started = events.withLock { $0 }.filter { if case .itemStarted = $0 { true } else { false } }
    #expect(started.count == 1)
    #expect(player.snapshot.statistics.framesPlayed == 8000)
  }

  @Test func closingEndsEveryStreamOfEvents() async {
    let rig = PlayerRig()
    let events = rig.player.events()
    rig.player.append(PlayerItem("a", bytes: countingWAV(frames: 48_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(4800)
    rig.player.close()
    var last: PlayerState?
    for await event in events { if case .state(let state, _) = event.kind { last = state } }
    #expect(last == .ended)
    #expect(rig.output.state == .closed)
    #expect(throws: AudioError.self) { try rig.player.performAndWait(.play) }
  }
}
