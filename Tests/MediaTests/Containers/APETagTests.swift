import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct APETagTests {
  private let sound = MPEGFixture().constant(frames: 40)

  private func item(_ key: String, _ value: [UInt8], flags: UInt64 = 0) -> [UInt8] {
    MediaFixtures.bytes(UInt64(value.count), 4) + MediaFixtures.bytes(flags, 4) + Array(key.utf8) + [0] + value
  }

  private func item(_ key: String, _ value: String) -> [UInt8] { item(key, Array(value.utf8)) }

  private func tag(_ items: [[UInt8]], version: UInt64 = 2000, hasHeader: Bool = true) -> [UInt8] {
    let body = items.flatMap { $0 }
    func mark(_ flags: UInt64) -> [UInt8] {
      Array("APETAGEX".utf8) + MediaFixtures.bytes(version, 4) + MediaFixtures.bytes(UInt64(body.count + 32), 4)
        + MediaFixtures.bytes(UInt64(items.count), 4) + MediaFixtures.bytes(flags, 4)
        + [UInt8](repeating: 0, count: 8)
    }
    let isNew = version >= 2000 && hasHeader
    return (isNew ? mark(0xA000_0000) : []) + body + mark(isNew ? 0x8000_0000 : 0)
  }

  private func facts(_ bytes: [UInt8], isCheap: Bool = true) throws -> [StreamFacts] {
    var whole: [StreamFacts] = []
    for chunk in [1, 7, 4096] {
      var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
      let facts = try feed.all().facts
      #expect(whole.isEmpty || facts == whole)
      whole = facts
    }
    return whole
  }

  private var items: [[UInt8]] {
    [
      item("Title", "Tïtle"), item("Artist", "one\0two"), item("Year", "1999"), item("MP3GAIN_UNDO", "+1,+1,N"),
      item("REPLAYGAIN_TRACK_GAIN", "-3.5 dB"),
      item("Cover Art (Front)", Array("a.png\0".utf8) + [0x89, 0x50, 0x4E, 0x47, 9], flags: 2),
      item("Link", Array("http://x".utf8), flags: 4),
    ]
  }
  private let expected: [AudioModel.Tag] = [
    Tag("title", "Tïtle"), Tag("artist", "one"), Tag("artist", "two"), Tag("date", "1999"),
  ]

  @Test(arguments: [(2000, true), (2000, false), (1000, false)] as [(UInt64, Bool)], [false, true])
  func atTheEnd(kind: (version: UInt64, hasHeader: Bool), hasID3: Bool) throws {
    let tag = tag(items, version: kind.version, hasHeader: kind.hasHeader)
    let file = sound + tag + (hasID3 ? MediaFixtures.id3v1(title: "Title of th", track: 3) : [])
    let facts = try #require(try facts(file).first)
    #expect(facts.tags == expected + (hasID3 ? [Tag("track", "3")] : []))
    #expect(facts.loudness.trackGain == -3.5)
    let cover = try #require(facts.pictures.first)
    #expect(cover.type == 3 && cover.mime == "image/png" && cover.byteCount == 5)
    #expect(Array(file[Int(cover.position ?? 0)...].prefix(2)) == [0x89, 0x50])
    #expect(facts.duration == MediaDuration(frames: 40 * 1152, isExact: true))
  }

  @Test func behindOtherStreams() throws {
    for sound in [FLACFixture().file(4), StreamFixtures.adts(count: 40)] {
      let facts = try #require(try facts(sound + tag(items) + MediaFixtures.id3v1(title: "short")).last)
      #expect(facts.tag("title") == "Tïtle" && facts.loudness.trackGain == -3.5)
      #expect(facts.duration?.isExact == true)
    }
  }

  @Test func remotelyItIsReadWhenItComes() throws {
    var feed = MemoryFeed(sound + tag(items), chunk: 4096)
    let facts = try feed.all().facts
    #expect(feed.jumps == 0 && facts.first?.tags.isEmpty == true && facts.last?.tags == expected)
  }

  @Test func inFrontOfTheSound() throws {
    let cover = item("Cover Art (Back)", [0x61, 0] + [UInt8](repeating: 1, count: 400_000), flags: 2)
    let file = tag([item("Title", "T"), cover]) + MediaFixtures.id3v2([("TPE1", "A")]) + sound
    for isCheap in [false, true] {
      let facts = try #require(try facts(file, isCheap: isCheap).last)
      #expect(facts.tags == [Tag("title", "T"), Tag("artist", "A")] && facts.pictures.first?.type == 4)
      #expect(facts.duration == MediaDuration(frames: 40 * 1152, isExact: true))
    }
  }

  @Test func itemsThatCanNotBe() throws {
    for broken in [
      MediaFixtures.bytes(0xFFFF_FFFF, 4) + [0, 0, 0, 0] + Array("Album\0x".utf8),
      MediaFixtures.bytes(3, 4) + [0, 0, 0, 0] + [1, 2, 3, 0],
      MediaFixtures.bytes(1, 4) + [0, 0, 0, 0] + [UInt8](repeating: 0x41, count: 300),
    ] {
      let facts = try #require(try facts(sound + tag([item("Title", "T"), broken, item("Artist", "A")])).first)
      #expect(facts.tags == [Tag("title", "T")])
      #expect(facts.duration == MediaDuration(frames: 40 * 1152, isExact: true))
    }
  }

  @Test func otherTagsAtTheEnd() throws {
    let v1 = MediaFixtures.id3v1(title: "Title", track: 3)
    let lyrics = Array("LYRICSBEGININD0000200ETT00005Title".utf8)
    let lyrics2 = lyrics + Array(String(1_000_000 + lyrics.count).dropFirst().utf8) + Array("LYRICS200".utf8)
    let lyrics1 = Array("LYRICSBEGINla la\r\nLYRICSEND".utf8)
    let extended = Array("TAG+".utf8) + [UInt8](repeating: 0x20, count: 223)
    var id3 = MediaFixtures.id3v2([("TALB", "L")], padding: 0)
    id3[5] |= 0x10
    id3 += Array("3DI".utf8) + id3[3..<10]
    let tails: [(bytes: [UInt8], album: String?)] = [
      (lyrics2, nil), (lyrics1, nil), (extended, nil), ([], nil), (tag([item("Album", "L")]) + lyrics2, "L"),
      (id3, "L"),
    ]
    for tail in tails {
      let facts = try #require(try facts(sound + tail.bytes + v1).first)
      #expect(facts.tag("title") == "Title" && facts.tag("track") == "3" && facts.tag("album") == tail.album)
      #expect(facts.duration == MediaDuration(frames: 40 * 1152, isExact: true))
    }
  }
}
