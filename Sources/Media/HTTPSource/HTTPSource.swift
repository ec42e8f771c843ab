public import AudioModel
public import ByteSource
internal import Platform
internal import Synchronization

/// An http or https URL.
///
/// Bytes are read ahead up to ``HTTPSourceConfiguration/readAhead``, then the connection is held back. A connection that
/// breaks is made anew where it broke, as ``RetryPolicy`` has it and in the background: the reader sees an error only
/// when there is no hope, and after the last good byte. Bytes of two versions of a file are never joined.
///
/// Where ``SourceFacts/seeking`` is `none`, a jump still works in a body that ends: it is read up to the target, from its
/// start if need be. A live stream can't be sought. Events are told on the thread `martlet-net`.
public final class HTTPSource: ByteSource {
  /// The URL as given.
  public let url: String
  private let transfer: HTTPTransfer?
  private let failure: AudioError?
  private let isCancelled = Atomic(false)
  private let isInterrupted = Atomic(false)

  /// Makes a source; the network is first touched by ``open()``.
  /// - Parameters:
  ///   - url: As ``MediaLocation/web(url:)`` holds it.
  ///   - configuration: How HTTP is spoken.
  ///   - events: Hears what happens on the way.
  public init(
    url: String, configuration: HTTPSourceConfiguration = HTTPSourceConfiguration(), events: SourceEventHandler? = nil
  ) {
    self.url = url
    let host = Self.host(of: url)
    failure = host == nil ? AudioError(.badURL, "not an http or https URL") : Self.usageError(configuration)
    transfer =
      failure == nil ? HTTPTransfer(url: url, host: host ?? "", configuration: configuration, events: events) : nil
  }

  deinit { close() }

  /// Sends the first request and waits for its answer, through redirects and retries.
  /// - Throws: Codes 20xx; ``AudioError/Code/usage`` for header fields that hold line breaks.
  public func open() throws(AudioError) -> SourceFacts {
    _ = try usable()
    try CurlLibrary.load()
    // Again: who cancelled before there was a library has posted nothing.
    let transfer = try usable()
    NetworkThread.shared.post { transfer.start() }
    let result: Result<SourceFacts, AudioError>? = transfer.monitor.wait { state in
      if self.isCancelled.load(ordering: .acquiring) { return .failure(.cancelled) }
      return state.facts.map { .success($0) } ?? state.failure.map { .failure($0) }
    }
    var facts = try (result ?? .failure(.cancelled)).get()
    facts.pathExtension = Self.pathExtension(given: url, reached: facts.pathExtension)
    return facts
  }

  /// Reads bytes that have arrived, or waits for some.
  /// - Throws: Codes 20xx when no retry helped.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    let transfer = try usable()
    let result: (read: HTTPTransferState.Read, resumes: Bool)? = transfer.monitor.wait { state in
      if self.isCancelled.load(ordering: .acquiring) { return (.failed(.cancelled), false) }
      let read = state.read(into: buffer)
      if case .wait = read {
        return self.isInterrupted.load(ordering: .acquiring) ? (.failed(Self.interruption), false) : nil
      }
      return (read, state.takeResume())
    }
    if result?.resumes ?? false { NetworkThread.shared.post { transfer.resume() } }
    switch result?.read {
    case .bytes(let count): return count
    case .failed(let error): throw error
    case .end, .wait, nil: return 0
    }
  }

  /// Moves: within what is at hand at no cost, a little forward by reading on, else by a new request.
  /// - Throws: ``AudioError/Code/notSeekable`` for live streams.
  public func seek(to position: Int64) throws(AudioError) {
    let transfer = try usable()
    let wish = try transfer.monitor.withLock { state throws(AudioError) in try state.seek(to: position) }
    switch wish {
    case .nothing: break
    case .resume: NetworkThread.shared.post { transfer.resume() }
    case .restart: NetworkThread.shared.post { transfer.restart() }
    }
  }

  /// Makes a read that waits for the server give up. See ``ByteSource/setInterrupted(_:)``.
  public func setInterrupted(_ isInterrupted: Bool) {
    self.isInterrupted.store(isInterrupted, ordering: .releasing)
    if isInterrupted { transfer?.monitor.signal { _ in } }
  }

  private static let interruption = AudioError(.interrupted, "the wait for the server was given up", recovery: .retry)

  /// Makes blocked and later calls throw, and drops the connection.
  public func cancel() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing), let transfer else { return }
    transfer.monitor.signal { _ in }
    if CurlLibrary.isLoaded { NetworkThread.shared.post { transfer.close() } }
  }

  /// Drops the connection, like ``cancel()``.
  public func close() { cancel() }

  private func usable() throws(AudioError) -> HTTPTransfer {
    if isCancelled.load(ordering: .acquiring) { throw .cancelled }
    guard let transfer else { throw failure ?? .cancelled }
    return transfer
  }

  // MARK: URLs and fields

  private static func host(of url: String) -> String? {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count >= 3, parts[1].isEmpty, ["http:", "https:"].contains(parts[0].lowercased()) else { return nil }
    let authority = parts[2].prefix { $0 != "?" && $0 != "#" }
    guard let host = authority.split(separator: "@", omittingEmptySubsequences: false).last, !host.isEmpty else {
      return nil
    }
    return String(host)
  }

  private static func usageError(_ configuration: HTTPSourceConfiguration) -> AudioError? {
    let fields = configuration.headers.flatMap { [$0.name, $0.value] } + [configuration.userAgent]
    let isClean = fields.allSatisfy { $0.utf8.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D } }
    let isNamed = configuration.headers.allSatisfy { !$0.name.isEmpty && !$0.name.contains(":") }
    return isClean && isNamed ? nil : AudioError(.usage, "a header field's name or value is not allowed")
  }

  /// The address that was given speaks better of the file than the one that redirects led to, unless it names a script.
  private static func pathExtension(given: String, reached: String?) -> String? {
    let scripts = ["php", "asp", "aspx", "cgi", "jsp", "htm", "html"]
    guard let first = MediaLocation.pathExtension(ofURL: given), !scripts.contains(first) else { return reached }
    return first
  }
}
