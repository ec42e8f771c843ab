import AudioModel
import ByteSource
import MartletTestSupport
import Media
import Testing

/// One recording in two files of MPEG audio: their sound joins with nothing lost and nothing added.
@Suite(.enabled(if: ToolBox.has("lame"), "lame is not installed")) struct JoinedHalvesTests {
  private static let frames = 140_000
  private static let cut = 61_234

  /// Encodes both halves and gives the sound of the one followed by the other.
  private func joined(isOneGo: Bool, _ folder: TestFolder) throws -> (sound: PCMBlock, original: PCMBlock) {
    let original = MediaBench.sound(frames: Self.frames, channels: 2)
    let sound = PCMBlock(channels: 2, capacity: Self.frames)
    for (name, start, end) in [("a", 0, Self.cut), ("b", Self.cut, Self.frames)] {
      let format = PCMFormat(sampleRate: .cd, layout: .stereo)
      let writer = try MediaFileWriter.wav(path: folder("\(name).wav"), format: format, sample: .s16)
      let half = PCMBlock(channels: 2, capacity: end - start)
      half.append(original, from: start, count: end - start)
      try writer.write(half)
      try writer.finish()
    }
    let files = [folder("a.wav"), folder("b.wav")]
    for command in isOneGo ? [["--nogap"] + files] : files.map({ [$0] }) {
      precondition(ToolBox.run("lame", ["--quiet"] + command).status == 0, "lame failed")
    }
    for name in ["a", "b"] {
      let reader = try MediaBench.open(folder("\(name).mp3"))
      defer { reader.close() }
      let half = try MediaBench.rest(reader)
      sound.append(half, count: half.frameCount)
    }
    return (sound, original)
  }

  /// Mean square of the difference around the cut, the sound taken from `offset` on.
  private func error(_ sound: PCMBlock, _ original: PCMBlock, offset: Int) -> Float {
    var sum: Float = 0
    for channel in 0..<2 {
      let (left, right) = (sound.plane(channel), original.plane(channel))
      for index in Self.cut - 3000..<Self.cut + 3000 {
        let difference = left[index + offset] - right[index]
        sum += difference * difference
      }
    }
    return sum / 12_000
  }

  @Test func encodedApart() throws {
    let (sound, original) = try joined(isOneGo: false, TestFolder())
    #expect(sound.frameCount == Self.frames)
    let errors = (-3...3).map { error(sound, original, offset: $0) }
    #expect(errors.enumerated().min { $0.element < $1.element }?.offset == 3)
    #expect(errors[3] < 0.01)
  }

  @Test func encodedInOneGo() throws {
    // The encoder writes no header then: what it puts in front of the first half is all that the sound has more.
    let (sound, original) = try joined(isOneGo: true, TestFolder())
    let delay = 576 + 529
    #expect(sound.frameCount == (Self.frames + delay + 1151) / 1152 * 1152)
    let errors = (delay - 3...delay + 3).map { error(sound, original, offset: $0) }
    #expect(errors.enumerated().min { $0.element < $1.element }?.offset == 3)
  }
}
