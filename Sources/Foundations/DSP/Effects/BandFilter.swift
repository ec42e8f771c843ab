internal import Glibc

/// A high-pass and a low-pass, each Butterworth's of second order: what a small speaker or a telephone leaves of
/// sound.
///
/// A state variable filter by trapezoidal integration (V. Zavalishin, "The art of VA filter design", 2012).
struct BandFilter: BitwiseCopyable {
  private var high: Section
  private var low: Section
  private let hasHigh: Bool
  private let hasLow: Bool

  private struct Section: BitwiseCopyable {
    let (a1, a2, a3): (Float, Float, Float)
    private var (first, second): (Float, Float) = (0, 0)

    init(hertz: Double, rate: Double) {
      let g = tan(Double.pi * min(hertz / rate, 0.49))
      let a1 = 1 / (1 + g * (g + 2.0.squareRoot()))
      (self.a1, a2, a3) = (Float(a1), Float(g * a1), Float(g * g * a1))
    }

    /// What lies below the corner, and the band around it.
    @inline(__always) @_noLocks @_noAllocation
    mutating func step(_ sample: Float) -> (low: Float, band: Float) {
      let rest = sample - second
      let band = a1 * first + a2 * rest
      let low = second + a2 * first + a3 * rest
      // Adding what is too little to count, and taking it away, makes zeros of what processors are slow with.
      first = (2 * band - first + 1e-18) - 1e-18
      second = (2 * low - second + 1e-18) - 1e-18
      return (low, band)
    }

    @_noLocks @_noAllocation
    mutating func reset() { (first, second) = (0, 0) }
  }

  /// Makes a filter.
  /// - Parameters:
  ///   - highPass: The corner in hertz below which sound goes; 0 for none.
  ///   - lowPass: The corner in hertz above which sound goes; 0 for none.
  init(highPass: Double, lowPass: Double, rate: Double) {
    hasHigh = highPass > 0
    hasLow = lowPass > 0
    high = Section(hertz: max(1, highPass), rate: rate)
    low = Section(hertz: max(1, lowPass), rate: rate)
  }

  // MARK: Real-time

  /// Filters samples in place.
  @_noLocks @_noAllocation
  mutating func run(_ plane: UnsafeMutablePointer<Float>, count: Int) {
    let damping: Float = 1.414_213_56
    var index = 0
    if hasHigh {
      while index < count {
        let parts = high.step(plane[index])
        plane[index] -= damping * parts.band + parts.low
        index &+= 1
      }
    }
    index = 0
    if hasLow {
      while index < count {
        plane[index] = low.step(plane[index]).low
        index &+= 1
      }
    }
  }

  /// Forgets the signal.
  @_noLocks @_noAllocation
  mutating func reset() {
    high.reset()
    low.reset()
  }
}
