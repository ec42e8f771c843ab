import AudioModel
import Commands
import Glibc
import Platform
import Remote
import Testing

/// Answers commands without a player, and tells events when the test says so.
private final class FakeHandler: CommandHandler {
  private struct State {
    var commands: [Command] = []
    var observers: [Int: @Sendable (JSONValue) -> Void] = [:]
    var next = 0
  }
  private let state = Monitor(State())

  func reply(to command: Command) -> JSONValue {
    state.signal { $0.commands.append(command) }
    return command == .next
      ? Reply.failure(AudioError(.usage, "no next")) : Reply.ok.adding(["did": .string("\(command)")])
  }
  func observe(_ handler: @escaping @Sendable (JSONValue) -> Void) -> Int {
    state.signal {
      $0.next += 1
      $0.observers[$0.next] = handler
      return $0.next
    }
  }
  func removeObserver(_ id: Int) { state.signal { _ = $0.observers.removeValue(forKey: id) } }

  var commands: [Command] { state.withLock { $0.commands } }
  func tell(_ event: JSONValue) {
    for handler in state.withLock({ Array($0.observers.values) }) { handler(event) }
  }
  func waitForObservers(_ count: Int) -> Bool {
    state.wait(until: .now.advanced(bySeconds: 10)) { $0.observers.count == count ? true : nil } ?? false
  }
}

@Suite struct ControlSocketTests {
  private let folder = TemporaryFolder()
  private let handler = FakeHandler()
  private var path: String { folder.path + "/s.sock" }

  private func serve() throws(AudioError) -> ControlServer { try ControlServer(path: path, handler: handler) }
  private func ask(_ client: ControlClient, _ line: String) throws(AudioError) -> String? {
    try client.send(line)
    return try client.nextLine()
  }

  @Test func oneReplyForOneLine() throws {
    let server = try serve()
    defer { server.stop() }
    let client = try ControlClient(path: path)
    #expect(try ask(client, "seek 1:30") == #"{"ok":true,"did":"seek 90.0"}"#)
    #expect(try ask(client, "next") == #"{"ok":false,"code":1001,"message":"no next"}"#)
    #expect(try ask(client, "live") == #"{"ok":false,"code":1001,"message":"live is not supported yet"}"#)
    #expect(try ask(client, "nonsense") == #"{"ok":false,"code":1001,"message":"unknown command “nonsense”"}"#)
    // Several lines at once, CR LF, blank lines between.
    try client.send("play\r\n\n\npause")
    #expect(try client.nextLine() == #"{"ok":true,"did":"play"}"#)
    #expect(try client.nextLine() == #"{"ok":true,"did":"pause"}"#)
    #expect(handler.commands == [.seek(.absolute(90)), .next, .play, .pause])
  }

  @Test func onlyItsOwnerCanConnect() throws {
    let server = try serve()
    defer { server.stop() }
    var facts = stat()
    #expect(lstat(path, &facts) == 0)
    #expect(facts.st_mode & 0o777 == 0o600)
  }

  @Test func severalClientsAtOnce() throws {
    let server = try serve()
    defer { server.stop() }
    let clients = try (0..<10).map { _ in try ControlClient(path: path) }
    for client in clients { try client.send("status") }
    for client in clients.reversed() { #expect(try client.nextLine() == #"{"ok":true,"did":"status"}"#) }
  }

  @Test func eventsAreStreamedToThoseWhoAskedOnly() throws {
    let server = try serve()
    defer { server.stop() }
    let listener = try ControlClient(path: path)
    let other = try ControlClient(path: path)
    #expect(try ask(listener, "events") == #"{"ok":true,"did":"events"}"#)
    #expect(handler.waitForObservers(1))
    handler.tell(["event": "one"])
    handler.tell(["event": "two"])
    #expect(try listener.nextLine() == #"{"event":"one"}"#)
    #expect(try listener.nextLine() == #"{"event":"two"}"#)
    #expect(try ask(other, "status") == #"{"ok":true,"did":"status"}"#)
    #expect(try ask(listener, "pause") == #"{"ok":true,"did":"pause"}"#)
  }

  @Test func observationEndsWithTheLastListener() throws {
    let server = try serve()
    defer { server.stop() }
    do {
      let listener = try ControlClient(path: path)
      #expect(try ask(listener, "events") != nil)
      #expect(handler.waitForObservers(1))
    }
    #expect(handler.waitForObservers(0))
  }

  @Test func aListenerWhoReadsNothingDelaysNobody() throws {
    let server = try serve()
    defer { server.stop() }
    let lazy = try ControlClient(path: path)
    let quick = try ControlClient(path: path)
    #expect(try ask(lazy, "events") != nil)
    #expect(handler.waitForObservers(1))
    // More than the socket and its backlog hold: the lazy one is dropped.
    let text = String(repeating: "x", count: 16 * 1024)
    for _ in 0..<200 {
      handler.tell(.string(text))
      #expect(try ask(quick, "status") != nil)
    }
    #expect(handler.waitForObservers(0))
  }

  @Test func aLineHasALimit() throws {
    let server = try serve()
    defer { server.stop() }
    let client = try ControlClient(path: path)
    try? client.send(String(repeating: "a", count: ControlServer.Limit.line + 20_000))
    #expect(try client.nextLine() == #"{"ok":false,"code":1001,"message":"a line has at most 65536 bytes"}"#)
    #expect(try client.nextLine() == nil)
    #expect(try ask(ControlClient(path: path), "status") != nil)
  }

  @Test func theSocketIsRemovedAtTheEndAndClientsAreTold() throws {
    let server = try serve()
    let client = try ControlClient(path: path)
    try client.send("play")
    #expect(try client.nextLine() != nil)
    server.stop()
    #expect(access(path, F_OK) != 0)
    #expect(try client.nextLine() == nil)
    let error = #expect(throws: AudioError.self) { try ControlClient(path: path) }
    #expect(error?.code == .noOutput)
  }

  @Test func onlyADeadSocketIsReplaced() throws {
    let server = try serve()
    let error = #expect(throws: AudioError.self) { try serve() }
    #expect(error?.code == .writeFailed)
    server.stop()

    let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
    close(descriptor)
    #expect(throws: AudioError.self) { try serve() }
    #expect(access(path, F_OK) == 0)
    unlink(path)

    leaveDeadSocket(path)
    let second = try serve()
    #expect(try ask(ControlClient(path: path), "status") != nil)
    second.stop()
  }

  @Test func impossiblePathsAreErrors() {
    for path in ["", "/nowhere/at/all/s.sock", "/tmp/" + String(repeating: "x", count: 120)] {
      #expect(throws: AudioError.self) { try ControlServer(path: path, handler: handler) }
    }
  }

  @Test func theNewestLivePlayerIsFoundAndDeadOnesAreRemoved() throws {
    let place = ControlPath(folder: folder.path + "/martlet")
    try place.prepare()
    try place.prepare()  // there already: no error
    var facts = stat()
    #expect(lstat(place.folder, &facts) == 0 && facts.st_mode & 0o777 == 0o700)
    // No process has so high a number: Linux ends at 4 194 304.
    leaveDeadSocket(place.socket(of: 5_000_001))
    let mine = place.socket(of: getpid())
    let server = try ControlServer(path: mine, handler: handler)
    defer { server.stop() }
    #expect(place.live() == [mine])
    place.removeStale()
    #expect(access(place.socket(of: 5_000_001), F_OK) != 0)
    #expect(access(mine, F_OK) == 0)
    chmod(place.folder, 0o777)
    #expect(throws: AudioError.self) { try place.prepare() }
  }

  private func leaveDeadSocket(_ path: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    #expect(status == 0)
    close(descriptor)
  }
}
