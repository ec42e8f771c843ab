import AudioModel
import Containers
import MartletTestSupport
import Testing

/// Tags, pictures and chapters of MP4 and QuickTime files.
@Suite struct MP4TagTests {
  private func facts(
    _ userData: [UInt8] = [], more: [UInt8] = [], isCheap: Bool = false
  ) throws -> StreamFacts {
    var movie = MP4Fixture([MP4ParserTests.track()])
    (movie.userData, movie.more) = (userData, more)
    return try #require(try MP4ParserTests.steps(movie.file, isCheap: isCheap).facts.first)
  }

  private func text(_ type: String, _ value: String) -> [UInt8] { MP4Fixture.item(type, Array(value.utf8)) }

  @Test func iTunesItems() throws {
    let items: [[UInt8]] = [
      text("©nam", "Title ✓"), text("©ART", "Artist"), text("aART", "Band"), text("©alb", "Album"),
      text("©day", "2009"),
      text("©gen", "Own genre"), MP4Fixture.item("gnre", kind: 0, [0, 18]), text("©wrt", "Composer"),
      MP4Fixture.item("trkn", kind: 0, [0, 0, 0, 5, 0, 14, 0, 0]),
      MP4Fixture.item("disk", kind: 0, [0, 0, 0, 2, 0, 0]),
      text("©cmt", "Comment"), MP4Fixture.item("tmpo", kind: 21, [0, 120]), MP4Fixture.item("cpil", kind: 21, [1]),
      MP4Fixture.item("©lyr", kind: 2, [0, 0x41, 0x20, 0x42]), text("XXXX", "unknown"),
      MP4Fixture.item(named: "replaygain_track_gain", "-6.50 dB"),
      MP4Fixture.item(named: "REPLAYGAIN_ALBUM_PEAK", "0.98"), MP4Fixture.item(named: "iTunNORM", "0000"),
      MP4Fixture.item(named: "MusicBrainz Track Id", "abc"),
    ]
    let facts = try facts(MP4Fixture.meta(items.flatMap { $0 }))
    let expected = [
      Tag("title", "Title ✓"), Tag("artist", "Artist"), Tag("albumartist", "Band"), Tag("album", "Album"),
      Tag("date", "2009"), Tag("genre", "Own genre"), Tag("genre", "Rock"), Tag("composer", "Composer"),
      Tag("track", "5/14"), Tag("disc", "2"), Tag("comment", "Comment"), Tag("bpm", "120"), Tag("compilation", "1"),
      Tag("lyrics", "A\u{2042}"), Tag("musicbrainz track id", "abc"),
    ]
    #expect(facts.tags == expected)
    #expect(facts.loudness.trackGain == -6.5 && facts.loudness.albumPeak == 0.98)
  }

  @Test func covers() throws {
    let data = { (kind: Int, count: Int) in
      MP4Fixture.box("data", MP4Fixture.big(kind, 4) + MP4Fixture.big(0, 4) + [UInt8](repeating: 0xAB, count: count))
    }
    let facts = try facts(MP4Fixture.meta(MP4Fixture.box("covr", data(13, 500) + data(14, 70))))
    #expect(facts.pictures.map(\.mime) == ["image/jpeg", "image/png"])
    #expect(facts.pictures.map(\.byteCount) == [500, 70])
    #expect(facts.pictures.map(\.type) == [3, 0])
  }

  @Test func quickTime() throws {
    let plain = { (type: String, value: [UInt8]) in
      MP4Fixture.box(type, MP4Fixture.big(value.count, 2) + [0x15, 0xC7] + value)
    }
    let old = try facts(
      plain("©nam", Array("Näme".utf8)) + plain("©ART", [0x41, 0xE9]) + text("©alb", "In a box")
        + MP4Fixture.full("yrrc", [0x07, 0xD9]) + MP4Fixture.full("titl", [0x15, 0xC7] + Array("Mobile\0".utf8))
        + MP4Fixture.full("perf", [0x15, 0xC7, 0xFE, 0xFF, 0, 0x50, 0, 0]))
    #expect(
      old.tags == [
        Tag("title", "Näme"), Tag("artist", "Aé"), Tag("album", "In a box"), Tag("date", "2009"),
        Tag("title", "Mobile"), Tag("artist", "P"),
      ])
    let names = [
      "com.apple.quicktime.title", "com.apple.quicktime.creationdate", "replaygain_track_gain", "com.foreign.x",
    ]
    let listed: [UInt8] = names.flatMap { MP4Fixture.box("mdta", Array($0.utf8)) }
    let keys = MP4Fixture.full("keys", MP4Fixture.big(names.count, 4) + listed)
    var values: [UInt8] = []
    for (index, value) in ["Title", "2020-02-02", "-3 dB", "no"].enumerated() {
      let data = MP4Fixture.box("data", MP4Fixture.big(1, 4) + MP4Fixture.big(0, 4) + Array(value.utf8))
      values += MP4Fixture.big(8 + data.count, 4) + MP4Fixture.big(index + 1, 4) + data
    }
    // QuickTime's box has no version in front.
    let handler = MP4Fixture.full("hdlr", MP4Fixture.big(0, 4) + Array("mdta".utf8) + MP4Fixture.big(0, 13))
    let modern = try facts(more: MP4Fixture.box("meta", handler + keys + MP4Fixture.box("ilst", values)))
    #expect(modern.tags == [Tag("title", "Title"), Tag("date", "2020-02-02")])
    #expect(modern.loudness.trackGain == -3)
  }

  @Test func chaptersOfNero() throws {
    var entries: [UInt8] = []
    for (start, title) in [(0, "One"), (30_000_000, "Zwei ❤️"), (60_000_000, "")] {
      entries += MP4Fixture.big(start, 8) + MP4Fixture.big(title.utf8.count, 1) + Array(title.utf8)
    }
    for (version, count) in [(0, MP4Fixture.big(3, 1)), (1, MP4Fixture.big(3, 5))] {
      let facts = try facts(MP4Fixture.full("chpl", version: version, count + entries))
      #expect(facts.chapters.map(\.title) == ["One", "Zwei ❤️", ""])
      #expect(facts.chapters.map(\.start) == [0, 3, 6])
      #expect(facts.chapters.prefix(2).map(\.end) == [3, 6])
    }
    // More of them than there are.
    let cut = try facts(MP4Fixture.full("chpl", MP4Fixture.big(200, 1) + entries.prefix(15)))
    #expect(cut.chapters.map(\.title) == ["One"])
  }

  private func text(_ title: String, link: String? = nil) -> [UInt8] {
    MP4Fixture.big(title.utf8.count, 2) + Array(title.utf8)
      + (link.map { MP4Fixture.box("href", Array($0.utf8)) } ?? [])
  }

  private func chaptered(isLast: Bool, ofPicture: Bool = false) -> [UInt8] {
    var audio = MP4ParserTests.track(90)
    (audio.id, audio.chapters) = (5, [3, 6])
    var titles = MP4Fixture.Track(entry: MP4Fixture.box("text", MP4Fixture.big(0, 60)))
    (titles.id, titles.handler, titles.timescale, titles.isEnabled, titles.samplesPerChunk) = (
      3, "text", 1000, false, 1
    )
    titles.samples = [text("Front", link: "http://a/"), text("", link: nil), text("Back", link: "b")]
    titles.ticks = [500, 250, 1340]
    var links = titles
    links.id = 6
    links.samples = [text("Link"), text("Link")]
    var movie = MP4Fixture([titles, links, audio])
    if ofPicture {
      var picture = MP4ParserTests.track(5)
      (picture.id, picture.handler, picture.chapters) = (8, "vide", [3])
      movie.tracks[2].chapters = []
      movie.tracks.append(picture)
    }
    movie.isHeaderLast = isLast
    movie.userData = MP4Fixture.full("chpl", MP4Fixture.big(1, 1) + MP4Fixture.big(0, 8) + [4] + Array("Nero".utf8))
    return movie.file
  }

  @Test func chaptersOfATrackOfTexts() throws {
    for isLast in [false, true] {
      let bytes = chaptered(isLast: isLast)
      let whole = try MP4ParserTests.steps(bytes, isCheap: true)
      #expect(whole.facts.count == 1 && whole.packets.count == 90)
      let chapters = try #require(whole.facts.first).chapters
      #expect(chapters.map(\.title) == ["Front", "", "Back"])
      #expect(chapters.map(\.start) == [0, 0.5, 0.75])
      #expect(chapters.map(\.end) == [0.5, 0.75, 2.09])
      #expect(try MP4ParserTests.steps(bytes, chunk: 3, isCheap: true) == whole)
      // Between the chunks of sound they would be a detour: Nero's list does.
      #expect(try MP4ParserTests.steps(bytes).facts.first?.chapters.map(\.title) == ["Nero"])
    }
  }

  @Test func chaptersThatThePicturePointsTo() throws {
    let steps = try MP4ParserTests.steps(chaptered(isLast: false, ofPicture: true), isCheap: true)
    #expect(steps.facts.first?.chapters.map(\.title) == ["Front", "", "Back"])
  }

  @Test func chaptersOnTheWayToTheSound() throws {
    // All of them in front of the sound: they cost no detour, over a network either.
    var audio = MP4ParserTests.track(9)
    (audio.id, audio.chapters) = (5, [3])
    var titles = MP4Fixture.Track(entry: MP4Fixture.box("text", MP4Fixture.big(0, 60)))
    (titles.id, titles.handler, titles.timescale, titles.ticks) = (3, "text", 1000, [100])
    titles.samples = [text("One"), text("Two")]
    let bytes = MP4Fixture([titles, audio]).file
    let whole = try MP4ParserTests.steps(bytes)
    #expect(whole.facts.map { $0.chapters.map(\.title) } == [["One", "Two"]])
    #expect(try MP4ParserTests.steps(bytes, chunk: 1) == whole)
  }

  @Test func tagsInFrontOfTheFileAreKept() throws {
    let tag = MediaFixtures.id3v2([("TIT2", "Front"), ("TCOM", "Someone")])
    var movie = MP4Fixture([MP4ParserTests.track()])
    movie.userData = MP4Fixture.meta(text("©nam", "Inside"))
    let bytes = tag + movie.file
    var feed = MemoryFeed(bytes)
    let steps = try feed.all()
    #expect(steps.facts.first?.tags == [Tag("title", "Inside"), Tag("composer", "Someone")])
    // Positions count from where the container begins.
    let first = try #require(steps.packets.first)
    #expect(Array(bytes[Int(first.position)..<Int(first.position) + 9]) == MP4ParserTests.samples(1)[0])
  }
}
