import AudioModel
import ByteSource
import Codecs
import Containers
import MartletTestSupport
import Media
import Testing

/// Our parser and libFLAC together: every sample, exactly.
@Suite struct FLACDecoderTests {
  private func open(_ bytes: [UInt8]) throws -> MediaReader {
    let reader = MediaReader(source: MemorySource(bytes), registry: .builtIn)
    try reader.open()
    #expect(reader.decoderName == "libFLAC")
    return reader
  }

  /// How many samples of a block are not those that the fixture made.
  private func wrong(_ block: PCMBlock, _ fixture: FLACFixture, from start: Int64 = 0) -> Int {
    (0..<block.channels).reduce(0) { sum, channel in
      sum
        + (0..<block.frameCount).count {
          block.plane(channel)[$0] != fixture.float(start + Int64($0), channel: channel)
        }
    }
  }

  @Test(arguments: [4, 7, 8, 12, 16, 20, 24, 29, 32])
  func depths(bits: Int) throws {
    var fixture = FLACFixture()
    fixture.bits = bits
    for wasted in [0, 3] {
      fixture.wastedBits = wasted
      let block = try MediaBench.rest(try open(fixture.file(4, rest: 77)))
      #expect(block.frameCount == 4 * 256 + 77 && wrong(block, fixture) == 0)
    }
  }

  @Test(arguments: 1...8)
  func channels(count: Int) throws {
    var fixture = FLACFixture()
    (fixture.channels, fixture.isTerse) = (count, count % 2 == 0)
    let reader = try open(fixture.file(3))
    #expect(reader.facts.format.channels == count)
    let block = try MediaBench.rest(reader)
    #expect(block.frameCount == 768 && wrong(block, fixture) == 0)
  }

  @Test func seeksAreExact() throws {
    let fixture = FLACFixture()
    let reader = try open(fixture.file(100, rest: 3))
    var random = SeededGenerator(seed: 4)
    for _ in 0..<50 {
      let target = Int64.random(in: 0..<25_603, using: &random)
      #expect(try reader.seek(toFrame: target) == target)
      let block = try MediaBench.rest(reader, limit: 600)
      #expect(block.frameCount == min(600, 25_603 - Int(target)) && wrong(block, fixture, from: target) == 0)
    }
  }

  @Test func damagedFramesAreSilentAndCounted() throws {
    let fixture = FLACFixture()
    let size = fixture.frame(0).count
    let file = fixture.file(8)
    // A sample, a header, and both of the last frame.
    for (offset, isLast) in [(100, false), (0, false), (2, false), (size - 1, false), (100, true)] {
      var bytes = file
      let index = isLast ? 7 : 3
      bytes[file.count - (8 - index) * size + offset] ^= 0x10
      let reader = try open(bytes)
      let block = try MediaBench.rest(reader)
      #expect(reader.concealedPackets == 1)
      #expect(block.frameCount == (isLast ? 7 : 8) * 256, "at \(offset)")
      let bad = (0..<block.frameCount).filter { block.plane(0)[$0] != fixture.float(Int64($0), channel: 0) }
      #expect(bad.allSatisfy { (768..<1024).contains($0) && block.plane(0)[$0] == 0 } && bad.isEmpty == isLast)
      #expect(reader.isTruncated == isLast)
    }
  }

  @Test func brokenOffInTheMiddle() throws {
    let fixture = FLACFixture()
    let reader = try open(Array(fixture.file(8).dropLast(100)))
    let block = try MediaBench.rest(reader)
    #expect(block.frameCount == 7 * 256 && wrong(block, fixture) == 0 && reader.isTruncated)
  }

  @Test func whatFollowsTheLastFrameIsNotDecoded() throws {
    let fixture = FLACFixture()
    for junk in [MediaFixtures.junk(5), MediaFixtures.junk(90_000), MediaFixtures.id3v1(title: "x")] {
      for total in [nil, 0] as [Int64?] {
        let reader = try open(fixture.file(8, total: total) + junk)
        let block = try MediaBench.rest(reader)
        #expect(block.frameCount == 2048 && wrong(block, fixture) == 0 && !reader.isTruncated)
        #expect(reader.concealedPackets == 0)
      }
    }
  }

  @Test func formatsThatChange() throws {
    var mono = FLACFixture()
    (mono.channels, mono.bits, mono.first) = (1, 8, 1024)
    var wide = FLACFixture()
    (wide.channels, wide.rate, wide.first) = (6, 22_050, 2048)
    let bytes = FLACFixture().file(4, total: 0) + mono.frames(0..<4) + wide.frames(0..<4)
    let reader = try open(bytes)
    let block = try MediaBench.rest(reader)
    #expect(reader.facts.format == PCMFormat(sampleRate: .cd, layout: .stereo) && reader.concealedPackets == 0)
    #expect(block.frameCount == 4096 && reader.facts.duration?.frames == 4096)
    #expect((0..<1024).allSatisfy { block.plane(1)[$0] == FLACFixture().float(Int64($0), channel: 1) })
    #expect((1024..<2048).allSatisfy { block.plane(0)[$0] == mono.float(Int64($0), channel: 0) })
  }

  @Test(
    "the flac program's files at every level, against its own decoding",
    .enabled(if: ToolBox.has("flac"), "flac is not installed"), arguments: ["-0", "-5", "-8", "--lax -l 32 -b 65535"])
  func programsFiles(options: String) throws {
    let folder = TestFolder()
    let original = try MediaBench.wave(folder("in.wav"), frames: 70_001)
    let arguments = options.split(separator: " ").map(String.init)
    ToolBox.run("flac", ["-s", "-f"] + arguments + [folder("in.wav"), "-o", folder("a.flac")])
    let reader = try MediaBench.open(folder("a.flac"))
    #expect(reader.decoderName == "libFLAC" && reader.facts.duration == MediaDuration(frames: 70_001, isExact: true))
    let block = try MediaBench.rest(reader)
    #expect(block.frameCount == 70_001 && MediaBench.difference(block, original) == 0)
  }

  @Test func refusesOtherCodecs() {
    #expect(throws: AudioError.self) {
      try FLACDecoder(StreamFacts(container: "x", codec: .mp3, format: PCMFormat(sampleRate: .cd, layout: .mono)))
    }
  }
}
