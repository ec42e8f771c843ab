import AudioModel
import MartletTestSupport
import Media
import Testing

@Suite struct OutputFileTests {
  private let format = PCMFormat(sampleRate: .cd, layout: .mono)

  private func block(_ samples: [Float]) -> PCMBlock {
    let block = PCMBlock(channels: 1, capacity: samples.count)
    for (index, sample) in samples.enumerated() { block.plane(0)[index] = sample }
    block.advance(samples.count)
    return block
  }

  private func write(_ samples: [Float], _ sample: WAVHeader.Sample, hasDither: Bool = false) throws -> [UInt8] {
    let folder = TestFolder()
    let writer = try MediaFileWriter.wav(path: folder("x.wav"), format: format, sample: sample, hasDither: hasDither)
    try writer.write(block(samples))
    try writer.finish()
    return ToolBox.contents(folder("x.wav"))
  }

  @Test func roundsToNearestAndClips() throws {
    let lsb: Float = 0x1p-15
    let bytes = try write([0, lsb, -lsb, 1.5 * lsb, 0.4 * lsb, 1, -1, 2, -2, .nan, .infinity], .s16)
    let data = bytes.suffix(22)
    let values = stride(from: 0, to: 22, by: 2).map { offset -> Int16 in
      let at = data.startIndex + offset
      return Int16(bitPattern: UInt16(data[at]) | UInt16(data[at + 1]) << 8)
    }
    #expect(values == [0, 1, -1, 2, 0, 32_767, -32_768, 32_767, -32_768, 0, 32_767])
    #expect(bytes.count == WAVHeader(format: format, sample: .s16).bytes(frames: 11).count + 22)
  }

  @Test func writes24BitsWithPadding() throws {
    let bytes = try write([0x1p-23, -0x1p-23, 0.5], .s24)
    let header = WAVHeader(format: format, sample: .s24).bytes(frames: 3)
    #expect(bytes == header + [1, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0, 0x40] + [0])
  }

  @Test func ditherIsBoundedAndReproducible() throws {
    let samples = [Float](repeating: 0.25 * 0x1p-15, count: 4_000)
    let first = try write(samples, .s16, hasDither: true)
    #expect(try write(samples, .s16, hasDither: true) == first)
    let data = first.suffix(8_000)
    let values = stride(from: data.startIndex, to: data.endIndex, by: 2).map {
      Int16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8)
    }
    #expect(values.allSatisfy { (-1...1).contains($0) })
    let mean = Double(values.reduce(0) { $0 + Int($1) }) / 4_000
    #expect(abs(mean - 0.25) < 0.05)
  }

  @Test func failureLeavesNothingAndKeepsTheOld() throws {
    let folder = TestFolder()
    let first = try MediaFileWriter.wav(path: folder("x.wav"), format: format)
    try first.write(block([1, 2]))
    #expect(ToolBox.contents(folder("x.wav")).isEmpty)
    try first.finish()
    let old = ToolBox.contents(folder("x.wav"))
    let second = try MediaFileWriter.wav(path: folder("x.wav"), format: format)
    try second.write(block([3]))
    second.abandon()
    #expect(ToolBox.contents(folder("x.wav")) == old)
    #expect(ToolBox.run("ls", ["-A", folder.path]).text == "x.wav\n")
    let error = #expect(throws: AudioError.self) {
      _ = try MediaFileWriter.wav(path: folder("none/x.wav"), format: format)
    }
    #expect(error?.code == .writeFailed)
    #expect(throws: AudioError.self) {
      let full = try MediaFileWriter.wav(path: "/dev/full", format: format)
      try full.write(block([1]))
      try full.finish()
    }
  }

  @Test(arguments: ["flac", "ogg", "opus", "mp3", "aac"]) func aFullDiskIsToldAtOnceAndAgain(_ name: String) throws {
    let stereo = PCMFormat(sampleRate: .studio, layout: .stereo)
    let writer = try MediaFileWriter(WritingTarget(path: "/dev/full", container: name), format: stereo)
    let sound = MediaBench.sound(frames: 480_000, channels: 2, rate: 48_000)
    let first = #expect(throws: AudioError.self) { try writer.write(sound) }
    #expect(first?.code == .writeFailed)
    let second = #expect(throws: AudioError.self) { try writer.finish() }
    #expect(second?.code == .writeFailed)
  }

  @Test func twoFilesOfOneNameDoNotDisturbEachOther() throws {
    let folder = TestFolder()
    let first = try MediaFileWriter.wav(path: folder("x.wav"), format: format)
    let second = try MediaFileWriter.wav(path: folder("x.wav"), format: format)
    try first.write(block([1, 2]))
    try second.write(block([3]))
    try first.finish()
    #expect(try MediaBench.frames(folder("x.wav")) == 2)
    try second.finish()
    #expect(try MediaBench.frames(folder("x.wav")) == 1)
    #expect(ToolBox.run("ls", ["-A", folder.path]).text == "x.wav\n")
  }
}
