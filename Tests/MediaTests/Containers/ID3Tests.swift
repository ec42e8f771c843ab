import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct ID3Tests {
  private func tags(_ tag: [UInt8], chunk: Int = 1 << 20) throws -> TagSet {
    var feed = MemoryFeed(tag + MPEGFixture().constant(frames: 4), chunk: chunk)
    guard case .found(_, _, let tags) = try feed.probe() else {
      Issue.record("not found")
      return TagSet()
    }
    return tags
  }

  private func frame(_ id: String, _ body: [UInt8], version: UInt8 = 4, flags: UInt8 = 0) throws -> TagSet {
    let frame = MediaFixtures.id3v2Frame(id, body, version: version, flags: flags)
    return try tags(MediaFixtures.id3v2(body: frame, version: version))
  }

  @Test func allEncodings() throws {
    #expect(try frame("TIT2", [0, 0xE4, 0x62]).tags == [Tag("title", "äb")])
    #expect(try frame("TIT2", [1, 0xFF, 0xFE, 0xE4, 0, 0x62, 0, 0, 0]).tags == [Tag("title", "äb")])
    #expect(try frame("TIT2", [1, 0xFE, 0xFF, 0, 0xE4, 0, 0x62]).tags == [Tag("title", "äb")])
    #expect(try frame("TIT2", [1, 0xE4, 0, 0x62, 0]).tags == [Tag("title", "äb")])
    #expect(try frame("TIT2", [2, 0, 0xE4, 0, 0x62]).tags == [Tag("title", "äb")])
    #expect(try frame("TIT2", [3] + Array("äb\0".utf8)).tags == [Tag("title", "äb")])
  }

  @Test func names() throws {
    let texts = [
      ("TIT2", "a"), ("TPE1", "b"), ("TALB", "c"), ("TRCK", "3/9"), ("TDRC", "1999"), ("TCON", "(17)"),
      ("TXXX", "x\0y"),
    ]
    #expect(
      try tags(MediaFixtures.id3v2(texts)).tags == [
        Tag("title", "a"), Tag("artist", "b"), Tag("album", "c"), Tag("track", "3/9"), Tag("date", "1999"),
        Tag("genre", "Rock"), Tag("x", "y"),
      ])
    #expect(try tags(MediaFixtures.id3v2([("TYER", "1999")], version: 3)).tags == [Tag("date", "1999")])
    #expect(try frame("COMM", [3] + Array("eng\0words".utf8)).tags == [Tag("comment", "words")])
    #expect(try frame("COMM", [3] + Array("engiTunNORM\00000".utf8)).tags.isEmpty)
    #expect(try frame("TPE1", [3] + Array("one\0two".utf8)).tags == [Tag("artist", "one"), Tag("artist", "two")])
  }

  @Test func version2() throws {
    let body = Array("TT2".utf8) + [0, 0, 3, 0, 0x68, 0x69] + Array("TP1".utf8) + [0, 0, 2, 0, 0x41]
    #expect(
      try tags(MediaFixtures.id3v2(body: body, version: 2)).tags == [Tag("title", "hi"), Tag("artist", "A")])
  }

  @Test func replayGain() throws {
    let tags = try frame("TXXX", [3] + Array("REPLAYGAIN_TRACK_GAIN\0-6.54 dB".utf8))
    #expect(tags.loudness.trackGain == -6.54 && tags.tags.isEmpty)
    #expect(try frame("TXXX", [3] + Array("replaygain_album_peak\0nan".utf8)).loudness.albumPeak == nil)
  }

  @Test func unsynchronised() throws {
    // Of the whole tag in 2.3, of a frame in 2.4.
    let utf16: [UInt8] = [1, 0xFF, 0, 0xFE, 0x41, 0]
    let frame = MediaFixtures.id3v2Frame("TIT2", utf16, version: 3)
    var whole = frame
    whole[7] = 5  // Sizes are those before unsynchronisation.
    #expect(try tags(MediaFixtures.id3v2(body: whole, version: 3, flags: 0x80)).tags == [Tag("title", "A")])
    #expect(try self.frame("TIT2", utf16, flags: 0x02).tags == [Tag("title", "A")])
  }

  @Test func chaptersAndPictures() throws {
    let title = MediaFixtures.id3v2Frame("TIT2", [3] + Array("Second".utf8))
    let chapter =
      Array("c2\0".utf8) + [0, 0, 0x27, 0x10, 0, 0, 0x4E, 0x20] + [UInt8](repeating: 0xFF, count: 8) + title
    #expect(try frame("CHAP", chapter).chapters == [Chapter(start: 10, end: 20, title: "Second")])
    let picture = [0] + Array("image/jpeg\0".utf8) + [3] + Array("front\0".utf8) + [9, 8, 7]
    #expect(
      try frame("APIC", picture).pictures == [Picture(type: 3, mime: "image/jpeg", position: 39, byteCount: 3)])
  }

  @Test func theSameByAnyChunking() throws {
    let tag = MediaFixtures.id3v2([("TIT2", "a"), ("TPE1", "b")], padding: 500)
    let whole = try tags(tag)
    for chunk in [1, 7] { #expect(try tags(tag, chunk: chunk) == whole) }
  }

  @Test func brokenFramesEndTheTag() throws {
    let good = MediaFixtures.id3v2Frame("TIT2", [3, 0x41])
    let long = Array("TPE1".utf8) + [0, 0, 0x7F, 0x7F, 0, 0, 3, 0x42]
    #expect(try tags(MediaFixtures.id3v2(body: good + long)).tags == [Tag("title", "A")])
    #expect(
      try tags(MediaFixtures.id3v2(body: good + [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])).tags == [Tag("title", "A")])
  }
}
