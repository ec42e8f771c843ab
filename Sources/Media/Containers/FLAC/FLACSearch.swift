/// Looks for the frame of FLAC that holds a seek's target: guesses a place, is told which frame was found there, and
/// guesses again. It does no reading itself.
struct FLACSearch {
  enum Step: Hashable {
    /// Look for a frame from there on.
    case look(at: Int64)
    /// Read on from there.
    case walk(from: Int64)
  }

  /// The target on the timeline.
  let target: Int64
  /// A frame begins there, at or before the target.
  private(set) var low: (position: Int64, frame: Int64)
  /// The target lies before this place; the frame there is `nil` where nobody knows.
  private var high: (position: Int64, frame: Int64?)
  /// Bytes that may be read on to the target rather than jumped over.
  private let near: Int64
  private let mostGuesses: Int
  private var guesses = 0
  /// Bytes of a frame of the timeline on average, for when the far end is not known.
  private let density: Double
  /// A place from a seek table, at or before the target.
  private var hint: Int64?

  /// Guesses land so many bytes before where they aim, since a frame too late costs another jump.
  static let margin: Int64 = 40 << 10

  init(
    target: Int64, low: (position: Int64, frame: Int64), high: (position: Int64, frame: Int64?), density: Double,
    hint: Int64?, sourceIsCheap: Bool
  ) {
    self.target = target
    self.low = low
    self.high = high
    self.density = density
    self.hint = hint
    near = sourceIsCheap ? 256 << 10 : 128 << 10
    mostGuesses = sourceIsCheap ? 48 : 6
  }

  /// What to do next.
  mutating func next() -> Step {
    let span = high.position - low.position
    guard guesses < mostGuesses, span > near, estimate - low.position > near else { return .walk(from: low.position) }
    guesses += 1
    if let hint {
      self.hint = nil
      if hint > low.position && hint < high.position { return .look(at: hint) }
    }
    // Where bit rates differ much, halving is sure to come to an end.
    let guess = guesses % 4 == 0 ? low.position + span / 2 : min(estimate, high.position) - Self.margin
    return guess > low.position ? .look(at: guess) : .walk(from: low.position)
  }

  /// Where the target lies if all bytes between the known places last equally long.
  private var estimate: Int64 {
    let distance = Double(target - low.frame)
    guard let end = high.frame, end > low.frame else {
      return Int64(clamping: Double(low.position) + distance * density)
    }
    return Int64(
      clamping: Double(low.position) + distance / Double(end - low.frame) * Double(high.position - low.position))
  }

  /// Takes the answer to ``Step/look(at:)``.
  /// - Returns: Whether the search is over: the frame holds the target.
  mutating func found(_ position: Int64, frames: Range<Int64>, lookedAt guess: Int64) -> Bool {
    if frames.contains(target) { return true }
    if frames.lowerBound <= target {
      if frames.lowerBound >= low.frame { low = (position, frames.lowerBound) }
    } else {
      high = (guess, frames.lowerBound)
    }
    return false
  }

  /// Nothing of use was found from a place on.
  mutating func foundNothing(lookedAt guess: Int64) { high = (guess, high.frame) }
}

extension Int64 {
  /// The whole number at or below, at most the largest.
  fileprivate init(clamping value: Double) { self = value < 9e18 ? Int64(value) : .max }
}
