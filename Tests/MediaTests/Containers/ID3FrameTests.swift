import AudioModel
import Containers
import MartletTestSupport
import Testing

/// What frames of ID3v2 look like in files: compressed, with sizes of the wrong kind, chapters, gains, dates.
@Suite struct ID3FrameTests {
  /// Reads a tag in pieces of several sizes, which must change nothing.
  private func tags(_ tag: [UInt8], fed: Int = .max) throws -> TagSet {
    var sets: [TagSet] = []
    for chunk in [1, 7, 4096] {
      var feed = MemoryFeed(tag + MPEGFixture().constant(frames: 4), chunk: chunk)
      guard case .found(_, _, let tags) = try feed.probe() else {
        Issue.record("not found")
        return TagSet()
      }
      #expect(feed.fed < fed)
      sets.append(tags)
    }
    #expect(sets.allSatisfy { $0 == sets[0] })
    return sets[0]
  }

  private func tags(frames: [UInt8], version: UInt8 = 4, flags: UInt8 = 0) throws -> TagSet {
    try tags(MediaFixtures.id3v2(body: frames, version: version, flags: flags))
  }

  private func text(_ id: String, _ text: String, version: UInt8 = 4) -> [UInt8] {
    MediaFixtures.id3v2Frame(id, [version == 4 ? 3 : 0] + Array(text.utf8), version: version)
  }

  /// As zlib stores what it can't compress.
  private func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var (low, high) = (1, 0)
    for byte in bytes {
      low = (low + Int(byte)) % 65_521
      high = (high + low) % 65_521
    }
    let size = UInt64(bytes.count)
    return [0x78, 1, 1] + MediaFixtures.bytes(size, 2) + MediaFixtures.bytes(~size, 2) + bytes
      + MediaFixtures.bytes(UInt64(high << 16 | low), 4, bigEndian: true)
  }

  // MARK: Frames

  @Test func compressed() throws {
    let plain: [UInt8] = [0] + Array("packed".utf8)
    let length: [UInt8] = [0, 0, 0, UInt8(plain.count)]
    let old = MediaFixtures.id3v2Frame("TIT2", length + zlib(plain), version: 3, flags: 0x80)
    #expect(try tags(frames: old, version: 3).tags == [Tag("title", "packed")])
    let new = MediaFixtures.id3v2Frame("TIT2", length + zlib(plain), flags: 0x09)
    #expect(try tags(frames: new).tags == [Tag("title", "packed")])
    // The length is there, and the flag that says so is not.
    let sloppy = MediaFixtures.id3v2Frame("TIT2", length + zlib(plain), flags: 0x08)
    #expect(try tags(frames: sloppy).tags == [Tag("title", "packed")])
    let broken = MediaFixtures.id3v2Frame("TIT2", length + [1, 2, 3, 4], flags: 0x09)
    #expect(try tags(frames: broken + text("TPE1", "next")).tags == [Tag("artist", "next")])
  }

  @Test func compressedPicturesAndChapters() throws {
    let picture = [0] + Array("image/png\0".utf8) + [3, 0] + [UInt8](repeating: 7, count: 50)
    let packed = MediaFixtures.id3v2Frame("APIC", [0, 0, 0, 62] + zlib(picture), version: 3, flags: 0x80)
    #expect(
      try tags(frames: packed, version: 3).pictures == [
        Picture(type: 3, mime: "image/png", position: nil, byteCount: 50)
      ])
    let chapter = Array("c\0".utf8) + [UInt8](repeating: 0, count: 16) + text("TIT2", "One")
    let frame = MediaFixtures.id3v2Frame("CHAP", [0, 0, 0, UInt8(chapter.count)] + zlib(chapter), flags: 0x09)
    #expect(try tags(frames: frame).chapters == [Chapter(start: 0, end: nil, title: "One")])
  }

  @Test func encryptedAndGrouped() throws {
    let secret = MediaFixtures.id3v2Frame("TIT2", [1, 2, 3, 4], flags: 0x04)
    let grouped = MediaFixtures.id3v2Frame("TPE1", [0x47, 3, 0x41], flags: 0x40)
    #expect(try tags(frames: secret + grouped).tags == [Tag("artist", "A")])
    let old = MediaFixtures.id3v2Frame("TPE1", [0x47, 0, 0x41], version: 3, flags: 0x20)
    #expect(try tags(frames: old, version: 3).tags == [Tag("artist", "A")])
  }

  /// A frame of 2.4 whose size is a plain number.
  private func plain(_ id: String, _ body: [UInt8]) -> [UInt8] {
    Array(id.utf8) + MediaFixtures.bytes(UInt64(body.count), 4, bigEndian: true) + [0, 0] + body
  }

  @Test(arguments: [100, 127, 128, 200, 256, 300, 640, 20_000])
  func sizesOfTheWrongKind(size: Int) throws {
    let long = String(repeating: "x", count: size - 1)
    let body = [3] + Array(long.utf8)
    let expected = [Tag("comment", long), Tag("title", "T")]
    let comment = [3] + Array("eng\0".utf8) + Array(long.utf8)
    #expect(body.count == size)
    #expect(try tags(frames: plain("COMM", comment) + plain("TIT2", [3, 0x54])).tags == expected)
    let right = MediaFixtures.id3v2Frame("COMM", comment) + text("TIT2", "T")
    #expect(try tags(frames: right).tags == expected)
    // With padding behind, and as the last frame.
    #expect(try tags(frames: plain("COMM", comment) + [UInt8](repeating: 0, count: 30)).tags == [expected[0]])
    #expect(try tags(frames: plain("COMM", comment)).tags == [expected[0]])
  }

  @Test func picturesWithSizesOfTheWrongKind() throws {
    let data = [UInt8](repeating: 0x55, count: 300_000)
    let body = [0] + Array("image/jpeg\0".utf8) + [3, 0] + data
    let picture = Picture(type: 3, mime: "image/jpeg", position: 10 + 10 + 14, byteCount: data.count)
    for frame in [plain("APIC", body), MediaFixtures.id3v2Frame("APIC", body)] {
      let set = try tags(frames: frame + text("TIT2", "T"))
      #expect(set.pictures == [picture])
      #expect(set.tags == [Tag("title", "T")])
    }
  }

  @Test func largeFramesOfTheWrongKindLengthenNoPicture() throws {
    let picture = [0] + Array("image/jpeg\0".utf8) + [3, 0] + [UInt8](repeating: 0x55, count: 50)
    let frames = MediaFixtures.id3v2Frame("APIC", picture) + plain("PRIV", [UInt8](repeating: 0x55, count: 300_000))
    let set = try tags(frames: frames + text("TIT2", "T"))
    #expect(set.pictures.first?.byteCount == 50 && set.tags == [Tag("title", "T")])
  }

  @Test func picturesAndLyricsAreNotRead() throws {
    let picture = [0] + Array("image/jpeg\0".utf8) + [3, 0] + [UInt8](repeating: 0x55, count: 3_000_000)
    let lyrics = [3] + Array("eng\0".utf8) + [UInt8](repeating: 0x61, count: 50_000)
    let body = MediaFixtures.id3v2Frame("APIC", picture) + MediaFixtures.id3v2Frame("USLT", lyrics)
    let set = try tags(MediaFixtures.id3v2(body: body + text("TIT2", "T")), fed: 40_000)
    #expect(set.tags == [Tag("title", "T")] && set.pictures.first?.byteCount == 3_000_000)
  }

  @Test func version2() throws {
    let picture = [0] + Array("PNG".utf8) + [3, 0x61, 0] + [1, 2, 3]
    let body = Array("PIC".utf8) + [0, 0, UInt8(picture.count)] + picture + Array("TCO".utf8) + [0, 0, 5]
    let set = try tags(frames: body + [0] + Array("(17)".utf8), version: 2)
    #expect(set.pictures == [Picture(type: 3, mime: "image/png", position: 10 + 6 + 7, byteCount: 3)])
    #expect(set.tags == [Tag("genre", "Rock")])
    // Its names in a later version.
    let moved = Array("TT2\0".utf8) + [0, 0, 0, 3, 0, 0] + [0] + Array("hi".utf8)
    #expect(try tags(frames: moved, version: 3).tags == [Tag("title", "hi")])
    // A compression that nobody defined.
    #expect(try tags(frames: body, version: 2, flags: 0x40).isEmpty)
  }

  @Test func extendedHeaders() throws {
    let old = [0, 0, 0, 6, 0, 0, 0, 0, 0, 0] + text("TIT2", "T", version: 3)
    #expect(try tags(frames: old, version: 3, flags: 0x40).tags == [Tag("title", "T")])
    let new = [0, 0, 0, 6, 1, 0] + text("TIT2", "T")
    #expect(try tags(frames: new, flags: 0x40).tags == [Tag("title", "T")])
    // The flag alone.
    #expect(try tags(frames: text("TIT2", "T"), flags: 0x40).tags == [Tag("title", "T")])
  }

  @Test func unsynchronisedTagsWithPictures() throws {
    // FF D8 FF E0 is stored with a NUL behind each FF; sizes are those before.
    let picture = [0] + Array("image/jpeg\0".utf8) + [3, 0] + [0xFF, 0xD8, 0xFF, 0xE0, 0xFF]
    var stored = MediaFixtures.id3v2Frame("APIC", picture, version: 3) + text("TIT2", "T", version: 3)
    for index in stored.indices.reversed() where stored[index] == 0xFF { stored.insert(0, at: index + 1) }
    let set = try tags(frames: stored, version: 3, flags: 0x80)
    #expect(set.tags == [Tag("title", "T")])
    #expect(set.pictures == [Picture(type: 3, mime: "image/jpeg", position: nil, byteCount: 5)])
  }

  // MARK: Texts

  @Test func utf16WithoutMark() throws {
    let big: [UInt8] = [1, 0, 0x41, 0, 0x62]
    #expect(try tags(frames: MediaFixtures.id3v2Frame("TIT2", big)).tags == [Tag("title", "Ab")])
    // Two values with a mark each, of both kinds, and one without.
    let several: [UInt8] = [1, 0xFE, 0xFF, 0, 0x41, 0, 0, 0xFF, 0xFE, 0x42, 0, 0, 0, 0x43, 0]
    #expect(
      try tags(frames: MediaFixtures.id3v2Frame("TPE1", several)).tags.map(\.value) == ["A", "B", "C"])
  }

  @Test(arguments: [
    ("17", ["Rock"]), ("(17)", ["Rock"]), ("(17)(18)", ["Rock", "Techno"]), ("(17)Roots", ["Roots"]),
    ("17\0Dub Techno", ["Rock", "Dub Techno"]), ("(RX)", ["Remix"]), ("((live)", ["(live)"]), ("(live)", ["(live)"]),
    ("191", ["Psybient"]), ("255", ["255"]), ("Gorpcore", ["Gorpcore"]),
  ])
  func genres(text: String, expected: [String]) throws {
    #expect(try tags(frames: self.text("TCON", text)).tags.map(\.value) == expected)
  }

  @Test func dates() throws {
    func date(_ frames: [(String, String)]) throws -> [AudioModel.Tag] {
      try tags(frames: frames.flatMap { text($0.0, $0.1, version: 3) }, version: 3).tags
    }
    #expect(try date([("TYER", "2009"), ("TDAT", "1603")]) == [Tag("date", "2009-03-16")])
    #expect(try date([("TIME", "1758"), ("TDAT", "1603"), ("TYER", "2009")]) == [Tag("date", "2009-03-16T17:58")])
    #expect(try date([("TYER", "2009"), ("TDAT", "junk")]) == [Tag("date", "2009")])
    #expect(try date([("TDAT", "1603")]).isEmpty)
    #expect(try date([("TYER", "2009"), ("TDRC", "2010-02")]) == [Tag("date", "2010-02")])
  }

  @Test func textsOfUsers() throws {
    let frames = text("TXXX", "MusicBrainz Album Id\u{0}abc") + text("TXXX", "iTunEs\u{0}x") + text("TXXX", "\u{0}y")
    #expect(try tags(frames: frames).tags == [Tag("musicbrainz album id", "abc")])
  }

  @Test func relativeVolume() throws {
    // −6.5 dB and a peak of 16 bits, then a channel that is not the master volume.
    let track = Array("track\0".utf8) + [1, 0xF3, 0, 16, 0x40, 0] + [2, 1, 2, 0]
    let album = Array("Album\0".utf8) + [1, 0x02, 0, 0]
    let frames = MediaFixtures.id3v2Frame("RVA2", track) + MediaFixtures.id3v2Frame("RVA2", album)
    let loudness = try tags(frames: frames).loudness
    #expect(loudness.trackGain == -6.5 && loudness.trackPeak == 0.5)
    #expect(loudness.albumGain == 1 && loudness.albumPeak == nil)
    // A text is more precise.
    let both = try tags(frames: frames + text("TXXX", "replaygain_track_gain\u{0}-6.54 dB")).loudness
    #expect(both.trackGain == -6.54 && both.albumGain == 1)
    let cut = MediaFixtures.id3v2Frame("RVA2", Array("track\0".utf8) + [1, 0xF3, 0, 255, 1])
    #expect(try tags(frames: cut).loudness == LoudnessTags())
  }

  // MARK: Chapters

  private func chapter(_ id: String, _ start: Int, _ inside: [UInt8]) -> [UInt8] {
    let times = MediaFixtures.bytes(UInt64(start), 4, bigEndian: true) + [0, 0, 0, 0]
    return MediaFixtures.id3v2Frame(
      "CHAP", Array(id.utf8) + [0] + times + [UInt8](repeating: 0xFF, count: 8) + inside)
  }

  private func contents(_ ids: [String]) -> [UInt8] {
    MediaFixtures.id3v2Frame(
      "CTOC", Array("toc\0".utf8) + [3, UInt8(ids.count)] + ids.flatMap { Array($0.utf8) + [0] })
  }

  @Test func tablesOfContentsHideChapters() throws {
    let chapters =
      chapter("b", 2000, text("TIT2", "B")) + chapter("hidden", 1000, text("TIT2", "H"))
      + chapter("a", 0, text("TIT2", "A"))
    #expect(try tags(frames: contents(["a", "b"]) + chapters).chapters.map(\.title) == ["A", "B"])
    #expect(try tags(frames: chapters + contents(["b", "a"])).chapters.map(\.title) == ["A", "B"])
    // A table that lists what is not there hides nothing, and neither does none.
    #expect(try tags(frames: chapters + contents(["x"])).chapters.map(\.title) == ["A", "H", "B"])
    #expect(try tags(frames: chapters).chapters.map(\.title) == ["A", "H", "B"])
  }

  @Test func picturesOfChaptersArePassedBy() throws {
    let picture = MediaFixtures.id3v2Frame(
      "APIC", [0] + Array("image/jpeg\0".utf8) + [0, 0] + [UInt8](repeating: 0x55, count: 200_000))
    let frames = chapter("a", 0, picture + text("TIT2", "A")) + chapter("b", 5000, []) + text("TIT2", "Whole")
    let set = try tags(MediaFixtures.id3v2(body: frames), fed: 30_000)
    #expect(set.chapters == [Chapter(start: 0, end: nil, title: "A"), Chapter(start: 5, end: nil, title: "")])
    #expect(set.tags == [Tag("title", "Whole")] && set.pictures.isEmpty)
  }
}
