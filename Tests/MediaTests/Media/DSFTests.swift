import AudioModel
import ByteSource
import MartletTestSupport
import Media
import Testing

/// DSF files, whose last blocks are filled up: only the header tells where the sound ends.
@Suite struct DSFTests {
  @Test func theHeaderTellsTheLength() throws {
    let (channels, block, samples) = (2, 4096, 28_224)
    var bytes = Array("DSD ".utf8) + MediaFixtures.bytes(28, 8)
    let data = [UInt8](repeating: 0x69, count: channels * block)
    bytes += MediaFixtures.bytes(UInt64(28 + 52 + 12 + data.count), 8) + MediaFixtures.bytes(0, 8)
    bytes += Array("fmt ".utf8) + MediaFixtures.bytes(52, 8)
    for value in [1, 0, 2, channels, 2_822_400, 1] { bytes += MediaFixtures.bytes(UInt64(value), 4) }
    bytes +=
      MediaFixtures.bytes(UInt64(samples), 8) + MediaFixtures.bytes(UInt64(block), 4) + MediaFixtures.bytes(0, 4)
    bytes += Array("data".utf8) + MediaFixtures.bytes(UInt64(12 + data.count), 8) + data
    let reader = MediaReader(source: MemorySource(bytes))
    try reader.open()
    #expect(reader.facts.container == "dsf")
    #expect(reader.facts.format.sampleRate.hertz == 352_800)
    #expect(reader.facts.duration == MediaDuration(frames: 3528, isExact: true))
    #expect(try MediaBench.rest(reader).frameCount == 3528)
  }
}
