import AudioModel
import ByteSource
import HTTPSource
import MartletTestSupport
import Testing

/// A server's fault and what becomes of it.
struct FaultRow: Sendable, CustomTestStringConvertible {
  var name: String
  var script: HTTPFaultServer.Script
  /// Requests that are made in all.
  var requests: Int
  var seeking: SourceFacts.Seeking = .request
  /// Length that is told; `nil` for the truth.
  var told: Int64??
  var start: Int64 = 0

  var testDescription: String { name }

  /// The fault on the first request only.
  static func once(
    _ name: String, requests: Int = 2, _ change: @escaping @Sendable (inout HTTPBehaviour) -> Void
  ) -> FaultRow {
    FaultRow(name: name, script: { $0.count == 1 ? .with(change) : HTTPBehaviour() }, requests: requests)
  }

  /// The fault on every request.
  static func always(
    _ name: String, requests: Int = 1, seeking: SourceFacts.Seeking = .request, told: Int64?? = .none,
    start: Int64 = 0,
    _ change: @escaping @Sendable (inout HTTPBehaviour) -> Void
  ) -> FaultRow {
    FaultRow(
      name: name, script: { _ in .with(change) }, requests: requests, seeking: seeking, told: told, start: start)
  }

  /// The fault on every request, and the first connection lost besides.
  static func lost(
    _ name: String, requests: Int = 2, seeking: SourceFacts.Seeking = .request, told: Int64?? = .none,
    _ change: @escaping @Sendable (inout HTTPBehaviour) -> Void
  ) -> FaultRow {
    FaultRow(
      name: name,
      script: { exchange in
        .with {
          change(&$0)
          if exchange.count == 1 { $0.drop = 100_000 }
        }
      }, requests: requests, seeking: seeking, told: told)
  }
}

@Suite struct HTTPFaultTests {
  static let body = noise(300_000)

  static let survivable: [FaultRow] = [
    .always("no fault") { _ in },
    .once("reset") { $0.drop = 100_000 },
    .once("closed early") {
      $0.drop = 100_000
      $0.cut = .close
    },
    .always("reset again and again", requests: 3) { $0.drop = 100_000 },
    .once("lost before the body") { $0.drop = 0 },
    .once("chunks cut") { $0.framing = .chunkedCut(after: 70_000) },
    .lost("lost, no validators") {
      $0.etag = nil
      $0.lastModified = nil
    },
    .lost("lost, a date only") { $0.etag = nil },
    .lost("lost, a weak tag") { $0.etag = "W/\"v1\"" },
    .lost("lost, no ranges", seeking: .reread) { $0.ranges = .ignored },
    .lost("lost, no ranges, no validators", seeking: .reread) {
      $0.ranges = .ignored
      $0.etag = nil
      $0.lastModified = nil
    },
    .lost("lost, no ranges, chunks", seeking: .reread, told: .some(nil)) {
      $0.ranges = .ignored
      $0.framing = .chunked
    },
    .always("pieces of 100 bytes") { $0.chop = 100 },
    .always("length too short", requests: 2) { $0.framing = .length(off: -10_000) },
    .always("length too long") { $0.framing = .length(off: 10_000) },
    .always("chunks") { $0.framing = .chunked },
    .always("no length") { $0.framing = .untilClose },
    .always("no length, no ranges", seeking: .reread, told: .some(nil)) {
      $0.framing = .untilClose
      $0.ranges = .ignored
    },
    .always("HTTP/1.0") { $0.isHTTP10 = true },
    .always("no keep-alive") { $0.keepsAlive = false },
    .always("no type") { $0.contentType = nil },
    .always("ranges ignored", seeking: .reread) { $0.ranges = .ignored },
    .always("ranges ignored, jump", seeking: .reread, start: 290_000) { $0.ranges = .ignored },
    .always("range in parts", requests: 2, seeking: .reread) { $0.ranges = .part(50_000) },
    .always("range shifted", requests: 2, seeking: .reread) { $0.ranges = .shifted },
    .always("range of a wrong total", requests: 2, seeking: .reread) { $0.ranges = .wrongTotal },
    .always("range without header", requests: 2, seeking: .reread) { $0.ranges = .missing },
    .always("range of another unit", requests: 2, seeking: .reread) { $0.ranges = .otherUnit },
    .always("range garbled", requests: 2, seeking: .reread) { $0.ranges = .garbage },
    .lost("lost, range a lie", requests: 3) { $0.ranges = .lie },
    .lost("lost, range from zero", requests: 3) { $0.ranges = .zero },
    .once("503") { $0.status = 503 },
    .once("429") { $0.status = 429 },
    .once("408") { $0.status = 408 },
    .once("500 with a date of return") {
      $0.status = 500
      $0.headers = [("Retry-After", "Mon, 01 Jan 2024 00:00:00 GMT")]
    },
  ]

  /// Faults of ranges that show only after a first good answer.
  static let late: [FaultRow] = [
    (HTTPBehaviour.RangeAnswer.shifted, 3), (.wrongTotal, 3), (.missing, 3), (.otherUnit, 3), (.garbage, 3),
    (.lie, 3),
    (.zero, 3), (.ignored, 2), (.part(30_000), 8),
  ].map { answer, requests in
    FaultRow(
      name: "later \(answer)",
      script: { exchange in
        .with {
          if exchange.count == 1 { $0.drop = 100_000 } else { $0.ranges = answer }
        }
      }, requests: requests)
  }

  @Test(arguments: survivable + late)
  func allBytesArriveOnce(_ row: FaultRow) throws {
    let server = HTTPFaultServer()
    server.serve("/a.mp3", Self.body, row.script)
    let fetch = HTTPFetch(server.url("/a.mp3"))
    let outcome = fetch.run(from: row.start)
    #expect(outcome.error == nil)
    #expect(outcome.bytes == Array(Self.body[Int(row.start)...]))
    #expect(outcome.facts?.length == row.told ?? 300_000)
    #expect(outcome.facts?.seeking == row.seeking)
    #expect(server.exchanges.count == row.requests)
  }

  @Test(arguments: [
    (404, AudioError.Code.notFound), (410, .notFound), (401, .refused), (403, .refused), (400, .refused),
    (416, .refused),
    (501, .serverFailed), (304, .badResponse), (299, .badResponse),
  ])
  func finalStatuses(_ status: Int, _ code: AudioError.Code) {
    let server = HTTPFaultServer()
    server.serve("/a", Self.body) { _ in .with { $0.status = status } }
    let fetch = HTTPFetch(server.url("/a"))
    let outcome = fetch.run()
    #expect(outcome.error?.code == code)
    #expect(outcome.error?.detail == status)
    // A refused range might be the range's fault.
    #expect(server.exchanges.count == (status == 416 ? 2 : 1))
    #expect(fetch.told == [])
  }

  @Test func aFailingServerIsTriedEightTimes() {
    let server = HTTPFaultServer()
    server.serve("/a", Self.body) { _ in .with { $0.status = 503 } }
    let fetch = HTTPFetch(server.url("/a"))
    #expect(fetch.run().error?.code == .serverFailed)
    #expect(server.exchanges.count == 9)
    let retries = (1...8).map { SourceEvent.retrying(attempt: $0, delay: 0, status: 503, offset: 0) }
    #expect(fetch.told == retries + [.gaveUp(attempt: 8, status: 503, offset: 0)])
  }

  @Test func retryAfterIsHonouredUpToALimit() {
    let server = HTTPFaultServer()
    server.serve("/a", Self.body) { _ in
      .with {
        $0.status = 503
        $0.headers = [("Retry-After", "3600")]
      }
    }
    let error = HTTPFetch(server.url("/a")).run().error
    #expect(error?.code == .serverFailed)
    #expect(error?.retryAfter == 3600)
    #expect(server.exchanges.count == 1)
  }

  @Test func aLostConnectionIsToldAndResumedWhereItBroke() {
    let server = HTTPFaultServer()
    server.serve("/a", Self.body) { exchange in .with { $0.drop = exchange.count == 1 ? 100_000 : nil } }
    let fetch = HTTPFetch(server.url("/a"))
    #expect(fetch.run().bytes == Self.body)
    #expect(
      fetch.told == [
        .connected(status: 206, offset: 0), .retrying(attempt: 1, delay: 0, status: nil, offset: 100_000),
        .connected(status: 206, offset: 100_000), .recovered(attempt: 1, offset: 100_000),
      ])
    #expect(server.exchanges.map { $0.headers["range"] } == ["bytes=0-", "bytes=100000-"])
    #expect(server.exchanges.map { $0.headers["if-range"] } == [nil, "\"v1\""])
  }

  @Test func aLossThatStaysIsAnErrorAfterTheLastGoodByte() {
    let server = HTTPFaultServer()
    server.serve("/a", Self.body) { exchange in .with { $0.drop = exchange.count == 1 ? 100_000 : 0 } }
    let fetch = HTTPFetch(server.url("/a"))
    let outcome = fetch.run()
    #expect(outcome.bytes == Array(Self.body[..<100_000]))
    #expect(outcome.error?.code == .connectionLost)
    #expect(server.exchanges.count == 9)
  }

  @Test func aSilentServerIsLeft() {
    let server = HTTPFaultServer()
    server.serve("/a", Self.body) { exchange in .with { $0.stall = exchange.count == 1 ? 100_000 : nil } }
    let fetch = HTTPFetch(server.url("/a"), impatient { $0.stallTimeout = 0.1 })
    #expect(fetch.run().bytes == Self.body)
    #expect(fetch.told.prefix(2) == [.connected(status: 206, offset: 0), .stalled(offset: 100_000)])
    #expect(server.exchanges.map { $0.headers["range"] } == ["bytes=0-", "bytes=100000-"])
  }

  @Test func redirectsAreFollowedTwentyTimes() {
    let server = HTTPFaultServer()
    for index in 0..<21 { server.serve("/\(index)", []) { _ in .with { $0.redirect = "/\(index + 1)" } } }
    server.serve("/21", Self.body)
    let good = HTTPFetch(server.url("/1"))
    #expect(good.run().bytes == Self.body)
    #expect(HTTPFetch(server.url("/0")).run().error?.code == .badResponse)
    server.serve("/loop", []) { _ in .with { $0.redirect = "/loop" } }
    #expect(HTTPFetch(server.url("/loop")).run().error?.code == .badResponse)
    for target in ["ftp://127.0.0.1/a", "file:///etc/passwd"] {
      server.serve("/away", []) { _ in .with { $0.redirect = target } }
      #expect(HTTPFetch(server.url("/away")).run().error?.code == .badURL)
    }
  }

  @Test func theExtensionIsThatOfTheAddressGivenUnlessItIsAScript() throws {
    let server = HTTPFaultServer()
    server.serve("/x.ogg", Self.body)
    for (path, wanted) in [("/a.mp3", "mp3"), ("/a.php", "ogg"), ("/a", "ogg")] {
      server.serve(path, []) { _ in .with { $0.redirect = "/x.ogg" } }
      let facts = HTTPFetch(server.url(path)).run().facts
      #expect(facts?.pathExtension == wanted)
      #expect(facts?.url == server.url("/x.ogg"))
    }
  }

  // MARK: Changed files

  static let changes: [FaultRow] = [
    .lost("another tag") { _ in }, .lost("another date") { $0.etag = nil },
    .lost("no marks, the same length") {
      $0.etag = nil
      $0.lastModified = nil
    },
    .lost("no ranges, another tag") { $0.ranges = .ignored },
    .lost("no ranges, no marks") {
      $0.ranges = .ignored
      $0.etag = nil
      $0.lastModified = nil
    },
  ]

  @Test(arguments: changes) func anotherVersionIsNeverJoined(_ row: FaultRow) throws {
    let server = HTTPFaultServer()
    let other = noise(300_000, seed: 2)
    server.serve("/a", Self.body) { exchange in
      var behaviour = row.script(exchange)
      guard exchange.count > 1 else {
        behaviour.drop = nil
        behaviour.stall = 100_000
        return behaviour
      }
      behaviour.body = other
      if behaviour.etag != nil { behaviour.etag = "\"v2\"" }
      if behaviour.lastModified != nil { behaviour.lastModified = "Tue, 02 Jan 2024 00:00:00 GMT" }
      return behaviour
    }
    let source = HTTPSource(url: server.url("/a"), configuration: impatient { $0.stallTimeout = 0.1 })
    defer { source.close() }
    _ = try source.open()
    var bytes: [UInt8] = []
    #expect(
      code {
        while case let part = try ByteSourceContract.read(source, 1000), !part.isEmpty { bytes += part }
      } == .sourceChanged)
    #expect(bytes == Array(Self.body[..<100_000]))
  }

  @Test func aVersionThatNobodyHasReadIsBegunAnew() throws {
    let server = HTTPFaultServer()
    let other = noise(300_000, seed: 2)
    server.serve("/a", Self.body) { exchange in
      .with {
        guard exchange.count > 1 else { return $0.drop = 100_000 }
        $0.body = other
        $0.etag = "\"v2\""
      }
    }
    let fetch = HTTPFetch(server.url("/a"))
    _ = try fetch.source.open()
    #expect(fetch.waits { $0 == .recovered(attempt: 2, offset: 0) })
    #expect(try ByteSourceContract.drain(fetch.source) == other)
  }

  @Test func aVersionOfAnotherLengthIsNoFreshStart() throws {
    let server = HTTPFaultServer()
    server.serve("/a", Self.body) { exchange in
      .with {
        guard exchange.count > 1 else { return $0.drop = 100_000 }
        $0.body = noise(200_000, seed: 2)
        $0.etag = "\"v2\""
      }
    }
    let fetch = HTTPFetch(server.url("/a"))
    _ = try fetch.source.open()
    #expect(fetch.waits { if case .gaveUp = $0 { true } else { false } })
    #expect(code { _ = try ByteSourceContract.drain(fetch.source) } == .sourceChanged)
  }
}
