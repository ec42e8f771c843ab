import AudioModel
import Codecs
import Containers
import MartletTestSupport
import Testing

/// Broken and hostile bytes: nothing traps, nothing goes on for ever, no wish is out of bounds (`MemoryFeed` sees to it).
@Suite struct HostileInputTests {
  private static let seeds: [(name: String, bytes: [UInt8])] = {
    var wav = MediaFixtures.WAV()
    wav.before = wav.chunk("LIST", Array("INFOINAM".utf8) + [5, 0, 0, 0] + Array("Name\0\0".utf8))
    wav.after = wav.chunk("id3 ", MediaFixtures.id3v2([("TIT2", "x"), ("TALB", "y")], padding: 20))
    var long = wav
    (long.form, long.isExtensible, long.bits, long.bytes) = ("RF64", true, 24, 3)
    let mpeg = MPEGFixture()
    var free = mpeg
    (free.bitRateIndex, free.freeBytes) = (0, 200)
    var low = mpeg
    (low.version, low.layer, low.bitRateIndex) = (25, 2, 1)
    let sound = mpeg.constant(frames: 12)
    let toc = (0..<100).map { UInt8($0 * 255 / 100) }
    let xing = mpeg.xing(frames: 12, bytes: sound.count + 417, toc: toc, lame: .init(delay: 576, padding: 900))
    let chapter = Array("c\0".utf8) + [UInt8](repeating: 0, count: 16) + MediaFixtures.id3v2Frame("TIT2", [3, 0x41])
    var flac = FLACFixture()
    (flac.blockSize, flac.bits) = (64, 16)
    var odd = flac
    (odd.isVariable, odd.isTerse, odd.channels, odd.rate) = (true, true, 1, 8000)
    let texts = FLACFixture.block(4, FLACFixture.comments(["TITLE=x", "CHAPTER001=00:00:00.1"]))
    let table = FLACFixture.block(3, [UInt8](repeating: 0, count: 15) + [64, 0, 64])
    let cues = FLACFixture.block(5, [UInt8](repeating: 0, count: 395) + [1] + [UInt8](repeating: 0, count: 36))
    let tag = MediaFixtures.id3v2(
      body: MediaFixtures.id3v2Frame("TIT2", [1, 0xFF, 0xFE, 0x41, 0]) + MediaFixtures.id3v2Frame("CHAP", chapter)
        + MediaFixtures.id3v2Frame("APIC", [0, 0x61, 0, 3, 0, 1, 2, 3], flags: 2))
    var track = MP4Fixture.Track(entry: MP4Fixture.entry("sowt"))
    track.samples = (0..<90).map { [UInt8](repeating: UInt8($0), count: 4 * (1 + $0 % 3)) }
    (track.ticks, track.edits) = ([2], [(duration: 3, time: -1), (duration: 4, time: 10)])
    var movie = MP4Fixture([track])
    movie.userData = MP4Fixture.meta(
      MP4Fixture.item("©nam", [0x41]) + MP4Fixture.item(named: "iTunSMPB", " 0 840 1E4 99"))
    var fragments = MP4Fixture.Fragments(entry: MP4Fixture.entry("alaw"))
    (fragments.ticks, fragments.hasRandomAccess, fragments.hasIndex) = (1, true, true)
    fragments.fragments = (0..<3).map { _ in [[UInt8]](repeating: [1, 2], count: 20) }
    var ogg = OggFixture()
    ogg.opusHeaders(texts: ["CHAPTER001=00:00:01", "CHAPTER001NAME=x", "R128_TRACK_GAIN=-99"])
    ogg.opusPages(3, packets: 4, cut: 100)
    var next = OggFixture(serial: 5)
    let headers = OggFixture.vorbisHeaders()
    next.page([headers[0]], granule: 0, flags: 2)
    next.spread(headers[1], segments: 1, granule: 0)
    next.page([headers[2], OggFixture.vorbisPacket(isLong: true)], granule: 0)
    next.page(
      [OggFixture.vorbisPacket(isLong: false), OggFixture.vorbisPacket(isLong: true)], granule: 900, flags: 4)
    ogg.bytes += next.bytes
    ogg.sequence = 0
    ogg.opusHeaders(channels: 1)
    ogg.split([OggFixture.opusPacket(), OggFixture.opusPacket(padding: 900)], split: 2, granules: (960, 1920))
    return [
      ("ogg", ogg.bytes), ("vorbis", next.bytes + ogg.bytes),
      ("wav", wav.file([UInt8](repeating: 7, count: 300))), ("rf64", long.file([UInt8](repeating: 7, count: 301))),
      ("mp3", tag + xing + sound + MediaFixtures.ape(size: 40) + MediaFixtures.id3v1(title: "t")),
      ("vbri", mpeg.vbri(frames: 13, bytes: sound.count, entries: [999, 999], framesPerEntry: 6) + sound),
      ("free", free.constant(frames: 0) + free.frame() + free.frame() + free.frame(padding: 1) + free.frame()),
      ("mp4", movie.file), ("mp4 fragments", fragments.parts.bytes),
      ("flac", flac.file(8, rest: 5, blocks: texts + table) + MediaFixtures.id3v1(title: "t")),
      ("variable flac", odd.file(8, total: 0, blocks: cues) + flac.file(2)),
      ("low", low.constant(frames: 9) + tag + MediaFixtures.junk(99) + low.constant(frames: 9)),
    ] + streams
  }()

  private static var streams: [(name: String, bytes: [UInt8])] {
    let block = [UInt8](repeating: 0x21, count: 60)
    let adts = StreamFixtures.adts(count: 6) + StreamFixtures.adtsFrame([block, block, block], hasCRC: true)
    let aiff = [
      StreamFixtures.comm(channels: 2, frames: 50, bits: 24), StreamFixtures.ssnd([UInt8](repeating: 9, count: 300)),
      StreamFixtures.chunk("NAME", Array("Name".utf8)),
      StreamFixtures.chunk("MARK", [0, 1, 0, 1, 0, 0, 0, 0, 1, 65]),
      StreamFixtures.chunk("COMT", [0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 65, 66]),
      StreamFixtures.chunk("ID3 ", MediaFixtures.id3v2([("TIT2", "x")])),
    ]
    let sound = StreamFixtures.longChunk("data", [0, 0, 0, 0] + [UInt8](repeating: 3, count: 400))
    let table = StreamFixtures.pakt(packets: 4, valid: 4000, priming: 96, [90, 100, 110, 100])
    let texts = StreamFixtures.longChunk("info", [0, 0, 0, 1] + Array("title\0x\0".utf8))
    let caf = [
      StreamFixtures.desc("alac", packetBytes: 0, packetFrames: 1024, channels: 2),
      StreamFixtures.longChunk("chan", [UInt8](repeating: 0, count: 12)),
      StreamFixtures.longChunk("kuki", [UInt8](repeating: 16, count: 48)), sound, texts, table,
    ]
    let pcm = StreamFixtures.desc("lpcm", packetBytes: 6, packetFrames: 1, channels: 2, bits: 24)
    var adpcm = MediaFixtures.WAV()
    (adpcm.tag, adpcm.bits, adpcm.bytes) = (6, 8, 1)
    return [
      ("adts", adts + StreamFixtures.adts(count: 5, rateIndex: 7, channels: 0)),
      ("latm", StreamFixtures.latm(count: 15)), ("ac3", StreamFixtures.ac3(count: 5)),
      ("eac3", StreamFixtures.eac3(count: 5, hasDependent: true)),
      ("amr", StreamFixtures.amr((0..<30).map { [0, 7, 8, 15, 3][$0 % 5] })), ("aiff", StreamFixtures.aiff(aiff)),
      ("caf", StreamFixtures.caf(caf)), ("caf pcm", StreamFixtures.caf([pcm, sound])),
      ("alaw", adpcm.file([UInt8](repeating: 7, count: 300))),
    ]
  }

  /// Runs bytes through all that reads them.
  private func run(_ bytes: [UInt8], isCheap: Bool, target: Int64, decodes: Bool) throws {
    var feed = MemoryFeed(bytes, chunk: 997, isCheap: isCheap)
    do {
      guard case .found(let registration, let start, let tags) = try feed.probe() else { return }
      try read(registration.makeParser(start, tags), &feed, isCheap: isCheap, target: target, decodes: decodes)
    } catch is AudioError {}
  }

  private func read(
    _ parser: some ContainerParser, _ feed: inout MemoryFeed, isCheap: Bool, target: Int64, decodes: Bool
  ) throws {
    var parser = parser
    var decoder: (any AudioDecoder)?
    var latest: StreamFacts?
    let block = PCMBlock(channels: 1, capacity: 4096)
    var count = 0
    for pass in 0..<2 {
      loop: while count < 5000 {
        count += 1
        switch try feed.next(&parser) {
        case .facts(let facts):
          latest = facts
        case .packet(let packet):
          try #require(packet.byteCount > 0 && packet.frameCount >= 0)
          let facts = try #require(latest)
          guard decodes, DecoderRegistration.builtIn.contains(where: { $0.codecs.contains(facts.codec) }) else {
            continue
          }
          if decoder == nil || packet.startsNewCoding {
            decoder = try DecoderTable(DecoderRegistration.builtIn).makeDecoder(for: facts)
            block.reshape(channels: decoder?.format.channels ?? 1, capacity: 4096)
          }
          guard let decoder else { continue }
          block.removeAll()
          try feed.window.withBytes(packet.position, count: packet.byteCount) { bytes in
            while try decoder.decode(bytes, packet: packet, into: block) == .formatChanged {
              block.reshape(channels: decoder.format.channels, capacity: 4096)
            }
          }
          try #require(block.frameCount == packet.frameCount)
        case .assembled(_, let bytes): try #require(!bytes.isEmpty && bytes.count <= ByteRequest.limit)
        case .need, .end: break loop
        }
      }
      try #require(count < 5000)
      if pass == 0 {
        decoder?.reset()
        _ = parser.seek(to: target, sourceIsCheap: isCheap)
      }
    }
  }

  @Test(arguments: HostileInputTests.seeds.indices)
  func mutations(index: Int) throws {
    let seed = Self.seeds[index]
    var random = SeededGenerator(seed: UInt64(index) + 77)
    let values: [UInt8] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF]
    for round in 0..<800 {
      var bytes = seed.bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 0..<min(bytes.count, Bool.random(using: &random) ? 120 : bytes.count), using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[at] = values.randomElement(using: &random) ?? 0
        case 2: bytes.replaceSubrange(at..<min(at + 4, bytes.count), with: repeatElement(0xFF, count: 4))
        case 3: bytes.removeSubrange(at..<min(at + Int.random(in: 1...40, using: &random), bytes.count))
        default: bytes.insert(contentsOf: bytes[at..<min(at + 30, bytes.count)], at: at)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      let target = [0, 1, 5000, .max, 1 << 40].randomElement(using: &random) ?? 0
      try run(bytes, isCheap: round % 2 == 0, target: Int64(target), decodes: round % 4 == 0)
    }
  }

  @Test(arguments: HostileInputTests.seeds.indices)
  func everyTruncation(index: Int) throws {
    let bytes = Self.seeds[index].bytes
    for length in stride(from: 1, to: bytes.count, by: max(1, bytes.count / 150)) {
      try run(Array(bytes.prefix(length)), isCheap: length % 2 == 0, target: 3000, decodes: false)
    }
  }

  @Test(arguments: HostileInputTests.seeds.indices, [false, true])
  func chunkingChangesNothing(index: Int, isCheap: Bool) throws {
    let bytes = Self.seeds[index].bytes
    var whole = MemoryFeed(bytes, isCheap: isCheap)
    let steps = try whole.all()
    #expect(!steps.packets.isEmpty)
    for chunk in [1, 7, 64] {
      var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
      #expect(try feed.all() == steps)
    }
  }

  @Test func endlessJunkEnds() throws {
    var feed = MemoryFeed(MPEGFixture().constant(frames: 5) + MediaFixtures.junk(3_000_000), chunk: 65_536)
    #expect(try feed.all().packets.count == 5)
    // The rest of the junk is not even read.
    #expect(feed.fed < 1_500_000)
  }
}
