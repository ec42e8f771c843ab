import AudioModel
import ByteSource
import Codecs
import Containers
import MartletTestSupport
import Media
import Testing

/// Streams whose header does not tell what comes out of the decoder.
@Suite struct AheadPacketTests {
  /// A hundred packets of 24 kHz, mono, ten bytes each; the first one states a delay of 500 frames.
  private struct Halves: ContainerParser {
    var next: Int64 = 0
    var hasFacts = false

    mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep {
      if !hasFacts {
        hasFacts = true
        var facts = StreamFacts(
          container: "halves", codec: .aac, format: PCMFormat(sampleRate: SampleRate(hertz: 24_000)!, layout: .mono))
        facts.duration = MediaDuration(frames: 100_000, isExact: true)
        facts.encoderDelay = 500
        facts.seekPreroll = 1024
        return .facts(facts)
      }
      guard next < 100 else { return .end }
      guard window.contains(next * 10, count: 10) else { return .need(ByteRequest(position: next * 10, count: 10)) }
      defer { next += 1 }
      return .packet(Packet(position: next * 10, byteCount: 10, frame: next * 1024 - 500, frameCount: 1024))
    }

    mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek {
      next = max((frame + 500) / 1024 - 1, 0)
      return .at(position: next * 10, isExact: true)
    }
  }

  /// Gives twice the rate and two channels: the number of each frame, so that places show. Its first packet is damaged
  /// where that is wanted.
  private final class Doubler: AudioDecoder {
    var format = PCMFormat(sampleRate: SampleRate(hertz: 24_000)!, layout: .mono)
    let name = "doubler"
    let isFirstDamaged: Bool

    init(isFirstDamaged: Bool) { self.isFirstDamaged = isFirstDamaged }

    func decode(
      _ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock
    ) throws(AudioError) -> DecodeResult {
      if isFirstDamaged && bytes[0] == 0 { throw AudioError(.damagedPacket, "damaged", recovery: .conceal) }
      let found = PCMFormat(sampleRate: .studio, layout: .stereo)
      guard format == found else {
        format = found
        return .formatChanged
      }
      output.reserve(2048)
      for channel in 0..<2 {
        for index in 0..<2048 {
          output.plane(channel)[output.frameCount + index] = Float(Int(bytes[0]) * 2048 + index) * 0x1p-20
        }
      }
      output.advance(2048)
      return .decoded
    }

    func finish(into output: PCMBlock) {}
    func reset() {}
  }

  private func reader(_ source: any ByteSource, isFirstDamaged: Bool = false) -> MediaReader {
    let container = ContainerRegistration(
      name: "halves", extensions: [], mediaTypes: [], probe: { _, _ in .certain }, makeParser: { _, _ in Halves() })
    let decoder = DecoderRegistration(name: "doubler", codecs: [.aac], tier: .preferred) { _ in
      Doubler(isFirstDamaged: isFirstDamaged)
    }
    return MediaReader(source: source, registry: MediaRegistry(containers: [container], decoders: [decoder]))
  }

  /// Ten bytes for each packet, the number of the packet.
  private static let bytes = (0..<1000).map { UInt8($0 / 10) }

  /// The sample that frame 0, the first one heard, has.
  private static let first: Float = 1000 * 0x1p-20

  @Test func whatIsHeardCounts() throws {
    let reader = reader(MemorySource(Self.bytes))
    try reader.open()
    defer { reader.close() }
    #expect(reader.facts.format == PCMFormat(sampleRate: .studio, layout: .stereo))
    #expect(reader.facts.duration == MediaDuration(frames: 200_000, isExact: true))
    #expect(reader.facts.encoderDelay == 1000 && reader.facts.seekPreroll == 2048)
    let whole = try MediaBench.rest(reader)
    #expect(whole.frameCount == 200_000 && whole.plane(1)[0] == Self.first)
    #expect(whole.plane(0)[199_999] == Self.first + 199_999 * 0x1p-20)
    for target in [0, 1, 150_001, 77_777, 199_999] {
      #expect(try reader.seek(toFrame: Int64(target)) == Int64(target))
      let part = try MediaBench.rest(reader, limit: 100)
      #expect(MediaBench.difference(part, whole, from: target) == 0)
    }
  }

  @Test func aDamagedFirstPacketDoesNotDecide() throws {
    let reader = reader(MemorySource(Self.bytes), isFirstDamaged: true)
    try reader.open()
    defer { reader.close() }
    #expect(reader.facts.format == PCMFormat(sampleRate: .studio, layout: .stereo))
    #expect(try MediaBench.rest(reader).frameCount == 200_000)
    #expect(reader.concealedPackets == 1)
  }

  @Test func nothingIsReadTwiceFromAPipe() throws {
    var script = ScriptedByteSource.Script()
    script.facts = SourceFacts(length: nil, seeking: .none)
    let reader = reader(ScriptedByteSource(Self.bytes, script))
    try reader.open()
    defer { reader.close() }
    let whole = try MediaBench.rest(reader)
    #expect(whole.frameCount == 200_000 && whole.plane(0)[0] == Self.first)
  }
}
