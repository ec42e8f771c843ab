internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Platform
internal import Testing

/// What taps hear.
@Suite struct TapTests {
  /// What a tap heard.
  private final class Ear: Sendable {
    let blocks = Monitor<[(samples: [Float], time: Int64)]>([])
    func hear(_ buffer: AVAudioPCMBuffer, _ time: AVAudioTime) {
      let samples = Array(UnsafeBufferPointer(start: buffer.floatChannelData![0], count: Int(buffer.frameLength)))
      blocks.signal { $0.append((samples, time.sampleTime)) }
    }
    func wait(for count: Int) -> [(samples: [Float], time: Int64)] {
      blocks.wait(until: .now.advanced(bySeconds: 30)) { $0.count >= count ? $0 : nil } ?? []
    }
  }

  @Test("blocks have the size that was asked for, in order, with their times", arguments: [256, 300, 1000])
  func sizes(frames: Int) throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let ear = Ear()
    player.installTap(onBus: 0, bufferSize: AVAudioFrameCount(frames), format: nil) { ear.hear($0, $1) }
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(5000))
    player.play()
    try rig.render(5000, by: 77)
    let blocks = ear.wait(for: 5000 / frames)
    #expect(blocks.count == 5000 / frames)
    #expect(difference(blocks.flatMap(\.samples), numbers(5000 / frames * frames)) == nil)
    #expect(blocks.enumerated().allSatisfy { $1.time == Int64($0 * frames) })
  }

  @Test func sizesAreClamped() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let ear = Ear()
    player.installTap(onBus: 0, bufferSize: 10, format: nil) { ear.hear($0, $1) }
    try rig.engine.start()
    player.play()
    try rig.render(600)
    #expect(ear.wait(for: 2).map(\.samples.count) == [256, 256])
  }

  @Test func behindTheMixersVolume() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let ear = Ear()
    let mixer = rig.engine.mainMixerNode
    mixer.installTap(onBus: 0, bufferSize: 500, format: mixer.outputFormat(forBus: 0)) { ear.hear($0, $1) }
    mixer.outputVolume = 0.5
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(500))
    player.play()
    try rig.render(500)
    #expect(difference(ear.wait(for: 1).flatMap(\.samples), numbers(500).map { $0 / 2 }) == nil)
  }

  @Test func removedFromInsideItsBlock() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    player.installTap(onBus: 0, bufferSize: 256, format: nil) { [unowned player] _, _ in
      player.removeTap(onBus: 0)
      notes.add("heard")
    }
    try rig.engine.start()
    player.play()
    try rig.render(2560, by: 256)
    #expect(notes.wait(for: 1) == ["heard"])
    try rig.render(2560, by: 256)
    // Another may be installed, and the first hears nothing more.
    let ear = Ear()
    player.installTap(onBus: 0, bufferSize: 256, format: nil) { ear.hear($0, $1) }
    try rig.render(256)
    #expect(ear.wait(for: 1).first?.time == 5120)
    #expect(notes.all == ["heard"])
  }

  @Test func removedWhileItsBlockRuns() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    let gate = Monitor(false)
    player.installTap(onBus: 0, bufferSize: 256, format: nil) { _, _ in
      notes.add("begun")
      _ = gate.wait { $0 ? true : nil }
    }
    try rig.engine.start()
    player.play()
    try rig.render(256)
    _ = notes.wait(for: 1)
    // Does not wait for the block.
    player.removeTap(onBus: 0)
    player.removeTap(onBus: 0)
    gate.signal { $0 = true }
    try rig.render(2560)
    #expect(notes.all == ["begun"])
  }

  @Test func aSlowBlockCostsBuffersNeverSound() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let ear = Ear()
    let gate = Monitor(false)
    player.installTap(onBus: 0, bufferSize: 256, format: nil) {
      _ = gate.wait { $0 ? true : nil }
      ear.hear($0, $1)
    }
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(25_600))
    player.play()
    #expect(difference(try rig.render(25_600, by: 256), numbers(25_600)) == nil)
    gate.signal { $0 = true }
    // As many as wait at most; what is heard is right, and in order.
    let blocks = ear.wait(for: 32)
    #expect(blocks.count == 32)
    #expect(difference(blocks.flatMap(\.samples), numbers(32 * 256)) == nil)
  }

  @Test func goesAlongWithAFormatThatChanges() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    player.installTap(onBus: 0, bufferSize: 256, format: nil) { buffer, _ in
      notes.add("\(buffer.format.channelCount) at \(buffer.format.sampleRate)")
    }
    rig.engine.connect(player, to: rig.engine.mainMixerNode, format: try OfflineRig.format(22_050, 2))
    try rig.engine.start()
    player.play()
    try rig.render(512)
    #expect(notes.wait(for: 1) == ["2 at 22050.0"])
  }
}
