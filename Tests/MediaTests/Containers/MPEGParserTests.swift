import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct MPEGParserTests {
  private func steps(_ bytes: [UInt8], isCheap: Bool = false) throws -> [ParserStep] {
    var parser = MPEGParser(start: 0)
    var feed = MemoryFeed(bytes, chunk: 4096, isCheap: isCheap)
    return try feed.all(&parser)
  }

  /// A file of Xing's and LAME's header and frames of one bit rate.
  private func lame(_ fixture: MPEGFixture, frames: Int, delay: Int, padding: Int, name: String = "Info") -> [UInt8] {
    let sound = fixture.constant(frames: frames)
    let trim = MPEGFixture.LAME(delay: delay, padding: padding)
    let size = fixture.xing(name, frames: frames, bytes: 0, lame: trim).count
    return fixture.xing(name, frames: frames, bytes: size + sound.count, lame: trim) + sound
  }

  @Test(arguments: 0..<40) func garbageBehindTheSoundIsTheSameInPieces(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet: [UInt8] = [0xFF, 0xFF, 0xFB, 0xF7, 0xFA, 0x90, 0x40, 0, 0, 0xEA, 0x49]
    let garbage = (0..<600).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
    let bytes = MPEGFixture().constant(frames: 3) + garbage
    var whole = MemoryFeed(bytes, chunk: bytes.count, isCheap: true)
    var pieces = MemoryFeed(bytes, chunk: 3, isCheap: true)
    var (first, second) = (MPEGParser(start: 0), MPEGParser(start: 0))
    let (atOnce, inPieces) = (try whole.all(&first), try pieces.all(&second))
    #expect(atOnce.facts.count == inPieces.facts.count && atOnce.packets.count == inPieces.packets.count)
    #expect(atOnce == inPieces)
  }

  @Test func aHeaderThatTheEndOfThePartCutsIsNoFrame() throws {
    let sound = MPEGFixture().constant(frames: 9)
    let next = MPEGFixture().constant(frames: 4)
    // The part ends three bytes into a header behind a byte of junk; what follows it looks like more of the same.
    let bytes = sound + [1] + next
    for chunk in [1, 5, bytes.count] {
      var parser = MPEGParser(start: 0, end: Int64(sound.count + 4))
      var feed = MemoryFeed(bytes, chunk: chunk, isCheap: true)
      #expect(try feed.all(&parser).packets.count == 9, "in pieces of \(chunk)")
    }
  }

  @Test(arguments: [
    (1, 1, 1, 0, 384, 44_100), (1, 2, 1, 1, 1152, 48_000), (1, 3, 14, 2, 1152, 32_000), (2, 1, 3, 0, 384, 22_050),
    (2, 2, 14, 1, 1152, 24_000), (2, 3, 1, 2, 576, 16_000), (25, 3, 8, 0, 576, 11_025), (25, 2, 8, 2, 1152, 8000),
  ])
  func everyKindOfFrame(version: Int, layer: Int, index: Int, rateIndex: Int, frameCount: Int, rate: Int) throws {
    for isMono in [false, true] {
      var fixture = MPEGFixture()
      (fixture.version, fixture.layer, fixture.bitRateIndex) = (version, layer, index)
      (fixture.rateIndex, fixture.isMono) = (rateIndex, isMono)
      let steps = try steps(fixture.constant(frames: 9))
      let facts = try #require(steps.facts.last)
      #expect(facts.format.sampleRate.hertz == rate && facts.format.channels == (isMono ? 1 : 2))
      #expect(facts.codec.rawValue == "mp\(layer)" && facts.bitRate == fixture.kilobits * 1000)
      #expect(facts.duration == MediaDuration(frames: Int64(9 * frameCount), isExact: true))
      #expect(steps.packets.map(\.frame) == (0..<9).map { Int64($0 * frameCount) })
      #expect(steps.packets.map(\.isDiscontinuous) == [true] + [Bool](repeating: false, count: 8))
      // Packets lie one behind the other and cover the whole.
      #expect(steps.packets.last.map { Int($0.position) + $0.byteCount } == fixture.constant(frames: 9).count)
    }
  }

  @Test func freeFormat() throws {
    var fixture = MPEGFixture()
    (fixture.bitRateIndex, fixture.freeBytes) = (0, 391)
    let bytes = fixture.frame() + fixture.frame(padding: 1) + fixture.frame(padding: 1) + fixture.frame()
    #expect(try steps(bytes).packets.map(\.byteCount) == [391, 392, 392, 391])
  }

  @Test func lameTrims() throws {
    let steps = try steps(lame(MPEGFixture(), frames: 10, delay: 576, padding: 1105))
    let facts = try #require(steps.facts.first)
    #expect(facts.duration == MediaDuration(frames: 11_520 - 576 - 1105, isExact: true))
    #expect(facts.encoderDelay == 576 && facts.encoderPadding == 1105)
    // The header itself is no sound; the first packet begins before the first frame heard.
    #expect(steps.packets.count == 10 && steps.packets.first?.frame == -(576 + 529))
    #expect(facts.seekability == .exact)
    // Without an end in sight the numbers are only said, with the end they are seen.
    #expect(steps.facts.allSatisfy { $0.duration == facts.duration })
  }

  @Test func moreTrimmingThanSoundLeavesNothing() throws {
    let steps = try steps(lame(MPEGFixture(), frames: 1, delay: 576, padding: 1105))
    #expect(steps.facts.last?.duration == MediaDuration(frames: 0, isExact: true))
  }

  @Test func paddingBelowTheDecodersDelayKeepsTheEnd() throws {
    // Less padding than 529 frames: the sound's last frames are not in the file.
    let steps = try steps(lame(MPEGFixture(), frames: 10, delay: 576, padding: 100))
    #expect(steps.facts.last?.duration?.frames == Int64(11_520 - 576 - 529))
  }

  @Test func garbageBehindTheEndChangesNothing() throws {
    let file = lame(MPEGFixture(), frames: 10, delay: 576, padding: 1105)
    let expected = Int64(11_520 - 576 - 1105)
    for tail in [MediaFixtures.junk(50_000), MediaFixtures.ape(size: 300), MediaFixtures.id3v1(title: "x")] {
      for isCheap in [false, true] {
        let steps = try steps(file + tail, isCheap: isCheap)
        #expect(steps.frames == 11_520)
        #expect(steps.facts.last?.duration == MediaDuration(frames: expected, isExact: true))
        // The exact end is known before the last packets, so that they can be trimmed.
        let order = steps.lastIndex { if case .packet = $0 { true } else { false } } ?? 0
        #expect(
          steps[..<order].compactMap { if case .facts(let facts) = $0 { facts } else { nil } }.last?.duration
            == MediaDuration(frames: expected, isExact: true))
      }
    }
  }

  @Test func soundBehindTheDeclaredEndIsKept() throws {
    let fixture = MPEGFixture()
    let file = lame(fixture, frames: 10, delay: 576, padding: 1105)
    let steps = try steps(file + fixture.constant(frames: 50))
    #expect(steps.packets.count == 60)
    #expect(steps.facts.last?.duration == MediaDuration(frames: 60 * 1152 - 1105, isExact: true))
  }

  @Test func truncatedFilesDropTheCutFrame() throws {
    let fixture = MPEGFixture()
    let file = lame(fixture, frames: 100, delay: 576, padding: 1105)
    let steps = try steps(Array(file.prefix(file.count / 2)))
    let whole = steps.packets.count
    #expect(whole == 49 || whole == 50)
    #expect(steps.facts.first?.duration?.isExact == false)
    #expect(steps.facts.last?.duration == MediaDuration(frames: Int64(whole * 1152 - 1105), isExact: true))
  }

  @Test func nonsenseCountsAreNotBelieved() throws {
    let fixture = MPEGFixture()
    let sound = fixture.constant(frames: 20)
    let header = fixture.xing(frames: 5_000_000, bytes: 20_000)
    let facts = try #require(try steps(header + sound).facts.first)
    #expect(facts.duration?.isExact == false)
    #expect(abs((facts.duration?.frames ?? 0) - 20 * 1152) < 1152)
  }

  @Test func vbriIsNoSound() throws {
    let fixture = MPEGFixture()
    let sound = fixture.constant(frames: 20)
    let header = fixture.vbri(frames: 20, bytes: sound.count + 417, entries: [4000, 4000], framesPerEntry: 10)
    let steps = try steps(header + sound)
    #expect(steps.packets.count == 20 && steps.packets.first?.frame == 0)
    #expect(steps.facts.first?.duration?.frames == Int64(20 * 1152))
  }

  @Test func withoutHeaderTheLengthIsReadOrEstimated() throws {
    let bytes = MPEGFixture().variable(frames: 300, seed: 3)
    let cheap = try steps(bytes, isCheap: true)
    #expect(cheap.facts.map(\.duration) == [MediaDuration(frames: 300 * 1152, isExact: true)])
    let remote = try steps(bytes)
    #expect(remote.packets == cheap.packets)
    // Each estimate is honest about its error, and the last one is the truth.
    for facts in remote.facts {
      let duration = try #require(facts.duration)
      let error = abs(Double(duration.frames - 300 * 1152)) / 44_100
      #expect(duration.isExact ? error == 0 : error <= duration.errorSeconds ?? -1)
    }
    #expect(remote.facts.count > 2 && remote.facts.last?.duration?.isExact == true)
  }

  @Test func junkAndTagsBetweenFrames() throws {
    let fixture = MPEGFixture()
    let sound = fixture.constant(frames: 10)
    let tag = MediaFixtures.id3v2([("TIT2", "x")], padding: 100)
    for between in [MediaFixtures.junk(333), tag, MediaFixtures.id3v1(title: "x"), MediaFixtures.ape(size: 99)] {
      let steps = try steps(MediaFixtures.junk(5000) + sound + between + sound + between)
      #expect(steps.packets.count == 20 && steps.packets.first?.position == 5000)
      #expect(steps.packets.map(\.frame) == (0..<20).map { Int64($0 * 1152) })
    }
  }

  @Test func aLoneHeaderInJunkIsNoStream() throws {
    let bytes = MediaFixtures.junk(3000) + MPEGFixture().frame() + MediaFixtures.junk(3000)
    #expect(throws: AudioError(.noAudio, "The file holds no MPEG audio")) { try steps(bytes) }
  }

  @Test func changesOfRateAndChannelsGoOn() throws {
    var second = MPEGFixture()
    (second.rateIndex, second.isMono) = (1, true)
    let steps = try steps(MPEGFixture().constant(frames: 5) + second.constant(frames: 5))
    #expect(steps.packets.count == 10)
    #expect(steps.facts.first?.format == PCMFormat(sampleRate: .cd, layout: .stereo))
  }

  @Test func tagsAtBothEnds() throws {
    let file =
      MediaFixtures.id3v2([("TIT2", "Title")]) + MPEGFixture().constant(frames: 10)
      + MediaFixtures.id3v1(title: "Title of th", artist: "Artist", track: 7, genre: 17)
    let full = [Tag("title", "Title"), Tag("artist", "Artist"), Tag("track", "7"), Tag("genre", "Rock")]
    for isCheap in [false, true] {
      var feed = MemoryFeed(file, isCheap: isCheap)
      let facts = try feed.all().facts
      #expect(facts.first?.tags == (isCheap ? full : [Tag("title", "Title")]))
      #expect(facts.last?.tags == full)
    }
  }
}
