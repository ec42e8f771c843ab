import AudioModel
import ByteSource
import MartletTestSupport
import Media
import Testing

/// Streams of AAC as few encoders write them, made of a plain one.
@Suite(.enabled(if: ToolBox.has("ffmpeg"), "ffmpeg makes them")) struct AACStreamTests {
  private static let plain: [UInt8] = make(rate: 44_100, channels: 2)

  private static func make(rate: Int, channels: Int) -> [UInt8] {
    guard ToolBox.has("ffmpeg") else { return [] }
    let folder = TestFolder()
    _ = try? MediaBench.wave(folder("in.wav"), frames: 60_000)
    let arguments = ["-v", "error", "-nostdin", "-y", "-i", folder("in.wav"), "-ar", "\(rate)", "-ac", "\(channels)"]
    ToolBox.run("ffmpeg", arguments + ["-aac_pns", "0", folder("a.aac")])
    return ToolBox.contents(folder("a.aac"))
  }

  private func decode(_ bytes: [UInt8]) throws -> (sound: PCMBlock, facts: StreamFacts) {
    let reader = MediaReader(source: MemorySource(bytes))
    try reader.open()
    defer { reader.close() }
    let sound = try MediaBench.rest(reader)
    #expect(reader.concealedPackets == 0)
    return (sound, reader.facts)
  }

  /// Frames with several blocks each, with and without checksums, decode as those with one.
  @Test(arguments: [1, 2, 3, 4], [false, true])
  func blocks(perFrame count: Int, hasCRC: Bool) throws {
    let bodies = StreamFixtures.adtsBodies(Self.plain)
    let whole = bodies.count / count * count
    let frames = stride(from: 0, to: whole, by: count).flatMap { first in
      StreamFixtures.adtsFrame(Array(bodies[first..<first + count]), hasCRC: hasCRC)
    }
    let straight = try decode(Self.plain).sound
    let (sound, facts) = try decode(frames)
    #expect(sound.frameCount == whole * 1024 && facts.duration?.frames == Int64(whole * 1024))
    #expect(MediaBench.difference(sound, straight) == 0)
  }

  /// Channels in the first block only, or in every one.
  @Test(arguments: [false, true])
  func channelsInTheBlocks(inEach: Bool) throws {
    // Element 5, number 0, profile LC, rate 4, one pair in front, nothing else.
    let element: [UInt8] = [0xA0, 0xA0, 0x80, 0x00, 0x04, 0x00, 0x00]
    let frames = StreamFixtures.adtsBodies(Self.plain).enumerated().flatMap { number, body in
      StreamFixtures.adtsFrame([number == 0 || inEach ? element + body : body], channels: 0)
    }
    let straight = try decode(Self.plain).sound
    let (sound, facts) = try decode(frames)
    #expect(facts.format.channels == 2 && sound.frameCount == straight.frameCount)
    #expect(MediaBench.difference(sound, straight) == 0)
  }

  @Test func anotherCodingGoesOnAtTheFirstOnesRate() throws {
    let other = Self.make(rate: 22_050, channels: 1)
    let (first, second) = (try decode(Self.plain), try decode(other))
    #expect(second.facts.format.description == "22050 Hz, mono")
    let (sound, facts) = try decode(Self.plain + other + Self.plain)
    #expect(facts.format == first.facts.format)
    let expected = 2 * first.sound.frameCount + 2 * second.sound.frameCount
    #expect(abs(sound.frameCount - expected) < 100)
    let stated = try #require(facts.duration)
    #expect(abs(Int(stated.frames) - expected) < 100)
    sound.truncate(to: first.sound.frameCount)
    #expect(MediaBench.difference(sound, first.sound) == 0)
  }

  /// A single header in front, and no lengths.
  @Test func blocksBehindOneHeader() throws {
    let header: [UInt8] =
      Array("ADIF".utf8) + [0x00, 0x3E, 0x80, 0x00, 0x00, 0x00, 0x00, 0xA0, 0x80, 0x00, 0x04, 0x00, 0x00]
    let straight = try decode(Self.plain).sound
    let (sound, facts) = try decode(header + StreamFixtures.adtsBodies(Self.plain).flatMap(\.self))
    #expect(facts.container == "adif" && facts.duration?.isExact == false)
    #expect(sound.frameCount == straight.frameCount)
    #expect(MediaBench.difference(sound, straight) == 0)
  }
}
