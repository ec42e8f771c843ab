/// Filters of second order, one behind the other, for any number of channels.
///
/// Everything is computed in double precision, two channels at a time: two doubles fill the register that two floats would
/// leave half empty, so it costs nothing. The poles of a filter at 20 Hz lie so near to 1 that what tells them apart is in
/// digits that a float does not have: a high pass there was measured to be wrong by −76 dB at 48 kHz and −61 dB at 192 kHz in
/// single precision, by less than −220 dB in double.
///
/// The form is the first direct one, whose memory is the sound itself: what came to each filter, and what left the last.
/// So coefficients may move from frame to frame. The memory of the transposed second form is sums weighed by coefficients
/// of the past, and it thumps when those of a low frequency move: a constant through a low pass on its way from 20 to 28 Hz
/// came out 13 % wrong, and here by less than a thousand millionth.
///
/// Coefficients of a filter that is near the one before move through two one-pole smoothers in series: neither they nor
/// their slopes jump. On the way it is stable at every moment, since the pairs (a₁, a₂) of stable filters are the inside of
/// a triangle. Where it is another filter, or far away, the new one runs beside the old one, and the sound fades from one
/// to the other; moving there would ring like a string on which a finger slides.
///
/// The result does not depend on how the signal is cut into blocks. A filter that does nothing is left out, and when all
/// do nothing no sample is touched.
package final class BiquadCascade: @unchecked Sendable {
  typealias Pair = SIMD2<Double>
  /// Five coefficients; three lanes are not used.
  typealias Row = SIMD8<Double>
  /// Coefficients in both lanes.
  typealias Spread = (Pair, Pair, Pair, Pair, Pair)

  /// A filter, and what tells whether another is near it.
  package struct Filter: Sendable {
    /// Its coefficients.
    package var biquad: Biquad
    /// Filters of different kinds are never near; `nil` is one that lets sound pass, or changes its gain.
    package var kind: Int?
    /// Where it is, in octaves. Up to half an octave is near.
    package var place: Double

    /// Makes a filter; without arguments, one that lets sound pass.
    package init(_ biquad: Biquad = Biquad(), kind: Int? = nil, place: Double = 0) {
      self.biquad = biquad
      self.kind = kind
      self.place = place
    }
  }

  struct Slot {
    /// Coefficients in use.
    var coefficients: Spread
    /// Where they were at the last tick of the ramp, where the first smoother is, where all goes, and how much of it comes
    /// with each frame.
    var value: Row
    var lead: Row
    var goal: Row
    var step: Row
    /// −1 for none.
    var kind: Int
    var place: Double
    var isMoving: Bool
    /// Sound goes through it.
    var isActive: Bool
    /// Sound fades from a filter with these coefficients.
    var isFading: Bool
    var former: Spread

    init(_ filter: Filter) {
      let biquad = filter.biquad
      goal = Row(biquad.b0, biquad.b1, biquad.b2, biquad.a1, biquad.a2, 0, 0, 0)
      (value, lead, step) = (goal, goal, .zero)
      coefficients = (.zero, .zero, .zero, .zero, .zero)
      former = coefficients
      kind = filter.kind ?? -1
      place = filter.place
      (isMoving, isActive, isFading) = (false, false, false)
      spread()
      isActive = !isFlat
    }
  }

  /// A cascade as the one that takes its place sees it.
  package struct Past: BitwiseCopyable {
    let rate: Int
    let channels: Int
    let slots: UnsafeMutableBufferPointer<Slot>
    let active: UnsafeMutablePointer<Int>
    let activeCount: Int
    let history: UnsafeMutablePointer<Pair>
    let phase: Int
    let hasRun: Bool

    // MARK: Real-time

    @_noLocks @_noAllocation
    init(_ cascade: borrowing BiquadCascade) {
      rate = cascade.rate
      channels = cascade.channels
      slots = cascade.slots
      active = cascade.active
      activeCount = cascade.activeCount
      history = cascade.history
      phase = cascade.phase
      hasRun = cascade.hasRun
    }

    @inline(__always) @_noLocks @_noAllocation
    func node(_ pair: Int, _ index: Int) -> UnsafeMutablePointer<Pair> {
      history + (pair &* (slots.count &+ 1) &+ index) &* 2
    }
  }

  let rate: Int
  let channels: Int
  /// Filters in order.
  let slots: UnsafeMutableBufferPointer<Slot>
  // Numbers of the filters that sound goes through; behind the last stands the number of all.
  let active: UnsafeMutablePointer<Int>
  var activeCount = 0
  // For each pair of channels, and each filter, the last two frames that came to it; then those that left the last one.
  // Only what `active` names is up to date.
  let history: UnsafeMutablePointer<Pair>
  // For each pair of channels, and each filter while sound fades: the last two frames that left the former one, that left
  // the new one, and that came to the new one.
  let aside: UnsafeMutablePointer<Pair>
  let buffer: UnsafeMutablePointer<Pair>

  // A ramp ticks every 16 frames, and coefficients go straight from tick to tick. What is too small, or no number, is
  // looked for every 64 frames.
  let tick = 16
  let grid = 64
  // Frames since the last point of the grid.
  var phase = 0
  // Frames until the ramp is over, and until the fade is.
  var rampLeft = 0
  var fadeLeft = 0
  let rampFrames: Int
  let fadeFrames: Int
  let smoothing: Double
  var hasRun = false

  /// Makes filters that stand still.
  /// - Parameters:
  ///   - filters: The filters, in order.
  ///   - room: How many filters to make at least; those that lack let sound pass.
  ///   - rate: Frames a second.
  ///   - channels: Number of planes, at least 1.
  package init(_ filters: [Filter], room: Int = 0, rate: Int, channels: Int) {
    self.rate = rate
    self.channels = channels
    let count = max(room, filters.count)
    let pairs = (channels + 1) / 2
    slots = .allocate(capacity: count)
    for index in 0..<count {
      slots.initializeElement(at: index, to: Slot(index < filters.count ? filters[index] : Filter()))
    }
    active = .allocate(capacity: count + 1)
    history = .allocate(capacity: pairs * (count + 1) * 2)
    history.initialize(repeating: .zero, count: pairs * (count + 1) * 2)
    aside = .allocate(capacity: pairs * count * 6)
    aside.initialize(repeating: .zero, count: pairs * count * 6)
    buffer = .allocate(capacity: grid)
    buffer.initialize(repeating: .zero, count: grid)
    // 5 ms for each smoother; after 24 of these what is left of the way is less than a thousand millionth.
    let constant = 0.005 * Double(rate)
    smoothing = Double(tick) / (constant + Double(tick))
    rampFrames = (Int(24 * constant) / tick + 1) * tick
    fadeFrames = max(1, rate * 30 / 1000)
    findActive()
  }

  deinit {
    slots.deallocate()
    active.deallocate()
    history.deallocate()
    aside.deallocate()
    buffer.deallocate()
  }

  /// How many filters there are.
  package var count: Int { slots.count }

  // MARK: Real-time

  /// Whether sound passes unchanged, and costs nothing.
  package var isTransparent: Bool {
    @_noLocks @_noAllocation
    get { activeCount == 0 }
  }

  /// Whether sound fades from one filter to another: not the time to be taken the place of.
  package var isFading: Bool {
    @_noLocks @_noAllocation
    get { fadeLeft > 0 }
  }

  /// Filters planes in place.
  /// - Parameters:
  ///   - planes: The plane of channel c begins at `planes + c × stride`.
  ///   - count: Frames.
  @_noLocks @_noAllocation
  package func process(_ planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    guard count > 0 else { return }
    hasRun = true
    var done = 0
    while done < count {
      if activeCount == 0 {
        remember(planes + done, stride: stride, count: count &- done)
        phase = (phase &+ count &- done) % grid
        return
      }
      let size = pieceSize(count &- done)
      var channel = 0
      while channel < channels {
        filter(planes + (channel &* stride &+ done), stride: channel &+ 1 < channels ? stride : 0, size, channel / 2)
        channel &+= 2
      }
      moveOn(size)
      done &+= size
    }
  }

  /// How many frames can be filtered in one go: up to the next tick, or point of the grid.
  @_noLocks @_noAllocation
  private func pieceSize(_ wanted: Int) -> Int {
    var size = grid &- phase
    if rampLeft > 0 {
      if phase % tick == 0 { advanceRamp() }
      size = tick &- phase % tick
    }
    if fadeLeft > 0, fadeLeft < size { size = fadeLeft }
    return size < wanted ? size : wanted
  }

  /// Steps on behind a piece.
  @_noLocks @_noAllocation
  private func moveOn(_ count: Int) {
    phase &+= count
    if rampLeft > 0 {
      moveCoefficients(count)
      rampLeft &-= count
      if rampLeft == 0 { settle() }
    }
    if fadeLeft > 0 {
      fadeLeft &-= count
      if fadeLeft == 0 { endFade() }
    }
    if phase == grid {
      clean()
      phase = 0
    }
  }

  /// Forgets the signal, and is where it was going to.
  @_noLocks @_noAllocation
  package func reset() {
    phase = 0
    fadeLeft = 0
    hasRun = false
    settle()
    var index = 0
    while index < slots.count {
      slots[index].isFading = false
      slots[index].isActive = !slots[index].isFlat
      index &+= 1
    }
    findActive()
    history.update(repeating: .zero, count: (channels &+ 1) / 2 &* (slots.count &+ 1) &* 2)
  }

  /// Lists the filters that sound goes through.
  @_noLocks @_noAllocation
  func findActive() {
    activeCount = 0
    var index = 0
    while index < slots.count {
      if slots[index].isActive {
        active[activeCount] = index
        activeCount &+= 1
      }
      index &+= 1
    }
    active[activeCount] = slots.count
  }

  /// The last two frames that came to a filter, or left the last one.
  @inline(__always) @_noLocks @_noAllocation
  func node(_ pair: Int, _ index: Int) -> UnsafeMutablePointer<Pair> {
    history + (pair &* (slots.count &+ 1) &+ index) &* 2
  }
}

extension BiquadCascade.Slot {
  // MARK: Real-time

  /// Whether it is going to let sound pass: what is above the fraction's line equals what is below.
  var isFlat: Bool {
    @_noLocks @_noAllocation
    get {
      if goal[0] != 1 { return false }
      if goal[1] != goal[3] { return false }
      return goal[2] == goal[4]
    }
  }

  /// Uses the coefficients of the last tick.
  @_noLocks @_noAllocation
  mutating func spread() {
    coefficients = (
      .init(repeating: value[0]), .init(repeating: value[1]), .init(repeating: value[2]), .init(repeating: value[3]),
      .init(repeating: value[4])
    )
  }
}
