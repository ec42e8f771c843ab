import AudioModel
import ByteSource
import Media
import Playlists
import Testing

@Suite struct PlaylistTargetTests {
  /// The location that a line of an M3U, or an HLS playlist, means; `nil` if refused.
  private func location(_ text: String, _ base: PlaylistBase, _ format: PlaylistFormat = .m3u) throws -> String? {
    let list = try Playlist(parsing: Array(text.utf8), as: format, base: base)
    try #require(list.entries.count == 1)
    return list.entries[0].target.location
  }

  private let file = PlaylistBase.file(path: "/music/lists/a.m3u")
  private let web = PlaylistBase.web(url: "https://example.org/radio/list.m3u?x=y/z")

  @Test(arguments: [
    ("b.mp3", "/music/lists/b.mp3"), ("../b c.mp3", "/music/lists/../b c.mp3"), ("/b.mp3", "/b.mp3"),
    ("what? #1 100%.mp3", "/music/lists/what? #1 100%.mp3"), ("disc\\b.mp3", "/music/lists/disc/b.mp3"),
    ("a\\b/c.mp3", "/music/lists/a\\b/c.mp3"), ("12:30.mp3", "/music/lists/12:30.mp3"),
    ("Act I: Scene.mp3", "/music/lists/Act I: Scene.mp3"), ("file:///x/a%20b.mp3", "/x/a b.mp3"),
    ("http://example.org/a b.mp3#t", "http://example.org/a b.mp3"), ("HTTPS://example.org", "https://example.org"),
    ("C:\\Music\\b.mp3", nil), ("c:/Music/b.mp3", nil), ("\\\\server\\b.mp3", nil), ("rtsp://example.org/", nil),
    ("http:///b.mp3", nil), ("http:b.mp3", nil), ("http://user@:80/b", nil), ("file://other/b.mp3", nil),
    ("data:audio/wav;base64,AA==", nil), ("a\u{0}b.mp3", nil),
  ])
  func localListsNameFilesAndTheWeb(reference: String, expected: String?) throws {
    #expect(try location(reference, file) == expected)
  }

  @Test(arguments: [
    ("b.mp3", "https://example.org/radio/b.mp3"), ("../b c.mp3", "https://example.org/b c.mp3"),
    ("../../../etc/passwd", "https://example.org/etc/passwd"), ("/b.mp3", "https://example.org/b.mp3"),
    ("//other.org/b.mp3", "https://other.org/b.mp3"), ("?b", "https://example.org/radio/list.m3u?b"),
    ("disc\\b.mp3", "https://example.org/radio/disc/b.mp3"), ("Act I:1.mp3", "https://example.org/radio/Act I:1.mp3"),
    ("Act:1.mp3", "https://example.org/radio/Act:1.mp3"), ("http://other.org/b", "http://other.org/b"),
    ("file:///etc/passwd", nil), ("FILE:/etc/passwd", nil), ("file:etc/passwd", nil), ("data:,a", nil),
    ("C:\\b.mp3", nil), ("\\\\server\\b.mp3", nil), ("ftp://example.org/b.mp3", nil), ("https://:80/b", nil),
  ])
  func listsFromTheNetworkNameTheWebOnly(reference: String, expected: String?) throws {
    #expect(try location(reference, web) == expected)
    #expect(try location("#EXTINF:1,\n" + reference, web, .hls) == expected)
  }

  @Test(arguments: [("b.mp3", nil), ("/b.mp3", nil), ("file:///b.mp3", nil), ("http://a/b", "http://a/b")])
  func listsFromNowhereNameTheWebOnly(reference: String, expected: String?) throws {
    #expect(try location(reference, .elsewhere) == expected)
  }

  @Test(arguments: [
    ("a%20b.ts", "/music/lists/a b.ts"), ("b.ts?token=1#x", "/music/lists/b.ts"), ("100%.ts", "/music/lists/100%.ts"),
    ("%2e%2e/b.ts", "/music/lists/../b.ts"), ("//other.org/b.ts", nil), ("%00.ts", nil),
  ])
  func referencesOfLocalListsHaveEscapes(reference: String, expected: String?) throws {
    #expect(try location("#EXTINF:1,\n" + reference, file, .hls) == expected)
  }

  @Test func relativeBasesAndNamesThatCouldBeMisread() throws {
    #expect(try location("b.mp3", .file(path: "a.m3u")) == "b.mp3")
    #expect(try location("b.mp3", .file(path: "x/a.m3u")) == "x/b.mp3")
    #expect(try location("-", .file(path: "")) == "./-")
    #expect(try location("D:b.mp3", .file(path: "")) == "./D:b.mp3")
    #expect(try MediaLocation(PlaylistTarget.file(path: "-")) == .file(path: "-"))
    #expect(try MediaLocation(PlaylistTarget.web(url: "http://a/b c")) == .web(url: "http://a/b%20c"))
    #expect(throws: AudioError(.badURL, "no")) {
      try MediaLocation(PlaylistTarget.refused(AudioError(.badURL, "no")))
    }
  }

  @Test func refusalsSayWhy() throws {
    func reason(_ text: String, _ base: PlaylistBase) throws -> String? {
      guard case .refused(let error) = try Playlist(parsing: Array(text.utf8), as: .m3u, base: base).entries[0].target
      else { return nil }
      #expect(error.code == .badURL)
      return error.message
    }
    #expect(try reason("file:///a", web) == "a playlist that is no file can't name files")
    #expect(try reason("mms://a/b", web) == "mms URLs are not supported in playlists; http and https are")
    #expect(try reason("a.mp3", .elsewhere) == "the entry is relative to a playlist that is nowhere")
  }
}
