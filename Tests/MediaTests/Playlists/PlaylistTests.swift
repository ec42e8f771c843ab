import AudioModel
import Playlists
import Testing

@Suite struct PlaylistTests {
  private func read(_ text: String, _ format: PlaylistFormat? = nil) throws -> Playlist {
    try Playlist(parsing: Array(text.utf8), as: format, base: .file(path: "/m/list"))
  }

  /// Entries as one text each: location, artist, title, album, duration, start and end, as far as they are known.
  private func lines(_ list: Playlist) -> [String] {
    list.entries.map { entry in
      let texts = [entry.target.location ?? "!\(entry.reference)", entry.artist, entry.title, entry.album]
      let times = [entry.duration, entry.start, entry.end].map { $0.map { "\(($0 * 1000).rounded() / 1000)" } ?? "" }
      return (texts.map { $0 ?? "" } + times).joined(separator: "|")
    }
  }

  // MARK: M3U

  @Test func plainLines() throws {
    let list = try read("# a comment\rabc.mp3\r\r\n  def.mp3  ", .m3u)
    #expect(lines(list) == ["/m/abc.mp3||||||", "/m/def.mp3||||||"])
    #expect(list.title == nil && !list.isLive && list.duration == nil && list.hls == nil)
  }

  @Test func extendedLines() throws {
    let list = try read(
      """
      \u{FEFF}#EXTM3U
      #PLAYLIST: My list
      \t#EXTINF:203,gravity
      a.mp3
      #extinf:-1 tvg-id="x" group-title="a,b",Radio, live
      http://example.org/
      b.mp3
      #EXTALB:Album
      #EXTART:Artist
      #EXTINF:12.5,
      c.mp3
      #EXTINF:0,unknown "quote, and comma
      #EXTVLCOPT:start-time=10
      #EXTVLCOPT:stop-time=20.5
      d.mp3
      #EXTINF
      """)
    #expect(list.format == .m3u)
    #expect(list.title == "My list")
    #expect(
      lines(list) == [
        "/m/a.mp3||gravity||203.0||", "http://example.org/||Radio, live||||", "/m/b.mp3||||||",
        "/m/c.mp3|Artist||Album|12.5||", "/m/d.mp3||unknown \"quote, and comma|Album||10.0|20.5",
      ])
  }

  @Test func codings() throws {
    func title(_ bytes: [UInt8]) throws -> String? {
      try Playlist(parsing: bytes, base: .file(path: "")).entries.first?.title
    }
    let text = "#EXTM3U\n#EXTINF:1,\u{E6}\u{F8} \u{100}\u{266A}\na.mp3\n"
    let units = Array(text.utf16)
    let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    let little = units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let expected = "\u{E6}\u{F8} \u{100}\u{266A}"
    #expect(try title(Array(text.utf8)) == expected)
    #expect(try title([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == expected)
    #expect(try title([0xFE, 0xFF] + big) == expected)
    #expect(try title([0xFF, 0xFE] + little) == expected)
    #expect(try title(big) == expected)
    #expect(try title(little) == expected)
    let latin = Array("#EXTM3U\n#EXTINF:1,".utf8) + [0xE6, 0xF8, 0x80, 0x0A] + Array("a.mp3".utf8)
    #expect(try title(latin) == "\u{E6}\u{F8}\u{20AC}")
  }

  @Test func controlCharactersStayData() throws {
    let list = try read("#EXTM3U\n#EXTINF:1,\u{1B}[2Ja\u{0}b\na.mp3\n")
    #expect(list.entries.map(\.title) == ["\u{1B}[2Ja\u{0}b"])
  }

  // MARK: PLS

  @Test func numberedEntries() throws {
    let list = try read(
      """
      ; a comment
      [Playlist]
      NumberOfEntries=99
      FILE10 = ten.mp3
      title2=Two = 2
      file2=two.mp3
      Length2=-1
      Length10=12
      Title7=no file
      File99999999999999999999=x
      File=y
      X-GNOME-Title=The list
      Version=2
      [other]
      File1=not ours.mp3
      """, .pls)
    #expect(lines(list) == ["/m/two.mp3||Two = 2||||", "/m/ten.mp3||||12.0||"])
    #expect(list.title == "The list")
  }

  @Test func windowsMediaReferences() throws {
    let list = try read("[Reference]\r\nRef1=http://h/a?x=.asf\r\nRef2=http://h/b\r\n")
    #expect(list.format == .pls)
    #expect(lines(list) == ["http://h/a?x=.asf||||||", "http://h/b||||||"])
  }

  // MARK: XSPF

  @Test func sharableLists() throws {
    let list = try read(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE playlist [<!ENTITY big "aaaa"> <!ENTITY a ">">]>
      <x:playlist version="1" xmlns:x="http://xspf.org/ns/0/"><x:title> List &amp; co </x:title>
      <x:trackList>
        <x:track><x:location>a%20b.mp3</x:location><x:title>A&#x26;&#66;&big;<![CDATA[<&amp;>]]></x:title>
          <x:creator>C</x:creator><x:album>D</x:album><x:duration>61500</x:duration>
          <x:extension><x:title>not this</x:title><x:location>nor.mp3</x:location></x:extension></x:track>
        <x:track><x:title>nowhere</x:title></x:track>
        <x:track><x:location>rtsp://h/a</x:location><x:location>http://h/a</x:location><x:location>b</x:location></x:track>
        <x:track><x:location>rtsp://h/b</x:location></x:track>
      </x:trackList></x:playlist>
      """)
    #expect(list.format == .xspf)
    #expect(list.title == "List & co")
    #expect(
      lines(list) == ["/m/a b.mp3|C|A&B&big;<&amp;>|D|61.5||", "http://h/a||||||", "!rtsp://h/b||||||"])
  }

  @Test func aBaseInXML() throws {
    let list = try read(
      """
      <playlist xml:base="http://h/x/"><trackList><track><location>a?b&amp;c</location></track><track>
      <location>file:///etc/passwd</location></track></trackList>
      """)
    #expect(lines(list) == ["http://h/x/a?b&c||||||", "!file:///etc/passwd||||||"])
  }

  // MARK: ASX

  @Test func metafilesAsTheyAre() throws {
    let list = try read(
      """
      <ASX VERSION=3.0>
      <Title>The &quot;station&quot;</TITLE>
      <BASE HREF="http://h/x/">
      <repeat>
      <Entry>
        <Title>One & two</title><Author>A</author>
        <StartTime Value="1:30"/><Duration VALUE="0:01:02.5">
        <REF href=mms://h/one>
        <ref HREF="one?a=1&b=2&amp;c"></ref>
        <ref href="three">
      </ENTRY>
      <entry><ref href='/two'><title>Never closed
      <entryref href="list.asx"/>
      <entry></entry>
      """)
    #expect(list.format == .asx)
    #expect(list.title == "The \"station\"")
    #expect(
      lines(list) == [
        "http://h/x/one?a=1&b=2&c|A|One & two||62.5|90.0|", "http://h/two||Never closed||||",
        "http://h/x/list.asx||||||",
      ])
  }

  @Test func anEmptyMetafileIsAnEmptyList() throws {
    #expect(try read("<asx version=\"3.0\">\n\n\t\n</asx>\n") == Playlist(format: .asx))
  }

  // MARK: Cue sheets

  @Test func tracksOfSeveralFiles() throws {
    let list = try read(
      """
      REM GENRE Pop\r
      PERFORMER "Band"\r
      TITLE "Album"\r
      FILE "disc one.wav" WAVE\r
        TRACK 01 AUDIO\r
          TITLE "One "and" a half"\r
          INDEX 01 00:01:00\r
        TRACK 02 AUDIO\r
          TITLE "Broken: begins nowhere"\r
        TRACK 03 AUDIO\r
          PERFORMER "Guest"\r
          PREGAP 00:02:00\r
          INDEX 00 05:00:00\r
          INDEX 01 05:03:68\r
          INDEX 02 06:00:00\r
        TRACK 04 MODE1/2352\r
          INDEX 01 100:00:00\r
      FILE files/disc two.mp3 MP3\r
      TITLE "Album two"\r
        TRACK 05 AUDIO\r
          INDEX 01 00:00:12\r
        TRACK 06 AUDIO\r
          INDEX 00 04:00:13
      """)
    #expect(list.format == .cue)
    #expect(list.title == "Album")
    #expect(
      lines(list) == [
        "/m/disc one.wav|Band|One \"and\" a half|Album|302.907|1.0|303.907",
        "/m/disc one.wav|Guest||Album|5696.093|303.907|6000.0",
        "/m/files/disc two.mp3|Band||Album two|240.013|0.16|240.173",
        "/m/files/disc two.mp3|Band||Album two||240.173|",
      ])
  }

  @Test func aTrackWhoseGapEndsTheFileBefore() throws {
    let list = try read(
      """
      FILE "1.wav" WAVE
      TRACK 01 AUDIO
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      TITLE "Two"
      INDEX 00 03:00:00
      FILE "2.wav" WAVE
      INDEX 01 00:00:00
      """)
    #expect(lines(list) == ["/m/1.wav|||||0.0|", "/m/2.wav||Two|||0.0|"])
  }

  @Test func timesThatAreNone() throws {
    for time in ["00:60:00", "00:00:75", "1:2", "-1:00:00", "a:b:c", "9999999:00:00", "::", "00:00:00:00"] {
      #expect(try read("FILE a WAVE\nTRACK 1 AUDIO\nINDEX 01 \(time)\n", .cue).entries.isEmpty)
    }
    // Backwards: no end is better than one before the start.
    let list = try read("FILE a\nTRACK 1 AUDIO\nINDEX 01 02:00:00\nTRACK 2 AUDIO\nINDEX 01 01:00:00\n")
    #expect(lines(list) == ["/m/a|||||120.0|", "/m/a|||||60.0|"])
  }

  // MARK: Limits

  @Test func limits() throws {
    let long = [UInt8](repeating: 0x61, count: Playlist.byteLimit + 1)
    #expect(throws: AudioError(.limitReached, "The playlist is longer than 8 MiB")) {
      try Playlist(parsing: long, as: .m3u, base: .elsewhere)
    }
    let many = Array(String(repeating: "a\n", count: Playlist.entryLimit).utf8)
    #expect(try Playlist(parsing: many, as: .m3u, base: .elsewhere).entries.count == Playlist.entryLimit)
    #expect(throws: AudioError(.limitReached, "The playlist has more than 100000 entries")) {
      try Playlist(parsing: many + [0x61], as: .m3u, base: .elsewhere)
    }
    let line = String(repeating: "x", count: Playlist.lineLimit)
    #expect(try read("\(line)\n\(line)y\nz", .m3u).entries.map(\.reference) == [line, "z"])
    #expect(throws: AudioError(.unrecognized, "This is no playlist that is known here")) { try read("words\n") }
  }
}
