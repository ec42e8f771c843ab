internal import Glibc
internal import Platform

/// An HTTP/1.1 server inside the test that misbehaves on command, on a free port of the loopback.
public final class HTTPFaultServer: Sendable {
  /// Decides how a request is answered.
  public typealias Script = @Sendable (HTTPExchange) -> HTTPBehaviour

  struct Resource: Sendable {
    var body: [UInt8]
    var script: Script
  }

  struct State {
    var resources: [String: Resource] = [:]
    var exchanges: [HTTPExchange] = []
    var connections: [Int: Int32] = [:]
    var connectionCount = 0
    var releases = 0
    var isStopped = false
  }

  /// The port.
  public let port: Int
  let state = Monitor(State())
  private let listener: Int32

  /// Starts a server.
  public init() {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &address) { bytes in
      let pointer = bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      return bind(listener, pointer, length) | listen(listener, 64) | getsockname(listener, pointer, &length)
    }
    precondition(status == 0, "no port: \(systemErrorText(errno))")
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    _ = NamedThread("test-http") { [state] in Self.accept(listener, state) }
  }

  deinit { stop() }

  /// The URL of a path; it starts with a slash.
  public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Serves `body` under `path`, as `script` says for each request.
  public func serve(_ path: String, _ body: [UInt8], _ script: @escaping Script = { _ in HTTPBehaviour() }) {
    state.withLock { $0.resources[path] = Resource(body: body, script: script) }
  }

  /// All requests so far, in order.
  public var exchanges: [HTTPExchange] { state.withLock { $0.exchanges } }

  /// Waits until the requests so far satisfy `condition`, 10 seconds at most.
  /// - Returns: Whether they did.
  public func waits(until condition: @escaping @Sendable ([HTTPExchange]) -> Bool) -> Bool {
    state.wait(until: .now.advanced(bySeconds: 10)) { condition($0.exchanges) ? true : nil } ?? false
  }

  /// Lets everything go on that stalls now.
  public func release() { state.signal { $0.releases += 1 } }

  /// Open connections.
  public var connectionCount: Int { state.withLock { $0.connections.count } }

  /// Waits until no connection is open, 10 seconds at most.
  /// - Returns: Whether all were closed.
  public func waitsUntilQuiet() -> Bool {
    state.wait(until: .now.advanced(bySeconds: 10)) { $0.connections.isEmpty ? true : nil } ?? false
  }

  /// Cuts all connections and refuses new ones.
  public func stop() {
    let isFirst = state.signal { state in
      defer { state.isStopped = true }
      for socket in state.connections.values { shutdown(socket, Int32(SHUT_RDWR)) }
      return !state.isStopped
    }
    if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
  }

  private static func accept(_ listener: Int32, _ state: Monitor<State>) {
    while true {
      let socket = Glibc.accept(listener, nil, nil)
      guard socket >= 0 else { break }
      let number: Int? = state.withLock { state in
        guard !state.isStopped else { return nil }
        state.connectionCount += 1
        state.connections[state.connectionCount] = socket
        return state.connectionCount
      }
      guard let number else {
        close(socket)
        break
      }
      _ = NamedThread("test-http-conn") {
        HTTPFaultConnection(socket: socket, number: number, state: state).serve()
        // Forgotten first: the number of a closed socket may be another's at once.
        state.signal { $0.connections[number] = nil }
        close(socket)
      }
    }
    close(listener)
  }
}
