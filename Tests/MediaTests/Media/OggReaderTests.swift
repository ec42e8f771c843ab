import AudioModel
import ByteSource
import MartletTestSupport
import Media
import Testing

/// Ogg the whole way to the samples.
@Suite(.enabled(if: ToolBox.has("oggenc") && ToolBox.has("opusenc"), "vorbis-tools or opus-tools are not installed"))
struct OggReaderTests {
  private func encode(_ folder: TestFolder, _ name: String, frames: Int, channels: Int = 2, rate: Int = 44_100) throws
    -> [UInt8]
  {
    _ = try MediaBench.wave(folder("in.wav"), frames: frames, channels: channels, rate: rate)
    let arguments =
      name.hasSuffix("opus")
      ? ["--quiet", folder("in.wav"), folder(name)] : ["-Q", folder("in.wav"), "-o", folder(name)]
    #expect(ToolBox.run(name.hasSuffix("opus") ? "opusenc" : "oggenc", arguments).status == 0)
    return ToolBox.contents(folder(name))
  }

  private func reader(_ bytes: [UInt8], _ seeking: SourceFacts.Seeking = .cheap) throws -> (
    MediaReader, ScriptedByteSource
  ) {
    var script = ScriptedByteSource.Script()
    script.facts = SourceFacts(length: seeking == .none ? nil : Int64(bytes.count), seeking: seeking)
    let source = ScriptedByteSource(bytes, script)
    let reader = MediaReader(source: source, registry: .builtIn)
    try reader.open()
    return (reader, source)
  }

  @Test(
    "the links of a chain join without a sample more or less",
    arguments: [SourceFacts.Seeking.cheap, .request, .none])
  func chain(seeking: SourceFacts.Seeking) throws {
    let folder = TestFolder()
    let links = try [
      encode(folder, "a.ogg", frames: 70_001), encode(folder, "b.opus", frames: 96_000, rate: 48_000),
      encode(folder, "c.ogg", frames: 30_123, channels: 1), encode(folder, "d.ogg", frames: 50_000),
    ]
    let (reader, _) = try reader(links.flatMap(\.self), seeking)
    defer { reader.close() }
    let whole = try MediaBench.rest(reader)
    // 2 s of Opus at 48 kHz are 88 200 frames of the first link's rate.
    let frames = [70_001, 88_200, 30_123, 50_000]
    #expect(whole.frameCount == frames.reduce(0, +))
    #expect(reader.facts.duration == MediaDuration(frames: Int64(whole.frameCount), isExact: true))
    #expect(reader.concealedPackets == 0 && !reader.isTruncated)
    var start = 0
    for (index, link) in links.enumerated() where index != 1 {
      let (single, _) = try self.reader(link)
      defer { single.close() }
      let alone = try MediaBench.rest(single)
      #expect(alone.frameCount == frames[index])
      let stereo = alone.channels == 2 ? alone : PCMBlock(channels: 2, capacity: 1)
      if alone.channels == 1 {
        stereo.reserve(alone.frameCount)
        for channel in 0..<2 { stereo.plane(channel).update(from: alone.plane(0), count: alone.frameCount) }
        stereo.advance(alone.frameCount)
      }
      start = frames[..<index].reduce(0, +)
      #expect(MediaBench.difference(stereo, whole, from: start) < 1e-6, "link \(index)")
    }
    guard seeking != .none else { return }
    for target in [0, 69_990, 70_001, 100_000, 158_200, 158_201, 188_000, 188_324, 238_000, 5] {
      #expect(try reader.seek(toFrame: Int64(target)) == Int64(target))
      let part = try MediaBench.rest(reader, limit: 3000)
      #expect(part.frameCount == min(3000, whole.frameCount - target))
      // Where the rate is converted, sound is filtered: it begins with silence in front.
      #expect(MediaBench.difference(part, whole, from: target) < 2e-3, "at \(target)")
    }
  }

  @Test("what is lost on the way is silence, and counted")
  func holes() throws {
    let folder = TestFolder()
    let bytes = try encode(folder, "a.opus", frames: 6 * 48_000, rate: 48_000)
    let (straight, _) = try reader(bytes)
    let whole = try MediaBench.rest(straight)
    let pages = bytes.indices.filter { bytes[$0] == 0x4F && bytes[$0...].starts(with: "OggS\0".utf8) }
    try #require(pages.count >= 7)
    let (reader, _) = try reader(Array(bytes[..<pages[4]] + bytes[pages[5]...]))
    let sound = try MediaBench.rest(reader)
    #expect(sound.frameCount == whole.frameCount && reader.concealedPackets == 1)
    // Pages of opusenc last a second.
    let silent = (0..<sound.frameCount).count { sound.plane(0)[$0] == 0 && sound.plane(1)[$0] == 0 }
    #expect(abs(silent - 48_000) < 1000)
    let tail = PCMBlock(channels: 2, capacity: 48_000)
    tail.append(sound, from: sound.frameCount - 48_000, count: 48_000)
    #expect(MediaBench.difference(tail, whole, from: whole.frameCount - 48_000) < 1e-4)
  }

  @Test("a stream that is joined in the middle, without a length, plays from where it is")
  func live() throws {
    let folder = TestFolder()
    for name in ["a.opus", "a.ogg"] {
      let bytes = try encode(folder, name, frames: 6 * 48_000, rate: 48_000)
      let pages = bytes.indices.filter { bytes[$0] == 0x4F && bytes[$0...].starts(with: "OggS\0".utf8) }
      // The headers, then what a listener gets who comes later.
      let headers = name == "a.opus" ? 2 : 2
      var script = ScriptedByteSource.Script()
      script.facts = SourceFacts(length: nil, seeking: .none)
      script.facts?.isLive = true
      let half = pages[pages.count / 2]
      let reader = MediaReader(source: ScriptedByteSource(Array(bytes[..<pages[headers]] + bytes[half...]), script))
      try reader.open()
      #expect(reader.facts.duration == nil)
      let sound = try MediaBench.rest(reader)
      #expect(
        sound.frameCount > 2 * 48_000 && sound.frameCount < 5 * 48_000 && reader.position == Int64(sound.frameCount))
    }
  }

  @Test("a remote file sounds without a jump, and is sought with few")
  func remote() throws {
    let folder = TestFolder()
    for name in ["a.opus", "a.ogg"] {
      let bytes = try encode(folder, name, frames: 60 * 48_000, rate: 48_000)
      let (reader, source) = try reader(bytes, .request)
      defer { reader.close() }
      let block = PCMBlock(channels: 2, capacity: 4096)
      #expect(try reader.read(into: block, upTo: 4096) > 0)
      #expect(source.account.seeks.isEmpty && source.account.bytesRead <= 1 << 17)
      let estimate = try #require(reader.facts.duration)
      #expect(!estimate.isExact && (1_000_000..<8_000_000).contains(estimate.frames))
      let (whole, _) = try self.reader(bytes)
      let all = try MediaBench.rest(whole)
      for target in [2_000_000, 2_700_000, 300_000, 1_234_567] {
        let before = source.account
        #expect(try reader.seek(toFrame: Int64(target)) == Int64(target))
        #expect(source.account.seeks.count - before.seeks.count <= 3)
        #expect(source.account.bytesRead - before.bytesRead < 450_000)
        #expect(MediaBench.difference(try MediaBench.rest(reader, limit: 3000), all, from: target) < 1e-4)
        #expect(reader.facts.duration == MediaDuration(frames: 60 * 48_000, isExact: true))
      }
    }
  }
}
