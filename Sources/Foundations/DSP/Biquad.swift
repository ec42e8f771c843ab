package import AudioModel
internal import Glibc

/// Coefficients of a digital filter of second order, of which a₀ is 1:
/// y[n] = b₀·x[n] + b₁·x[n−1] + b₂·x[n−2] − a₁·y[n−1] − a₂·y[n−2].
package struct Biquad: BitwiseCopyable, Equatable, Sendable {
  // The order is that of the cascade's lanes.
  package var b0: Double
  package var b1: Double
  package var b2: Double
  package var a1: Double
  package var a2: Double

  /// Makes a filter of its coefficients.
  package init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
    (self.b0, self.b1, self.b2, self.a1, self.a2) = (b0, b1, b2, a1, a2)
  }

  /// What goes in comes out, times `gain`.
  package init(gain: Double = 1) { self.init(b0: gain, b1: 0, b2: 0, a1: 0, a2: 0) }

  /// Designs a band of an equalizer, whose values are clamped first.
  ///
  /// The analogue prototypes are those of R. Bristow-Johnson's "Audio EQ Cookbook" (W3C Note, 2021,
  /// <https://www.w3.org/TR/audio-eq-cookbook/>), brought to the sample rate by the bilinear transform with the
  /// frequency prewarped. Butterworth filters and plain shelves have Q = √½ (a shelf's slope is 1 then). At a gain of 0 dB
  /// what is above the fraction's line equals what is below it, to the bit.
  /// - Parameter rate: Frames a second. Frequencies of 0.499 times that, and above, count as that.
  package init(_ band: EqualizerBand, rate: Int) {
    let band = band.clamped
    guard !band.isBypassed, rate > 0 else {
      self.init()
      return
    }
    let frequency = min(band.frequency / Double(rate), 0.499)
    let q = Self.q(of: band, frequency: frequency)
    let a = exp2(band.gain.value / 40 * log2(10))
    let (over, under) = Self.prototype(band.filter, q: q, a: a)
    let k = tan(.pi * frequency)
    func transformed(_ p: Quadratic) -> (Double, Double, Double) {
      let (square, linear, constant) = (p.square, p.linear * k, p.constant * k * k)
      return (square + linear + constant, 2 * (constant - square), square - linear + constant)
    }
    let b = transformed(over)
    let d = transformed(under)
    self.init(b0: b.0 / d.0, b1: b.1 / d.0, b2: b.2 / d.0, a1: d.1 / d.0, a2: d.2 / d.0)
  }

  /// The amplitude that a tone of amplitude 1 comes out with.
  package func magnitude(at frequency: Double, rate: Int) -> Double {
    // By the half angle: near 0 Hz a polynomial in cos ω would be the difference of nearly equal numbers.
    let half = .pi * frequency / Double(rate)
    let (c, s) = (cos(half) * cos(half), sin(half) * sin(half))
    func power(_ p0: Double, _ p1: Double, _ p2: Double) -> Double {
      let (even, odd) = ((p0 + p1 + p2) * c - (p0 - p1 + p2) * s, 2 * (p0 - p2))
      return even * even + odd * odd * c * s
    }
    return (power(b0, b1, b2) / power(1, a1, a2)).squareRoot()
  }

  /// Frames until what rings on is so much softer; 0 for a filter that lets sound pass.
  package func decayFrames(to level: Decibels) -> Int {
    if b0 == 1, b1 == a1, b2 == a2 { return 0 }
    // The poles: a pair, whose radius is the root of their product, or two on the axis.
    let discriminant = a1 * a1 / 4 - a2
    let radius = discriminant < 0 ? a2.squareRoot() : abs(a1) / 2 + discriminant.squareRoot()
    guard radius > 0, radius < 1 else { return 2 }
    return 2 + Int(min(log(exp2(level.value / 20 * log2(10))) / log(radius), 1e9).rounded(.up))
  }

  /// The filter with everything that comes out multiplied.
  package func scaled(by gain: Double) -> Biquad {
    Biquad(b0: b0 * gain, b1: b1 * gain, b2: b2 * gain, a1: a1, a2: a2)
  }

  /// A polynomial of s, the complex frequency in units of the band's.
  private struct Quadratic {
    var square: Double
    var linear: Double
    var constant: Double
  }

  private static func prototype(
    _ filter: EqualizerFilter, q: Double, a: Double
  ) -> (over: Quadratic, under: Quadratic) {
    func p(_ square: Double, _ linear: Double, _ constant: Double) -> Quadratic {
      Quadratic(square: square, linear: linear, constant: constant)
    }
    let slope = a.squareRoot() / q
    let resonance = p(1, 1 / q, 1)
    return switch filter {
    case .parametric: (p(1, a / q, 1), p(1, 1 / (a * q), 1))
    case .lowPass, .resonantLowPass: (p(0, 0, 1), resonance)
    case .highPass, .resonantHighPass: (p(1, 0, 0), resonance)
    case .bandPass: (p(0, 1 / q, 0), resonance)
    case .bandStop: (p(1, 0, 1), resonance)
    case .lowShelf, .resonantLowShelf: (p(a, a * slope, a * a), p(a, slope, 1))
    case .highShelf, .resonantHighShelf: (p(a * a, a * slope, a), p(1, slope, a))
    }
  }

  /// The Q of a bandwidth.
  ///
  /// Where the bandwidth lies between two edges, the lower edge is where it should be: the transform presses what is
  /// above the frequency together, but the edge below can be met at any frequency. (The cookbook's formula keeps the
  /// distance of the edges, about, and near half of the sample rate, where the upper one would be beyond, makes the band
  /// as wide as everything.) With Ω the lower edge in units of the frequency, both prewarped, 1/Q = 1/Ω − Ω. Resonant
  /// filters have no edges; theirs is the analogue Q, 1/Q = 2·sinh(½·ln 2·bandwidth).
  private static func q(of band: EqualizerBand, frequency: Double) -> Double {
    switch band.filter {
    case .lowPass, .highPass, .lowShelf, .highShelf: return 0.5.squareRoot()
    case .resonantLowPass, .resonantHighPass, .resonantLowShelf, .resonantHighShelf:
      return 0.5 / sinh(log(2) / 2 * band.bandwidth)
    case .parametric, .bandPass, .bandStop:
      let edge = tan(.pi * frequency * exp2(-band.bandwidth / 2)) / tan(.pi * frequency)
      return edge / (1 - edge * edge)
    }
  }
}

extension BiquadCascade.Filter {
  /// The filter of an equalizer's band.
  package init(_ band: EqualizerBand, rate: Int) {
    self.init(
      Biquad(band, rate: rate), kind: band.isBypassed ? nil : band.filter.rawValue,
      place: log2(band.clamped.frequency))
  }
}

extension EqualizerSettings {
  /// The filters for a sample rate, the gain over everything in the first: at least one.
  package func filters(rate: Int) -> [BiquadCascade.Filter] {
    let settings = clamped
    var filters = settings.bands.map { BiquadCascade.Filter($0, rate: rate) }
    if filters.isEmpty { filters = [BiquadCascade.Filter()] }
    filters[0].biquad = filters[0].biquad.scaled(by: exp2(settings.globalGain.value / 20 * log2(10)))
    return filters
  }
}
