import AudioModel
import Codecs
import Containers
import MartletTestSupport
import Testing

/// Files of MPEG audio that are not what encoders make today.
@Suite struct MPEGOddityTests {
  /// All answers, which must be the same for pieces of several sizes.
  private func steps(_ bytes: [UInt8], isCheap: Bool = false) throws -> [ParserStep] {
    var whole: [ParserStep] = []
    for chunk in [1, 7, 4096] {
      var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
      let steps = try feed.all()
      #expect(whole.isEmpty || steps.elementsEqual(whole))
      whole = steps
    }
    return whole
  }

  private func fixture(rateIndex: Int, version: Int = 1) -> MPEGFixture {
    var fixture = MPEGFixture()
    (fixture.rateIndex, fixture.version) = (rateIndex, version)
    return fixture
  }

  // MARK: Changes

  @Test(arguments: [(1, 1), (2, 1), (0, 2), (1, 2), (2, 25)])
  func changesOfRateCountAtTheFirst(rateIndex: Int, version: Int) throws {
    let (first, second) = (fixture(rateIndex: 0), fixture(rateIndex: rateIndex, version: version))
    let bytes = first.constant(frames: 100) + second.constant(frames: 100) + first.constant(frames: 10)
    let inSecond = Double(100 * second.frameCount) * 44_100 / Double(second.sampleRate)
    for isCheap in [false, true] {
      let steps = try steps(bytes, isCheap: isCheap)
      let packets = steps.packets
      #expect(packets.count == 210 && packets[150].frameCount == second.frameCount)
      // Nothing of a frame gets lost on the way, however many packets there are.
      for index in 0..<100 {
        let exact = 115_200 + Double(index) * inSecond / 100
        #expect(packets[100 + index].frame == Int64(exact.rounded(.down)))
      }
      #expect(packets[200].frame == Int64(115_200 + inSecond))
      let facts = try #require(steps.facts.last)
      #expect(facts.format.sampleRate == .cd)
      #expect(facts.duration == MediaDuration(frames: Int64(115_200 + inSecond) + 11_520, isExact: true))
    }
  }

  @Test func seeksBehindAChangeOfRate() throws {
    let second = fixture(rateIndex: 1, version: 2)
    let bytes = fixture(rateIndex: 0).constant(frames: 100) + second.constant(frames: 200)
    let places = Dictionary(uniqueKeysWithValues: try steps(bytes).packets.map { ($0.frame, $0.position) })
    for target in [0, 115_199, 115_200, 150_000, 250_000] as [Int64] {
      var feed = MemoryFeed(bytes, chunk: 4096, isCheap: true)
      var parser = MPEGParser(start: 0)
      while case .facts = try feed.next(&parser) {}
      _ = parser.seek(to: target, sourceIsCheap: true)
      let packets = try feed.all(&parser).packets
      #expect(packets.allSatisfy { places[$0.frame] == $0.position })
      #expect(try #require(packets.first).frame <= max(0, target - 10 * 1058))
    }
  }

  @Test func aJoinedFilesHeaderIsSound() throws {
    // Other players play the information frame of a second file, which decodes to silence; so positions agree.
    let fixture = MPEGFixture()
    let sound = fixture.constant(frames: 10)
    let info = fixture.xing("Info", frames: 10, bytes: sound.count + 417, lame: .init(delay: 576, padding: 1105))
    let tag = MediaFixtures.id3v2([("TIT2", "Second"), ("TCOM", "Other")])
    for isCheap in [false, true] {
      let steps = try steps(
        MediaFixtures.id3v2([("TIT2", "First")]) + info + sound + tag + info + sound, isCheap: isCheap)
      #expect(steps.packets.count == 21)
      #expect(steps.facts.last?.tags == [Tag("title", "First")])
      #expect(steps.facts.last?.duration == MediaDuration(frames: 21 * 1152 - 1105, isExact: true))
    }
  }

  // MARK: Tags

  @Test func id3v2BehindTheSound() throws {
    let tag = MediaFixtures.id3v2([("TIT2", "Behind")])
    for isCheap in [false, true] {
      let steps = try steps(
        MPEGFixture().constant(frames: 40) + tag + MediaFixtures.id3v1(title: "Beh"), isCheap: isCheap)
      #expect(steps.packets.count == 40 && steps.facts.last?.tag("title") == (isCheap ? "Beh" : "Behind"))
      #expect(steps.facts.last?.duration == MediaDuration(frames: 40 * 1152, isExact: true))
    }
  }

  @Test func oneFrameAndATag() throws {
    var fixture = MPEGFixture()
    fixture.isMono = true
    for tail in [MediaFixtures.ape(size: 18), MediaFixtures.id3v1(title: "x"), MediaFixtures.id3v2([("TIT2", "x")])] {
      let steps = try steps(fixture.frame() + tail, isCheap: true)
      #expect(steps.packets.count == 1)
      #expect(steps.facts.last?.duration == MediaDuration(frames: 1152, isExact: true))
    }
  }

  @Test func tagsThatClaimTooMuch() throws {
    // A tag that says it is larger than the file leaves no sound; one at the end is passed by.
    var tag = MediaFixtures.id3v2([("TIT2", "x")])
    tag[7] = 0x7F
    #expect(throws: AudioError.self) { try self.steps(tag + MPEGFixture().constant(frames: 4)) }
    let steps = try steps(MPEGFixture().constant(frames: 4) + tag)
    #expect(steps.packets.count == 4)
  }

  /// A stream without a header is read to its end for its length; what the end was like changes nothing at the beginning.
  @Test(arguments: [0, 1000, 1 << 20, 1_300_000])
  func junkBehindAStreamThatIsScanned(count: Int) throws {
    let sound = fixture(rateIndex: 0).constant(frames: 20) + fixture(rateIndex: 1).constant(frames: 20)
    let bytes = sound + [UInt8](repeating: 0, count: count)
    var feed = MemoryFeed(bytes)
    let packets = try feed.all().packets
    for chunk in [4096, 1 << 20] {
      var feed = MemoryFeed(bytes, chunk: chunk, isCheap: true)
      let steps = try feed.all()
      #expect(steps.packets.count == 40 && steps.packets == packets)
      #expect(steps.facts.count == 1 && steps.facts.last?.duration?.isExact == true)
    }
  }

  // MARK: iTunes

  private func iTunes(_ frames: Int, delay: Int, padding: Int, sound: Int) -> [UInt8] {
    func hex(_ number: Int, _ digits: Int) -> String {
      let text = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: digits - text.count) + text
    }
    let text = " 00000000 \(hex(delay, 8)) \(hex(padding, 8)) \(hex(sound, 16)) 00000000 00000000"
    let comment = MediaFixtures.id3v2Frame("COMM", [0] + Array("engiTunSMPB\0\(text)".utf8), version: 3)
    return MediaFixtures.id3v2(body: comment, version: 3) + MPEGFixture().constant(frames: frames)
  }

  @Test func iTunesTrims() throws {
    for isCheap in [false, true] {
      let steps = try steps(iTunes(30, delay: 528, padding: 1000, sound: 30 * 1152 - 1528), isCheap: isCheap)
      let facts = try #require(steps.facts.last)
      #expect(facts.duration == MediaDuration(frames: 30 * 1152 - 1528, isExact: true))
      #expect(facts.encoderDelay == 528 && facts.encoderPadding == 1000 && facts.tags.isEmpty)
      #expect(steps.packets.first?.frame == -(528 + 529))
    }
  }

  @Test func iTunesNumbersOfAnotherFileAreIgnored() throws {
    let other = try steps(iTunes(30, delay: 528, padding: 1000, sound: 30 * 1152), isCheap: true)
    #expect(other.facts.last?.duration == MediaDuration(frames: 30 * 1152, isExact: true))
    #expect(other.facts.last?.encoderDelay == nil)
    // Numbers that fit each other, and not the sound.
    let longer = try steps(iTunes(30, delay: 528, padding: 1000, sound: 90 * 1152 - 1528))
    #expect(longer.packets.count == 30 && longer.facts.last?.duration?.isExact == true)
  }

  // MARK: Damage

  @Test func damagedSideInformationIsSilenceOfItsLength() throws {
    for (version, isMono, bit) in [(1, false, 20), (1, true, 18 + 59), (2, false, 10 + 63), (25, true, 9)] {
      var fixture = MPEGFixture()
      (fixture.version, fixture.isMono) = (version, isMono)
      var bytes = fixture.frame()
      let facts = try #require(try steps(fixture.constant(frames: 4)).facts.first)
      let decoder = try MPG123Decoder(facts)
      let block = PCMBlock(channels: isMono ? 1 : 2, capacity: 1152)
      let packet = Packet(position: 0, byteCount: bytes.count, frame: 0, frameCount: fixture.frameCount)
      func decode() throws(AudioError) {
        block.removeAll()
        try bytes.withUnsafeBufferPointer { bytes throws(AudioError) in
          _ = try decoder.decode(UnsafeRawBufferPointer(bytes), packet: packet, into: block)
        }
      }
      try decode()
      #expect(block.frameCount == fixture.frameCount)
      // 511 big values, of which a granule can have 288.
      for index in bit + 12..<bit + 21 { bytes[4 + index / 8] |= 0x80 >> UInt8(index % 8) }
      #expect(throws: AudioError(.damagedPacket, "A packet of MPEG audio is damaged", recovery: .conceal)) {
        try decode()
      }
      #expect(block.frameCount == fixture.frameCount)
      bytes = fixture.frame()
      try decode()
      #expect(block.frameCount == fixture.frameCount)
    }
  }
}
