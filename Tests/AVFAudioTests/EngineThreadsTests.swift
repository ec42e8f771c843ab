internal import AVFAudio
internal import AudioOutput
internal import Foundation
internal import MartletTestSupport
internal import Platform
internal import Synchronization
internal import Testing

/// An engine whose device draws on one thread while others change it.
@Suite struct EngineThreadsTests {
  @Test(
    "two threads attach, connect, tap, play and detach while the device draws; what sounds on does so to the sample")
  func everythingAtOnce() throws {
    let rig = try DeviceRig()
    let engine = rig.engine
    let format = rig.format
    let steady = rig.player()
    let offline = try OfflineRig(rate: 48_000)
    let calls = 120
    steady.scheduleBuffer(try offline.ruler(calls * 512))
    let silent = try offline.ruler(2000)
    silent.floatChannelData![0].update(repeating: 0, count: 2000)
    let quiet = UncheckedSendable(silent)
    let slow = try OfflineRig.format(24_000, 1)
    try engine.start()
    steady.play()
    let isDone = Atomic<Bool>(false)
    let turns = Monitor(0)
    let mixer = AVAudioMixerNode()
    engine.attach(mixer)
    engine.connect(mixer, to: engine.mainMixerNode, format: format)
    let editors = (0..<2).map { number in
      NamedThread("test-editor") {
        var turn = 0
        while !isDone.load(ordering: .acquiring) {
          let (player, unit) = (AVAudioPlayerNode(), AVAudioUnitEffect())
          engine.attach(player)
          engine.attach(unit)
          engine.connect(player, to: unit, format: format)
          engine.connect(unit, to: mixer, fromBus: 0, toBus: number, format: format)
          player.scheduleBuffer(quiet.value, at: nil, options: .loops)
          player.play()
          player.installTap(onBus: 0, bufferSize: 256, format: nil) { _, _ in }
          player.volume = 0.5
          unit.bypass = turn % 2 == 0
          if turn % 16 == 8 * number {
            engine.connect(mixer, to: engine.mainMixerNode, format: turn % 32 == 0 ? slow : format)
          }
          _ = player.lastRenderTime
          _ = engine.description
          if turn % 2 == 0 { player.removeTap(onBus: 0) }
          if turn % 4 == 0 { engine.disconnectNodeOutput(player) }
          engine.detach(player)
          engine.detach(unit)
          turn += 1
          turns.signal { $0 += 1 }
        }
      }
    }
    for call in 0..<calls {
      rig.output.pull(frames: 1 + call % 512)
      _ = engine.pump(heard: rig.output.timing.heard)
      // So that there is always something between two callbacks.
      #expect(turns.wait(until: .now.advanced(bySeconds: 60)) { $0 > call ? true : nil } == true)
    }
    isDone.store(true, ordering: .releasing)
    for thread in editors { thread.join() }
    let heard = rig.output.heard
    #expect(difference(heard, numbers(heard.count)) == nil)
    engine.stop()
  }

  private struct UncheckedSendable<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
