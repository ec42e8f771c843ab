internal import AudioModel
internal import Playlists

extension FuzzTarget {
  /// The readers of all formats.
  static let playlists =
    PlaylistFormat.allCases.map { format in
      FuzzTarget(name: "list-\(format.rawValue)", seeds: { Seeds.playlist(format).map { Array($0.utf8) } }) { bytes in
        checkPlaylist(Array(bytes), format)
      }
    } + [
      FuzzTarget(
        name: "list", seeds: { PlaylistFormat.allCases.flatMap { Seeds.playlist($0).map { Array($0.utf8) } } }
      ) { bytes in
        guard let format = PlaylistFormat(of: Array(bytes), pathExtension: "m3u") else { return }
        checkPlaylist(Array(bytes), format)
      }
    ]

  private static func checkPlaylist(_ bytes: [UInt8], _ format: PlaylistFormat) {
    for base in [PlaylistBase.web(url: "https://example.org/a/b?c"), .file(path: "/a/b"), .elsewhere] {
      guard let list = try? Playlist(parsing: bytes, as: format, base: base) else { continue }
      precondition(list.entries.count <= Playlist.entryLimit)
      for entry in list.entries {
        check(entry.target, base)
        check(entry.segment?.initialization?.target, base)
        check(entry.segment?.key?.target, base)
        precondition(entry.duration.map { $0 > 0 && $0.isFinite } ?? true, "a duration that is none")
        precondition(entry.start.map { $0 >= 0 && $0.isFinite } ?? true, "a start before the start")
        if format == .cue, let start = entry.start, let end = entry.end {
          precondition(start < end, "an end before the start")
        }
        precondition(entry.byteRange.map { $0.lowerBound >= 0 } ?? true, "bytes before the first")
      }
      for variant in list.hls?.variants ?? [] { check(variant.target, base) }
      for rendition in list.hls?.renditions ?? [] { check(rendition.target, base) }
    }
  }

  private static func check(_ target: PlaylistTarget?, _ base: PlaylistBase) {
    switch target {
    case .web(let url):
      let parts = URLReference(url)
      precondition(parts.scheme == "http" || parts.scheme == "https", "a scheme that is not allowed")
      precondition(parts.authority?.isEmpty == false, "a URL without a host")
    case .file(let path):
      guard case .file = base else { preconditionFailure("a file that is named from elsewhere") }
      precondition(!path.isEmpty && !path.utf8.contains(0))
    case .refused, nil: break
    }
  }

  /// References and what they mean beside a URL. The first line is the base.
  static let url = FuzzTarget(
    name: "url",
    seeds: {
      ["http://a/b/c/d;p?q\n../../g;x=1/y#s", "https://u@h:1/\n//g?y", "file:///a/b\n./../c", "a:b\n../c/..//d"]
        .map { Array($0.utf8) }
    }
  ) { bytes in
    let parts = bytes.split(separator: 0x0A, maxSplits: 1).map { String(decoding: $0, as: UTF8.self) }
    guard parts.count == 2 else { return }
    let base = URLReference(parts[0])
    for text in parts {
      let reference = URLReference(text)
      let again = URLReference(reference.description)
      precondition(again.scheme == reference.scheme && again.query == reference.query, "it does not read back")
      precondition(again.authority == reference.authority && again.fragment == reference.fragment)
      let resolved = reference.resolved(against: base)
      precondition(resolved.scheme == reference.scheme ?? base.scheme)
      precondition(resolved.authority == reference.authority || reference.authority == nil)
      let segments = resolved.path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
      precondition(reference.path.isEmpty || !segments.contains(".."), "it leads upwards")
      _ = try? reference.filePath()
    }
  }
}

extension Seeds {
  /// Good playlists of a format.
  static func playlist(_ format: PlaylistFormat) -> [String] {
    switch format {
    case .m3u:
      [
        "#EXTM3U\r\n#PLAYLIST:name\r\n#EXTALB:album\r\n#EXTINF:12.5 a=\"b,c\",title\r\na b.mp3\r\nhttp://h/c.mp3\r\n",
        "C:\\Music\\a.mp3\rMusic\\b.mp3\r/c.mp3\r",
        "#EXTVLCOPT:start-time=1\n#EXTVLCOPT:stop-time=2\nfile:///a%20b\n",
      ]
    case .hls:
      [
        """
        #EXTM3U
        #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",LANGUAGE="en",NAME="English",DEFAULT=YES, AUTOSELECT=YES,URI="en.m3u8"
        #EXT-X-STREAM-INF:BANDWIDTH=64000,AVERAGE-BANDWIDTH=6,CODECS="mp4a.40.2,avc1",AUDIO="a",RESOLUTION=1x1
        low.m3u8
        """,
        """
        #EXTM3U
        #EXT-X-VERSION:7
        #EXT-X-TARGETDURATION:6
        #EXT-X-MEDIA-SEQUENCE:7
        #EXT-X-PLAYLIST-TYPE:EVENT
        #EXT-X-START:TIME-OFFSET=-3.5
        #EXT-X-KEY:METHOD=AES-128,URI="k",IV=0x0F
        #EXT-X-MAP:URI="i.mp4",BYTERANGE="720@0"
        #EXT-X-PROGRAM-DATE-TIME:2010-02-19T14:54:23.031+08:00
        #EXTINF:6.006,
        #EXT-X-BYTERANGE:100@720
        a.mp4
        #EXT-X-DISCONTINUITY
        #EXTINF:6,
        #EXT-X-BYTERANGE:100
        a.mp4
        #EXT-X-ENDLIST
        """,
      ]
    case .pls:
      [
        "[playlist]\nFile1=a.mp3\nTitle1=t\nLength1=12\nfile7=http://h/\nNumberOfEntries=3\nVersion=2\n",
        "[Reference]\nRef1=http://h/a?MSWMExt=.asf\n",
      ]
    case .xspf:
      [
        """
        <?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "b">]><playlist version="1" xmlns="http://xspf.org/ns/0/">
        <title>t</title><trackList><track><location>file:///a%20b.mp3</location><title>&#x41;&amp;<![CDATA[<b>]]></title>
        <duration>1000</duration><!-- c --></track></trackList></playlist>
        """
      ]
    case .asx:
      [
        """
        <ASX VERSION=3><Title>t</title><base href="http://h/"><entry><ref HREF="a?b=1&c=2"><starttime value="0:01"/>
        <Duration value="1:02:03.5"/></ENTRY><entryref href='b.asx'/></asx>
        """
      ]
    case .cue:
      [
        """
        PERFORMER "p"
        TITLE "album"
        FILE "a b.wav" WAVE
          TRACK 01 AUDIO
            TITLE "one"
            INDEX 01 00:00:00
          TRACK 02 AUDIO
            INDEX 00 03:00:10
        FILE b.wav WAVE
            INDEX 01 00:00:74
        """
      ]
    }
  }
}
