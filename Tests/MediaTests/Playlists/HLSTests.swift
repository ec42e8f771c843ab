import AudioModel
import Playlists
import Testing

@Suite struct HLSTests {
  private func read(_ text: String, base: PlaylistBase = .web(url: "https://h/x/y.m3u8")) throws -> Playlist {
    let list = try Playlist(parsing: Array(text.utf8), base: base)
    try #require(list.format == .hls)
    return list
  }

  @Test func mediaPlaylist() throws {
    let list = try read(
      """
      #EXTM3U
      #EXT-X-VERSION:7
      #EXT-X-TARGETDURATION:6
      #EXT-X-MEDIA-SEQUENCE:7
      #EXT-X-DISCONTINUITY-SEQUENCE:3
      #EXT-X-START:TIME-OFFSET=-3.5,PRECISE=YES
      #EXT-X-MAP:URI="i.mp4",BYTERANGE="720@16"
      #EXT-X-PROGRAM-DATE-TIME:2010-02-19T14:54:23.031+08:00
      #EXTINF:6.006,\t
      #EXT-X-BYTERANGE:100@720
      a.mp4
          \t
      #EXT-X-DISCONTINUITY
      #EXT-X-KEY:METHOD=AES-128,URI="k?a,b",IV=0xF
      #EXTINF:5,the title
      #EXT-X-BYTERANGE:50
       a.mp4\u{20}
      #EXT-X-KEY:METHOD=NONE
      #EXT-X-MAP:URI="j.mp4"
      #EXT-X-GAP
      #EXTINF:4,
      //other.org/b.mp4
      c.mp4
      """)
    #expect(
      list.entries.map(\.target.location) == [
        "https://h/x/a.mp4", "https://h/x/a.mp4", "https://other.org/b.mp4", "https://h/x/c.mp4",
      ])
    #expect(list.entries.map(\.duration) == [6.006, 5, 4, nil])
    #expect(list.entries.map(\.title) == [nil, "the title", nil, nil])
    #expect(list.entries.map(\.byteRange) == [720..<820, 820..<870, nil, nil])
    let segments = list.entries.compactMap(\.segment)
    #expect(segments.map(\.sequence) == [7, 8, 9, 10])
    #expect(segments.map(\.startsDiscontinuity) == [false, true, false, false])
    #expect(segments.map(\.isGap) == [false, false, true, false])
    #expect(segments.map(\.date) == [1_266_562_463.031, nil, nil, nil])
    let first = HLSInitialization(target: .web(url: "https://h/x/i.mp4"), byteRange: 16..<736)
    let second = HLSInitialization(target: .web(url: "https://h/x/j.mp4"), byteRange: nil)
    #expect(segments.map(\.initialization) == [first, first, second, second])
    var key = HLSKey(method: "AES-128")
    key.target = .web(url: "https://h/x/k?a,b")
    key.initializationVector = [UInt8](repeating: 0, count: 15) + [15]
    #expect(segments.map(\.key) == [nil, key, nil, nil])
    let facts = try #require(list.hls)
    #expect(facts.version == 7 && facts.targetDuration == 6 && facts.mediaSequence == 7)
    #expect(facts.discontinuitySequence == 3 && facts.startOffset == -3.5 && facts.kind == nil)
    #expect(list.isLive && list.duration == nil)
  }

  @Test(arguments: [
    ("#EXT-X-ENDLIST", false), ("#EXT-X-PLAYLIST-TYPE:VOD", false), ("#EXT-X-PLAYLIST-TYPE:EVENT", true), ("", true),
  ])
  func anEndMakesItAFile(tag: String, isLive: Bool) throws {
    let list = try read("#EXTM3U\n#EXT-X-TARGETDURATION:\n\(tag)\n#EXTINF:1.5,\na\n#EXTINF:2,\nb\n")
    #expect(list.isLive == isLive)
    #expect(list.duration == (isLive ? nil : 3.5))
  }

  @Test func multivariantPlaylist() throws {
    let list = try read(
      """
      #EXTM3U
      #EXT-X-INDEPENDENT-SEGMENTS
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",LANGUAGE="en",NAME="English, stereo", DEFAULT=YES ,URI="en.m3u8",CHANNELS="2"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aac",NAME="Commentary",AUTOSELECT=YES
      #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="English",URI="subs.m3u8"
      #EXT-X-STREAM-INF:PROGRAM-ID=1,BANDWIDTH=64000,AVERAGE-BANDWIDTH=60000,CODECS="mp4a.40.2, mp4a.40.5",AUDIO="aac"
      low/a.m3u8
      #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="frames.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=-5,RESOLUTION=1x1,NAME="high"
      http://other.org/b.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1.42e00a"
      file:///etc/passwd
      #EXT-X-STREAM-INF:BANDWIDTH=2
      """)
    #expect(list.entries.isEmpty && !list.isLive && list.duration == nil)
    let facts = try #require(list.hls)
    #expect(facts.variants.map(\.reference) == ["low/a.m3u8", "http://other.org/b.m3u8", "file:///etc/passwd"])
    #expect(facts.variants.map(\.target.location) == ["https://h/x/low/a.m3u8", "http://other.org/b.m3u8", nil])
    #expect(facts.variants.map(\.bitRate) == [64000, nil, 1])
    #expect(facts.variants[0].averageBitRate == 60000 && facts.variants[0].audioGroup == "aac")
    #expect(facts.variants[0].codecs == ["mp4a.40.2", "mp4a.40.5"])
    #expect(facts.variants.map(\.hasVideo) == [false, true, true])
    #expect(facts.variants.map(\.name) == [nil, "high", nil])
    #expect(facts.renditions.map(\.name) == ["English, stereo", "Commentary"])
    #expect(facts.renditions.map(\.isDefault) == [true, false])
    #expect(facts.renditions.map(\.isAutoselected) == [true, true])
    #expect(facts.renditions.map(\.target) == [.web(url: "https://h/x/en.m3u8"), nil])
    #expect(facts.renditions[0].language == "en" && facts.renditions[0].channels == 2)
  }

  @Test func keysOfSeveralSystems() throws {
    let list = try read(
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:5
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://1",KEYFORMAT="com.apple.streamingkeydelivery"
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="k"
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="w",KEYFORMAT="urn:uuid:1"
      a
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="w",KEYFORMAT="urn:uuid:1"
      b
      """)
    #expect(list.entries.map(\.segment?.key?.format) == ["identity", "urn:uuid:1"])
    #expect(list.entries.map(\.segment?.key?.target) == [.web(url: "https://h/x/k"), .web(url: "https://h/x/w")])
  }

  @Test func numbersThatAreNone() throws {
    let list = try read(
      """
      #EXTM3U
      #EXT-X-MEDIA-SEQUENCE:9223372036854775807
      #EXT-X-TARGETDURATION:1e999
      #EXTINF:nan,
      #EXT-X-BYTERANGE:9223372036854775807@9223372036854775807
      a
      #EXTINF:-1,
      #EXT-X-BYTERANGE:-1@0
      #EXT-X-KEY:METHOD=AES-128,IV=0x+1
      #EXT-X-PROGRAM-DATE-TIME:2010-13-19T14:54:23Z
      b
      #EXT-X-MAP:URI="m",BYTERANGE="9223372036854775807@1"
      #EXT-X-KEY:METHOD=AES-128,IV=0x000000000000000000000000000000001
      c
      """)
    #expect(list.entries.allSatisfy { $0.duration == nil && $0.byteRange == nil })
    #expect(list.entries.map(\.segment?.date) == [nil, nil, nil])
    #expect(list.entries[1].segment?.key?.initializationVector == nil)
    #expect(list.entries[2].segment?.key?.initializationVector == nil)
    #expect(list.entries[2].segment?.initialization?.byteRange == nil)
    #expect(list.hls?.targetDuration == nil)
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0.0), ("2000-02-29T12:00:00.5Z", 951_825_600.5),
      ("2024-12-31t23:59:60z", 1_735_689_600),
      ("2010-02-19T14:54:23+0800", 1_266_562_463), ("1969-12-31T23:59:59", -1),
      ("2010-02-19 14:54:23-01", 1_266_594_863),
      ("2010-02-19", nil), ("2010-02-19T24:00:00Z", nil), ("x", nil),
    ] as [(String, Double?)])
  func dates(text: String, expected: Double?) throws {
    let list = try read("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-PROGRAM-DATE-TIME:\(text)\na\n")
    #expect(list.entries[0].segment?.date == expected)
  }
}
