/// An interpolator that finds what lies half way between two samples: an even sinc under a Kaiser window, of which one half
/// is kept.
///
/// Its gain is 1 for a constant. Design by J. F. Kaiser's window, as in ``KaiserFilter``.
struct HalfBandInterpolator {
  /// Samples that count on either side.
  let reach: Int
  /// `reach` coefficients: that of the nearest samples first.
  let half: UnsafeMutablePointer<Float>
  /// The most that it can make of samples of magnitude 1.
  let bound: Float

  /// Computes the coefficients, which the owner frees by ``deallocate()``.
  /// - Parameters:
  ///   - reach: Samples on either side.
  ///   - beta: Shape of the window: the greater, the less of images is left, and the wider the transition.
  init(reach: Int, beta: Double) {
    self.reach = reach
    half = .allocate(capacity: reach)
    var values: [Double] = []
    for tap in 0..<reach {
      let distance = Double(tap) + 0.5
      let place = distance / Double(reach)
      // sin(π · distance) is 1 and −1 by turns.
      let sinc = (tap.isMultiple(of: 2) ? 1 : -1) / (Double.pi * distance)
      values.append(sinc * KaiserFilter.besselI0(beta * (1 - place * place).squareRoot()))
    }
    let sum = 2 * values.reduce(0, +)
    for tap in 0..<reach { half[tap] = Float(values[tap] / sum) }
    bound = Float(2 * values.reduce(0) { $0 + abs($1) } / sum)
  }

  func deallocate() { half.deallocate() }

  // MARK: Real-time

  /// Finds what lies behind each of `count` samples, half way to the next; `count` is a multiple of 16.
  /// - Parameter samples: The first of them; `reach` − 1 samples before it and `reach` behind the last are read, too.
  @_noLocks @_noAllocation
  func interpolate(_ samples: UnsafePointer<Float>, count: Int, into target: UnsafeMutablePointer<Float>) {
    var index = 0
    while index < count {
      var first = Lanes(repeating: 0)
      var second = Lanes(repeating: 0)
      let place = samples + index
      var tap = 0
      while tap < reach {
        let factor = half[tap]
        first += factor * (load(place - tap) + load(place + tap + 1))
        second += factor * (load(place + 8 - tap) + load(place + tap + 9))
        tap &+= 1
      }
      store(first, to: target + index)
      store(second, to: target + index + 8)
      index &+= 16
    }
  }
}
