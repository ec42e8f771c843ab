internal import Glibc
internal import Platform

/// One connection of an ``HTTPFaultServer``: reads requests, answers them as their behaviours say.
struct HTTPFaultConnection {
  /// The connection is over.
  struct Over: Error {}

  let socket: Int32
  let number: Int
  let state: Monitor<HTTPFaultServer.State>

  func serve() {
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    // Small, so that what was sent is soon what was taken.
    var size: Int32 = 64 << 10
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, 4)
    while let exchange = readRequest(), (try? answer(exchange)) ?? false {}
  }

  // MARK: Requests

  private func readRequest() -> HTTPExchange? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard recv(socket, &byte, 1, 0) == 1, bytes.count < 65536 else { return nil }
      bytes.append(byte)
    }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
    }
    let path = String(words[1].prefix { $0 != "?" })
    return state.signal { state in
      let exchange = HTTPExchange(
        number: state.exchanges.count + 1, count: state.exchanges.count { $0.path == path } + 1, connection: number,
        method: String(words[0]), path: path, headers: headers)
      state.exchanges.append(exchange)
      return exchange
    }
  }

  private func note(_ exchange: HTTPExchange, _ change: (inout HTTPExchange) -> Void) {
    state.signal { change(&$0.exchanges[exchange.number - 1]) }
  }

  // MARK: Answers

  /// Returns whether another request may follow.
  private func answer(_ exchange: HTTPExchange) throws(Over) -> Bool {
    guard let resource = state.withLock({ $0.resources[exchange.path] }) else {
      return try answer(exchange, HTTPBehaviour.with { $0.status = 404 }, 404)
    }
    let behaviour = resource.script(exchange)
    if behaviour.latency > 0 { CurrentThread.sleep(seconds: behaviour.latency) }
    if let wanted = behaviour.credentials {
      guard exchange.headers["authorization"] == "Basic " + base64(wanted) else {
        return try answer(exchange, behaviour, 401)
      }
    }
    if let redirect = behaviour.redirect {
      var behaviour = behaviour
      behaviour.headers.append(("Location", redirect))
      return try answer(exchange, behaviour, 302)
    }
    if let status = behaviour.status { return try answer(exchange, behaviour, status) }
    let body = behaviour.body ?? resource.body
    if behaviour.radio != nil || behaviour.isEndless { return try answerStream(exchange, behaviour, body) }
    return try answerFile(exchange, behaviour, body)
  }

  private func answer(_ exchange: HTTPExchange, _ behaviour: HTTPBehaviour, _ status: Int) throws(Over) -> Bool {
    let text = Array("status \(status)\n".utf8)
    try sendHead(exchange, behaviour, status, behaviour.headers + [("Content-Length", "\(text.count)")])
    try send(text)
    return behaviour.keepsAlive && !behaviour.isHTTP10
  }

  private func answerFile(_ exchange: HTTPExchange, _ behaviour: HTTPBehaviour, _ body: [UInt8]) throws(Over) -> Bool
  {
    var fields = behaviour.headers
    if let type = behaviour.contentType { fields.append(("Content-Type", type)) }
    if let etag = behaviour.etag { fields.append(("ETag", etag)) }
    if let date = behaviour.lastModified { fields.append(("Last-Modified", date)) }
    var status = 200
    var body = body[...]
    if behaviour.ranges != .ignored {
      fields.append(("Accept-Ranges", "bytes"))
      let condition = exchange.headers["if-range"]
      let isSame = condition == nil || condition == behaviour.etag || condition == behaviour.lastModified
      if isSame, let start = rangeStart(exchange) {
        guard start < body.count else {
          var refusal = behaviour
          refusal.headers.append(("Content-Range", "bytes */\(body.count)"))
          return try answer(exchange, refusal, 416)
        }
        status = 206
        let (field, part) = Self.part(body, from: start, behaviour.ranges)
        if let field { fields.append(("Content-Range", field)) }
        body = part
      }
    }
    var keepsAlive = behaviour.keepsAlive && !behaviour.isHTTP10
    switch behaviour.framing {
    case .length(let off):
      fields.append(("Content-Length", "\(max(0, body.count + off))"))
      keepsAlive = keepsAlive && off == 0
    case .chunked, .chunkedCut: fields.append(("Transfer-Encoding", "chunked"))
    case .untilClose: keepsAlive = false
    }
    fields.append(("Connection", keepsAlive ? "keep-alive" : "close"))
    try sendHead(exchange, behaviour, status, fields)
    try sendBody(exchange, behaviour, body)
    return keepsAlive
  }

  private func answerStream(
    _ exchange: HTTPExchange, _ behaviour: HTTPBehaviour, _ body: [UInt8]
  ) throws(Over) -> Bool {
    var fields = behaviour.headers
    if let type = behaviour.contentType { fields.append(("Content-Type", type)) }
    var interval: Int?
    if behaviour.radio != nil {
      fields += [("icy-name", "Fault FM"), ("ICY-BR", "128")]
      let isAsked = exchange.headers["icy-metadata"] == "1" || behaviour.forcesMetadata
      interval = isAsked ? behaviour.metadataInterval : nil
      if let interval { fields.append(("Icy-MetaInt", "\(interval)")) }
    }
    try sendHead(exchange, behaviour, 200, fields)
    let whole = interval.map { Self.weave(body, behaviour.metadata, every: $0) } ?? body
    repeat { try sendBody(exchange, behaviour, whole[...]) } while behaviour.isEndless
    return false
  }

  private func rangeStart(_ exchange: HTTPExchange) -> Int? {
    guard let range = exchange.headers["range"], range.hasPrefix("bytes="), range.hasSuffix("-") else { return nil }
    return Int(range.dropFirst(6).dropLast())
  }

  private static func part(
    _ body: ArraySlice<UInt8>, from start: Int, _ answer: HTTPBehaviour.RangeAnswer
  ) -> (field: String?, body: ArraySlice<UInt8>) {
    let (count, rest) = (body.count, body[start...])
    switch answer {
    case .honest, .ignored: return ("bytes \(start)-\(count - 1)/\(count)", rest)
    case .part(let limit):
      let part = rest.prefix(limit)
      return ("bytes \(start)-\(part.endIndex - 1)/\(count)", part)
    case .shifted: return ("bytes \(start + 1000)-\(count + 999)/\(count + 1000)", rest)
    case .wrongTotal: return ("bytes \(start)-\(count - 1)/\(count * 2)", rest)
    case .missing: return (nil, rest)
    case .otherUnit: return ("frames \(start)-\(count - 1)/\(count)", rest)
    case .garbage: return ("bytes banana", rest)
    case .lie: return ("bytes \(start)-\(count - 1)/\(count)", body.prefix(rest.count))
    case .zero: return ("bytes 0-\(count - 1)/\(count)", body)
    }
  }

  /// Audio with a metadata block behind every `interval` bytes of it.
  private static func weave(_ audio: [UInt8], _ blocks: [[UInt8]], every interval: Int) -> [UInt8] {
    var result: [UInt8] = []
    var at = 0
    while at < audio.count {
      let next = min(audio.count, at + interval)
      result += audio[at..<next]
      guard next == at + interval else { break }
      let block = blocks.isEmpty ? [] : blocks[(next / interval - 1) % blocks.count]
      let units = (block.count + 15) / 16
      result.append(UInt8(units))
      result += block + [UInt8](repeating: 0, count: units * 16 - block.count)
      at = next
    }
    return result
  }

  // MARK: Sending

  private func sendHead(
    _ exchange: HTTPExchange, _ behaviour: HTTPBehaviour, _ status: Int, _ fields: [(String, String)]
  ) throws(Over) {
    let isOld = behaviour.isHTTP10 || behaviour.radio == .http10
    let line = behaviour.radio == .shoutcast ? "ICY \(status) OK" : "HTTP/1.\(isOld ? 0 : 1) \(status) Status"
    note(exchange) { $0.status = status }
    try send(Array((([line] + fields.map { "\($0.0): \($0.1)" }).joined(separator: "\r\n") + "\r\n\r\n").utf8))
  }

  private func sendBody(
    _ exchange: HTTPExchange, _ behaviour: HTTPBehaviour, _ body: ArraySlice<UInt8>
  ) throws(Over) {
    let isChunked = [.chunked, .chunkedCut(after: -1)].contains(behaviour.framing.kind)
    var (rest, sent, stall) = (body, 0, behaviour.stall)
    var drop = behaviour.drop
    if case .chunkedCut(let limit) = behaviour.framing { drop = limit }
    let size = behaviour.chop ?? behaviour.rate.map { max(1, $0 / 50) } ?? 16384
    while true {
      if drop == sent { try cut(isChunked ? .close : behaviour.cut) }
      if stall == sent {
        stall = nil
        try waitForRelease()
      }
      guard !rest.isEmpty else { break }
      let limit = [drop, stall].compactMap { $0 }.map { $0 - sent }.filter { $0 > 0 }.min() ?? size
      let piece = rest.prefix(min(size, limit))
      rest = rest.dropFirst(piece.count)
      let text =
        isChunked ? Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8) : Array(piece)
      try send(text)
      sent += piece.count
      note(exchange) { $0.sent += piece.count }
      if let rate = behaviour.rate { CurrentThread.sleep(seconds: Double(piece.count) / Double(rate)) }
    }
    if isChunked { try send(Array("0\r\n\r\n".utf8)) }
  }

  private func send(_ bytes: [UInt8]) throws(Over) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Over() }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits until all that was sent has left, so that a cut takes nothing back, then cuts.
  private func cut(_ how: HTTPBehaviour.Cut) throws(Over) -> Never {
    var queued: Int32 = 0
    while ioctl(socket, UInt(TIOCOUTQ), &queued) == 0, queued > 0, !isPeerGone(waiting: 1) {}
    if how == .reset {
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }
    throw Over()
  }

  private func waitForRelease() throws(Over) {
    let releases = state.withLock { $0.releases }
    while state.withLock({ $0.releases == releases && !$0.isStopped }) {
      if isPeerGone(waiting: 5) { throw Over() }
    }
  }

  /// Whether the client has closed; waits for that some milliseconds. (A client does not speak while it is answered.)
  private func isPeerGone(waiting milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }

  private func base64(_ text: String) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    let bytes = Array(text.utf8)
    return stride(from: 0, to: bytes.count, by: 3).map { at in
      let group = Array(bytes[at..<min(at + 3, bytes.count)])
      let bits = (0..<3).reduce(0) { $0 << 8 | Int($1 < group.count ? group[$1] : 0) }
      return String((0..<4).map { $0 <= group.count ? digits[bits >> (18 - 6 * $0) & 63] : "=" })
    }.joined()
  }
}

extension HTTPBehaviour.Framing {
  /// Without the numbers.
  fileprivate var kind: Self {
    switch self {
    case .length: .length()
    case .chunked: .chunked
    case .chunkedCut: .chunkedCut(after: -1)
    case .untilClose: .untilClose
    }
  }
}
