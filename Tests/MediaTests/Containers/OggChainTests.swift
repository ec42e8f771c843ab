import AudioModel
import Containers
import MartletTestSupport
import Testing

/// Chains of links, and seeks in them and in single streams.
@Suite struct OggChainTests {
  private func opus(_ serial: UInt32, pages: Int, preSkip: UInt16 = 312, cut: Int64 = 0, padding: Int = 0) -> [UInt8]
  {
    var file = OggFixture(serial: serial)
    file.opusHeaders(preSkip: preSkip, texts: ["TITLE=Link \(serial)"])
    file.opusPages(pages, cut: cut, padding: padding)
    return file.bytes
  }

  /// 16 kHz, `packets` long blocks.
  private func vorbis(_ serial: UInt32, packets: Int) -> [UInt8] {
    var file = OggFixture(serial: serial)
    let headers = OggFixture.vorbisHeaders(channels: 2, rate: 16_000)
    file.page([headers[0]], granule: 0, flags: 2)
    file.page([headers[1], headers[2]], granule: 0)
    let long = OggFixture.vorbisPacket(isLong: true)
    for start in stride(from: 0, to: packets, by: 20) {
      let end = min(start + 20, packets)
      file.page(
        [[UInt8]](repeating: long, count: end - start), granule: Int64(end - 1) * 1024, flags: end == packets ? 4 : 0)
    }
    return file.bytes
  }

  private func steps(_ bytes: [UInt8], chunk: Int = 4096, isCheap: Bool = true) throws -> [ParserStep] {
    var parser = OggParser(start: 0)
    var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
    return try feed.all(&parser)
  }

  @Test func linksFollowEachOther() throws {
    let bytes = opus(1, pages: 4, cut: 100) + vorbis(2, packets: 41) + opus(3, pages: 2, preSkip: 1000)
    let first = Int64(4 * 9600 - 312 - 100)
    let second = Int64(40 * 1024 * 3)
    let third = Int64(2 * 9600 - 1000)
    for isCheap in [true, false] {
      let steps = try steps(bytes, isCheap: isCheap)
      #expect(try steps == self.steps(bytes, chunk: 7, isCheap: isCheap))
      #expect(steps.facts.last?.duration == MediaDuration(frames: first + second + third, isExact: true))
      let sets = steps.facts.filter { $0.duration?.isExact == true || !isCheap }
      #expect(sets.first?.codec == .opus && sets.contains { $0.codec == .vorbis })
      #expect(steps.facts.allSatisfy { $0.format.sampleRate == .studio && $0.format.channels == 2 })
      #expect(steps.facts.last?.tag("title") == "Link 3")
      let starts = steps.packets.filter(\.startsNewCoding)
      #expect(starts.map(\.frame) == [first, first + second] && starts.map(\.discard.atStart) == [0, 1000])
      #expect(starts.allSatisfy { !$0.isDiscontinuous })
      // Cut off at the end of the first link.
      #expect(steps.packets.map(\.discard.atEnd).max() == 100)
    }
  }

  @Test func linksOfOneNumberAreTwo() throws {
    let link = opus(7, pages: 300, padding: 400)
    #expect(link.count > 1 << 20)
    let frames = Int64(2 * (300 * 9600 - 312))
    let steps = try steps(link + link, chunk: 1 << 16)
    #expect(steps.facts.first?.duration == MediaDuration(frames: frames, isExact: true))
    #expect(steps.packets.count(where: \.startsNewCoding) == 1)
  }

  @Test func longFilesAreNotReadWhole() throws {
    let bytes = opus(7, pages: 400, padding: 1000)
    var parser = OggParser(start: 0)
    var feed = MemoryFeed(bytes, chunk: 1 << 16, isCheap: true)
    let facts = try #require(try [feed.next(&parser)].facts.first)
    #expect(facts.duration == MediaDuration(frames: 400 * 9600 - 312, isExact: true))
    #expect(feed.fed < bytes.count / 2)
  }

  /// Seeks, and gives the packets from there on.
  private func seek(
    _ parser: inout OggParser, _ feed: inout MemoryFeed, to frame: Int64, isCheap: Bool
  ) throws -> (facts: StreamFacts?, packets: [Packet]) {
    guard case .at(let position, true) = parser.seek(to: frame, sourceIsCheap: isCheap) else {
      Issue.record("no way")
      return (nil, [])
    }
    try feed.serve(ByteRequest(position: position, count: 1))
    var facts: StreamFacts?
    var packets: [Packet] = []
    while packets.count < 100 {
      switch try feed.next(&parser) {
      case .facts(let fresh): facts = fresh
      case .packet(let packet), .assembled(let packet, _): packets.append(packet)
      case .need, .end: return (facts, packets)
      }
    }
    return (facts, packets)
  }

  @Test(arguments: [true, false])
  func seeksIntoAnyLink(isCheap: Bool) throws {
    let bytes = opus(1, pages: 40, padding: 300) + vorbis(2, packets: 300) + opus(3, pages: 60, preSkip: 1000)
    var parser = OggParser(start: 0)
    var feed = MemoryFeed(bytes, chunk: 1 << 14, isCheap: isCheap)
    let whole = try feed.all(&parser)
    let total = try #require(whole.facts.last?.duration).frames
    let known = Set(whole.packets.map { "\($0.position) \($0.frame)" })
    var random = SeededGenerator(seed: 4)
    for round in 0..<60 {
      let target = round == 0 ? 0 : round == 1 ? total - 1 : Int64.random(in: 0..<total, using: &random)
      let (_, packets) = try seek(&parser, &feed, to: target, isCheap: isCheap)
      let first = try #require(packets.first)
      #expect(
        first.isDiscontinuous && first.frame <= target && packets.dropFirst().allSatisfy { !$0.isDiscontinuous })
      #expect(packets.contains { $0.frame + Int64($0.frameCount * 3) > target })
      // The places are those of a reading from the start. Vorbis's first packet gives nothing here.
      #expect(packets.dropFirst().allSatisfy { known.contains("\($0.position) \($0.frame)") }, "to \(target)")
      // No more is decoded than the codec needs, and a page.
      #expect(target - first.frame <= 24_000 + 5760 + 2 * 20 * 3072)
    }
  }

  @Test func remoteSeeksAskSeldom() throws {
    let bytes = opus(7, pages: 900, padding: 700)
    #expect(bytes.count > 6_000_000)
    let total: Int64 = 900 * 9600 - 312
    var parser = OggParser(start: 0)
    var feed = MemoryFeed(bytes, chunk: 1 << 16)
    let facts = try #require(try [feed.next(&parser)].facts.first)
    #expect(feed.jumps == 0 && feed.fed <= 1 << 17)
    let estimate = try #require(facts.duration)
    #expect(!estimate.isExact && abs(estimate.frames - total) < total / 20)
    var random = SeededGenerator(seed: 9)
    for round in 0..<20 {
      let target = Int64.random(in: 0..<total, using: &random)
      let (jumps, fed) = (feed.jumps, feed.fed)
      let (fresh, packets) = try seek(&parser, &feed, to: target, isCheap: false)
      #expect(feed.jumps - jumps <= 2 && feed.fed - fed < 330_000)
      #expect(packets.first.map { $0.frame <= max(target - 24_000, 0) } == true)
      if round == 0 { #expect(fresh?.duration == MediaDuration(frames: total, isExact: true)) }
    }
  }

  /// The end is found by one short look where the last page is nearly as long as pages can be.
  @Test func remoteEndsAreFoundInOneLongPage() throws {
    let bytes = opus(7, pages: 60, padding: 6_300)
    var parser = OggParser(start: 0)
    var feed = MemoryFeed(bytes, chunk: 1 << 14)
    _ = try feed.next(&parser)
    guard case .at(let tail, _) = parser.seek(to: 30 * 9600, sourceIsCheap: false) else {
      Issue.record("no way")
      return
    }
    #expect(tail == Int64(bytes.count) - 65_536)
    try feed.serve(ByteRequest(position: tail, count: 1))
    var wishes: [Int64] = []
    while case .need(let request) = try parser.next(in: feed.window) {
      wishes.append(request.position)
      try feed.serve(request)
    }
    // Either that look, or the search about the target; no second, longer look.
    #expect(wishes.contains(tail) && wishes.allSatisfy { $0 == tail || $0 < bytes.count / 2 })
    #expect(feed.jumps <= 3)
  }
}
