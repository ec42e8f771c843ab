/// Finds where a sound sets in at once: a stroke, a click, a consonant.
///
/// What counts is the energy of the second difference, which tells little of what sounds steadily and much of what begins.
/// It has to be a multiple of all that was there in the 23 ms before: the pulses of a voice follow each other sooner, so
/// that only the first of them counts.
struct OnsetDetector {
  /// Frames whose energy is added up.
  private let step: Int
  private let energies: UnsafeMutablePointer<Float>
  private let onsets: UnsafeMutablePointer<Int64>
  private let remembered = 16
  private let kept = 64
  private var scanned: Int64 = 0
  private var steps = 0
  private var count = 0
  private var quiet = 0

  init(rate: Int) {
    step = max(8, rate * 64 / 44_100)
    energies = .allocate(capacity: remembered)
    energies.initialize(repeating: 0, count: remembered)
    onsets = .allocate(capacity: kept)
    onsets.initialize(repeating: 0, count: kept)
  }

  func deallocate() {
    energies.deallocate()
    onsets.deallocate()
  }

  // MARK: Real-time

  /// Frames behind a place that must be held so that everything up to it is known.
  var lookAhead: Int {
    @_noLocks @_noAllocation
    get { 2 &* step }
  }

  /// Begins at a frame of the source.
  @_noLocks @_noAllocation
  mutating func start(at frame: Int64) {
    scanned = frame
    steps = 0
    count = 0
    quiet = remembered
    var index = 0
    while index < remembered {
      energies[index] = 0
      index &+= 1
    }
  }

  /// Looks at the source up to a frame.
  @_noLocks @_noAllocation
  mutating func scan(_ source: SignalQueue, to end: Int64) {
    while scanned < end {
      let energy = measure(source, scanned, step)
      var loudest: Float = 0
      var index = 0
      while index < remembered {
        if energies[index] > loudest { loudest = energies[index] }
        index &+= 1
      }
      quiet &+= 1
      if energy > 8 * loudest, energy > 1e-8 * Float(Int32(truncatingIfNeeded: step)), quiet > remembered {
        onsets[count & (kept &- 1)] = locate(source, energy)
        count &+= 1
        quiet = 0
      }
      energies[steps & (remembered &- 1)] = energy
      steps &+= 1
      scanned &+= Int64(step)
    }
  }

  /// The first onset behind a frame; the greatest number if there is none.
  @_noLocks @_noAllocation
  func first(after frame: Int64) -> Int64 {
    var found = Int64.max
    var index = count
    let oldest = count > kept ? count &- kept : 0
    while index > oldest {
      index &-= 1
      let onset = onsets[index & (kept &- 1)]
      if onset <= frame { break }
      found = onset
    }
    return found
  }

  /// The energy of the second difference of all channels.
  @_noLocks @_noAllocation
  private func measure(_ source: SignalQueue, _ frame: Int64, _ length: Int) -> Float {
    var sum: Float = 0
    var channel = 0
    while channel < source.channels {
      let samples = source.pointer(channel, frame &- 2)
      var index = 0
      while index < length {
        let difference = samples[index] - 2 * samples[index &+ 1] + samples[index &+ 2]
        sum += difference * difference
        index &+= 1
      }
      channel &+= 1
    }
    return sum
  }

  /// The first frame of the step, or of the one before, that has a fair part of the energy.
  @_noLocks @_noAllocation
  private func locate(_ source: SignalQueue, _ energy: Float) -> Int64 {
    let limit = energy / Float(Int32(truncatingIfNeeded: step)) / 4
    var frame = scanned &- Int64(step / 2)
    let end = scanned &+ Int64(step)
    while frame < end {
      if measure(source, frame, 1) > limit { return frame }
      frame &+= 1
    }
    return scanned
  }
}
