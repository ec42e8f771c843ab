import AudioModel
import Codecs
import Testing

@Suite struct DecoderTableTests {
  private func line(_ name: String, _ tier: DecoderRegistration.Tier, refuses: Bool = false) -> DecoderRegistration {
    DecoderRegistration(name: name, codecs: [.flac], tier: tier) { facts throws(AudioError) in
      if refuses { throw AudioError(.unsupportedCodec, "\(name) refuses") }
      return Silence(name: name, format: facts.format)
    }
  }

  private func chosen(_ lines: [DecoderRegistration]) throws -> String {
    let facts = StreamFacts(container: "flac", codec: .flac, format: PCMFormat(sampleRate: .cd, layout: .mono))
    return try DecoderTable(lines).makeDecoder(for: facts).name
  }

  @Test func theBestTierThenTheFirstThenWhoCan() throws {
    let lines = [line("c", .fallback), line("b", .standard), line("a", .preferred), line("a2", .preferred)]
    #expect(DecoderTable(lines).candidates(for: .flac).map(\.name) == ["a", "a2", "b", "c"])
    #expect(try chosen(lines) == "a")
    #expect(try chosen([line("a", .preferred, refuses: true), line("b", .standard)]) == "b")
    #expect(throws: AudioError(.unsupportedCodec, "a refuses")) { try chosen([line("a", .preferred, refuses: true)]) }
    #expect(throws: AudioError(.unsupportedCodec, "There is no decoder for flac")) { try chosen([]) }
  }

  @Test func builtIn() {
    let table = DecoderTable(DecoderRegistration.builtIn)
    for codec in [Codec.mp3, .mp2, .mp1] { #expect(table.candidates(for: codec).map(\.name) == ["libmpg123"]) }
    #expect(table.candidates(for: .flac).map(\.name) == ["libFLAC"])
    #expect(table.candidates(for: .opus).map(\.name) == ["libopus"])
    #expect(table.candidates(for: .vorbis).map(\.name) == ["libvorbis"])
    #expect(table.candidates(for: .pcm).map(\.name) == ["pcm"])
  }
}

private final class Silence: AudioDecoder {
  let name: String
  let format: PCMFormat

  init(name: String, format: PCMFormat) {
    self.name = name
    self.format = format
  }

  func decode(_ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock) -> DecodeResult { .decoded }
  func finish(into output: PCMBlock) {}
  func reset() {}
}
