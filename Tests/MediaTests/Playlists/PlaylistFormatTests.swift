import Playlists
import Testing

@Suite struct PlaylistFormatTests {
  @Test(
    arguments: [
      ("#EXTM3U\na.mp3", .m3u), ("\u{FEFF} \n#extm3u\n", .m3u), ("#EXTINF:0,a\nrtsp://b", .m3u),
      ("http://a/b\nhttps://c/d\n", .m3u), ("#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\na.ts", .hls),
      ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8", .hls), ("#EXTM3U\n#EXT-X-SOMETHING\na.mp3", .m3u),
      ("[playlist]\n", .pls), ("\n[PlayList]\nFile1=a", .pls), ("[Reference]\nRef1=a", .pls),
      ("<asx version=\"3\">", .asx), ("<?xml version='1.0'?>\n<!-- a --><ASX>", .asx),
      ("<playlist><trackList/>", .xspf),
      ("<!DOCTYPE x><x:playlist xmlns:x='http://xspf.org/ns/0/'>", .xspf),
      ("REM x\nFILE \"a\" WAVE\n  TRACK 01 AUDIO", .cue), ("file a\ntrack 1 audio\n", .cue),
      ("a.mp3\n", nil), ("http://a/b\nwords\n", nil), ("FILE a\nnothing", nil), ("TRACK 01 AUDIO", nil),
      ("<html><playlist>", nil), ("<rss>", nil), ("{\"a\": \"http://b\"}", nil), ("", nil), (" \n", nil),
      ("#EXTM3\u{0}U", nil), ("ID3\u{3}\u{0}\u{0}", nil),
    ] as [(String, PlaylistFormat?)])
  func contentDecides(text: String, expected: PlaylistFormat?) {
    #expect(PlaylistFormat(of: Array(text.utf8)) == expected)
  }

  @Test(
    arguments: [
      ("a.mp3\n", "m3u", nil, .m3u), ("# a comment\rabc.mp3", "m3u8", nil, .m3u),
      ("a.mp3", nil, "audio/x-mpegurl", .m3u),
      ("a.mp3", "ram", nil, .m3u), ("a.mp3", "txt", "text/plain", nil), ("", "m3u", nil, .m3u),
      ("<!DOCTYPE html><html>", "m3u", "text/html", nil), ("{\"error\": 1}", "m3u", nil, nil),
      ("\u{1}\u{2}\u{3}abc", "m3u", nil, nil), ("[playlist]", "m3u", nil, .pls), ("#EXTM3U", "pls", nil, .m3u),
    ] as [(String, String?, String?, PlaylistFormat?)])
  func namesHelp(text: String, pathExtension: String?, mediaType: String?, expected: PlaylistFormat?) {
    #expect(PlaylistFormat(of: Array(text.utf8), pathExtension: pathExtension, mediaType: mediaType) == expected)
  }
}
