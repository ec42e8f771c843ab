import AudioModel
import Containers
import MartletTestSupport
import Testing

/// Tables, edit lists and tracks of MP4 files.
@Suite struct MP4ParserTests {
  static func steps(
    _ bytes: [UInt8], chunk: Int = 1 << 20, isCheap: Bool = false, tellsLength: Bool = true
  ) throws -> [ParserStep] {
    var parser = MP4Parser(start: 0)
    var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap, tellsLength: tellsLength)
    return try feed.all(&parser)
  }

  /// Samples of different sizes and contents.
  static func samples(_ count: Int, size: Int = 9) -> [[UInt8]] {
    (0..<count).map { index in (0..<size + index % 5).map { UInt8(truncatingIfNeeded: index * 31 + $0) } }
  }

  static func track(_ count: Int = 10) -> MP4Fixture.Track {
    var track = MP4Fixture.Track(entry: MP4Fixture.aac())
    track.samples = samples(count)
    return track
  }

  /// The bytes of all packets.
  private func contents(_ steps: [ParserStep], _ bytes: [UInt8]) -> [[UInt8]] {
    steps.packets.map { Array(bytes[Int($0.position)..<Int($0.position) + $0.byteCount]) }
  }

  @Test(arguments: [false, true], [nil, 4, 8, 16])
  func everySampleIsFound(isLong: Bool, compactBits: Int?) throws {
    var track = Self.track(23)
    (track.isLong, track.compactBits) = (isLong, compactBits)
    var other = Self.track(31)
    (other.id, other.handler, other.samplesPerChunk) = (2, "vide", 4)
    for isHeaderLast in [false, true] {
      var movie = MP4Fixture([other, track])
      movie.isHeaderLast = isHeaderLast
      let bytes = movie.file
      let whole = try Self.steps(bytes)
      #expect(contents(whole, bytes) == track.samples)
      #expect(whole.packets.map(\.frame) == (0..<23).map { 1024 * $0 })
      #expect(whole.facts.count == 1)
      let facts = try #require(whole.facts.first)
      #expect(facts.container == "mp4" && facts.codec == .aac && facts.seekability == .exact && !facts.isTruncated)
      #expect(facts.duration == MediaDuration(frames: 23 * 1024, isExact: true))
      #expect(facts.decoderConfiguration == [0x12, 0x10] && facts.seekPreroll == 4096)
      for chunk in [1, 7, 4096] {
        for (isCheap, tellsLength) in [(false, true), (true, true), (false, false)] {
          #expect(try Self.steps(bytes, chunk: chunk, isCheap: isCheap, tellsLength: tellsLength) == whole)
        }
      }
    }
  }

  @Test func aHeaderAtTheEndCostsTwoJumps() throws {
    var track = Self.track(400)
    track.samples = Self.samples(400, size: 2000)
    var movie = MP4Fixture([track])
    movie.isHeaderLast = true
    let bytes = movie.file
    var feed = MemoryFeed(bytes, chunk: 4096)
    var parser = MP4Parser(start: 0)
    guard case .facts = try feed.next(&parser) else { throw AudioError(.noAudio, "no facts") }
    guard case .packet = try feed.next(&parser) else { throw AudioError(.noAudio, "no packet") }
    #expect(feed.jumps == 2)
    #expect(feed.fed < 40_000)
  }

  @Test(
    arguments: [
      ([], 0, 10_240),
      ([(0, 1024)], 1024, 9_216),
      ([(100, 0)], 0, 4_410),
      ([(100, 2_000)], 2_000, 4_410),
      // Silence in front is not played.
      ([(500, -1), (100, 1024)], 1024, 4_410),
      // An end within a tick of the media's own is that.
      ([(232, 0)], 0, 10_240),
      ([(209, 1024)], 1024, 9_216),
      // Longer than the media.
      ([(5_000, 1024)], 1024, 9_216),
      // Two that go on without a gap, and one that does not.
      ([(100, 0), (50, 4_410)], 0, 6_615),
      ([(100, 0), (50, 8_000)], 0, 4_410),
    ] as [([(Int, Int)], Int64, Int64)])
  func editLists(edits: [(Int, Int)], start: Int64, frames: Int64) throws {
    for isLong in [false, true] {
      var track = Self.track()
      track.edits = edits.map { (duration: $0.0, time: $0.1) }
      track.isLong = isLong
      let steps = try Self.steps(MP4Fixture([track]).file)
      #expect(steps.facts.first?.duration == MediaDuration(frames: frames, isExact: true))
      #expect(steps.facts.first?.encoderDelay == (start > 0 ? Int(start) : nil))
      #expect(steps.packets.first?.frame == -start)
      // What lies behind the end is not read.
      #expect(steps.packets.allSatisfy { $0.frame < frames })
    }
  }

  @Test func anEditThatBeginsFarBehind() throws {
    var track = Self.track(100)
    track.edits = [(duration: 0, time: 50 * 1024 + 7)]
    let steps = try Self.steps(MP4Fixture([track]).file)
    // Four packets in front are enough for the decoder.
    let first = try #require(steps.packets.first)
    #expect(first.frame == -4 * 1024 - 7)
    #expect(steps.facts.first?.duration == MediaDuration(frames: 50 * 1024 - 7, isExact: true))
  }

  @Test func theEndOfTheLastPacket() throws {
    var track = Self.track()
    track.ticks = [Int](repeating: 1024, count: 9) + [100]
    let steps = try Self.steps(MP4Fixture([track]).file)
    #expect(steps.facts.first?.duration == MediaDuration(frames: 9 * 1024 + 100, isExact: true))
    #expect(steps.packets.last?.frameCount == 1024)
  }

  @Test(
    arguments: [
      ("840 1E4 0000000000001DDC", [], 2112, 7_644),
      // An edit list that says something counts, one that says nothing does not.
      ("840 1E4 0000000000001DDC", [(0, 1024)], 1024, 9_216),
      ("840 1E4 0000000000001DDC", [(233, 0)], 2112, 7_644),
      // More than there is.
      ("840 1E4 000000000000FFFF", [], 0, 10_240),
      ("xyz", [], 0, 10_240),
    ] as [(String, [(Int, Int)], Int64, Int64)])
  func gaplessTag(text: String, edits: [(Int, Int)], start: Int64, frames: Int64) throws {
    var movie = MP4Fixture([Self.track()])
    movie.tracks[0].edits = edits.map { (duration: $0.0, time: $0.1) }
    movie.userData = MP4Fixture.meta(MP4Fixture.item(named: "iTunSMPB", " 00000000 \(text) 00000000 00000000"))
    let facts = try #require(try Self.steps(movie.file).facts.first)
    #expect(facts.duration == MediaDuration(frames: frames, isExact: true))
    #expect(facts.encoderDelay == (start > 0 ? Int(start) : nil))
    if start == 2112 { #expect(facts.encoderPadding == 10_240 - 2112 - 7_644) }
    #expect(facts.tags.isEmpty)
  }

  @Test func ticksThatAreNotFrames() throws {
    // Milliseconds: packets are counted, and the end is within a tick.
    var track = Self.track(100)
    (track.timescale, track.ticks) = (1000, [23])
    let coarse = try Self.steps(MP4Fixture([track]).file)
    #expect(coarse.packets.map(\.frame) == (0..<100).map { 1024 * $0 })
    // Half the rate, that of the core under SBR.
    track.entry = MP4Fixture.aac([0x13, 0x88, 0x56, 0xE5, 0xA5, 0x48, 0x00])
    (track.timescale, track.ticks) = (22_050, [1024])
    let doubled = try Self.steps(MP4Fixture([track]).file)
    #expect(doubled.facts.first?.format.sampleRate.hertz == 44_100)
    #expect(doubled.packets.map(\.frame) == (0..<100).map { 2048 * $0 })
    #expect(doubled.facts.first?.duration?.frames == 204_800)
    // Packets of a length that the codec does not have: the table is believed.
    (track.timescale, track.ticks) = (44_100, [777])
    #expect(try Self.steps(MP4Fixture([track]).file).packets.map(\.frame) == (0..<100).map { 777 * $0 })
  }

  @Test func theTrackThatIsHeard() throws {
    let good = Self.track(4)
    var disabled = Self.track(7)
    (disabled.id, disabled.isEnabled) = (9, false)
    var hint = Self.track(5)
    (hint.handler, hint.id) = ("hint", 8)
    var empty = Self.track(0)
    empty.id = 7
    for order in [[hint, disabled, good], [empty, good, disabled], [good, hint, disabled]] {
      #expect(try Self.steps(MP4Fixture(order).file).packets.count == 4)
    }
    #expect(try Self.steps(MP4Fixture([hint, disabled]).file).packets.count == 7)
    #expect(throws: AudioError(.noAudio, "There is no audio in the file")) { try Self.steps(MP4Fixture([hint]).file) }
  }

  @Test func encryptedSoundIsRefused() {
    for type in ["enca", "drms", "aavd"] {
      var track = Self.track()
      track.entry = MP4Fixture.entry(type, MP4Fixture.esds([0x12, 0x10]))
      #expect(
        throws: AudioError(.unsupportedContainer, "The sound is encrypted, and can't be played without its key")
      ) {
        try Self.steps(MP4Fixture([track]).file)
      }
    }
    var track = Self.track()
    track.entry = MP4Fixture.entry("mp4a", MP4Fixture.esds([0x12, 0x10]) + MP4Fixture.box("sinf", []))
    #expect(throws: AudioError.self) { try Self.steps(MP4Fixture([track]).file) }
  }

  @Test func brokenSizesOfTheData() throws {
    for stated in [0, 9_000_000, 4_294_967_295] as [UInt32] {
      var movie = MP4Fixture([Self.track()])
      movie.statedDataSize = stated
      #expect(try Self.steps(movie.file).packets.count == 10)
    }
    let headless = AudioError(.malformed, "The file has no header that says what is in it: it may be cut off")
    for stated in [0, 9_000_000] as [UInt32] {
      var movie = MP4Fixture([Self.track()])
      (movie.statedDataSize, movie.isHeaderLast) = (stated, true)
      #expect(throws: headless) { try Self.steps(movie.file) }
      #expect(throws: headless) { try Self.steps(movie.file, tellsLength: false) }
    }
  }

  @Test func truncatedFiles() throws {
    let bytes = MP4Fixture([Self.track()]).file
    let whole = try Self.steps(bytes)
    let cut = Array(bytes[..<Int(whole.packets[6].position)])
    let steps = try Self.steps(cut)
    #expect(steps.packets.count == 6)
    #expect(steps.facts.first?.isTruncated == true)
    #expect(steps.facts.first?.duration == whole.facts.first?.duration)
    // Facts are there, and no sound at all.
    let silent = Array(bytes[..<Int(whole.packets[0].position)])
    var parser = MP4Parser(start: 0)
    var feed = MemoryFeed(silent)
    guard case .facts(let facts) = try feed.next(&parser) else { throw AudioError(.noAudio, "no facts") }
    #expect(facts.isTruncated)
    #expect(throws: AudioError(.malformed, "The file ends before its sound begins")) { try feed.next(&parser) }
  }

  @Test func samplesThatLieOnEachOtherEnd() throws {
    // A small table that claims four thousand million samples at one place.
    var track = Self.track(1)
    (track.constantSize, track.statedCount, track.samplesPerChunk) = (4, 4_000_000_000, 1)
    track.samples = [[UInt8](repeating: 1, count: 4)]
    var movie = MP4Fixture([track])
    var bytes = movie.file
    let chunks = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("stsc".utf8)) })
    bytes.replaceSubrange(chunks + 16..<chunks + 20, with: [0xEE, 0x6B, 0x28, 0])
    #expect(try Self.steps(bytes).packets.count < bytes.count)
    movie.tracks[0].samples = []
    #expect(throws: AudioError.self) { try Self.steps(MP4Fixture([]).file) }
  }

  @Test func aHugeHeaderIsReadInPieces() throws {
    var movie = MP4Fixture([Self.track()])
    movie.userData = MP4Fixture.meta(
      MP4Fixture.item("©nam", Array("Title".utf8))
        + MP4Fixture.box(
          "covr", MP4Fixture.box("data", MP4Fixture.big(14, 4) + [UInt8](repeating: 7, count: 18 << 20))))
    let bytes = movie.file
    var feed = MemoryFeed(bytes, chunk: 65_536)
    var parser = MP4Parser(start: 0)
    let steps = try feed.all(&parser)
    #expect(steps.packets.count == 10)
    #expect(feed.fed < 300_000)
    let picture = try #require(steps.facts.first?.pictures.first)
    #expect(picture.mime == "image/png" && picture.byteCount == 18 << 20 - 4)
    #expect(bytes[Int(picture.position ?? 0)] == 7)
  }

  @Test(arguments: [0, 1, 4096, 50_000, 99 * 1024, 1 << 40])
  func seeks(target: Int64) throws {
    var track = Self.track(100)
    track.edits = [(duration: 0, time: 2112)]
    let bytes = MP4Fixture([track]).file
    let all = try Self.steps(bytes).packets
    var feed = MemoryFeed(bytes)
    var parser = MP4Parser(start: 0)
    _ = try feed.next(&parser)
    guard case .at(_, true) = parser.seek(to: target, sourceIsCheap: false) else {
      throw AudioError(.notSeekable, "no seek")
    }
    let rest = try feed.all(&parser).packets
    let first = try #require(rest.first)
    #expect(first.isDiscontinuous)
    let reached = min(target, 100 * 1024 - 2113)
    #expect(first.frame <= max(reached - 4096, -2112) && first.frame > reached - 4096 - 1024 - 2112)
    #expect(rest.dropFirst().elementsEqual(all.suffix(rest.count - 1)))
  }
}
