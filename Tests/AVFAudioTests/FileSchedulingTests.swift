internal import AVFAudio
internal import AudioOutput
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// Files and parts of them, played to the frame.
@Suite struct FileSchedulingTests {
  /// A file whose frame f is (first + f + 1) / 65 536, exact in 24 bits.
  private func file(_ name: String, frames: Int, from first: Int = 0, rate: Double = 44_100) throws -> AVAudioFile {
    let url = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)-\(name)")
    let format = try OfflineRig.format(rate, 1)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)))
    buffer.frameLength = AVAudioFrameCount(frames)
    for frame in 0..<frames { buffer.floatChannelData![0][frame] = Float(first + frame + 1) / 65_536 }
    var settings: [String: Any] = [AVSampleRateKey: rate, AVNumberOfChannelsKey: 1]
    if name.hasSuffix("flac") {
      settings[AVFormatIDKey] = kAudioFormatFLAC
      settings[AVEncoderBitDepthHintKey] = 24
    } else {
      settings[AVFormatIDKey] = kAudioFormatLinearPCM
      settings[AVLinearPCMBitDepthKey] = 32
      settings[AVLinearPCMIsFloatKey] = true
    }
    do {
      let writing = try AVAudioFile(forWriting: url, settings: settings)
      try writing.write(from: buffer)
      writing.close()
    }
    return try AVAudioFile(forReading: url)
  }

  private func expected(_ count: Int, from first: Int = 0) -> [Float] {
    (0..<count).map { Float(first + $0 + 1) / 65_536 }
  }

  @Test("files and buffers follow each other without a frame between", arguments: ["wav", "flac"])
  func gapless(kind: String) throws {
    let rig = try OfflineRig()
    let player = rig.player()
    try rig.engine.start()
    let first = try file("a.\(kind)", frames: 10_000)
    let second = try file("b.\(kind)", frames: 5000, from: 10_000)
    defer { for file in [first, second] { try? FileManager.default.removeItem(at: file.url) } }
    player.scheduleFile(first, at: nil)
    player.scheduleFile(second, at: nil)
    let buffer = try rig.ruler(100)
    player.scheduleBuffer(buffer)
    player.play()
    let heard = try rig.render(15_200, by: 999)
    #expect(difference(heard, expected(15_000) + numbers(100) + silence(100)) == nil)
    #expect(first.framePosition == 0, "a player has a place of its own")
  }

  @Test func partsOfOneFile() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    try rig.engine.start()
    let whole = try file("c.wav", frames: 10_000)
    defer { try? FileManager.default.removeItem(at: whole.url) }
    player.scheduleSegment(whole, startingFrame: 9000, frameCount: 5000, at: nil) { notes.add("clamped") }
    player.scheduleSegment(whole, startingFrame: 100, frameCount: 50, at: nil) { notes.add("part") }
    player.scheduleSegment(whole, startingFrame: 100, frameCount: 0, at: nil) { notes.add("nothing") }
    player.scheduleSegment(whole, startingFrame: 0, frameCount: 10, at: nil) { notes.add("last") }
    player.play()
    let heard = try rig.render(1100, by: 64)
    #expect(
      difference(heard, expected(1000, from: 9000) + expected(50, from: 100) + expected(10) + silence(40)) == nil)
    #expect(notes.wait(for: 4) == ["clamped", "part", "nothing", "last"])
  }

  @Test func otherRatesAreConverted() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    try rig.engine.start()
    let slow = try file("d.wav", frames: 2205, rate: 22_050)
    defer { try? FileManager.default.removeItem(at: slow.url) }
    player.scheduleFile(slow, at: nil, completionCallbackType: .dataRendered) { _ in notes.add("over") }
    player.scheduleBuffer(try rig.ruler(10))
    player.play()
    let heard = try rig.render(4500, by: 512)
    // Twice as many frames, and the buffer right behind them.
    #expect(difference(Array(heard[4410..<4420]), numbers(10)) == nil)
    #expect(heard[2000...2010].enumerated().allSatisfy { abs($1 - Float(1001 + Double($0) / 2) / 65_536) < 1e-4 })
    #expect(notes.wait(for: 1) == ["over"])
  }

  @Test func stoppingInTheMiddleOfAFile() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let notes = Notes()
    try rig.engine.start()
    let long = try file("e.wav", frames: 200_000)
    defer { try? FileManager.default.removeItem(at: long.url) }
    for start in [0, 150_000, 3, 100_000] {
      player.stop()
      player.scheduleSegment(
        long, startingFrame: AVAudioFramePosition(start), frameCount: AVAudioFrameCount(200_000 - start), at: nil
      ) { notes.add("\(start)") }
      player.play()
      #expect(difference(try rig.render(700), expected(700, from: start)) == nil)
    }
    player.stop()
    #expect(notes.wait(for: 4) == ["0", "150000", "3", "100000"])
  }

  @Test func aDevicePlaysFilesReadByAThread() throws {
    let rig = try DeviceRig()
    let player = rig.player()
    let notes = Notes()
    let source = try file("f.wav", frames: 48_000, rate: 48_000)
    defer { try? FileManager.default.removeItem(at: source.url) }
    player.scheduleFile(source, at: nil) { notes.add("over") }
    player.prepare(withFrameCount: 0)
    try rig.engine.start()
    player.play()
    // The thread may be late: frames come in order, once each, with silence between where it was.
    while notes.all.isEmpty {
      rig.output.pull(frames: 480)
      _ = rig.engine.pump(heard: rig.output.timing.heard)
    }
    #expect(difference(rig.output.heard.filter { $0 != 0 }, expected(48_000)) == nil)
  }
}
