import AudioModel
import ByteSource
import Codecs
import Containers
import MartletTestSupport
import Media
import Testing

/// libvorbis and libopus behind our parser, beside the programs that come with them.
@Suite struct XiphDecoderTests {
  private static let hasVorbis = ToolBox.has("oggenc") && ToolBox.has("oggdec")
  private static let hasOpus = ToolBox.has("opusenc") && ToolBox.has("opusdec")

  /// All of a file; WAV files of the other decoders have 16 bits.
  private func decode(_ path: String) throws -> PCMBlock {
    let reader = try MediaBench.open(path)
    defer { reader.close() }
    let sound = try MediaBench.rest(reader)
    #expect(reader.concealedPackets == 0 && !reader.isTruncated)
    return sound
  }

  @Test("Vorbis is what oggdec gives", .enabled(if: hasVorbis, "vorbis-tools are not installed"), arguments: 1...8)
  func vorbis(channels: Int) throws {
    let folder = TestFolder()
    let original = try MediaBench.wave(folder("in.wav"), frames: 60_321, channels: channels)
    #expect(ToolBox.run("oggenc", ["-Q", "-q", "6", folder("in.wav"), "-o", folder("a.ogg")]).status == 0)
    #expect(ToolBox.run("oggdec", ["-Q", "-o", folder("b.wav"), folder("a.ogg")]).status == 0)
    let ours = try decode(folder("a.ogg"))
    let theirs = try decode(folder("b.wav"))
    #expect(ours.frameCount == 60_321 && theirs.frameCount == 60_321 && ours.channels == channels)
    // Every channel is the one that went in. oggdec has an order of its own for five and six, and mixes up more.
    for channel in 0..<channels {
      #expect(nearest(ours.plane(channel), original) == channel)
      guard channels <= 6 else { continue }
      let same = try #require(nearest(theirs.plane(channel), original))
      let largest = (0..<60_321).map { abs(theirs.plane(channel)[$0] - ours.plane(same)[$0]) }.max() ?? 1
      #expect(largest <= 0x1.1p-16)
    }
  }

  @Test("Opus is what opusdec gives", .enabled(if: hasOpus, "opus-tools are not installed"), arguments: 1...8)
  func opus(channels: Int) throws {
    let folder = TestFolder()
    let original = try MediaBench.wave(folder("in.wav"), frames: 60_321, channels: channels, rate: 48_000)
    #expect(
      ToolBox.run("opusenc", ["--quiet", "--bitrate", "\(64 * channels)", folder("in.wav"), folder("a.opus")]).status
        == 0)
    #expect(
      ToolBox.run("opusdec", ["--quiet", "--no-dither", "--rate", "48000", folder("a.opus"), folder("b.wav")]).status
        == 0)
    let ours = try decode(folder("a.opus"))
    let theirs = try decode(folder("b.wav"))
    #expect(ours.frameCount == 60_321 && theirs.frameCount == 60_321 && ours.channels == channels)
    #expect(MediaBench.difference(theirs, ours) <= 0x1.1p-16)
    for channel in 0..<channels { #expect(nearest(ours.plane(channel), original) == channel) }
  }

  /// The channel whose sound is most like a plane.
  private func nearest(_ plane: UnsafePointer<Float>, _ original: PCMBlock) -> Int? {
    let sums = (0..<original.channels).map { channel in
      let other = original.plane(channel)
      return (2000..<20_000).reduce(into: Float(0)) { $0 += plane[$1] * other[$1] }
    }
    return sums.indices.max { sums[$0] < sums[$1] }
  }

  @Test("the gain of Opus's header is applied", .enabled(if: hasOpus, "opus-tools are not installed"))
  func gain() throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 48_000, channels: 1, rate: 48_000)
    #expect(ToolBox.run("opusenc", ["--quiet", folder("in.wav"), folder("a.opus")]).status == 0)
    let plain = try decode(folder("a.opus"))
    var bytes = ToolBox.contents(folder("a.opus"))
    // −20 dB in the header, and the page's checksum anew.
    bytes.replaceSubrange(44..<46, with: MediaFixtures.bytes(UInt64(UInt16(bitPattern: -20 * 256)), 2))
    bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
    bytes.replaceSubrange(22..<26, with: MediaFixtures.bytes(UInt64(OggFixture.checksum(Array(bytes[..<47]))), 4))
    ToolBox.write(bytes, to: folder("b.opus"))
    let quiet = try decode(folder("b.opus"))
    for index in 0..<quiet.frameCount { plain.plane(0)[index] *= 0.1 }
    #expect(quiet.frameCount == plain.frameCount && MediaBench.difference(quiet, plain) < 1e-5)
  }

  @Test(
    "what is decoded before a seek's target is enough for Opus, in every mode of it",
    .enabled(if: hasOpus, "opus-tools are not installed"),
    arguments: [
      ["--bitrate", "12", "--speech", "--downmix-mono"], ["--bitrate", "24", "--speech"], ["--bitrate", "40"],
      ["--bitrate", "96", "--music"], ["--bitrate", "256", "--framesize", "5"],
      ["--bitrate", "16", "--framesize", "60"],
    ])
  func opusConverges(options: [String]) throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 6 * 48_000, rate: 48_000)
    #expect(ToolBox.run("opusenc", ["--quiet"] + options + [folder("in.wav"), folder("a.opus")]).status == 0)
    let reader = try MediaBench.open(folder("a.opus"))
    defer { reader.close() }
    let whole = try MediaBench.rest(reader)
    for target in stride(from: 110_000, to: 280_000, by: 31_001) {
      #expect(try reader.seek(toFrame: Int64(target)) == Int64(target))
      let part = try MediaBench.rest(reader, limit: 4_800)
      // A sample of 16 bits is 3e-5.
      #expect(MediaBench.difference(part, whole, from: target) < 1e-4, "at \(target)")
    }
  }

  @Test("a damaged packet is silence of its length", .enabled(if: hasVorbis, "vorbis-tools are not installed"))
  func damage() throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 50_000)
    #expect(ToolBox.run("oggenc", ["-Q", folder("in.wav"), "-o", folder("a.ogg")]).status == 0)
    var parser = OggParser(start: 0)
    var feed = MemoryFeed(ToolBox.contents(folder("a.ogg")), isCheap: true)
    let steps = try feed.all(&parser)
    let facts = try #require(steps.facts.first)
    let decoder = try DecoderTable(DecoderRegistration.builtIn).makeDecoder(for: facts)
    #expect(decoder.name == "libvorbis")
    let block = PCMBlock(channels: 2, capacity: 4096)
    var frames = 0
    for (number, packet) in steps.packets.prefix(30).enumerated() {
      block.removeAll()
      do {
        // A header is no sound.
        let bytes: [UInt8] = number == 9 ? [5, 1, 2] : feed.bytes(of: packet)
        _ = try bytes.withUnsafeBytes { try decoder.decode($0, packet: packet, into: block) }
        #expect(block.frameCount == packet.frameCount && number != 9)
        frames += block.frameCount
      } catch let error as AudioError {
        #expect(error.code == .damagedPacket && error.recovery == .conceal && number == 9)
      }
    }
    #expect(frames > 2000)
  }

  @Test func brokenHeadersAreRefused() {
    for codec in [Codec.vorbis, .opus] {
      for configuration in [
        [], [2, 1, 1, 1, 1, 1], Array("OpusHead".utf8) + [1, 9, 0, 0], [UInt8](repeating: 255, count: 400),
      ] {
        var facts = StreamFacts(
          container: "ogg", codec: codec, format: PCMFormat(sampleRate: .studio, layout: .stereo))
        facts.decoderConfiguration = configuration
        let decoder = try? DecoderTable(DecoderRegistration.builtIn).makeDecoder(for: facts)
        #expect(decoder == nil || (codec == .opus && configuration.isEmpty))
      }
    }
  }
}

extension MemoryFeed {
  /// The bytes of a packet in one piece.
  fileprivate func bytes(of packet: Packet) -> [UInt8] {
    Array(bytes[Int(packet.position)..<Int(packet.position) + packet.byteCount])
  }
}
