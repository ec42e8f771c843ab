internal import AudioModel
internal import ByteSource

extension HTTPTransferState {
  /// A radio stream that came this many times faster than it plays, and then ended well, may be a file.
  private static let fileSpeed = 8.0

  /// Decides what follows the end of a connection's work.
  /// - Parameters:
  ///   - completion: How it ended.
  ///   - retryAfter: The Retry-After field in seconds.
  ///   - activeSeconds: How long bytes were wanted from it.
  mutating func finish(_ completion: Completion, retryAfter: Double? = nil, activeSeconds: Double = 0) -> Next {
    guard !isRestarting else { return .request(after: 0) }
    if let fatal { return giveUp(fatal) }
    switch verdict {
    case .again: return .request(after: 0)
    case .changed: return finishChanged()
    case .end: return end()
    case .fault(.status(let status, _)):
      return retry(.status(status, retryAfter: retryAfter), errors.status(status, retryAfter: retryAfter))
    case .fault(let fault): return retry(fault, errors.badRange)
    case .accept, nil: break
    }
    if head != nil { release() }
    if verdict != nil { return .request(after: 0) }
    if let length = plan.length, head != nil && ring.end >= length { return end() }
    switch completion {
    case .broken(let fault, let error): return retry(fault, error)
    case .whole where head == nil: return retry(.broken, errors.badResponse("\(errors.host) gives no answer"))
    case .whole where plan.isLive: return finishLive(activeSeconds)
    case .whole where plan.length == nil: return end()
    case .whole:
      // A part as long as it said, but not up to the end: the next part can be asked for at once.
      let isProgress = bodyEnd == bodyPosition && bodyCount > 0
      return isProgress ? .request(after: 0) : retry(.lost, errors.lost)
    }
  }

  private mutating func end() -> Next {
    isEnded = true
    facts = facts ?? SourceFacts(length: ring.end, seeking: .reread)
    return .rest
  }

  /// Another version of the file: begun anew where nothing of the old one is out, else an error.
  private mutating func finishChanged() -> Next {
    guard !hasBeenRead else { return giveUp(errors.changed) }
    plan = ResumePlan()
    ring.restart(at: reader)
    opening = []
    isAfresh = true
    return retry(.lost, errors.changed)
  }

  private mutating func finishLive(_ activeSeconds: Double) -> Next {
    let playing = Double(bodyCount) * 8 / Double(facts?.bitRate ?? 128_000)
    guard bodyCount > 0, playing > activeSeconds * Self.fileSpeed else { return retry(.lost, errors.lost) }
    suspectsRepetition = true
    return .request(after: 0)
  }

  private mutating func retry(_ fault: RetryPolicy.Fault, _ error: AudioError) -> Next {
    var status: Int?
    if case .status(let code, _) = fault { status = code }
    guard let delay = policy.delay(beforeAttempt: attempt + 1, after: fault, hasBegun: hasBegun) else {
      return giveUp(error, status: status)
    }
    attempt += 1
    events.append(.retrying(attempt: attempt, delay: delay, status: status, offset: ring.end))
    return .request(after: delay)
  }

  private mutating func giveUp(_ error: AudioError, status: Int? = nil) -> Next {
    if attempt > 0 { events.append(.gaveUp(attempt: attempt, status: status, offset: ring.end)) }
    failure = error
    return .rest
  }
}
