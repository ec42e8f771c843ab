package import ByteSource

/// What the answers so far have told about an item, what the next request must ask, and what its answer is worth.
package struct ResumePlan {
  /// What a request asks.
  package struct Request: Hashable {
    /// `Range: bytes=start-`; `nil` asks for the whole without naming a range.
    package var start: Int64?
    /// `If-Range`.
    package var ifRange: String?
    /// The server's Content-Length has been caught lying: the connection's end counts.
    package var ignoresContentLength = false

    /// Makes a request.
    package init(start: Int64? = nil, ifRange: String? = nil, ignoresContentLength: Bool = false) {
      self.start = start
      self.ifRange = ifRange
      self.ignoresContentLength = ignoresContentLength
    }
  }

  /// What an answer is worth.
  package enum Verdict: Hashable {
    /// Its body is the item from byte `start` on, up to before `end`, or as long as it lasts.
    case accept(start: Int64, end: Int64?)
    /// There are no bytes from the position on.
    case end
    /// No use; but another request that can be made at once may do better.
    case again
    /// It is another version of the file.
    case changed
    /// No use; the retry policy decides.
    case fault(RetryPolicy.Fault)
  }

  /// Length of the whole, once it is known.
  package private(set) var length: Int64?
  /// Radio: every connection begins at the present.
  package private(set) var isLive = false
  private var validators: Validators?
  private var trustsRanges = true
  private var trustsContentLength = true
  private var givesRanges = false

  /// Nothing is known yet.
  package init() {}

  /// Whether a jump can be asked for rather than read up to.
  package var canJump: Bool { trustsRanges && givesRanges }
  /// Whether a resumed body must show some known bytes first, as nothing else tells versions apart.
  package var needsOverlap: Bool { validators?.isEmpty ?? false }

  /// The request for the bytes from `position` on, beginning `overlap` bytes earlier.
  package func request(from position: Int64, overlap: Int64 = 0) -> Request {
    guard !isLive && trustsRanges else { return Request(ignoresContentLength: !trustsContentLength) }
    return Request(
      start: max(0, position - overlap), ifRange: validators?.forIfRange, ignoresContentLength: !trustsContentLength)
  }

  /// The server's ranges can't be relied on: from now on the whole is asked for.
  package mutating func distrustRanges() { trustsRanges = false }

  /// Judges the answer to `request`, which was made to get the bytes from `position` on.
  package mutating func judge(_ head: ResponseHead, to request: Request, position: Int64) -> Verdict {
    switch head.status {
    case 200, 203, 204, 205: return judgeWhole(head)
    case 206 where head.isRadio && (isLive || (request.start == 0 && head.contentRange?.total == nil)):
      return judgeWhole(head)
    case 206: return judgePart(head, to: request)
    case 416: return judgeUnsatisfied(head, to: request, position: position)
    default: return .fault(.status(head.status))
    }
  }

  private mutating func judgeWhole(_ head: ResponseHead) -> Verdict {
    let isPlain = !head.isEncoded && head.metadataInterval == nil
    let length = isPlain ? head.contentLength : nil
    guard validators != nil else {
      validators = head.validators
      self.length = length
      isLive = head.isRadio && head.contentLength == nil
      givesRanges = isPlain && length != nil && head.acceptsRanges
      return .accept(start: 0, end: length)
    }
    guard isLive || isSameVersion(head, length: length) else { return .changed }
    return .accept(start: 0, end: length)
  }

  private mutating func judgePart(_ head: ResponseHead, to request: Request) -> Verdict {
    guard let start = request.start else { return .fault(.broken) }
    guard let range = head.contentRange, let bytes = range.bytes, bytes.lowerBound == start, !head.isEncoded else {
      distrustRanges()
      return .again
    }
    if validators != nil {
      guard validators?.agrees(with: head.validators) ?? true else { return .changed }
      if let length, let total = range.total, total != length {
        // The same version can't have two lengths; where nothing marks versions, another length is another version.
        guard !needsOverlap else { return .changed }
        distrustRanges()
        return .again
      }
    } else {
      // Of a file that is asked for whole a part is no lie, but then its total may be one: the whole will tell.
      guard range.total.map({ bytes.upperBound + 1 == $0 }) ?? true else {
        distrustRanges()
        return .again
      }
      validators = head.validators
    }
    length = length ?? range.total
    givesRanges = true
    if let sent = head.contentLength, sent != range.count { trustsContentLength = false }
    return .accept(start: start, end: bytes.upperBound + 1)
  }

  private mutating func judgeUnsatisfied(_ head: ResponseHead, to request: Request, position: Int64) -> Verdict {
    guard request.start != nil else { return .fault(.status(416)) }
    if let range = head.contentRange, range.bytes == nil, range.total == position {
      length = position
      validators = validators ?? head.validators
      return .end
    }
    distrustRanges()
    return .again
  }

  private func isSameVersion(_ head: ResponseHead, length other: Int64?) -> Bool {
    guard validators?.agrees(with: head.validators) ?? true else { return false }
    guard let length, let other else { return true }
    return length == other
  }
}
