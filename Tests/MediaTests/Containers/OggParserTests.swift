import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct OggParserTests {
  /// All answers, the same whether the file is local or remote and in whatever pieces it comes.
  private func steps(_ bytes: [UInt8], isCheap: Bool = false) throws -> [ParserStep] {
    var first: [ParserStep]?
    for chunk in [1 << 20, 4096, 7, 1] where bytes.count / chunk < 40_000 {
      var parser = OggParser(start: 0)
      var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
      let steps = try feed.all(&parser)
      #expect(steps == first ?? steps, "in pieces of \(chunk)")
      first = first ?? steps
    }
    return first ?? []
  }

  private func heard(_ packets: [Packet]) -> Int {
    packets.reduce(0) { sum, packet in
      sum + packet.frameCount - packet.discard.atStart - packet.discard.atEnd
        - Int(max(0, min(-packet.frame, Int64(packet.frameCount))))
    }
  }

  @Test func opusIsTrimmedAtBothEnds() throws {
    var file = OggFixture()
    file.opusHeaders(texts: ["TITLE=One", "ARTIST=Two"])
    file.opusPages(5, cut: 1000)
    for isCheap in [false, true] {
      let steps = try steps(file.bytes, isCheap: isCheap)
      let facts = try #require(steps.facts.first)
      #expect(facts.codec == .opus && facts.container == "ogg" && facts.format.channels == 2)
      #expect(facts.tag("title") == "One" && facts.encoderDelay == 312 && facts.seekability == .exact)
      #expect(facts.decoderConfiguration == OggFixture.opusHead())
      let frames = 50 * 960 - 312 - 1000
      #expect(steps.facts.last?.duration == MediaDuration(frames: Int64(frames), isExact: true))
      #expect(steps.packets.map(\.frame) == (0..<50).map { Int64($0 * 960 - 312) })
      #expect(steps.packets.map(\.discard.atEnd) == [Int](repeating: 0, count: 48) + [40, 960])
      #expect(heard(steps.packets) == frames)
      #expect(steps.packets.map(\.isDiscontinuous) == [true] + [Bool](repeating: false, count: 49))
    }
  }

  @Test func aStreamThatStartsLateBeginsAtItsFirstPacket() throws {
    var file = OggFixture()
    file.opusHeaders(preSkip: 100)
    file.opusPages(3, from: 1_000_000)
    let steps = try steps(file.bytes)
    #expect(steps.facts.last?.duration == MediaDuration(frames: 30 * 960 - 100, isExact: true))
    #expect(steps.packets.first?.frame == -100)
  }

  @Test func theOnlyPageIsCutAtItsEnd() throws {
    var file = OggFixture()
    file.opusHeaders(preSkip: 488)
    file.page([[UInt8]](repeating: OggFixture.opusPacket(), count: 33), granule: 5760, flags: 4)
    let steps = try steps(file.bytes)
    #expect(steps.facts.last?.duration?.frames == 5272 && heard(steps.packets) == 5272)
  }

  @Test func vorbisCountsByBlocks() throws {
    let kinds = [false, true, true, false, false, true]
    let lengths = [0, 576, 1024, 576, 128, 576]
    func file(first: Int64, last: Int64) -> [UInt8] {
      var file = OggFixture()
      let headers = OggFixture.vorbisHeaders()
      file.page([headers[0]], granule: 0, flags: 2)
      file.page([headers[1], headers[2]], granule: 0)
      let packets = kinds.map { OggFixture.vorbisPacket(isLong: $0) }
      file.page(Array(packets[..<3]), granule: first)
      file.page(Array(packets[3...]), granule: last, flags: 4)
      return file.bytes
    }
    let plain = try steps(file(first: 1600, last: 2880))
    #expect(plain.packets.map(\.frameCount) == lengths)
    #expect(plain.facts.last?.duration == MediaDuration(frames: 2880, isExact: true))
    #expect(plain.facts.last?.format.sampleRate == .cd && plain.facts.last?.tag("title") == "Vorbis")
    // 100 frames less at the start, 50 less at the end.
    let trimmed = try steps(file(first: 1500, last: 2730))
    #expect(trimmed.packets.first?.frame == -100 && heard(trimmed.packets) == 2730)
    #expect(trimmed.facts.last?.duration?.frames == 2730)
    // A last position that promises more than there is.
    let excessive = try steps(file(first: 1600, last: 9999), isCheap: true)
    #expect(heard(excessive.packets) == 2880 && excessive.facts.last?.duration?.frames == 2880)
  }

  @Test func headersGoOverPagesAndShareThemWithSound() throws {
    var headers = OggFixture.vorbisHeaders()
    headers[2].insert(contentsOf: [UInt8](repeating: 0xB3, count: 600), at: 20)
    var file = OggFixture()
    file.page([headers[0]], granule: 0, flags: 2)
    file.split([headers[1], headers[2]], split: 2, granules: (0, 0))
    let long = OggFixture.vorbisPacket(isLong: true)
    file.page([long, long], granule: 1024)
    file.page([long], granule: 2048, flags: 4)
    #expect(try steps(file.bytes).facts.last?.duration?.frames == 2048)
    var shared = OggFixture()
    shared.page([headers[0]], granule: 0, flags: 2)
    shared.page([headers[1], headers[2], long, long], granule: 1024)
    shared.page([long], granule: 2048, flags: 4)
    #expect(try heard(steps(shared.bytes).packets) == 2048)
  }

  @Test func packetsOverPagesArePutTogether() throws {
    var file = OggFixture()
    file.opusHeaders(preSkip: 0)
    let big = OggFixture.opusPacket(padding: 1500)
    file.split([OggFixture.opusPacket(), big], split: 3, granules: (960, 1920))
    file.page([OggFixture.opusPacket()], granule: 2880, flags: 4)
    let steps = try steps(file.bytes)
    let assembled = steps.compactMap { if case .assembled(_, let bytes) = $0 { bytes } else { nil } }
    #expect(assembled == [big] && steps.packets.map(\.frame) == [0, 960, 1920])
  }

  @Test func otherStreamsPassBy() throws {
    var other = OggFixture(serial: 9)
    var file = OggFixture(serial: 2)
    other.page([[0x80] + Array("theora".utf8) + [UInt8](repeating: 1, count: 35)], granule: 0, flags: 2)
    file.page([OggFixture.opusHead(preSkip: 0)], granule: 0, flags: 2)
    file.bytes = other.bytes + file.bytes
    for page in 0..<4 {
      file.page(
        page == 0
          ? [OggFixture.comments(Array("OpusTags".utf8))] : [[UInt8]](repeating: OggFixture.opusPacket(), count: 5),
        granule: Int64(page * 4800), flags: page == 3 ? 4 : 0)
      other.bytes = []
      other.page([[UInt8](repeating: 7, count: 3000)], granule: Int64(page))
      file.bytes += other.bytes
    }
    for isCheap in [false, true] {
      let steps = try steps(file.bytes, isCheap: isCheap)
      #expect(steps.packets.count == 15 && steps.facts.last?.duration == MediaDuration(frames: 14_400, isExact: true))
      #expect(steps.facts.count == 1)
    }
  }

  @Test func doubledHeadersCountOnce() throws {
    var file = OggFixture()
    file.opusHeaders()
    file.sequence = 0
    file.opusHeaders()
    file.opusPages(2)
    let steps = try steps(file.bytes)
    #expect(steps.facts.count == 1 && heard(steps.packets) == 20 * 960 - 312)
    #expect(steps.packets.allSatisfy { !$0.startsNewCoding })
  }

  @Test func whatIsLostLeavesAHoleOfItsLength() throws {
    var file = OggFixture()
    file.opusHeaders(preSkip: 0)
    file.opusPages(2, ends: false)
    let before = file.bytes.count
    file.opusPages(1, from: 19_200, ends: false)
    let after = file.bytes.count
    file.opusPages(2, from: 28_800)
    var lost = file.bytes
    lost.removeSubrange(before..<after)
    var damaged = file.bytes
    damaged[before + 40] ^= 1
    for bytes in [lost, damaged] {
      let steps = try steps(bytes)
      #expect(steps.packets.count == 40 && steps.packets[19].frame == 18_240)
      #expect(steps.packets[20].frame == 28_800 && steps.packets[20].isDiscontinuous)
      #expect(steps.facts.last?.duration?.frames == 48_000)
    }
  }

  @Test func numbersOfPagesAreNoProofOfLoss() throws {
    var file = OggFixture()
    file.opusHeaders(preSkip: 0)
    for page in 1...5 {
      file.sequence += 1
      file.opusPages(1, from: Int64(page - 1) * 9600, ends: page == 5)
    }
    let steps = try steps(file.bytes)
    #expect(steps.packets.map(\.frame) == (0..<50).map { Int64($0 * 960) })
    #expect(steps.packets.dropFirst().allSatisfy { !$0.isDiscontinuous })
  }

  @Test func junkAndEmptyPagesChangeNothing() throws {
    var file = OggFixture()
    file.page([OggFixture.opusHead(preSkip: 0)], granule: 0, flags: 2)
    file.bytes += MediaFixtures.junk(10) + Array("OggS\0".utf8)
    file.page([OggFixture.comments(Array("OpusTags".utf8))], granule: 0)
    file.opusPages(2, ends: false)
    file.page([[]], granule: 19_200, flags: 4)
    file.bytes += MediaFixtures.junk(5000)
    for isCheap in [false, true] {
      let steps = try steps(file.bytes, isCheap: isCheap)
      #expect(steps.packets.count == 20 && steps.facts.last?.duration?.frames == 19_200)
    }
  }

  @Test func aCutPageGivesItsWholePackets() throws {
    var file = OggFixture()
    file.opusHeaders(preSkip: 0)
    file.opusPages(2, packets: 3, padding: 100)
    // The last packet lacks its end.
    for isCheap in [false, true] {
      let steps = try steps(Array(file.bytes.dropLast(20)), isCheap: isCheap)
      #expect(steps.packets.map(\.frame) == (0..<5).map { Int64($0 * 960) })
      #expect(steps.facts.last?.duration == MediaDuration(frames: 5 * 960, isExact: true))
    }
  }

  @Test func anEstimateDoesNotDependOnWhenJunkComes() throws {
    var file = OggFixture()
    file.opusHeaders()
    file.bytes += MediaFixtures.junk(900)
    file.opusPages(3, ends: false)
    file.bytes += MediaFixtures.junk(300)
    // A link whose headers are broken, so that the length stays open.
    var broken = OggFixture(serial: 3)
    var headers = OggFixture.vorbisHeaders()
    headers[2] = [5] + Array("vorbis".utf8) + [UInt8](repeating: 0xFF, count: 30)
    broken.page([headers[0]], granule: 0, flags: 2)
    broken.page([headers[1], headers[2]], granule: 0)
    for chunk in [1 << 20, 64, 7, 1] {
      for isCheap in [false, true] {
        var parser = OggParser(start: 0)
        var feed = MemoryFeed(file.bytes + broken.bytes, chunk: chunk, isCheap: isCheap)
        let facts = try #require(try [feed.next(&parser)].facts.first)
        #expect(facts.duration?.isExact == false)
        var whole = MemoryFeed(file.bytes + broken.bytes, isCheap: isCheap)
        var other = OggParser(start: 0)
        #expect(try [whole.next(&other)].facts.first == facts)
        var packets = 0
        let error = #expect(throws: AudioError.self) {
          while true {
            if case .packet = try feed.next(&parser) { packets += 1 }
          }
        }
        #expect(packets == 30 && error?.code == .malformed)
      }
    }
  }

  @Test func noStreamThatIsKnownIsSaid() throws {
    var other = OggFixture()
    other.page([[0x80] + Array("theora".utf8) + [UInt8](repeating: 1, count: 35)], granule: 0, flags: 2)
    other.page([[1, 2, 3]], granule: 5)
    var cut = OggFixture()
    cut.opusPages(3)
    for (bytes, code) in [(other.bytes, AudioError.Code.unsupportedCodec), (cut.bytes, .noAudio)] {
      let error = #expect(throws: AudioError.self) { _ = try steps(bytes) }
      #expect(error?.code == code)
    }
    var silent = OggFixture()
    silent.opusHeaders()
    #expect(try steps(silent.bytes).facts.last?.duration == MediaDuration(frames: 0, isExact: true))
  }

  @Test func aLargeCoverCostsNothing() throws {
    var file = OggFixture()
    file.page([OggFixture.opusHead()], granule: 0, flags: 2)
    let cover = "METADATA_BLOCK_PICTURE=" + String(repeating: "AAAA", count: 60_000)
    let comments = OggFixture.comments(Array("OpusTags".utf8), ["TITLE=a", cover, "ALBUM=b"])
    file.spread(comments, segments: 200, granule: 0)
    file.opusPages(2)
    #expect(file.sequence > 6)
    var parser = OggParser(start: 0)
    var feed = MemoryFeed(file.bytes, chunk: 4096)
    let facts = try #require(try feed.all(&parser).facts.first)
    #expect(facts.tag("title") == "a" && facts.tag("album") == "b")
  }
}
