import Foundation
import Transforms

/// What acousticians measure of impulse responses and spectra.
enum Acoustics {
  /// One octave of a signal, by its spectrum: flanks of a fifth of an octave around the octave's edges.
  static func octave(_ signal: [Float], around hertz: Double, rate: Int) -> [Float] {
    let transform = RealFFT(length: RealFFT.fastLength(atLeast: signal.count + rate / 4))
    let length = transform.length
    var plane = signal + [Float](repeating: 0, count: length - signal.count)
    var spectrum = [Float](repeating: 0, count: 2 * transform.bins)
    transform.forward(&plane, into: &spectrum)
    for bin in 0..<transform.bins {
      let distance = abs(log2(max(1e-9, Double(bin * rate) / Double(length)) / hertz))
      let flank = 0.5 + 0.5 * cos(Double.pi * (distance - 0.4) / 0.2)
      let gain = distance < 0.4 ? 1 : distance < 0.6 ? flank : 0
      spectrum[2 * bin] *= Float(gain / Double(length))
      spectrum[2 * bin + 1] *= Float(gain / Double(length))
    }
    transform.inverse(&spectrum, into: &plane)
    return Array(plane.prefix(signal.count))
  }

  /// Seconds in which the energy that is left falls by 60 dB (M. R. Schroeder, "New method of measuring reverberation
  /// time", JASA 37, 1965): a straight line through its level between −5 and −25 dB.
  static func decayTime(_ responses: [[Float]], rate: Int) -> Double {
    let count = responses[0].count
    var left = [Double](repeating: 0, count: count + 1)
    for frame in stride(from: count - 1, through: 0, by: -1) {
      left[frame] = left[frame + 1] + responses.reduce(0) { $0 + Double($1[frame] * $1[frame]) }
    }
    var (n, x, y, xx, xy) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for frame in 0..<count {
      let level = 10 * log10(left[frame] / left[0] + 1e-30)
      guard level < -5, level > -25 else { continue }
      let time = Double(frame) / Double(rate)
      (n, x, y, xx, xy) = (n + 1, x + time, y + level, xx + time * time, xy + time * level)
    }
    return -60 * (n * xx - x * x) / (n * xy - x * y)
  }

  static func energy(_ signal: some Sequence<Float>) -> Double { signal.reduce(0) { $0 + Double($1) * Double($1) } }

  static func decibels(_ ratio: Double) -> Double { 10 * log10(ratio) }

  /// Power in each bin under a window that has fallen by 100 dB four bins from its middle (Blackman and Harris).
  static func power(_ signal: ArraySlice<Float>) -> [Double] {
    let transform = RealFFT(length: RealFFT.fastLength(atLeast: signal.count))
    var plane = [Float](repeating: 0, count: transform.length)
    for (index, sample) in signal.enumerated() {
      let angle = 2 * Double.pi * Double(index) / Double(signal.count)
      let window = 0.35875 - 0.48829 * cos(angle) + 0.14128 * cos(2 * angle) - 0.01168 * cos(3 * angle)
      plane[index] = sample * Float(window)
    }
    var spectrum = [Float](repeating: 0, count: 2 * transform.bins)
    transform.forward(&plane, into: &spectrum)
    return (0..<transform.bins).map { bin in
      let (real, imaginary) = (Double(spectrum[2 * bin]), Double(spectrum[2 * bin + 1]))
      return real * real + imaginary * imaginary
    }
  }

  /// The strongest bin that lies at least `distance` hertz off a tone, in decibels below the strongest of all.
  static func outside(_ hertz: Double, distance: Double, _ signal: ArraySlice<Float>, rate: Int) -> Double {
    let power = power(signal)
    let width = Double(rate) / Double(2 * (power.count - 1))
    let outside = power.enumerated().filter { abs(Double($0.offset) * width - hertz) > distance }.map(\.element)
    return decibels((outside.max() ?? 0) / (power.max() ?? 1))
  }

  /// The bin that stands out most among its neighbours (a sixth of their frequency to either side), in decibels.
  static func mostProminent(_ power: [Double], bins: Range<Int>) -> Double {
    bins.map { bin in
      let reach = max(12, bin / 12)
      let around = (max(1, bin - reach)...min(power.count - 1, bin + reach)).filter { abs($0 - bin) > 2 }
      return decibels(power[bin] / (around.reduce(0) { $0 + power[$1] } / Double(around.count)))
    }.max() ?? 0
  }

  /// Noise whose octaves all have the same energy: as many octaves of random steps, each half as fast as the one before.
  static func pink(seed: UInt64, frames: Int) -> [Float] {
    var state = seed
    func random() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-31
    }
    var rows = [Float](repeating: 0, count: 14)
    return (1...frames).map { frame in
      rows[min(13, frame.trailingZeroBitCount)] = random()
      return (rows.reduce(0, +) + random()) * 0.05
    }
  }

  /// Runs an effect on planes, in calls of the lengths that `cuts` gives in turn.
  static func run(
    _ planes: [[Float]], cuts: [Int] = [512],
    _ body: (_ input: UnsafePointer<Float>, _ stride: Int, _ output: UnsafeMutablePointer<Float>, _ count: Int) ->
      Void
  ) -> [[Float]] {
    let (channels, frames) = (planes.count, planes[0].count)
    let input = planes.flatMap { $0 }
    var output = [Float](repeating: .nan, count: input.count)
    input.withUnsafeBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        guard let from = input.baseAddress, let to = output.baseAddress else { return }
        var (done, call) = (0, 0)
        while done < frames {
          let count = min(cuts[call % cuts.count], frames - done)
          body(from + done, frames, to + done, count)
          (done, call) = (done + count, call + 1)
        }
      }
    }
    return (0..<channels).map { Array(output[$0 * frames..<($0 + 1) * frames]) }
  }
}
