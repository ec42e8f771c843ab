import AudioModel
import Codecs
import Containers
import MartletTestSupport
import Testing

@Suite struct PCMDecoderTests {
  private func decode(_ bytes: [UInt8], _ coding: SampleCoding, channels: Int = 1) throws -> [[Float]] {
    let layout = try #require(ChannelLayout(count: channels))
    var facts = StreamFacts(container: "wav", codec: .pcm, format: PCMFormat(sampleRate: .cd, layout: layout))
    facts.sampleCoding = coding
    let decoder = try DecoderTable(DecoderRegistration.builtIn).makeDecoder(for: facts)
    #expect(decoder.name == "pcm")
    let block = PCMBlock(channels: channels, capacity: 1)
    let packet = Packet(position: 0, byteCount: bytes.count, frame: 0, frameCount: 0)
    let result = try bytes.withUnsafeBytes { try decoder.decode($0, packet: packet, into: block) }
    #expect(result == .decoded)
    return (0..<channels).map { channel in (0..<block.frameCount).map { block.plane(channel)[$0] } }
  }

  private func fixture(bits: Int, bytes: Int, isBigEndian: Bool, tag: Int = 1) -> MediaFixtures.WAV {
    var wav = MediaFixtures.WAV()
    (wav.bits, wav.bytes, wav.tag, wav.form) = (bits, bytes, tag, isBigEndian ? "RIFX" : "RIFF")
    return wav
  }

  @Test(arguments: 1...64, [false, true])
  func integersOfEveryWidth(bits: Int, isBigEndian: Bool) throws {
    let least = bits == 64 ? Int64.min : -(1 << Int64(bits - 1))
    let values = [least, least + 1, -1, 0, -(least + 1), least / 2, -(least / 3)].map {
      max(least, min(-(least + 1), $0))
    }
    for bytes in (bits + 7) / 8...8 {
      let wav = fixture(bits: bits, bytes: bytes, isBigEndian: isBigEndian)
      let coding = SampleCoding(
        kind: bytes == 1 ? .unsigned : .signed, bits: bits, bytes: bytes, isBigEndian: isBigEndian)
      let decoded = try decode(wav.samples(values), coding)[0]
      for (value, sample) in zip(values, decoded) {
        let divisor = Double(sign: .plus, exponent: bits - 1, significand: 1)
        // Rounded once, to nearest.
        #expect(sample == Float(value) / Float(divisor))
        if bits <= 24 { #expect(Double(sample) * divisor == Double(value)) }
      }
    }
  }

  @Test func wideIntegersRoundOnce() throws {
    // 2^31 − 1 of 32 bits rounds up to full scale; a tie goes to the even neighbour.
    let wav = fixture(bits: 32, bytes: 4, isBigEndian: false)
    let values: [Int64] = [0x7FFF_FFFF, 0x4000_0040, 0x4000_0041, 0x4000_00C0]
    let decoded = try decode(wav.samples(values), SampleCoding(kind: .signed, bits: 32, bytes: 4))[0]
    #expect(decoded == [1, 0.5, 0.5 + 0x1p-24, 0.5 + 0x1p-23])
  }

  @Test(arguments: [false, true])
  func floats(isBigEndian: Bool) throws {
    let values = [0.0, -0.0, 1, -1.5, 1e-40, .infinity, 0.1]
    let single = fixture(bits: 32, bytes: 4, isBigEndian: isBigEndian, tag: 3).samples(values)
    let coding = SampleCoding(kind: .float, bits: 32, bytes: 4, isBigEndian: isBigEndian)
    #expect(try decode(single, coding)[0].map(\.bitPattern) == values.map { Float($0).bitPattern })
    let double = fixture(bits: 64, bytes: 8, isBigEndian: isBigEndian, tag: 3).samples(values)
    let wide = SampleCoding(kind: .float, bits: 64, bytes: 8, isBigEndian: isBigEndian)
    #expect(try decode(double, wide)[0].map(\.bitPattern) == values.map { Float($0).bitPattern })
  }

  @Test func channelsArePlanes() throws {
    let values = (0..<30).map { Int64($0) }
    let wav = fixture(bits: 16, bytes: 2, isBigEndian: false)
    let planes = try decode(wav.samples(values), SampleCoding(kind: .signed, bits: 16, bytes: 2), channels: 3)
    for channel in 0..<3 { #expect(planes[channel] == (0..<10).map { Float(3 * $0 + channel) / 32768 }) }
  }

  @Test func aCutFrameIsDropped() throws {
    let planes = try decode([1, 0, 2, 0, 3, 0, 4], SampleCoding(kind: .signed, bits: 16, bytes: 2), channels: 2)
    #expect(planes.map(\.count) == [1, 1])
  }

  /// The whole way, from a file's bytes to samples: every frame says its own number.
  @Test(arguments: [24, 32]) func rulerThroughWAV(bits: Int) throws {
    var wav = MediaFixtures.WAV()
    (wav.bits, wav.bytes, wav.channels) = (24, bits / 8, 2)
    let left = LosslessRuler.plane(frames: 9000)
    let right = LosslessRuler.plane(frames: 9000, channel: 1)
    let integers = zip(Signals.integers(left, bits: 24), Signals.integers(right, bits: 24)).flatMap { [$0, $1] }
    let file = wav.file(wav.samples(integers))
    let samples = Array(file[44...])
    let planes = try decode(samples, SampleCoding(kind: .signed, bits: 24, bytes: bits / 8), channels: 2)
    #expect(planes == [left, right])
    #expect(LosslessRuler.frame(of: planes[0][4321]) == 4321)
    #expect(LosslessRuler.frame(of: planes[1][4321], channel: 1) == 4321)
  }

  @Test(arguments: [Codec.alaw, .mulaw])
  func companded(codec: Codec) throws {
    let facts = StreamFacts(
      container: "wav", codec: codec, format: PCMFormat(sampleRate: .cd, layout: .mono))
    let decoder = try DecoderTable(DecoderRegistration.builtIn).makeDecoder(for: facts)
    let codes = (0..<256).map { UInt8($0) }
    let block = PCMBlock(channels: 1, capacity: 1)
    try codes.withUnsafeBytes { bytes in
      _ = try decoder.decode(
        bytes, packet: Packet(position: 0, byteCount: 256, frame: 0, frameCount: 256), into: block)
    }
    func value(_ code: Int) -> Int { Int(block.plane(0)[code] * 32768) }
    // Decision values of the recommendation's tables, scaled to 16 bits.
    if codec == .alaw {
      #expect([0xD5, 0x55, 0xAA, 0x2A, 0x80, 0xD4].map(value) == [8, -8, 32256, -32256, 5504, 24])
    } else {
      #expect([0xFF, 0x7F, 0x80, 0x00, 0xFE, 0xEF].map(value) == [0, 0, 32124, -32124, 8, 132])
    }
    // Odd symmetry: the top bit is the sign.
    #expect((0..<128).allSatisfy { value($0) == -value($0 | 0x80) })
  }
}
