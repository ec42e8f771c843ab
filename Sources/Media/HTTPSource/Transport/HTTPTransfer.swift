internal import AudioModel
internal import ByteSource
internal import CCurl
internal import Platform

/// Carries out on the network thread what an ``HTTPTransferState`` decides.
final class HTTPTransfer: @unchecked Sendable {
  // Everything that is `private var` belongs to the network thread; the state is behind its monitor's lock.
  let monitor: Monitor<HTTPTransferState>
  private let url: String
  private let host: String
  private let configuration: HTTPSourceConfiguration
  private let events: SourceEventHandler?

  private var easy: EasyHandle?
  private var head: ResponseHead?
  private var isBody = false
  /// The last sign of life, once the connection stands.
  private var lastActivity: MonotonicTime?
  /// When bytes were first, or again, wanted from the connection; `nil` while it is held back.
  private var wantedSince: MonotonicTime?
  private var wantedSeconds = 0.0
  private var isClosed = false

  init(url: String, host: String, configuration: HTTPSourceConfiguration, events: SourceEventHandler?) {
    self.url = url
    self.host = host
    self.configuration = configuration
    self.events = events
    monitor = Monitor(HTTPTransferState(configuration: configuration, host: host))
  }

  static func from(_ context: UnsafeMutableRawPointer) -> HTTPTransfer {
    Unmanaged<HTTPTransfer>.fromOpaque(context).takeUnretainedValue()
  }

  // MARK: From the worker, by posting

  /// Makes the next request.
  func start() {
    guard !isClosed else { return }
    drop()
    let request = monitor.withLock { $0.nextRequest() }
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard let easy = EasyHandle(url: url, configuration: configuration, request: request, context: context) else {
      return finished(CURLE_OUT_OF_MEMORY)
    }
    self.easy = easy
    head = nil
    isBody = false
    lastActivity = nil
    wantedSince = nil
    wantedSeconds = 0
    NetworkThread.shared.add(easy, for: self)
  }

  /// Makes a new request if a jump still waits for one.
  func restart() {
    if monitor.withLock({ $0.isRestarting }) { start() }
  }

  /// Lets a paused body flow again.
  func resume() {
    guard let easy else { return }
    let now = MonotonicTime.now
    wantedSince = now
    touch(now)
    easy.resume()
  }

  /// Ends it for good.
  func close() {
    isClosed = true
    drop()
  }

  private func drop() {
    NetworkThread.shared.setDeadline(nil, for: self)
    if let easy { NetworkThread.shared.remove(easy) }
    easy = nil
  }

  // MARK: From libcurl

  /// A connection stands and the request is about to be sent.
  func connected() { touch(.now) }

  /// A line of a head, with its line break. Returns the count that libcurl expects.
  func received(headerLine bytes: UnsafeRawBufferPointer) -> Int {
    touch(.now)
    guard !isBody else { return bytes.count }
    let line = String(latinOrUTF8: bytes.prefix { $0 != 0x0D && $0 != 0x0A })
    guard !line.isEmpty else {
      if let head, head.status >= 200 && !head.isRedirect { receive(head) }
      return bytes.count
    }
    if line.hasPrefix("HTTP/") || line.hasPrefix("ICY ") {
      head = ResponseHead(statusLine: line)
    } else {
      head?.add(line: line)
    }
    return bytes.count
  }

  private func receive(_ head: ResponseHead) {
    isBody = true
    wantedSince = .now
    let effectiveURL = easy?.effectiveURL
    change { state in
      state.receive(head)
      if state.facts?.url == nil { state.facts?.url = effectiveURL }
      if state.facts != nil && state.facts?.pathExtension == nil {
        state.facts?.pathExtension = effectiveURL.flatMap(MediaLocation.pathExtension(ofURL:))
      }
    }
  }

  /// Bytes of the body. Returns the count that libcurl expects.
  func received(body bytes: UnsafeRawBufferPointer) -> Int {
    let now = MonotonicTime.now
    touch(now)
    switch change({ $0.receive(bytes) }) {
    case .taken: return bytes.count
    case .cut: return 0
    case .pause:
      wantedSeconds += wantedSince?.seconds(to: now) ?? 0
      wantedSince = nil
      lastActivity = nil
      NetworkThread.shared.setDeadline(nil, for: self)
      return Int(CURL_WRITEFUNC_PAUSE)
    }
  }

  /// The connection's work is over.
  func finished(_ code: CURLcode) {
    let fault = CurlFault(code, host: host)
    end(code == CURLE_OK ? .whole : .broken(fault.fault, fault.error))
  }

  private func end(_ completion: HTTPTransferState.Completion) {
    let retryAfter = easy?.retryAfter
    let active = wantedSeconds + (wantedSince?.seconds(to: .now) ?? 0)
    drop()
    guard !isClosed else { return }
    let next = change { $0.finish(completion, retryAfter: retryAfter, activeSeconds: active) }
    if case .request(let delay) = next {
      setDeadline(.now, delay)
    }
  }

  // MARK: Time

  private func touch(_ now: MonotonicTime) {
    lastActivity = now
    setDeadline(now, configuration.stallTimeout)
  }

  private func setDeadline(_ now: MonotonicTime, _ seconds: Double) {
    // A year is for ever, and what a caller has set stays within the clock's numbers.
    NetworkThread.shared.setDeadline(now.advanced(bySeconds: max(0, min(31_536_000, seconds))), for: self)
  }

  /// The deadline is that of the next request, or that of a silent connection.
  func deadlinePassed(_ now: MonotonicTime) {
    guard easy != nil else { return start() }
    let errors = monitor.withLock { state in
      state.events.append(.stalled(offset: state.ring.end))
      return state.errors
    }
    end(.broken(.stalled, errors.stalled))
  }

  /// Changes the state and tells of it: the listener hears first, then a waiting reader wakes.
  private func change<Result: Sendable>(_ body: (inout HTTPTransferState) -> Result) -> Result {
    let (result, found) = monitor.withLock { state in
      let result = body(&state)
      defer { state.events = [] }
      return (result, state.events)
    }
    if let events, !isClosed { for event in found { events(event) } }
    monitor.signal { _ in }
    return result
  }
}

extension MonotonicTime {
  fileprivate func seconds(to later: MonotonicTime) -> Double { later.seconds(since: self) }
}
