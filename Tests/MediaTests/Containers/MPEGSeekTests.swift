import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct MPEGSeekTests {
  /// Seeks and reads on: the first packet, and whether all packets are those of a reading from the start.
  private func seek(
    _ bytes: [UInt8], to frame: Int64, isCheap: Bool, after packets: Int = 0
  ) throws -> (answer: ParserSeek, first: Packet?, isTrue: Bool, fed: Int) {
    var whole = MemoryFeed(bytes)
    var parser = MPEGParser(start: 0)
    let truth = Set(try whole.all(&parser).packets.map(\.frame))
    let places = Dictionary(
      uniqueKeysWithValues: try {
        var feed = MemoryFeed(bytes)
        var parser = MPEGParser(start: 0)
        return try feed.all(&parser).packets.map { ($0.frame, $0.position) }
      }())
    var feed = MemoryFeed(bytes, chunk: 4096, isCheap: isCheap)
    parser = MPEGParser(start: 0)
    var taken = 0
    while taken <= packets {
      switch try feed.next(&parser) {
      case .packet: taken += 1
      case .facts where packets == 0: taken += 1
      case .end:
        Issue.record("too short")
        taken = .max - 1
      default: break
      }
    }
    let before = feed.fed
    let answer = parser.seek(to: frame, sourceIsCheap: isCheap)
    let rest = try feed.all(&parser).packets
    let isTrue = rest.allSatisfy { truth.contains($0.frame) && places[$0.frame] == $0.position }
    return (answer, rest.first, isTrue && rest.dropFirst().allSatisfy { !$0.isDiscontinuous }, feed.fed - before)
  }

  private func isExact(_ answer: ParserSeek) -> Bool {
    if case .at(_, isExact: true) = answer { true } else { false }
  }

  @Test(arguments: [0, 1, 1152, 100_000, 1_151_999, 3_000_000] as [Int64])
  func filesAreSoughtExactly(target: Int64) throws {
    let fixture = MPEGFixture()
    for bytes in [fixture.constant(frames: 1000), fixture.variable(frames: 1000, seed: 5)] {
      let result = try seek(bytes, to: target, isCheap: true)
      #expect(isExact(result.answer) && result.isTrue)
      guard target < 1_152_000 else {
        #expect(result.first == nil || result.first.map { $0.frame < 1_152_000 } == true)
        continue
      }
      let first = try #require(result.first)
      #expect(first.isDiscontinuous && first.frame <= target)
      // Ten packets at least to get going, unless the stream begins later; and a number that is a multiple of eight.
      #expect(first.frame == 0 || target - first.frame >= 10 * 1152)
      #expect(first.frame / 1152 % 8 == 0)
    }
  }

  @Test func certainBitRateIsSoughtExactlyWithoutReading() throws {
    let fixture = MPEGFixture()
    let sound = fixture.constant(frames: 3000)
    let header = fixture.xing("Info", frames: 3000, bytes: sound.count + 417, lame: .init(delay: 576, padding: 1105))
    let result = try seek(header + sound, to: 3_000_000, isCheap: false)
    #expect(isExact(result.answer) && result.isTrue)
    #expect(result.first.map { $0.frame <= 3_000_000 - 10 * 1152 && $0.frame >= 3_000_000 - 30 * 1152 } == true)
    #expect(result.fed < sound.count / 5)
  }

  @Test func tablesOfContentsLandNear() throws {
    let fixture = MPEGFixture()
    let sound = fixture.variable(frames: 3000, seed: 8)
    var feed = MemoryFeed(sound)
    var parser = MPEGParser(start: 0)
    let packets = try feed.all(&parser).packets
    let size = fixture.xing(frames: 3000, bytes: 0, toc: [UInt8](repeating: 0, count: 100)).count
    let total = sound.count + size
    let toc = (0..<100).map { UInt8((Int(packets[$0 * 30].position) + size) * 256 / total) }
    let file = fixture.xing(frames: 3000, bytes: total, toc: toc) + sound
    let target: Int64 = 2_000_000
    var remote = MemoryFeed(file, chunk: 4096)
    parser = MPEGParser(start: 0)
    while case .facts = try remote.next(&parser) {}
    let answer = parser.seek(to: target, sourceIsCheap: false)
    #expect(!isExact(answer))
    let first = try #require(try remote.all(&parser).packets.first)
    #expect(first.isDiscontinuous && first.frame <= target)
    let truth = try #require(packets.first { $0.position + Int64(size) == first.position })
    // The table is as fine as a 256th of the bytes.
    #expect(abs(truth.frame - first.frame) < 3000 * 1152 / 100)
  }

  @Test func whatHasPassedIsSoughtExactlyEvenRemotely() throws {
    let bytes = MPEGFixture().variable(frames: 1000, seed: 6)
    let result = try seek(bytes, to: 500_000, isCheap: false, after: 700)
    #expect(isExact(result.answer) && result.isTrue)
  }

  @Test func targetsBeforeTheFactsAreRemembered() throws {
    let bytes = MPEGFixture().constant(frames: 1000)
    var feed = MemoryFeed(bytes, isCheap: true)
    var parser = MPEGParser(start: 0)
    #expect(isExact(parser.seek(to: 500_000, sourceIsCheap: true)))
    let steps = try feed.all(&parser)
    #expect(steps.facts.first?.duration == MediaDuration(frames: 1_152_000, isExact: true))
    #expect(steps.packets.first.map { $0.frame > 400_000 && $0.frame <= 500_000 } == true)
  }

  @Test func lowRatesReachFurtherBack() throws {
    var fixture = MPEGFixture()
    (fixture.version, fixture.bitRateIndex, fixture.rateIndex) = (2, 1, 1)
    // 24 bytes a frame, of which 3 are main data: 255 bytes of reservoir are 85 frames.
    let result = try seek(fixture.constant(frames: 500), to: 200_000, isCheap: true)
    #expect(result.isTrue && result.first.map { $0.frame <= 200_000 - 85 * 576 } == true)
  }
}
