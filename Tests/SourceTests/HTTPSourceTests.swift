import AudioModel
import ByteSource
import Glibc
import HTTPSource
import MartletTestSupport
import Platform
import Testing

@Suite struct HTTPSourceTests {
  private let body = noise(300_000)

  @Test func keepsTheContractWithRanges() throws {
    let server = HTTPFaultServer()
    server.serve("/a", body)
    let violations = try ByteSourceContract(body, seeking: .request) { HTTPSource(url: server.url("/a")) }
      .violations()
    #expect(violations == [])
  }

  @Test func keepsTheContractWithoutRanges() throws {
    let server = HTTPFaultServer()
    server.serve("/a", body) { _ in .with { $0.ranges = .ignored } }
    let violations = try ByteSourceContract(body, seeking: .reread) { HTTPSource(url: server.url("/a")) }.violations()
    #expect(violations == [])
  }

  @Test func keepsTheContractWithASmallWindow() throws {
    let body = noise(1_000_000)
    let server = HTTPFaultServer()
    server.serve("/a", body)
    let configuration = impatient {
      $0.readAhead = 0
      $0.readBehind = 0
      $0.skipLimit = 0
    }
    let violations = try ByteSourceContract(body, seeking: .request) {
      HTTPSource(url: server.url("/a"), configuration: configuration)
    }.violations()
    #expect(violations == [])
  }

  @Test func saysWhatItKnows() throws {
    let server = HTTPFaultServer()
    server.serve("/a/b.Mp3", body) { _ in .with { $0.contentType = "Audio/MPEG; charset=x" } }
    var wanted = SourceFacts(length: 300_000, seeking: .request, contentType: "audio/mpeg", pathExtension: "mp3")
    wanted.url = server.url("/a/b.Mp3?c=d.ogg")
    #expect(HTTPFetch(server.url("/a/b.Mp3?c=d.ogg")).run().facts == wanted)
    server.serve("/page", body) { _ in .with { $0.contentType = "text/html" } }
    wanted.contentType = "text/html"
    wanted.pathExtension = nil
    wanted.url = server.url("/page")
    #expect(HTTPFetch(server.url("/page")).run().facts == wanted)
  }

  @Test func anEmptyFileEndsAtOnce() {
    let server = HTTPFaultServer()
    server.serve("/a", [])
    let outcome = HTTPFetch(server.url("/a")).run()
    #expect(outcome.error == nil)
    #expect(outcome.bytes == [])
    #expect(outcome.facts?.length == 0)
  }

  @Test func requestsSayWhoAsks() {
    let server = HTTPFaultServer()
    server.serve("/a", body)
    let configuration = impatient {
      $0.userAgent = "Test/1"
      $0.headers = [.init("X-One", "1"), .init("Icy-MetaData", "0"), .init("X-Empty", "")]
    }
    #expect(HTTPFetch(server.url("/a"), configuration).run().error == nil)
    let headers = server.exchanges.first?.headers ?? [:]
    #expect(headers["user-agent"] == "Test/1")
    #expect(headers["x-one"] == "1")
    #expect(headers["x-empty"] == "")
    #expect(headers["icy-metadata"] == "0")
    #expect(headers["accept-encoding"] == "identity")
    #expect(headers["range"] == "bytes=0-")
  }

  @Test func headersCannotSmuggleLines() {
    let fetch = HTTPFetch("http://127.0.0.1:1/", impatient { $0.headers = [.init("A", "b\r\nC: d")] })
    #expect(fetch.run().error?.code == .usage)
  }

  @Test func connectionsAreKept() {
    let server = HTTPFaultServer()
    server.serve("/keep", body) { exchange in .with { $0.status = exchange.count < 4 ? 503 : nil } }
    #expect(HTTPFetch(server.url("/keep")).run().bytes == body)
    #expect(server.exchanges.map(\.connection) == [1, 1, 1, 1])
  }

  @Test func credentialsOfTheURLAreShown() {
    let server = HTTPFaultServer()
    server.serve("/a", body) { _ in .with { $0.credentials = "me:s p" } }
    #expect(HTTPFetch(server.url("/a")).run().error?.code == .refused)
    #expect(HTTPFetch("http://me:s%20p@127.0.0.1:\(server.port)/a").run().bytes == body)
  }

  @Test func aRefusedConnectionIsTriedTwice() {
    let server = HTTPFaultServer()
    let url = server.url("/")
    server.stop()
    let fetch = HTTPFetch(url)
    #expect(fetch.run().error?.code == .connectionFailed)
    #expect(fetch.told.count == 3)
    #expect(fetch.told.last == .gaveUp(attempt: 2, status: nil, offset: 0))
  }

  @Test func anUnknownHostIsTriedTwice() {
    let fetch = HTTPFetch("http://nothing.invalid/")
    #expect(fetch.run().error?.code == .unknownHost)
    #expect(fetch.told.count == 3)
  }

  @Test(arguments: ["ftp://h/", "http:/h", "/etc/passwd", ""]) func otherURLs(_ url: String) {
    #expect(HTTPFetch(url).run().error?.code == .badURL)
  }

  // MARK: Memory and jumps

  @Test func aSlowReaderHoldsTheServerBack() throws {
    let server = HTTPFaultServer()
    server.serve("/a", body) { _ in
      .with {
        $0.isEndless = true
        $0.radio = .http11
      }
    }
    let configuration = impatient { $0.readAhead = 256 << 10 }
    let source = HTTPSource(url: server.url("/a"), configuration: configuration)
    defer { source.close() }
    _ = try source.open()
    // What can be under way besides: both sockets' buffers and one piece each in the server and in libcurl.
    let slack = 16 << 20
    var read = 0
    for _ in 0..<5 {
      read += try ByteSourceContract.read(source, 1_000_000).count
      #expect(server.exchanges[0].sent <= read + 256 << 10 + slack)
    }
    // The server is stuck: it waits until bytes are taken, whatever time passes.
    let stuck = server.waitsUntilStuck()
    #expect(stuck <= read + 256 << 10 + slack)
  }

  @Test func aJumpWithinReachAsksNothing() throws {
    let body = noise(3_000_000)
    let server = HTTPFaultServer()
    server.serve("/a", body)
    let source = HTTPSource(url: server.url("/a"), configuration: impatient { $0.readAhead = 256 << 10 })
    defer { source.close() }
    _ = try source.open()
    for target in [0, 50_000, 10_000, 250_000, 240_000] {
      try source.seek(to: Int64(target))
      #expect(try ByteSourceContract.read(source, 1000) == Array(body[target..<target + 1000]))
    }
    #expect(server.exchanges.count == 1)
    try source.seek(to: 2_900_000)
    #expect(try ByteSourceContract.read(source, 1000) == Array(body[2_900_000..<2_901_000]))
    try source.seek(to: 0)
    #expect(try ByteSourceContract.read(source, 1000) == Array(body[..<1000]))
    #expect(server.exchanges.map { $0.headers["range"] } == ["bytes=0-", "bytes=2900000-", "bytes=0-"])
  }

  @Test func aWaitForASilentServerCanBeGivenUpForAJump() throws {
    let body = noise(3_000_000)
    let server = HTTPFaultServer()
    server.serve("/a", body) { $0.count == 1 ? .with { $0.stall = 100_000 } : HTTPBehaviour() }
    let source = HTTPSource(url: server.url("/a"), configuration: impatient { $0.stallTimeout = 600 })
    defer { source.close() }
    _ = try source.open()
    let reader = NamedThread("reader") { [source] in
      // Reads what there is, and then waits for what does not come.
      #expect(throws: AudioError(.interrupted, "the wait for the server was given up", recovery: .retry)) {
        _ = try ByteSourceContract.drain(source)
      }
    }
    source.setInterrupted(true)
    reader.join()
    source.setInterrupted(false)
    try source.seek(to: 2_900_000)
    #expect(try ByteSourceContract.drain(source) == Array(body[2_900_000...]))
    #expect(server.exchanges.map { $0.headers["range"] } == ["bytes=0-", "bytes=2900000-"])
  }

  @Test func aJumpBehindTheEndAsksNothing() throws {
    let body = noise(3_000_000)
    let server = HTTPFaultServer()
    server.serve("/a", body)
    let source = HTTPSource(url: server.url("/a"))
    defer { source.close() }
    _ = try source.open()
    try source.seek(to: 4_000_000)
    #expect(try ByteSourceContract.read(source, 10) == [])
    try source.seek(to: 0)
    #expect(try ByteSourceContract.drain(source) == body)
    #expect(server.exchanges.count == 1)
  }

  @Test func aLieAboutAJumpIsFoundOut() throws {
    let body = noise(3_000_000)
    let server = HTTPFaultServer()
    server.serve("/a", body) { _ in .with { $0.ranges = .lie } }
    let source = HTTPSource(url: server.url("/a"))
    defer { source.close() }
    _ = try source.open()
    _ = try ByteSourceContract.read(source, 2000)
    try source.seek(to: 2_000_000)
    #expect(try ByteSourceContract.read(source, 1000) == Array(body[2_000_000..<2_001_000]))
    #expect(server.exchanges.map { $0.headers["range"] } == ["bytes=0-", "bytes=2000000-", nil])
  }

  // MARK: Cancel

  @Test func cancelEndsAWaitingReadAndTheConnection() throws {
    let server = HTTPFaultServer()
    server.serve("/a", body) { _ in .with { $0.stall = 1000 } }
    for _ in 0..<64 {
      let source = HTTPSource(url: server.url("/a"))
      _ = try source.open()
      let thread = NamedThread("test-cancel") { source.cancel() }
      #expect(code { _ = try ByteSourceContract.drain(source) } == .cancelled)
      thread.join()
    }
    #expect(server.waitsUntilQuiet())
  }

  @Test func cancelEndsAnOpenThatWaitsOrIsToBeRetried() {
    let server = HTTPFaultServer()
    server.serve("/late", body) { _ in .with { $0.status = 503 } }
    for index in 0..<64 {
      var configuration = HTTPSourceConfiguration()
      configuration.retryPolicy.delays = [3600]
      let source = HTTPSource(url: server.url("/late"), configuration: configuration)
      let before = server.exchanges.count
      let thread = NamedThread("test-cancel") {
        if index % 2 == 0 { _ = server.waits { $0.count > before } }
        source.cancel()
      }
      #expect(code { _ = try source.open() } == .cancelled)
      thread.join()
    }
  }

  // MARK: Compressed bodies

  private func compressed(_ bytes: [UInt8]) -> [UInt8] {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    let file = open(folder + "/body", O_WRONLY | O_CREAT, 0o600)
    _ = write(file, bytes, bytes.count)
    close(file)
    return ToolBox.run("gzip", ["-c", folder + "/body"]).output
  }

  @Test(.enabled(if: ToolBox.has("gzip"), "gzip is not installed")) func aCompressedBodyIsUnderstood() throws {
    let server = HTTPFaultServer()
    let packed = compressed(body)
    server.serve("/a", packed) { exchange in
      .with {
        $0.ranges = .ignored
        $0.headers = [("Content-Encoding", "gzip")]
        $0.drop = exchange.count == 1 ? 100_000 : nil
      }
    }
    let violations = try ByteSourceContract(body, seeking: .reread) {
      HTTPSource(url: server.url("/a"), configuration: impatient())
    }.violations()
    #expect(violations == [])
  }

  @Test(.enabled(if: ToolBox.has("gzip"), "gzip is not installed")) func aBombIsRefused() throws {
    let server = HTTPFaultServer()
    let bomb = compressed([UInt8](repeating: 0, count: 8 << 20))
    try #require(bomb.count < 16 << 10)
    server.serve("/a", bomb) { _ in
      .with {
        $0.ranges = .ignored
        $0.headers = [("Content-Encoding", "gzip")]
      }
    }
    let outcome = HTTPFetch(server.url("/a"), impatient { $0.decodedLimit = 2 << 20 }).run()
    #expect(outcome.error?.code == .badResponse)
    #expect(outcome.bytes.count <= 2 << 20)
    #expect(server.exchanges.count == 1)
  }
}

extension HTTPFaultServer {
  /// Waits until the first answer has sent nothing more over a while, and says how much it has sent.
  func waitsUntilStuck() -> Int {
    var last = exchanges[0].sent
    while ToolBox.waits(seconds: 0.05, until: { exchanges[0].sent != last }) { last = exchanges[0].sent }
    return last
  }
}
