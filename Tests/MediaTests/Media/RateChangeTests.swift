import AudioModel
import ByteSource
import MartletTestSupport
import Media
import Testing

/// Streams that change their rate: a seek gives what reading from the start gives, to the place between the samples.
@Suite struct RateChangeTests {
  /// Stretches of sound, each made by itself; the timeline has the first one's rate.
  private static let rates = [44_100, 48_000, 22_050, 44_100, 32_000]
  private static let length = 40_000

  private static func join(_ name: String, _ convert: (String, String, Int) -> Void) throws -> [UInt8] {
    let folder = TestFolder()
    var bytes: [UInt8] = []
    for (number, rate) in rates.enumerated() {
      _ = try MediaBench.wave(folder("in.wav"), frames: length + 7 * number, rate: rate)
      convert(folder("in.wav"), folder(name), number)
      bytes += ToolBox.contents(folder(name))
    }
    return bytes
  }

  /// Reads it whole, and from many places on.
  private func check(_ bytes: [UInt8], limit: Float) throws {
    let reader = MediaReader(source: MemorySource(bytes))
    try reader.open()
    defer { reader.close() }
    let whole = try MediaBench.rest(reader)
    #expect(reader.facts.format.sampleRate == .cd && reader.facts.duration?.frames == Int64(whole.frameCount))
    let seconds = Self.rates.enumerated().reduce(0) { $0 + Double(Self.length + 7 * $1.offset) / Double($1.element) }
    #expect(abs(Double(whole.frameCount) / 44_100 - seconds) < 0.4)
    var random = SeededGenerator(seed: 5)
    var worst: (difference: Float, target: Int) = (-1, 0)
    for _ in 0..<60 {
      let target = Int.random(in: 0..<whole.frameCount, using: &random)
      #expect(try reader.seek(toFrame: Int64(target)) == Int64(target))
      let part = try MediaBench.rest(reader, limit: min(3_000, whole.frameCount - target))
      #expect(part.frameCount == min(3_000, whole.frameCount - target), "at \(target)")
      let difference = MediaBench.difference(part, whole, from: target)
      if difference > worst.difference { worst = (difference, target) }
    }
    #expect(worst.difference <= limit, "at \(worst.target)")
    try checkFirst(bytes, whole, limit: limit)
  }

  /// A seek before anything was heard of what lies between.
  private func checkFirst(_ bytes: [UInt8], _ whole: PCMBlock, limit: Float) throws {
    for target in stride(from: 20_011, to: whole.frameCount, by: 30_011) {
      let reader = MediaReader(source: MemorySource(bytes))
      try reader.open()
      defer { reader.close() }
      #expect(try reader.seek(toFrame: Int64(target)) == Int64(target))
      let part = try MediaBench.rest(reader, limit: 3_000)
      #expect(MediaBench.difference(part, whole, from: target) <= limit, "at \(target), at once")
    }
  }

  @Test(.enabled(if: ToolBox.has("flac"), "flac makes it")) func flac() throws {
    let bytes = try Self.join("a.flac") { input, output, number in
      ToolBox.run("flac", ["-s", "-f", "--no-seektable", "--no-padding", input, "-o", output])
      // Frames only, behind a STREAMINFO that states no length.
      var bytes = ToolBox.contents(output)
      var position = 4
      while position < bytes.count {
        let isLast = bytes[position] & 0x80 != 0
        position += 4 + Int(bytes[position + 1]) << 16 + Int(bytes[position + 2]) << 8 + Int(bytes[position + 3])
        if isLast { break }
      }
      let frames = bytes[position...]
      bytes = Array(bytes.prefix(42))
      bytes[4] |= 0x80
      bytes[21] &= 0xF0
      for place in 22..<42 { bytes[place] = 0 }
      ToolBox.write((number == 0 ? bytes : []) + frames, to: output)
    }
    try check(bytes, limit: 0)
  }

  @Test(.enabled(if: ToolBox.has("lame"), "lame makes it")) func mp3() throws {
    let bytes = try Self.join("a.mp3") { input, output, number in
      ToolBox.run("lame", ["--quiet", "-t", "-b", "128", input, output])
    }
    try check(bytes, limit: 1e-4)
  }

  @Test(.enabled(if: ToolBox.has("ffmpeg"), "ffmpeg makes it")) func aac() throws {
    let bytes = try Self.join("a.aac") { input, output, number in
      ToolBox.run("ffmpeg", ["-v", "error", "-nostdin", "-y", "-i", input, "-aac_pns", "0", output])
    }
    try check(bytes, limit: 1e-4)
  }
}
