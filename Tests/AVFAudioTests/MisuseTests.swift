internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// Wrong calls end the program with a sentence that names both sides.
@Suite struct MisuseTests {
  private func sentence(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func channelsOfABuffer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let rig = try OfflineRig(channels: 2)
      let player = rig.player()
      player.scheduleBuffer(try rig.ruler(10, format: try OfflineRig.format(44_100, 1)))
    }
    let text = sentence(result)
    #expect(text.contains("1 ch, 44100 Hz") && text.contains("2 ch, 44100 Hz"))
  }

  @Test func twoTaps() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let mixer = AVAudioMixerNode()
      mixer.installTap(onBus: 0, bufferSize: 512, format: nil) { _, _ in }
      mixer.installTap(onBus: 0, bufferSize: 512, format: nil) { _, _ in }
    }
    #expect(sentence(result).contains("there is a tap on output 0"))
  }

  @Test func formatOfATap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let mixer = AVAudioMixerNode()
      mixer.installTap(onBus: 0, bufferSize: 512, format: try OfflineRig.format(8000, 1)) { _, _ in }
    }
    let text = sentence(result)
    #expect(text.contains("8000 Hz") && text.contains("44100 Hz"))
  }

  @Test func nodesOfOthers() async {
    let attached = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (one, other) = (AVAudioEngine(), AVAudioEngine())
      let player = AVAudioPlayerNode()
      one.attach(player)
      other.attach(player)
    }
    #expect(sentence(attached).contains("is attached to another engine"))
    let connected = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let engine = AVAudioEngine()
      engine.connect(AVAudioPlayerNode(), to: engine.mainMixerNode, format: nil)
    }
    #expect(sentence(connected).contains("is not attached to this engine"))
  }

  @Test func circles() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let engine = AVAudioEngine()
      let (one, other) = (AVAudioMixerNode(), AVAudioMixerNode())
      engine.attach(one)
      engine.attach(other)
      engine.connect(one, to: other, format: nil)
      engine.connect(other, to: one, format: nil)
    }
    #expect(sentence(result).contains("makes a circle"))
  }
}
