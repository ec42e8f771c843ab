import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct FLACParserTests {
  private let fixture = FLACFixture()

  private func steps(_ bytes: [UInt8], isCheap: Bool = false, tellsLength: Bool = true) throws -> [ParserStep] {
    var feed = MemoryFeed(bytes, chunk: 3000, isCheap: isCheap, tellsLength: tellsLength)
    return try feed.all()
  }

  private func frames(_ steps: [ParserStep]) -> [Int64] { steps.packets.map(\.frame) }

  @Test(arguments: [1, 7, 4096], [false, true])
  func anyChunking(chunk: Int, isCheap: Bool) throws {
    let bytes = fixture.file(
      5, rest: 9, blocks: FLACFixture.block(4, FLACFixture.comments(["TITLE=a"])) + FLACFixture.block(3, []))
    var whole = MemoryFeed(bytes, isCheap: isCheap)
    let expected = try whole.all()
    var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
    #expect(try feed.all() == expected)
    #expect(expected.packets.count == 6 && expected.frames == 5 * 256 + 9)
    #expect(frames(expected) == [0, 256, 512, 768, 1024, 1280])
    let facts = try #require(expected.facts.last)
    #expect(facts.container == "flac" && facts.codec == .flac && facts.tag("title") == "a")
    #expect(facts.duration == MediaDuration(frames: 1289, isExact: true) && !facts.isTruncated)
    #expect(facts.sampleCoding == SampleCoding(kind: .signed, bits: 24, bytes: 3))
    #expect(facts.decoderConfiguration == fixture.streamInfo(total: 1289))
    #expect(facts.format == PCMFormat(sampleRate: .cd, layout: .stereo) && facts.seekability == .exact)
  }

  @Test func framesThatLookLikeHeadersAreTold() throws {
    // A frame whose samples are a header with a right CRC-8: only the CRC-16 of the whole tells.
    var inner = FLACFixture()
    (inner.bits, inner.channels, inner.blockSize) = (8, 1, 4)
    let trap = inner.frame(7)
    var outer = FLACFixture()
    (outer.bits, outer.channels, outer.blockSize) = (8, 1, 64)
    var frame = Array(outer.frame(1).dropLast(2))
    frame.replaceSubrange(20..<20 + trap.count - 2, with: trap.dropLast(2))
    let crc = FLACFixture.crc16(frame)
    frame += [UInt8(crc >> 8), UInt8(crc & 0xFF)]
    let bytes = outer.file(1, total: 256) + frame + outer.frame(2) + outer.frame(3)
    for isCheap in [false, true] { #expect(frames(try steps(bytes, isCheap: isCheap)) == [0, 64, 128, 192]) }
  }

  @Test func variableBlocks() throws {
    var fixture = FLACFixture()
    (fixture.isVariable, fixture.blockSize) = (true, 1)
    // Numbers that need from one to seven bytes.
    fixture.first = (1 << 36) - 3000
    var bytes = Array("fLaC".utf8) + FLACFixture.block(0, fixture.streamInfo(total: 0), isLast: true)
    var place = 0
    for count in [100, 7, 1, 1000, 30] {
      bytes += fixture.frame(place, count: count)
      place += count
    }
    let steps = try steps(bytes, isCheap: true)
    #expect(frames(steps) == [0, 100, 107, 108, 1108])
    #expect(steps.facts.first?.duration == MediaDuration(frames: 1138, isExact: true))
  }

  // MARK: Length

  @Test func unknownLengthIsFoundAtTheEndOfAFile() throws {
    let bytes = fixture.file(40, rest: 100, total: 0)
    #expect(try steps(bytes, isCheap: true).facts.map(\.duration) == [MediaDuration(frames: 10_340, isExact: true)])
    // Remotely it is an estimate, and exact once the end was met.
    let remote = try steps(bytes).facts.map(\.duration)
    #expect(remote.first == .some(nil) && remote.last == MediaDuration(frames: 10_340, isExact: true))
    #expect(remote.count == 3 && remote[1].map { !$0.isExact && abs($0.frames - 10_340) < 300 } == true)
    #expect(try steps(bytes, tellsLength: false).facts.map(\.duration).last == remote.last)
  }

  @Test func longFilesShowTheirLengthByTheirLastFrames() throws {
    var fixture = FLACFixture()
    fixture.blockSize = 4096
    // Over a megabyte: it is not read whole.
    let bytes =
      fixture.file(0) + (0..<60).flatMap { fixture.hollowFrame($0, count: 20_000) } + fixture.frame(60, count: 17)
    var feed = MemoryFeed(bytes, chunk: 65_536, isCheap: true)
    var parser = FLACParser(start: 0)
    guard case .facts(let facts) = try feed.next(&parser) else {
      Issue.record("no facts")
      return
    }
    #expect(facts.duration == MediaDuration(frames: 60 * 4096 + 17, isExact: true))
    #expect(feed.fed < 400_000)
  }

  @Test func statedLengthsThatAreWrong() throws {
    let short = try steps(fixture.file(8, total: 1000), isCheap: true)
    #expect(short.facts.first?.duration == MediaDuration(frames: 2048, isExact: true) && short.frames == 2048)
    // Where it can't be known before, the promise is taken back before it would cut anything off.
    let remote = try steps(fixture.file(8, total: 1000))
    #expect(remote.facts.first?.duration == MediaDuration(frames: 1000, isExact: true))
    let taken = try #require(
      remote.firstIndex { if case .facts(let facts) = $0 { facts.duration?.isExact == false } else { false } })
    #expect(Array(remote[..<taken]).frames <= 1000 && remote.frames == 2048)
    #expect(remote.facts.last?.duration == MediaDuration(frames: 2048, isExact: true))
  }

  @Test func brokenOffFiles() throws {
    let bytes = fixture.file(8)
    let cut = try steps(Array(bytes.dropLast(700)), isCheap: true)
    let facts = try #require(cut.facts.first)
    #expect(facts.isTruncated && facts.duration?.isExact == false && facts.duration?.frames == 2048)
    #expect(frames(cut) == (0..<8).map { $0 * 256 })
    // At the border of a frame, too.
    let frame = fixture.frame(7).count
    #expect(try steps(Array(bytes.dropLast(frame)), isCheap: true).facts.first?.isTruncated == true)
    #expect(try steps(Array(bytes.dropLast(frame))).facts.last?.isTruncated == true)
    #expect(try steps(bytes).facts.last?.isTruncated == false)
  }

  @Test func tagsBehindAreNoSound() throws {
    let tail = MediaFixtures.ape(size: 40) + MediaFixtures.id3v1(title: "t")
    let known = try steps(fixture.file(6) + tail, isCheap: true)
    #expect(known.facts.first?.duration == MediaDuration(frames: 1536, isExact: true))
    #expect(known.facts.first?.tag("title") == "t")
    let last = try #require(known.packets.last)
    #expect(Int(last.position) + last.byteCount == fixture.file(6).count)
    let remote = try steps(fixture.file(6) + tail)
    #expect(remote.frames == 1536 && remote.facts.last?.isTruncated == false)
    #expect(try steps(fixture.file(6) + MediaFixtures.junk(3000), isCheap: true).frames == 1536)
  }

  // MARK: Header

  @Test func framesAreTheTruth() throws {
    var lie = fixture
    (lie.rate, lie.channels, lie.bits, lie.blockSize) = (8000, 5, 12, 16)
    for info in [lie.streamInfo(total: 0), [UInt8](repeating: 0, count: 34), [1, 2, 3]] {
      let bytes = Array("fLaC".utf8) + FLACFixture.block(0, info, isLast: true) + fixture.frames(0..<4)
      let steps = try steps(bytes, isCheap: true)
      #expect(steps.facts.first?.format == PCMFormat(sampleRate: .cd, layout: .stereo))
      #expect(steps.facts.first?.sampleCoding?.bits == 24 && steps.facts.first?.decoderConfiguration.count == 34)
      #expect(frames(steps) == [0, 256, 512, 768])
    }
  }

  @Test func streamInfoTellsWhatFramesLeaveOut() throws {
    var terse = fixture
    (terse.isTerse, terse.bits, terse.rate, terse.channels) = (true, 7, 12_345, 3)
    let facts = try #require(try steps(terse.file(3)).facts.first)
    #expect(facts.format.sampleRate.hertz == 12_345 && facts.format.channels == 3 && facts.sampleCoding?.bits == 7)
  }

  @Test func bareFramesAndLateBlocks() throws {
    #expect(frames(try steps(fixture.frames(0..<4))) == [0, 256, 512, 768])
    var late = fixture
    late.first = 256_000
    let bare = try steps(late.frames(0..<4), isCheap: true)
    #expect(frames(bare) == [0, 256, 512, 768])
    #expect(bare.facts.first?.duration == MediaDuration(frames: 1024, isExact: true))
    let comments = FLACFixture.block(4, FLACFixture.comments(["ARTIST=b"]))
    let info = FLACFixture.block(0, fixture.streamInfo(total: 1024), isLast: true)
    #expect(try steps(Array("fLaC".utf8) + comments + info + fixture.frames(0..<4)).facts.first?.tag("artist") == "b")
    // The first block is marked as the last one, though others follow.
    let early = Array("fLaC".utf8) + info + comments + FLACFixture.block(1, [0, 0], isLast: true)
    #expect(try steps(early + fixture.frames(0..<4)).facts.first?.tag("artist") == "b")
    #expect(frames(try steps(MediaFixtures.id3v2([("TIT2", "t")]) + fixture.file(2))) == [0, 256])
  }

  @Test func wrongBlockLengths() throws {
    let body = FLACFixture.comments(["TITLE=a", "ARTIST=b"])
    let head = Array("fLaC".utf8) + FLACFixture.block(0, fixture.streamInfo(total: 0))
    for size in [body.count, body.count - 5, 20] {
      let bytes = head + FLACFixture.block(4, body, isLast: true, size: size) + fixture.frames(0..<3)
      let steps = try steps(bytes)
      #expect(steps.facts.first?.tag("title") == "a" && steps.facts.first?.tag("artist") == "b")
      #expect(frames(steps) == [0, 256, 512])
    }
    // A count that is too large spoils nothing.
    let many = FLACFixture.block(4, FLACFixture.comments(["TITLE=a"], count: 99), isLast: true)
    #expect(try steps(head + many + fixture.frames(0..<3)).facts.first?.tags == [Tag("title", "a")])
    // Neither does junk in front of the first frame.
    let junk = head + FLACFixture.block(1, [], isLast: true) + MediaFixtures.junk(5000)
    #expect(frames(try steps(junk + fixture.frames(0..<3))) == [0, 256, 512])
    #expect(throws: AudioError.self) { try steps(head + MediaFixtures.junk(300)) }
    #expect(throws: AudioError.self) { try steps(Array("fLaC".utf8)) }
  }

  @Test func picturesAreFacts() throws {
    func picture(_ bytes: Int) -> [UInt8] {
      [0, 0, 0, 3, 0, 0, 0, 10] + Array("image/jpeg".utf8) + [0, 0, 0, 1, 0x61] + [UInt8](repeating: 0, count: 16)
        + [0, UInt8(bytes >> 16), UInt8(bytes >> 8 & 255), UInt8(bytes & 255)]
        + [UInt8](repeating: 0x55, count: bytes)
    }
    let bytes = fixture.file(2, blocks: FLACFixture.block(6, picture(400_000)))
    var feed = MemoryFeed(bytes, chunk: 4096)
    let facts = try #require(try feed.all().facts.first)
    #expect(facts.pictures == [Picture(type: 3, mime: "image/jpeg", position: 89, byteCount: 400_000)])
    #expect(feed.fed < 40_000)
    // Its block's length is too short for it.
    let short = fixture.file(2, blocks: FLACFixture.block(6, picture(3000), size: 500))
    #expect(frames(try steps(short)) == [0, 256])
  }

  @Test func cueSheetsAreChapters() throws {
    func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) } }
    func track(_ offset: Int, _ name: UInt8, points: [(Int, UInt8)]) -> [UInt8] {
      number(offset) + [name] + [UInt8](repeating: 0, count: 26) + [UInt8(points.count)]
        + points.flatMap { number($0.0) + [$0.1, 0, 0, 0] }
    }
    let sheet =
      [UInt8](repeating: 0, count: 395) + [3] + track(0, 1, points: [(0, 1)])
      + track(22_050, 2, points: [(0, 0), (22_050, 1)]) + track(88_200, 170, points: [])
    let facts = try #require(try steps(fixture.file(2, blocks: FLACFixture.block(5, sheet))).facts.first)
    #expect(
      facts.chapters == [
        Chapter(start: 0, end: 1, title: "Track 1"), Chapter(start: 1, end: nil, title: "Track 2"),
      ])
    // Chapters with names are preferred.
    let named = FLACFixture.block(4, FLACFixture.comments(["CHAPTER001=0:00:01.5", "CHAPTER001NAME=x"]))
    let both = try steps(fixture.file(2, blocks: FLACFixture.block(5, sheet) + named)).facts.first
    #expect(both?.chapters == [Chapter(start: 1.5, end: nil, title: "x")])
  }

  @Test func channelsByAComment() throws {
    let mask = FLACFixture.block(4, FLACFixture.comments(["WAVEFORMATEXTENSIBLE_CHANNEL_MASK=0x30"]))
    #expect(try steps(fixture.file(2, blocks: mask)).facts.first?.format.layout.mask == 0x30)
  }

  // MARK: Damage and change

  @Test func lostHeadersLeaveSilenceOfTheirLength() throws {
    var bytes = fixture.file(8)
    let size = fixture.frame(0).count
    let third = bytes.count - 6 * size
    bytes[third] = 0
    for isCheap in [false, true] {
      let packets = try steps(bytes, isCheap: isCheap).packets
      #expect(packets.map(\.frame) == (0..<8).map { $0 * 256 } && packets.allSatisfy { $0.frameCount == 256 })
      #expect(packets[2].byteCount == 1 && packets.allSatisfy { !$0.isDiscontinuous || $0.frame == 0 })
    }
    // Damage inside of a frame leaves its borders.
    bytes = fixture.file(8)
    bytes[third + 100] ^= 0x40
    #expect(try steps(bytes).packets.map(\.byteCount) == [Int](repeating: size, count: 8))
  }

  @Test func holesAreJumpedOver() throws {
    var fixture = FLACFixture()
    fixture.blockSize = 4096
    let bytes = fixture.file(2, total: 100 * 4096) + fixture.frames(90..<100)
    let packets = try steps(bytes).packets
    #expect(packets.map(\.frame) == ([0, 1] + (90..<100)).map { $0 * 4096 })
    #expect(packets.map(\.isDiscontinuous) == [true, false, true] + [Bool](repeating: false, count: 9))
  }

  @Test func streamsInARowCountOn() throws {
    var other = FLACFixture()
    (other.rate, other.channels) = (22_050, 1)
    let bytes = fixture.file(4, total: 0) + other.file(3) + fixture.frames(0..<2)
    for isCheap in [false, true] {
      let steps = try steps(bytes, isCheap: isCheap)
      // At half the rate, a block lasts twice as long.
      #expect(frames(steps) == [0, 256, 512, 768, 1024, 1536, 2048, 2560, 2816])
      #expect(steps.facts.last?.duration == MediaDuration(frames: 3072, isExact: true))
    }
  }

  @Test func checksumsAreRight() {
    // The check value that catalogues of checksums give for this one.
    #expect(Array("123456789".utf8).withUnsafeBytes { FLACChecksum.crc16(0, $0) } == 0xFEE8)
    for count in [0, 1, 15, 16, 17, 333, 1023, 1024, 1041, 5000] {
      let bytes = MediaFixtures.junk(count, seed: 3)
      let fast = bytes.withUnsafeBytes { FLACChecksum.crc16(0, $0) }
      #expect(fast == FLACFixture.crc16(bytes))
    }
  }
}
