import AudioModel
import AudioOutput
import ByteSource
import Martlet
import MartletTestSupport
import Platform
import Realtime
import Testing

/// Seeks on a manual loudspeaker: where they land, and what is heard of them.
@Suite struct PlayerSeekTests {
  @Test(arguments: [0, 1, 12_345, 47_999, 48_000, 95_999])
  func aSeekLandsOnTheFrame(target: Int) throws {
    let rig = PlayerRig(queue: 960)
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 96_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(4800)
    rig.output.clearHeard()
    try rig.player.performAndWait(.seek(.absolute(Double(target) / 48_000)))
    #expect(rig.player.snapshot.position == Double(target) / 48_000)
    rig.hearAll()
    // The old sound fades, then silence, then the target with a ramp: from its 241st frame on it is exact.
    let after = rig.heard().map(frameNumber)
    let exact = max(0, 96_000 - target - 240)
    #expect(difference(after.suffix(exact), (96_001 - exact)..<96_001) == nil)
    #expect(rig.lines(["seeked"]).count == 1)
    #expect(rig.lines(["started"]).count == 1)
    #expect(rig.lines(["finished"]).first?.hasPrefix("finished 0 ended") == true)
  }

  @Test func aSeekAfterDecodingHasEndedStillWorks() throws {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("short", bytes: countingWAV(frames: 20_000)))
    rig.player.play()
    rig.wait { if case .buffered = $0 { true } else { false } }
    rig.hear(15_000)
    try rig.player.performAndWait(.seek(.absolute(0)))
    rig.output.clearHeard()
    rig.hearAll()
    #expect(difference(rig.heard().map(frameNumber).suffix(19_760), 241...20_000) == nil)
  }

  @Test func aSeekWhilePausedEndsNothingAndPlaysTheTarget() throws {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 96_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(9600)
    try rig.player.performAndWait(.pause)
    rig.hear(4800)
    try rig.player.performAndWait(.seek(.share(0.5)))
    rig.wait { if case .seeked = $0 { true } else { false } }
    #expect(rig.player.snapshot.state == .paused)
    #expect(rig.player.snapshot.position == 1)
    #expect(rig.lines(["finished"]) == [])
    rig.output.clearHeard()
    try rig.player.performAndWait(.play)
    rig.hear(4800)
    #expect(rig.heard().map(frameNumber).contains(48_000 + 1000))
    #expect(!rig.heard().map(frameNumber).contains(9000))
  }

  @Test func manySeeksInARowEndAtTheLast() throws {
    let rig = PlayerRig(queue: 500)
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 96_000)))
    rig.player.play()
    rig.wait(for: .playing)
    var seed: UInt64 = 7
    for _ in 0..<200 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      rig.player.seek(.absolute(Double(seed >> 33).truncatingRemainder(dividingBy: 1.9)))
      if seed & 0x1_0000_0000 != 0 { rig.output.pull(frames: 100) }
    }
    try rig.player.performAndWait(.seek(.absolute(1.5)))
    rig.output.clearHeard()
    rig.hearAll()
    #expect(difference(rig.heard().map(frameNumber).suffix(23_760), 72_241...96_000) == nil)
    #expect(rig.lines(["started"]).count == 1)
    #expect(rig.lines(["finished"]).count == 1)
  }

  @Test func aSeekDoesNotWaitForBytesThatDoNotCome() throws {
    let rig = PlayerRig()
    let bytes = countingWAV(frames: 480_000)
    var script = ScriptedByteSource.Script()
    script.gate = Int64(bytes.count / 2)
    let source = ScriptedByteSource(bytes, script)
    rig.player.append(PlayerItem(name: "slow") { _ in source })
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(48_000)
    try rig.player.performAndWait(.seek(.absolute(4.99)))
    #expect(source.waitsAtGate())
    // The worker waits for what lies behind the gate; the listener wants what lies elsewhere.
    for target in [9.0, 2.0] {
      rig.output.clearHeard()
      try rig.player.performAndWait(.seek(.absolute(target)))
      rig.hear(9600)
      let first = Int(target * 48_000)
      #expect(rig.heard().map(frameNumber).contains(first + 2400))
    }
    #expect(rig.lines(["seeked"]) == ["seeked 4.99 -> 9.0", "seeked 9.195 -> 2.0"])
    source.openGate()
  }

  @Test func seeksThatAreNoPlacesAreClampedOrRefused() throws {
    let rig = PlayerRig()
    #expect(throws: AudioError.self) { try rig.player.performAndWait(.seek(.absolute(1))) }
    rig.player.append(PlayerItem("one", bytes: countingWAV(frames: 48_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hear(4800)
    #expect(throws: AudioError.self) { try rig.player.performAndWait(.seek(.absolute(.nan))) }
    #expect(throws: AudioError.self) { try rig.player.performAndWait(.seek(.absolute(.infinity))) }
    try rig.player.performAndWait(.seek(.absolute(-5)))
    #expect(rig.player.snapshot.position == 0)
    try rig.player.performAndWait(.seek(.absolute(1e300)))
    #expect(rig.player.snapshot.position == 1)
    rig.hearAll()
    #expect(rig.player.snapshot.state == .ended)
  }

  @Test func aSeekAfterTheEndPlaysOnFromThere() throws {
    let rig = PlayerRig()
    rig.player.append(PlayerItem("a", bytes: countingWAV(frames: 5000)))
    rig.player.append(PlayerItem("b", bytes: countingWAV(frames: 48_000)))
    rig.player.play()
    rig.wait(for: .playing)
    rig.hearAll()
    rig.output.clearHeard()
    try rig.player.performAndWait(.seek(.absolute(0.5)))
    #expect(rig.player.snapshot.position == 0.5)
    rig.fill(0.1)
    rig.hearAll()
    // It begins in the middle of the sound, and so with a ramp.
    #expect(difference(rig.heard().map(frameNumber).suffix(23_760), 24_241...48_000) == nil)
    #expect(
      rig.lines(["state", "finished", "seeked"]).suffix(7) == [
        "playing -> ended", "ended -> opening", "opening -> buffering", "buffering -> playing", "seeked 1.0 -> 0.5",
        "finished 1 ended 24000", "playing -> ended",
      ])
  }
}
