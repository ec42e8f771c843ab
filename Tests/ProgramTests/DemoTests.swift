import AudioModel
import ByteSource
import MartletProgram
import Testing

@Suite struct DemoTests {
  private func read(_ source: DemoSource, _ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = try bytes.withUnsafeMutableBytes { try source.read(into: .init(rebasing: $0.dropFirst(done))) }
      if got == 0 { return Array(bytes[..<done]) }
      done += got
    }
    return bytes
  }

  @Test func isAWAVFileThatReadsTheSameFromAnywhere() throws {
    let source = DemoSource()
    let facts = try source.open()
    let header = WAVHeader(format: Synthesiser.format, sample: .f32).bytes(frames: Int64(Synthesiser.frameCount))
    #expect(facts.length == Int64(header.count + Synthesiser.frameCount * 8))
    #expect(facts.seeking == .cheap)
    let whole = try read(source, 200_000)
    #expect(Array(whole.prefix(header.count)) == header)
    for position in [100_001, 0, 7, 199_000, 60_000] {
      try source.seek(to: Int64(position))
      #expect(try read(source, 1000) == Array(whole[position..<position + 1000]))
    }
    try source.seek(to: facts.length!)
    #expect(try read(source, 10) == [])
    source.cancel()
    #expect(throws: AudioError.self) { try read(source, 10) }
  }

  @Test func twoSecondsAreMusicAndNotTooLoud() {
    let synthesiser = Synthesiser()
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: Synthesiser.blockFrames * 2)
    defer { samples.deallocate() }
    var peak: Float = 0
    var energy = 0.0
    while synthesiser.position < 96_000 {
      let count = synthesiser.play(into: samples)
      for index in 0..<count * 2 {
        peak = max(peak, abs(samples[index]))
        energy += Double(samples[index] * samples[index])
      }
    }
    #expect(peak < 0.7)  // −3 dBFS
    #expect((energy / Double(synthesiser.position * 2)).squareRoot() > 0.03)
  }
}
