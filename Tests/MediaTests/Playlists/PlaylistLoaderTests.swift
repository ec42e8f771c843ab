import AudioModel
import ByteSource
import Media
import MartletTestSupport
import Playlists
import Testing

@Suite struct PlaylistLoaderTests {
  private let list = Array("#EXTM3U\n#EXTINF:3,a\na.mp3\n".utf8)
  private let wav = MediaFixtures.WAV().file((0..<4000).map { UInt8($0 & 0xFF) })

  private func load(
    _ bytes: [UInt8], at location: MediaLocation = .file(path: "/m/list"), extension name: String? = nil
  ) throws -> Playlist? {
    try PlaylistLoader.load(LookAheadSource(MemorySource(bytes, pathExtension: name)), at: location)
  }

  @Test func entriesAreRelativeToWhereTheListIs() throws {
    func target(_ location: MediaLocation) throws -> String? {
      try load(list, at: location)?.entries.first?.target.location
    }
    #expect(try target(.file(path: "/m/list.m3u")) == "/m/a.mp3")
    #expect(try target(.web(url: "http://h/x/y")) == "http://h/x/a.mp3")
    #expect(try target(.standardInput) == "a.mp3")
    #expect(try target(.data(url: "data:,x")) == nil)
  }

  @Test func redirectsMoveTheBase() throws {
    var facts = SourceFacts(length: 10, seeking: .request)
    facts.url = "https://cdn.example.org/z/list.m3u"
    #expect(PlaylistLoader.base(.web(url: "http://h/list"), facts) == .web(url: "https://cdn.example.org/z/list.m3u"))
  }

  @Test func theWholeTellsHLSFromM3U() throws {
    let comments = String(repeating: "# nothing\n", count: 1000)
    let long = try load(Array("#EXTM3U\n\(comments)#EXT-X-TARGETDURATION:3\n#EXTINF:3,\na.ts\n".utf8))
    #expect(long?.format == .hls)
    #expect(try load(Array("a.mp3\n".utf8), extension: "m3u")?.format == .m3u)
    #expect(try load(Array("a.mp3\n".utf8)) == nil)
  }

  @Test func whatIsNoListIsReadAsIfNothingHadHappened() throws {
    for isLive in [false, true] {
      var script = ScriptedByteSource.Script()
      script.pieces = [1, 7, 997]
      script.facts = SourceFacts(length: isLive ? nil : Int64(wav.count), seeking: isLive ? .none : .cheap)
      script.facts?.isLive = isLive
      let source = LookAheadSource(ScriptedByteSource(wav, script))
      #expect(try PlaylistLoader.load(source, at: .standardInput) == nil)
      let reader = MediaReader(source: source)
      try reader.open()
      let block = PCMBlock(channels: reader.facts.format.channels, capacity: 4096)
      var frames = 0
      while true {
        let count = try reader.read(into: block, upTo: 4096)
        guard count > 0 else { break }
        frames += count
      }
      #expect(frames > 0 && Int64(frames) == reader.decodedFrames)
      reader.close()
    }
  }

  @Test func listsWithoutAnEndAreRefused() throws {
    let endless = [UInt8]("#EXTM3U\n".utf8) + [UInt8](repeating: 0x23, count: Playlist.byteLimit)
    #expect(throws: AudioError(.limitReached, "The playlist is longer than 8 MiB")) { try load(endless) }
  }

  @Test func aSourceThatWasLookedAtKeepsItsContract() throws {
    let bytes = MediaFixtures.junk(100_000)
    for (count, seeking) in [(0, SourceFacts.Seeking.cheap), (4096, .cheap), (64 << 10, .request)] {
      let contract = ByteSourceContract(bytes, seeking: seeking) {
        var script = ScriptedByteSource.Script()
        script.facts = SourceFacts(length: Int64(bytes.count), seeking: seeking)
        let source = LookAheadSource(ScriptedByteSource(bytes, script))
        _ = try source.open()
        _ = try source.look(count)
        return source
      }
      #expect(try contract.violations() == [])
    }
  }

  @Test func looksReadsAndJumps() throws {
    let source = LookAheadSource(MemorySource(Array(0..<200)))
    #expect(try source.open() == source.open())
    #expect(try source.look(10) == Array(0..<10))
    #expect(try source.look(20) { $0.count >= 10 } == Array(0..<10))
    #expect(try source.look(20) == Array(0..<20))
    func read(_ count: Int) throws -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      let read = try bytes.withUnsafeMutableBytes { try source.read(into: $0) }
      return Array(bytes.prefix(read))
    }
    #expect(try read(15) == Array(0..<15))
    #expect(try read(15) == Array(15..<20))
    #expect(try read(15) == Array(20..<35))
    try source.seek(to: 18)
    #expect(try read(15) == [18, 19])
    #expect(try read(2) == [20, 21])
    try source.seek(to: 0)
    #expect(try read(1) == [0])
    try source.seek(to: 199)
    #expect(try read(15) == [199])
    #expect(try read(15).isEmpty)
  }
}
