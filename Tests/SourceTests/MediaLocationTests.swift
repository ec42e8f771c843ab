import AudioModel
import ByteSource
import Testing

@Suite struct MediaLocationTests {
  @Test(arguments: [
    ("a.mp3", MediaLocation.file(path: "a.mp3")),
    ("/x/12:30 Uhr.mp3", .file(path: "/x/12:30 Uhr.mp3")),
    ("Act: one.ogg", .file(path: "Act: one.ogg")),
    ("mailto:a.mp3", .file(path: "mailto:a.mp3")),
    ("./http://x", .file(path: "./http://x")),
    ("c://x", .file(path: "c://x")),
    ("-", .standardInput),
    ("file:///a%20b%C3%A9.mp3?x#y", .file(path: "/a bé.mp3")),
    ("FILE://localhost/a", .file(path: "/a")),
    ("file:/a", .file(path: "/a")),
    ("data:,x", .data(url: "data:,x")),
    ("http://h", .web(url: "http://h")),
    ("HTTPS://u:p@h:1/a b/é?q=1#f", .web(url: "https://u:p@h:1/a%20b/%C3%A9?q=1")),
    ("http://h?q", .web(url: "http://h/?q")),
    ("http://[::1]:80/a", .web(url: "http://[::1]:80/a")),
  ])
  func locations(_ text: String, _ location: MediaLocation) throws { #expect(try MediaLocation(text) == location) }

  @Test(arguments: [
    "", "ftp://h/a.mp3", "rtsp://h", "javascript://x", "http:", "http:/h", "http:///a", "http://", "http://:80/",
    "http://u@/",
    "http://a b/", "file://other/a", "file:a", "file:///a%00b", "file:///a%zz", "file:///%ff",
  ])
  func badURLs(_ text: String) { #expect(code { _ = try MediaLocation(text) } == .badURL) }

  @Test func theMessageNamesTheScheme() {
    #expect(throws: AudioError(.badURL, "ftp URLs are not supported; http, https, file and data are")) {
      try MediaLocation("ftp://h/a")
    }
  }

  @Test(arguments: [
    ("a.MP3", "mp3"), ("/x.y/a", nil), (".mp3", nil), ("a.", nil), ("a.tar.gz", "gz"), ("a.toolongext", nil),
    ("a.m p", nil),
    ("http://h/a.Ogg?x=.wav", "ogg"), ("http://h.mp3", nil), ("http://h.mp3/", nil), ("http://h/%2emp3.m4a", "m4a"),
    ("data:,x.mp3", nil), ("-", nil), ("http://h/a.php/b.opus#t", "opus"),
  ])
  func extensions(_ text: String, _ wanted: String?) throws {
    #expect(try MediaLocation(text).pathExtension == wanted)
  }
}
