internal import Glibc

/// How long sound lasts at low, middle and high frequencies.
package struct DecayTimes: Hashable, Sendable {
  /// Seconds in which sound at 1 kHz falls by 60 dB.
  package var middle: Double
  /// Far below ``bassCorner``, as a part of ``middle``.
  package var bass: Double
  /// Far above ``trebleCorner``, as a part of ``middle``.
  package var treble: Double

  /// Where times lie half-way, in decibels a second, between those of low and of middle frequencies, in hertz.
  static let bassCorner = 200.0
  /// The same between middle and high.
  static let trebleCorner = 5000.0
}

/// The filter of one line of a ``FeedbackNetwork``: two shelves of first order, each with a gain in decibels that is
/// proportional to the line's length, after J.-M. Jot's design.
struct DecayFilter: BitwiseCopyable {
  private var bass: Shelf
  private var treble: Shelf

  /// A shelf: what lies on one side of a corner has another gain. At the corner it has half of it, in decibels.
  private struct Shelf: BitwiseCopyable {
    var (b0, b1, a1): (Float, Float, Float)
    private var (input, output): (Float, Float) = (0, 0)

    /// (G s + √G ω) / (s + √G ω), by the bilinear transform, ω in its place: 1 far below the corner, G far above.
    init(gain: Double, corner: Double, rate: Double) {
      let root = gain.squareRoot()
      let warped = tan(Double.pi * min(corner, 0.45 * rate) / rate)
      let scale = 1 / (1 + root * warped)
      b0 = Float((gain + root * warped) * scale)
      b1 = Float((root * warped - gain) * scale)
      a1 = Float((root * warped - 1) * scale)
    }

    mutating func scale(by gain: Double) {
      b0 *= Float(gain)
      b1 *= Float(gain)
    }

    /// The gain at an angle in radians for each frame.
    func gain(at angle: Double) -> Double {
      let (real, imaginary) = (cos(angle), sin(angle))
      let (b0, b1, a1) = (Double(b0), Double(b1), Double(a1))
      let above = (b0 + b1 * real) * (b0 + b1 * real) + b1 * imaginary * (b1 * imaginary)
      let below = (1 + a1 * real) * (1 + a1 * real) + a1 * imaginary * (a1 * imaginary)
      return (above / below).squareRoot()
    }

    @inline(__always) @_noLocks @_noAllocation
    mutating func step(_ sample: Float) -> Float {
      let result = (b0 * sample + b1 * input) - a1 * output
      input = sample
      output = result
      return result
    }

    @_noLocks @_noAllocation
    mutating func reset() {
      input = 0
      output = 0
    }
  }

  /// Makes a filter.
  /// - Parameter matrix: What the matrix behind it multiplies the power of a signal by, which this one takes back.
  init(_ times: DecayTimes, length: Int, rate: Double, matrix: Double) {
    let middle = Self.gain(length, rate, times.middle)
    let low = Self.gain(length, rate, times.middle * times.bass)
    let high = Self.gain(length, rate, times.middle * times.treble)
    bass = Shelf(gain: middle / low, corner: DecayTimes.bassCorner, rate: rate)
    treble = Shelf(gain: high / middle, corner: DecayTimes.trebleCorner, rate: rate)
    // Exact at 1 kHz, where both shelves still do a little.
    let angle = 2 * Double.pi * min(1000, 0.2 * rate) / rate
    bass.scale(by: middle / (bass.gain(at: angle) * treble.gain(at: angle) * matrix.squareRoot()))
  }

  /// The gain by which `length` frames of a sound that falls by 60 dB in `seconds` differ.
  private static func gain(_ length: Int, _ rate: Double, _ seconds: Double) -> Double {
    pow(10, -3 * Double(length) / (rate * seconds))
  }

  /// The gain at a frequency, that of the matrix not in it.
  func gain(at hertz: Double, rate: Double) -> Double {
    let angle = 2 * Double.pi * hertz / rate
    return bass.gain(at: angle) * treble.gain(at: angle)
  }

  // MARK: Real-time

  /// The next sample.
  @inline(__always) @_noLocks @_noAllocation
  mutating func step(_ sample: Float) -> Float { treble.step(bass.step(sample)) }

  /// Forgets the signal.
  @_noLocks @_noAllocation
  mutating func reset() {
    bass.reset()
    treble.reset()
  }
}
