import AudioModel
import ByteSource
import HTTPSource
import MartletTestSupport
import Testing

@Suite struct HTTPRadioTests {
  private let audio = noise(100_000)
  private static let blocks: [[UInt8]] = [
    Array("StreamTitle='One';".utf8), [], Array("StreamTitle='It's; two';StreamUrl='';".utf8),
  ]

  private func titles(_ fetch: HTTPFetch) -> [String] {
    fetch.told.compactMap { event in
      if case .metadata(let metadata, let offset) = event { "\(offset) \(metadata.title)" } else { nil }
    }
  }

  /// A live stream: it is endless until the first reader has had enough.
  private func behaviour(_ head: HTTPBehaviour.RadioHead, _ change: (inout HTTPBehaviour) -> Void = { _ in })
    -> HTTPBehaviour
  {
    .with {
      $0.radio = head
      $0.metadataInterval = 10_000
      $0.metadata = Self.blocks
      change(&$0)
    }
  }

  @Test(arguments: [HTTPBehaviour.RadioHead.shoutcast, .http10, .http11], [nil, 1, 777])
  func metadataIsSplitOut(_ head: HTTPBehaviour.RadioHead, _ chop: Int?) throws {
    let server = HTTPFaultServer()
    let audio = chop == 1 ? Array(audio[..<20_500]) : audio
    server.serve("/live", audio) { _ in
      behaviour(head) {
        $0.isEndless = true
        $0.chop = chop
      }
    }
    let fetch = HTTPFetch(server.url("/live"))
    let facts = try fetch.source.open()
    #expect(facts.isLive)
    #expect(facts.name == "Fault FM")
    #expect(facts.bitRate == 128_000)
    #expect(facts.length == nil)
    #expect(facts.seeking == .none)
    #expect(try ByteSourceContract.read(fetch.source, audio.count) == audio)
    #expect(titles(fetch).prefix(1) == ["10000 One"])
    if chop != 1 { #expect(titles(fetch).prefix(3) == ["10000 One", "30000 It's; two", "40000 One"]) }
    #expect(code { try fetch.source.seek(to: 1 << 40) } == .notSeekable)
  }

  @Test func metadataThatNobodyAskedForIsSplitOutToo() throws {
    let server = HTTPFaultServer()
    server.serve("/live", audio) { _ in behaviour(.http11) { $0.forcesMetadata = true } }
    let fetch = HTTPFetch(server.url("/live"), impatient { $0.asksForStreamMetadata = false })
    _ = try fetch.source.open()
    #expect(try ByteSourceContract.read(fetch.source, audio.count) == audio)
    #expect(server.exchanges[0].headers["icy-metadata"] == nil)
  }

  @Test func withoutAskingThereIsNone() throws {
    let server = HTTPFaultServer()
    server.serve("/live", audio) { _ in behaviour(.shoutcast) }
    let fetch = HTTPFetch(server.url("/live"), impatient { $0.asksForStreamMetadata = false })
    _ = try fetch.source.open()
    #expect(try ByteSourceContract.read(fetch.source, audio.count) == audio)
    #expect(titles(fetch) == [])
  }

  @Test(arguments: [HTTPBehaviour.Cut.reset, .close])
  func aLostStreamGoesOnWithThePresent(_ cut: HTTPBehaviour.Cut) throws {
    let server = HTTPFaultServer()
    let later = noise(100_000, seed: 2)
    server.serve("/live", audio) { exchange in
      behaviour(.shoutcast) {
        if exchange.count == 1 {
          $0.drop = 50_000
          $0.cut = cut
        } else {
          $0.body = later
          $0.isEndless = true
        }
      }
    }
    let fetch = HTTPFetch(server.url("/live"))
    _ = try fetch.source.open()
    // 50 000 bytes less four lengths and what the blocks hold.
    let first = 50_000 - 4 - 32 - 48 - 32
    let found = try ByteSourceContract.read(fetch.source, first + 60_000)
    #expect(found == Array(audio[..<first]) + Array(later[..<60_000]))
    #expect(titles(fetch).contains("\(first + 10_000) One"))
    #expect(server.exchanges[1].headers["range"] == nil)
  }

  @Test func aStreamThatIsAFileEnds() {
    let server = HTTPFaultServer()
    server.serve("/file", audio) { _ in behaviour(.shoutcast) }
    let fetch = HTTPFetch(server.url("/file"))
    let outcome = fetch.run()
    #expect(outcome.error == nil)
    #expect(outcome.bytes == audio)
    #expect(server.exchanges.count == 2)
  }
}
