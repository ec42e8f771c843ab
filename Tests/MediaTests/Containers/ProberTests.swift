import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct ProberTests {
  private func name(_ bytes: [UInt8], extension name: String = "") throws -> String {
    var feed = MemoryFeed(bytes)
    return switch try feed.probe(extension: name) {
    case .found(let registration, let start, _): "\(registration.name)@\(start)"
    case .foreign(let name, let start): "foreign \(name)@\(start)"
    case .unknown(let start): "unknown@\(start)"
    case .need: "need"
    }
  }

  private let mp3 = MPEGFixture().constant(frames: 5)
  private let wav = MediaFixtures.WAV().file([UInt8](repeating: 0, count: 40))

  @Test(arguments: [16, 31, 32, 33, 40, 70_000]) func runsOfNULsArePassedByInAnyPieces(count: Int) throws {
    let tag = MediaFixtures.id3v2([("TIT2", "T")])
    let bytes = tag + [UInt8](repeating: 0, count: count) + tag + [0, 0] + mp3
    for chunk in [1, 4, 7, 1 << 20] {
      var feed = MemoryFeed(bytes, chunk: chunk)
      guard case .found(_, let start, _) = try feed.probe() else {
        Issue.record("nothing found")
        continue
      }
      // Two NULs are no run; they stay in front of the sound.
      #expect(Int(start) == 2 * tag.count + count)
    }
  }

  @Test func contentDecides() throws {
    #expect(try name(mp3) == "mp3@0")
    #expect(try name(wav) == "wav@0")
    #expect(try name(wav, extension: "mp3") == "wav@0")
    #expect(try name(mp3, extension: "wav") == "mp3@0")
  }

  @Test func tagsAndZerosInFrontArePassedBy() throws {
    let tag = MediaFixtures.id3v2([("TIT2", "a")], padding: 1000)
    let big = MediaFixtures.id3v2(body: [UInt8](repeating: 0x55, count: 700_000))
    #expect(try name(tag + mp3) == "mp3@\(tag.count)")
    #expect(try name(tag + big + tag + mp3) == "mp3@\(2 * tag.count + big.count)")
    #expect(try name(tag + wav) == "wav@\(tag.count)")
    #expect(try name(tag + [UInt8](repeating: 0, count: 500) + mp3) == "mp3@\(tag.count + 500)")
    #expect(try name(tag + Array("fLaC".utf8) + wav) == "flac@\(tag.count)")
  }

  @Test func aBigTagIsNotReadWhole() throws {
    var bytes = MediaFixtures.id3v2(
      body: MediaFixtures.id3v2Frame("TIT2", [3] + Array("title".utf8))
        + MediaFixtures.id3v2Frame(
          "APIC", [0] + Array("image/png".utf8) + [0, 3, 0] + [UInt8](repeating: 0x55, count: 3_000_000)))
    bytes += mp3
    var feed = MemoryFeed(bytes, chunk: 4096)
    guard case .found(let found, _, let tags) = try feed.probe() else {
      Issue.record("not found")
      return
    }
    #expect(found.name == "mp3")
    #expect(tags.tags == [Tag("title", "title")])
    #expect(tags.pictures == [Picture(type: 3, mime: "image/png", position: 49, byteCount: 3_000_000)])
    #expect(feed.fed < 20_000)
  }

  @Test func mp3BehindJunkIsFoundUpToTheLimit() throws {
    #expect(try name(MediaFixtures.junk(100_000) + mp3) == "mp3@0")
    #expect(try name(MediaFixtures.junk(200_000) + mp3) == "unknown@0")
  }

  @Test(arguments: [
    ("wvpk", 0, "wavpack"), ("MAC ", 0, "ape"), ("DSD ", 0, "dsf"), (".snd", 0, "au"),
  ])
  func foreignFormats(magic: String, offset: Int, expected: String) throws {
    let bytes = MediaFixtures.junk(offset, seed: 9) + Array(magic.utf8) + MediaFixtures.junk(3000)
    #expect(try name(bytes) == "foreign \(expected)@0")
  }

  @Test func framesAndMagicsOfOurs() throws {
    let frames = [UInt8](StreamFixtures.adts(count: 3))
    #expect(try name(frames) == "adts@0")
    #expect(try name(MediaFixtures.junk(5000) + frames) == "adts@0")
    #expect(try name(StreamFixtures.ac3(count: 3)) == "ac3@0")
    let latm: [UInt8] = [0x56, 0xE0, 0x06, 0x81, 0x00, 0x80, 0x80, 0x80, 0x80]
    #expect(try name(latm + latm + latm + latm) == "latm@0")
    #expect(try name(Array("FORM".utf8) + [0, 0, 1, 0] + Array("AIFC".utf8) + MediaFixtures.junk(400)) == "aiff@0")
    #expect(
      try name(Array("FORM".utf8) + [0, 0, 1, 0] + Array("8SVX".utf8) + MediaFixtures.junk(400)) == "unknown@0")
    #expect(try name(Array("caff".utf8) + [0, 1, 0, 0] + MediaFixtures.junk(400)) == "caf@0")
    #expect(try name(Array("#!AMR\n".utf8) + MediaFixtures.junk(400)) == "amr@0")
    #expect(try name(Array("ADIF".utf8) + MediaFixtures.junk(400)) == "adif@0")
  }

  @Test func foreignFormatsOfOtherShape() throws {
    #expect(try name([0x1A, 0x45, 0xDF, 0xA3] + MediaFixtures.junk(400)) == "foreign matroska@0")
    var transport = MediaFixtures.junk(188 * 6)
    for packet in 0..<6 { transport[188 * packet] = 0x47 }
    #expect(try name(transport) == "foreign mpegts@0")
  }

  @Test(arguments: [
    ("<!DOCTYPE html><html><body>404</body></html>", "This is an HTML page, not audio"),
    ("Just some words, and no sound at all.\n", "This is a text file, not audio"),
    ("#EXTM3U\nfile.mp3\n", "This is a playlist, not audio"),
    ("<?xml version=\"1.0\"?><playlist><trackList/></playlist>", "This is a playlist, not audio"),
    ("REM x\r\nFILE \"a.wav\" WAVE\r\n  TRACK 01 AUDIO\r\n", "This is a playlist, not audio"),
    ("{\"error\": \"not found\"}", "This is a JSON document, not audio"),
    ("\u{7F}ELF\u{2}\u{1}\u{1}\u{0}\u{0}\u{0}", "This is a program, not audio"),
    ("PK\u{3}\u{4}\u{14}\u{0}\u{0}\u{0}", "This is a ZIP archive, not audio"),
    ("GIF89a\u{1}\u{0}\u{1}\u{0}", "This is a GIF picture, not audio"),
    ("%PDF-1.7\n%\u{1}\u{2}", "This is a PDF document, not audio"),
  ])
  func whatIsNoSoundIsRefusedByName(text: String, message: String) throws {
    #expect(throws: AudioError(.unrecognized, message)) { try name(Array(text.utf8), extension: "mp3") }
  }

  @Test func nothingAndTagsOnly() throws {
    #expect(throws: AudioError(.empty, "The input is empty")) { try name([]) }
    let tag = MediaFixtures.id3v2([("TIT2", "a")])
    #expect(throws: AudioError(.noAudio, "The file holds tags but no sound")) { try name(tag) }
    #expect(throws: AudioError(.noAudio, "The file holds nothing but zeros")) {
      try name([UInt8](repeating: 0, count: 99))
    }
    // A tag that says to be longer than the file.
    #expect(throws: AudioError(.noAudio, "The file holds tags but no sound")) { try name(Array(tag.prefix(15))) }
    #expect(try name(MediaFixtures.junk(5000)) == "unknown@0")
  }
}
