internal import Glibc

/// A low-pass filter cut into phases: the sinc function under a Kaiser window, sampled between the samples.
///
/// Design by J. F. Kaiser's formulas (Kaiser & Schafer, "On the use of the I0-sinh window for spectrum analysis", 1980).
struct KaiserFilter {
  /// Coefficients of one phase; a multiple of 8.
  let taps: Int
  /// Phases from one sample to the next. The table has one more, the first one shifted by a sample.
  let phases: Int
  /// `(phases + 1) × taps` coefficients; those of one phase follow the order of the input samples.
  let table: UnsafeMutablePointer<Float>

  /// Coefficients of a phase for a ratio of rates.
  /// - Parameters:
  ///   - reduction: Input rate / output rate where that is above 1, otherwise 1.
  ///   - quality: Steepness and attenuation.
  static func taps(reduction: Double, quality: ResamplerQuality = .medium) -> Int {
    let width = (ResamplerQuality.stopEdge - quality.passEdge) * Double.pi
    let length = (quality.attenuation - 7.95) / (2.285 * width) * reduction
    return (Int(length.rounded(.up)) + 8) / 8 * 8
  }

  /// Computes a table, which the owner frees by ``deallocate()``.
  init(taps: Int, phases: Int, reduction: Double, quality: ResamplerQuality = .medium) {
    self.taps = taps
    self.phases = phases
    table = .allocate(capacity: (phases + 1) * taps)
    let cutoff = (quality.passEdge + ResamplerQuality.stopEdge) / 2 / reduction
    let beta = 0.1102 * (quality.attenuation - 8.7)
    // The impulse response is even: the second half of the phases mirrors the first.
    for phase in 0...phases / 2 {
      let row = table + phase * taps
      let mirror = table + (phases - phase) * taps
      Self.fill(row, taps: taps, shift: Double(phase) / Double(phases), cutoff: cutoff, beta: beta)
      for tap in 0..<taps { mirror[tap] = row[taps - 1 - tap] }
    }
  }

  func deallocate() { table.deallocate() }

  /// One phase, `shift` samples behind the tap at `taps / 2 - 1`; its sum is 1, so that a constant stays what it is.
  private static func fill(
    _ row: UnsafeMutablePointer<Float>, taps: Int, shift: Double, cutoff: Double, beta: Double
  ) {
    let half = Double(taps / 2)
    var values = [Double](repeating: 0, count: taps)
    var sum = 0.0
    for tap in 0..<taps {
      let distance = shift + half - 1 - Double(tap)
      let place = distance / half
      guard abs(place) < 1 else { continue }
      let angle = Double.pi * cutoff * distance
      let sinc = abs(angle) < 1e-9 ? 1 : sin(angle) / angle
      values[tap] = sinc * besselI0(beta * (1 - place * place).squareRoot())
      sum += values[tap]
    }
    for tap in 0..<taps { row[tap] = Float(values[tap] / sum) }
  }

  /// The modified Bessel function of the first kind and order 0, by its power series.
  static func besselI0(_ x: Double) -> Double {
    let quarter = x * x / 4
    var term = 1.0
    var sum = 1.0
    var index = 1.0
    while term > sum * 1e-17 {
      term *= quarter / (index * index)
      sum += term
      index += 1
    }
    return sum
  }
}
