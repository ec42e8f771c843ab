/// Finds the page of a logical stream from which a seek's target is reached: the last one known to end at or before it, and
/// near enough to read on from there. Ogg has no index, but every page says what time it is.
///
/// The guess is by proportion, which is right for all but streams of very uneven rate; halving follows if it is not.
struct OggBisection {
  enum Step {
    case need(ByteRequest)
    /// A page begins here that ends at or before the target; or it is the stream's first.
    case found(position: Int64)
  }

  /// Guesses by proportion, before halving.
  private static let guesses = 6

  private var low: Int64
  private var lowGranule: Int64
  private var high: Int64
  private var highGranule: Int64
  private let serial: UInt32
  private let target: Int64
  /// Bytes that are read rather than searched.
  private let reach: Int64
  private var probe: Int64?
  private var position: Int64 = 0
  private var tries = 0

  /// - Parameters:
  ///   - low: A place in the stream, and the granule position there.
  ///   - high: Its end, and the granule position there.
  ///   - target: The granule position that is looked for.
  ///   - reach: Bytes that may be read on from the place that is found.
  init(
    serial: UInt32, low: (position: Int64, granule: Int64), high: (position: Int64, granule: Int64), target: Int64,
    reach: Int64
  ) {
    self.serial = serial
    (self.low, lowGranule) = low
    (self.high, highGranule) = high
    self.target = target
    self.reach = reach
  }

  /// Where it looks first.
  var firstPosition: Int64 {
    var copy = self
    return copy.aim() ?? low
  }

  /// Takes the next step.
  mutating func next(in window: ByteWindow) -> Step {
    while true {
      if probe == nil {
        guard let guess = aim() else { return .found(position: low) }
        probe = guess
        position = guess
        tries += 1
      }
      let from = probe ?? low
      switch OggSync.search(window, from: position, limit: high) {
      case .need(let request):
        position = request.position
        return .need(request)
      case .none:
        high = from
        probe = nil
      case .page(let page):
        guard page.serial == serial, page.granule >= 0 else {
          position = page.end
          continue
        }
        if page.granule <= target {
          low = page.position
          lowGranule = page.granule
        } else {
          high = from
          highGranule = page.granule
        }
        probe = nil
      }
    }
  }

  /// Where to look next; `nil` when `low` is near enough.
  private mutating func aim() -> Int64? {
    let span = Double(max(highGranule - lowGranule, 1))
    let share = min(max(Double(target - lowGranule) / span, 0), 1)
    let distance = Int64(share * Double(high - low))
    guard high - low > reach, distance > reach || tries >= Self.guesses else { return nil }
    let guess = tries < Self.guesses ? low + distance - reach / 2 : low + (high - low) / 2
    return min(max(guess, low + 1), high - 1)
  }
}
