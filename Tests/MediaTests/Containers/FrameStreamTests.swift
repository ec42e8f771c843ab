import AudioModel
import Containers
import MartletTestSupport
import Testing

/// ADTS, AC-3 and AMR: frames one behind the other.
@Suite struct FrameStreamTests {
  private func steps(_ bytes: [UInt8], chunk: Int = 1 << 20, isCheap: Bool = false) throws -> [ParserStep] {
    var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
    return try feed.all()
  }

  private func parser(_ name: String, _ bytes: [UInt8]) throws -> any ContainerParser {
    try #require(ContainerRegistration.builtIn.first { $0.name == name }).makeParser(0, TagSet())
  }

  private static let streams: [(name: String, bytes: [UInt8])] = [
    ("adts", StreamFixtures.adts(count: 40)),
    ("ac3", StreamFixtures.ac3(count: 40)),
    ("eac3", StreamFixtures.eac3(count: 40, hasDependent: true)),
    ("latm", StreamFixtures.latm(count: 40)),
    ("amr", StreamFixtures.amr((0..<40).map { [0, 7, 8, 15, 3][$0 % 5] })),
    ("amr wide", StreamFixtures.amr((0..<40).map { [0, 8, 9, 15, 14][$0 % 5] }, isWide: true)),
    (
      "changing",
      StreamFixtures.adts(count: 9) + StreamFixtures.adts(count: 8, rateIndex: 7, channels: 1)
        + StreamFixtures.adts(count: 9)
    ),
  ]

  @Test(arguments: 0..<7, [false, true])
  func chunkingChangesNothing(index: Int, isCheap: Bool) throws {
    let bytes = Self.streams[index].bytes
    let whole = try steps(bytes, isCheap: isCheap)
    #expect(whole.packets.count == (index < 6 ? 40 : 26))
    for chunk in [1, 7, 4096] {
      let other = try steps(bytes, chunk: chunk, isCheap: isCheap)
      #expect(other.count == whole.count)
      for (one, two) in zip(other, whole) where one != two { Issue.record("chunks of \(chunk): \(one), not \(two)") }
    }
  }

  /// Reading it to its end for its length leaves nothing behind for the beginning.
  @Test(arguments: [1000, 1 << 20, 1_300_000])
  func junkBehindAStreamThatIsScanned(count: Int) throws {
    let bytes = Self.streams[0].bytes + [UInt8](repeating: 0, count: count)
    for chunk in [4096, 1 << 20] {
      let steps = try steps(bytes, chunk: chunk, isCheap: true)
      #expect(steps.packets.count == 40 && steps.facts.count == 1)
      #expect(steps.facts.last?.duration == MediaDuration(frames: 40 * 1024, isExact: true))
    }
  }

  @Test func adtsSaysWhatTheDecoderNeeds() throws {
    let steps = try steps(StreamFixtures.adts(count: 3), isCheap: true)
    let facts = try #require(steps.facts.first)
    #expect(facts.container == "adts" && facts.codec == .aac && facts.format.description == "44100 Hz, stereo")
    #expect(facts.decoderConfiguration == [0x12, 0x10])
    #expect(facts.duration == MediaDuration(frames: 3 * 1024, isExact: true) && facts.seekability == .exact)
    #expect(steps.packets.map(\.position) == [7, 104, 202])
    #expect(steps.packets.map(\.byteCount) == [90, 91, 90])
    #expect(steps.packets.map(\.frame) == [0, 1024, 2048])
    #expect(steps.packets.map(\.isDiscontinuous) == [true, false, false])
  }

  @Test func otherCodecsAreNamed() throws {
    let found = try Self.streams.dropFirst().dropLast().map {
      try #require(try steps($0.bytes, isCheap: true).facts.first)
    }
    #expect(found.map(\.codec.rawValue) == ["ac3", "eac3", "aac", "amr_nb", "amr_wb"])
    #expect(
      found.map(\.format.description) == [
        "48000 Hz, stereo", "48000 Hz, 5.1", "44100 Hz, stereo", "8000 Hz, mono", "16000 Hz, mono",
      ])
    #expect(found.compactMap { $0.duration?.frames } == [61_440, 61_440, 40_960, 6_400, 12_800])
  }

  @Test func framesOfFurtherChannelsGoWithTheirs() throws {
    let packets = try steps(StreamFixtures.eac3(count: 4, hasDependent: true)).packets
    #expect(packets.map(\.byteCount) == [260, 260, 260, 260])
    #expect(packets.map(\.frame) == [0, 1536, 3072, 4608])
  }

  @Test func tagsAndJunkArePassedBy() throws {
    let tag = MediaFixtures.id3v2([("TIT2", "title")], padding: 300)
    let frames = StreamFixtures.adts(count: 5)
    let stream =
      tag + MediaFixtures.junk(3000) + frames + tag + frames + MediaFixtures.junk(2000, seed: 4) + frames
      + MediaFixtures.ape(size: 50) + MediaFixtures.id3v1(title: "other", artist: "artist")
    for isCheap in [false, true] {
      let steps = try steps(stream, isCheap: isCheap)
      #expect(steps.frames == 15 * 1024)
      #expect(steps.packets.last?.frame == 14_336)
      #expect(steps.facts.last?.duration == MediaDuration(frames: 15 * 1024, isExact: true))
      #expect(steps.facts.last?.tag("artist") == "artist")
    }
  }

  @Test func aCutFrameIsLeftOut() throws {
    let frames = StreamFixtures.adts(count: 5)
    #expect(try steps(Array(frames.dropLast(20))).packets.count == 4)
    // Index 15 has no place for the rate that should follow, and three others are reserved.
    for index in 13...15 {
      let frame = StreamFixtures.adtsFrame([MediaFixtures.junk(120)], rateIndex: index)
      #expect(try steps(frame + frame + frame + frame).isEmpty)
    }
    // Speech is found again behind bytes that are no frames.
    let speech = StreamFixtures.amr([Int](repeating: 7, count: 40))
    let broken = Array(speech[..<(6 + 32 * 20)]) + [UInt8](repeating: 0xFF, count: 10) + speech[(6 + 32 * 20)...]
    #expect(try steps(broken).packets.count == 40)
  }

  @Test func bitsBesideBytesArePutRight() throws {
    let steps = try steps(StreamFixtures.latm(count: 3))
    #expect(steps.facts.first?.decoderConfiguration == [0x12, 0x10])
    for (number, step) in steps.dropFirst().prefix(3).enumerated() {
      guard case .assembled(_, let bytes) = step else {
        Issue.record("not put together")
        return
      }
      #expect(bytes == [UInt8](repeating: UInt8(number), count: 20 + number))
    }
    // Without what the first one says, nothing can be decoded before the next that says it.
    let joined = StreamFixtures.latm(count: 30)
    #expect(try self.steps(Array(joined.dropFirst(40))).packets.count == 20)
  }

  @Test func joinedInTheMiddleOfAFrame() throws {
    let frames = (0..<10).flatMap { StreamFixtures.adtsFrame([MediaFixtures.junk(90, seed: $0)]) }
    let bytes = Array(frames.dropFirst(50))
    #expect(try steps(bytes).packets.count == 9)
  }

  @Test func blocksOfOneFrame() throws {
    let blocks = (0..<3).map { [UInt8](repeating: UInt8(0x21 + $0), count: 50 + $0) }
    let plain = StreamFixtures.adtsFrame(blocks)
    let summed = StreamFixtures.adtsFrame(blocks, hasCRC: true)
    let single = StreamFixtures.adtsFrame([blocks[0]], hasCRC: true)
    let one = try steps(plain + plain + plain)
    #expect(one.packets.map(\.frame) == [0, 3072, 6144] && one.packets[0].byteCount == 153)
    // Checksums stand between the blocks; the decoder gets none of them.
    guard case .assembled(let packet, let bytes) = try steps(summed + summed + summed)[1] else {
      Issue.record("not put together")
      return
    }
    #expect(bytes == blocks.flatMap(\.self) && packet.frameCount == 3072)
    #expect(try steps(single + single + single).packets.map(\.byteCount) == [50, 50, 50])
    // Places that can't be: the frame is left as it is.
    var wrong = summed
    (wrong[7], wrong[8]) = (0xFF, 0xFF)
    #expect(try steps(wrong + wrong + wrong).packets.map(\.byteCount) == [159, 159, 159])
  }

  @Test func channelsThatStandInTheBlock() throws {
    // Element 5, number 0, profile LC, rate 4; a front pair, a single one in front, a low one; no more, no comment.
    let element: [UInt8] = [0xA0, 0xA1, 0x00, 0x20, 0x04, 0x00, 0x00, 0x00]
    let first = StreamFixtures.adtsFrame([element + [UInt8](repeating: 0x21, count: 40)], channels: 0)
    let other = StreamFixtures.adtsFrame([[UInt8](repeating: 0x21, count: 40)], channels: 0)
    let steps = try steps(other + other + first + other + other)
    let facts = try #require(steps.facts.first)
    #expect(facts.format.channels == 4)
    #expect(facts.decoderConfiguration.count == 9 && facts.decoderConfiguration.prefix(2) == [0x12, 0x00])
    // What comes before can't be decoded.
    #expect(steps.packets.count == 3)
  }

  @Test func aChangeOfCodingStartsANewDecoder() throws {
    let steps = try steps(Self.streams[6].bytes, isCheap: true)
    #expect(steps.facts.map(\.decoderConfiguration) == [[0x12, 0x10], [0x13, 0x88], [0x12, 0x10]])
    #expect(Set(steps.facts.map(\.format.description)) == ["44100 Hz, stereo"])
    #expect(steps.packets.indices.filter { steps.packets[$0].startsNewCoding } == [9, 17])
    // Eight blocks at half the rate last as long as sixteen.
    #expect(steps.packets[17].frame == 25_600)
    #expect(steps.packets[9].frameCount == 1024 && steps.packets[10].frame - steps.packets[9].frame == 2048)
    let duration = try #require(steps.facts.last?.duration)
    #expect(duration.frames == 34_816 && !duration.isExact)
  }

  @Test(arguments: 0..<7)
  func seeksLandWhereReadingDoes(index: Int) throws {
    let (name, bytes) = Self.streams[index]
    let whole = try steps(bytes, isCheap: true).packets
    var parser = try parser(["adts", "ac3", "ac3", "latm", "amr", "amr", "adts"][index], bytes)
    var feed = MemoryFeed(bytes, isCheap: true)
    var random = SeededGenerator(seed: 5)
    for round in 0..<30 {
      let target = Int64.random(in: 0..<40_000, using: &random)
      guard case .at(let position, true) = parser.seek(to: round == 0 ? 0 : target, sourceIsCheap: true) else {
        Issue.record("no seek in \(name)")
        return
      }
      feed = MemoryFeed(bytes, isCheap: true)
      try feed.serve(ByteRequest(position: position, count: 1))
      var packets: [Packet] = []
      while packets.count < 3 {
        let step = try next(&parser, &feed)
        if step == .end { break }
        packets += [step].packets
      }
      guard let first = packets.first else { continue }
      #expect(first.isDiscontinuous && first.frame <= max(target, 0))
      for packet in packets {
        let same = try #require(whole.first { $0.position == packet.position })
        #expect(
          same.frame == packet.frame && same.frameCount == packet.frameCount && same.byteCount == packet.byteCount)
      }
    }
  }

  private func next(_ parser: inout any ContainerParser, _ feed: inout MemoryFeed) throws -> ParserStep {
    while true {
      let step = try parser.next(in: feed.window)
      guard case .need(let request) = step else { return step }
      try feed.serve(request)
    }
  }

  @Test func overANetworkAJumpIsOneRequest() throws {
    let bytes = StreamFixtures.adts(count: 6000)
    var parser = try parser("adts", bytes)
    var feed = MemoryFeed(bytes, chunk: 4096)
    guard case .facts(let facts) = try next(&parser, &feed) else {
      Issue.record("no facts")
      return
    }
    #expect(feed.jumps == 0 && feed.fed < 20_000)
    let duration = try #require(facts.duration)
    #expect(!duration.isExact)
    #expect(abs(duration.frames - 6_144_000) < 60_000)
    #expect(facts.seekability == .estimated)
    let target: Int64 = 5000 * 1024
    guard case .at(let position, false) = parser.seek(to: target, sourceIsCheap: false) else {
      Issue.record("no jump")
      return
    }
    try feed.serve(ByteRequest(position: position, count: 1))
    guard case .packet(let packet) = try next(&parser, &feed) else {
      Issue.record("no packet")
      return
    }
    #expect(feed.jumps == 1 && packet.isDiscontinuous)
    let expected = target / 1024 * 97
    #expect(abs(packet.position - expected) < 60 * 97)
    #expect(bytes[Int(packet.position) - 7] == 0xFF)
  }

  @Test func estimatesGetBetterAndNeverJump() throws {
    let bytes = StreamFixtures.adts(count: 700, size: 100) + StreamFixtures.adts(count: 700, size: 104)
    let facts = try steps(bytes).facts.compactMap(\.duration)
    #expect(facts.count >= 3 && facts.last == MediaDuration(frames: 1400 * 1024, isExact: true))
    for (one, two) in zip(facts, facts.dropFirst()) { #expect(abs(one.frames - two.frames) < 60 * 1024) }
  }

  @Test func manyCodingsAreBounded() throws {
    // 13 rates by 7 channel configurations, three frames each: those behind the limit are passed over.
    let bytes = (0..<91).flatMap { StreamFixtures.adts(count: 3, rateIndex: $0 % 13, channels: 1 + $0 / 13) }
    #expect(try steps(bytes).packets.count == 64 * 3)
  }
}
