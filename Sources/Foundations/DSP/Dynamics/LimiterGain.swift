internal import Glibc

/// The gain of a limiter, from the peaks that it sees coming.
///
/// The greatest peak of a window is held and let go slowly, and two moving averages, half a window long each, make a smooth
/// curve of that: where a peak comes out, all that the averages see belongs to a window with this peak, so that their
/// result can't be above the gain that it needs. The averages are of whole numbers; they neither drift nor depend on where
/// they began, and a gain of 1 is exactly 1.
struct LimiterGain {
  /// Half of the window in frames.
  let half: Int
  /// Frames from a peak's coming to its place under the gain.
  var delay: Int { 2 * half - 1 }

  private let rates: (release: Double, rise: Double, fall: Double, ebb: Double)
  private let full: Int64
  private let scale: Double
  private let first: UnsafeMutablePointer<Int64>
  private let second: UnsafeMutablePointer<Int64>
  private var place = 0
  private var firstSum: Int64
  private var secondSum: Int64
  private var window: SlidingMaximum
  /// How far the peak is above the ceiling, as a part of it: the gain is 1 / (1 + excess).
  private var excess = 0.0
  /// What the excess has been on average.
  private var usual = 0.0

  /// Takes memory, which the owner frees by ``deallocate()``.
  init(rate: Int) {
    half = max(1, Int((Double(rate) * TruePeakLimiter.attack / 2).rounded()))
    rates = (
      exp(-1 / (TruePeakLimiter.release * Double(rate))), 1 - exp(-1 / (TruePeakLimiter.memoryRise * Double(rate))),
      1 - exp(-1 / (TruePeakLimiter.memoryFall * Double(rate))), 0.01 / Double(rate)
    )
    full = Int64(half) * Int64(half) << 30
    scale = 1 / Double(full)
    first = .allocate(capacity: 2 * half)
    second = first + half
    firstSum = Int64(half) << 30
    secondSum = full
    window = SlidingMaximum(width: 2 * half + 1)
    reset()
  }

  func deallocate() {
    first.deallocate()
    window.deallocate()
  }

  // MARK: Real-time

  /// Whether the gain is 1 and stays so without peaks.
  var isIdle: Bool {
    @_noLocks @_noAllocation
    get {
      if excess > 0 { return false }
      return secondSum == full ? window.isEmpty : false
    }
  }

  /// Steps on by a frame.
  /// - Parameter coming: How far the peak that comes into sight is above the ceiling, as a part of it; 0 if it is not.
  /// - Returns: The gain ``delay`` frames before that peak.
  @_noLocks @_noAllocation
  mutating func step(_ coming: Float) -> Float {
    let needed = Double(window.push(coming))
    if needed > 0 {
      follow(needed)
    } else if excess > 0 {
      follow(needed)
    }
    let gain = Int64(0x1p30 / (1 + excess))
    firstSum &+= gain &- first[place]
    first[place] = gain
    secondSum &+= firstSum &- second[place]
    second[place] = firstSum
    place &+= 1
    if place == half { place = 0 }
    return secondSum == full ? 1 : Float(Double(secondSum) * scale)
  }

  /// Falls back as ``TruePeakLimiter`` tells.
  @inline(__always) @_noLocks @_noAllocation
  private mutating func follow(_ needed: Double) {
    usual += needed > usual ? (needed - usual) * rates.rise : (needed - usual) * rates.fall - rates.ebb
    if usual < 0 { usual = 0 }
    let rest = usual < excess ? usual : excess
    excess = rest + (excess - rest) * rates.release
    if needed > excess { excess = needed }
    // 0.00001 dB: as good as nothing, and the gain comes to 1.
    if excess < 1e-6 {
      excess = 0
      usual = 0
    }
  }

  /// Forgets what has been usual: without further peaks, the gain comes back as after a single one.
  @_noLocks @_noAllocation
  mutating func relax() { usual = 0 }

  /// Forgets all peaks.
  @_noLocks @_noAllocation
  mutating func reset() {
    var index = 0
    while index < half {
      first[index] = 1 << 30
      second[index] = Int64(half) << 30
      index &+= 1
    }
    place = 0
    firstSum = Int64(half) << 30
    secondSum = full
    window.reset()
    excess = 0
    usual = 0
  }
}
