internal import AudioModel
internal import ByteSource

/// One item's way through however many connections it takes: which request comes next, which bytes are taken, what the
/// reader gets. A value without clock, threads or I/O; ``HTTPTransfer`` does what it says.
struct HTTPTransferState {
  /// What a reader finds.
  enum Read {
    case bytes(Int)
    case end
    case failed(AudioError)
    case wait
  }

  /// What becomes of bytes that arrived.
  enum Intake: Hashable {
    case taken
    /// Not taken: the consumer is behind. They come again after ``HTTPTransferState/resume()``.
    case pause
    /// Not wanted: the connection is to be cut, which ends in ``HTTPTransferState/finish(_:retryAfter:activeSeconds:)``.
    case cut
  }

  /// How a connection's work ended.
  enum Completion {
    case whole
    case broken(RetryPolicy.Fault, AudioError)
  }

  /// What follows.
  enum Next: Hashable {
    case request(after: Double)
    case rest
  }

  /// What the reader does to the network's side.
  enum Wish: Hashable {
    case nothing
    /// Bytes are wanted again.
    case resume
    /// The connection is to be dropped and a new request made.
    case restart
  }

  /// Bytes at the item's start that are kept to know it again.
  static let openingSize = 1024
  /// The body of a refusal is read up to this size, to keep the connection; longer ones are cut.
  private static let refusalLimit = 64 << 10

  let ring: ByteRing
  let policy: RetryPolicy
  let errors: HTTPErrors
  private let readAhead: Int
  private let skipLimit: Int64
  private let decodedLimit: Int64

  var plan = ResumePlan()
  /// What ``ByteSource/open()`` answers; set once.
  var facts: SourceFacts?
  var failure: AudioError?
  var isEnded = false
  /// Events for the listener, to be taken and told outside of the lock.
  var events: [SourceEvent] = []
  var isPaused = false
  /// A jump has made the present connection useless.
  var isRestarting = false

  /// Where the consumer reads next.
  private(set) var reader: Int64 = 0
  /// Where reading ahead is measured from: the reader, unless it stands behind the end.
  private var anchor: Int64 = 0
  private(set) var hasBeenRead = false
  var hasBegun = false
  var attempt = 0
  /// The item's first bytes.
  var opening: [UInt8] = []

  // MARK: The present connection
  var request = ResumePlan.Request()
  var head: ResponseHead?
  var verdict: ResumePlan.Verdict?
  /// Ends the item, whatever the connection says.
  var fatal: AudioError?
  /// Position of the next byte of the body.
  var bodyPosition: Int64 = 0
  var bodyEnd: Int64?
  var bodyCount: Int64 = 0
  var splitter: ICYSplitter?
  var suspicion: Suspicion?
  /// The item has changed and is begun once more; only a version of the length that was told will do.
  var isAfresh = false
  /// The last connection of a radio stream ended as a file's would.
  var suspectsRepetition = false

  init(configuration: HTTPSourceConfiguration, host: String) {
    readAhead = max(64 << 10, configuration.readAhead)
    ring = ByteRing(capacity: readAhead + max(4 << 10, configuration.readBehind))
    skipLimit = configuration.skipLimit
    decodedLimit = configuration.decodedLimit
    policy = configuration.retryPolicy
    errors = HTTPErrors(host: host)
  }

  // MARK: The reader's side

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
    let count = ring.copy(from: reader, into: buffer)
    if count > 0 {
      reader += Int64(count)
      anchor = reader
      hasBeenRead = true
      return .bytes(count)
    }
    if let length = plan.length, reader >= length { return .end }
    if isEnded && reader >= ring.end { return .end }
    return failure.map { .failed($0) } ?? .wait
  }

  mutating func seek(to target: Int64) throws(AudioError) -> Wish {
    guard target >= 0 else { throw .negativePosition }
    guard target != reader else { return .nothing }
    if let length = plan.length, target >= length {
      reader = target
      return .nothing
    }
    if target >= ring.start && target <= ring.end || readsOn(to: target) {
      reader = target
      anchor = target
      return takeResume() ? .resume : .nothing
    }
    guard !plan.isLive else { throw errors.live }
    reader = target
    anchor = target
    ring.restart(at: target)
    isRestarting = true
    isEnded = false
    failure = nil
    attempt = 0
    return .restart
  }

  private func readsOn(to target: Int64) -> Bool {
    guard target > ring.end && !isEnded && failure == nil && !plan.isLive else { return false }
    return !plan.canJump || target - ring.end <= skipLimit
  }

  /// Whether a paused connection should go on; then it counts as not paused.
  mutating func takeResume() -> Bool {
    guard isPaused && room >= min(128 << 10, readAhead / 2) else { return false }
    isPaused = false
    return true
  }

  /// Bytes that may be read ahead.
  private var room: Int { readAhead - Int(max(0, min(Int64(readAhead), ring.end - anchor))) }

  // MARK: The network's side: requests

  /// The request to make now.
  mutating func nextRequest() -> ResumePlan.Request {
    let overlap = plan.needsOverlap ? min(ring.end - ring.start, Int64(Self.openingSize)) : 0
    request = plan.request(from: ring.end, overlap: overlap)
    head = nil
    verdict = nil
    splitter = nil
    suspicion = nil
    bodyCount = 0
    isPaused = false
    isRestarting = false
    return request
  }

  /// Takes the head of the final answer.
  mutating func receive(_ head: ResponseHead) {
    guard !isRestarting else { return }
    let isFirst = facts == nil
    let verdict = plan.judge(head, to: request, position: ring.end)
    guard case .accept(let start, let end) = verdict else {
      self.verdict = verdict
      return
    }
    if isAfresh, let facts, plan.length != facts.length {
      fatal = errors.changed
      return
    }
    isAfresh = false
    self.head = head
    bodyPosition = plan.isLive ? ring.end : start
    bodyEnd = end
    splitter = head.metadataInterval.flatMap { ICYSplitter(interval: $0, position: bodyPosition) }
    if plan.isLive {
      if suspectsRepetition { suspicion = Suspicion(outcome: .repetition) }
    } else if start == ring.end && start > 0 {
      suspicion = Suspicion(outcome: .lie)
    }
    suspectsRepetition = false
    if isFirst { facts = makeFacts(head) }
    events.append(.connected(status: head.status, offset: ring.end))
  }

  private func makeFacts(_ head: ResponseHead) -> SourceFacts {
    var facts = SourceFacts(
      length: plan.length, seeking: plan.isLive ? .none : plan.canJump ? .request : .reread,
      contentType: head.contentType)
    facts.isLive = plan.isLive
    facts.name = head["icy-name"].flatMap { $0.isEmpty ? nil : $0 }
    facts.bitRate = head.bitRate
    return facts
  }

  // MARK: The network's side: bytes

  /// Takes bytes of the body.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Intake {
    guard !isRestarting && fatal == nil else { return .cut }
    guard let head, verdict == nil else {
      bodyCount += Int64(bytes.count)
      return bodyCount <= Self.refusalLimit ? .taken : .cut
    }
    guard room >= bytes.count else {
      isPaused = true
      return .pause
    }
    bodyCount += Int64(bytes.count)
    if head.isEncoded && bodyCount > decodedLimit {
      fatal = errors.tooLarge
      return .cut
    }
    if var splitter = splitter.take() {
      splitter.split(bytes) { piece in
        switch piece {
        case .audio(let audio): take(audio)
        case .metadata(let block, let position):
          guard position >= ring.end else { return }
          events.append(.metadata(StreamMetadata(block: block), offset: position))
        }
      }
      self.splitter = splitter
    } else {
      take(bytes)
    }
    let isDone = request.ignoresContentLength && plan.length.map { ring.end >= $0 } ?? false
    return verdict == nil && fatal == nil && !isDone ? .taken : .cut
  }

  private mutating func take(_ bytes: UnsafeRawBufferPointer) {
    guard verdict == nil else { return }
    var bytes = bytes
    if bodyPosition < ring.end {
      let known = UnsafeRawBufferPointer(
        rebasing: bytes.prefix(Int(min(Int64(bytes.count), ring.end - bodyPosition))))
      guard ring.agrees(with: known, at: bodyPosition), agreesWithOpening(known) else { return disagree() }
      bodyPosition += Int64(known.count)
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(known.count))
    }
    guard !bytes.isEmpty else { return }
    if suspicion != nil { bytes = allay(bytes) }
    append(bytes)
  }

  private func agreesWithOpening(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bodyPosition < opening.count else { return true }
    return zip(opening[Int(bodyPosition)...], bytes).allSatisfy { $0 == $1 }
  }

  /// Bytes that are known already came differently.
  private mutating func disagree() {
    if request.start.map({ $0 > 0 }) ?? false {
      plan.distrustRanges()
      verdict = .again
    } else {
      verdict = .changed
    }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    let left = plan.length.map { max(0, $0 - ring.end) } ?? .max
    let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(min(Int64(bytes.count), left))))
    guard !bytes.isEmpty else { return }
    if ring.end < Self.openingSize && Int64(opening.count) == ring.end {
      opening += bytes.prefix(Self.openingSize - opening.count)
    }
    ring.append(bytes)
    bodyPosition += Int64(bytes.count)
    hasBegun = true
    if attempt > 0 {
      events.append(.recovered(attempt: attempt, offset: ring.end - Int64(bytes.count)))
      attempt = 0
    }
  }
}
