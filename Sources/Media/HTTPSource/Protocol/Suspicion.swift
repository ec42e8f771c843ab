/// A body that may be the item's start once more although it should not be.
///
/// While its bytes equal the item's first ones they are held back. They are released when one differs; when all of them
/// are equal, the suspicion was right.
struct Suspicion {
  enum Outcome {
    /// A server that sends the start whatever range was asked for.
    case lie
    /// A "live" stream that is a file and has ended.
    case repetition
  }

  var outcome: Outcome
  /// Bytes held back: as many of the item's first ones.
  var matched = 0
}

extension HTTPTransferState {
  /// Fewer equal bytes than this prove nothing.
  private static let proof = 64

  /// Holds back what equals the item's start, and returns the bytes that are free of suspicion.
  mutating func allay(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let suspicion, opening.count >= Self.proof else {
      self.suspicion = nil
      return bytes
    }
    let equal = zip(opening[suspicion.matched...], bytes).prefix { $0 == $1 }.count
    self.suspicion?.matched += equal
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(equal))
    if suspicion.matched + equal == opening.count {
      confirm(suspicion.outcome)
    } else if !rest.isEmpty {
      release()
      return rest
    }
    return UnsafeRawBufferPointer(rebasing: bytes.prefix(0))
  }

  /// Gives out what was held back.
  mutating func release() {
    guard let suspicion else { return }
    self.suspicion = nil
    let held = Array(opening[..<suspicion.matched])
    held.withUnsafeBytes { append($0) }
  }

  private mutating func confirm(_ outcome: Suspicion.Outcome) {
    suspicion = nil
    switch outcome {
    case .lie:
      plan.distrustRanges()
      verdict = .again
    case .repetition:
      verdict = .end
    }
  }
}
