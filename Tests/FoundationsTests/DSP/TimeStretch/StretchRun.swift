import AudioModel
import DSP
import Glibc

/// A signal sent through a stretcher, and what was told on the way.
struct StretchRun {
  /// Rate, pitch and algorithm.
  struct Setting {
    var rate = 1.0
    var cents = 0.0
    var algorithm = StretchAlgorithm.music

    var ratio: Double { cents == 0 ? 1 : exp2(cents / 1200) }
  }

  let stretcher: TimeStretcher
  /// What came out, a plane for each channel.
  private(set) var output: [[Float]]
  /// Where the source was at frames of the result: before each call, and at the end.
  private(set) var places: [(frame: Int, media: Double)] = []
  var frames: Int { output[0].count }

  /// Runs a signal through.
  /// - Parameters:
  ///   - pull: Frames of each call, in turn.
  ///   - push: Frames of the source brought at a time, at most.
  ///   - change: Called before each call with the frames that have come; gives other settings where there are some.
  init(
    _ input: [[Float]], hertz: Int = 44_100, _ setting: Setting, pull: [Int] = [256], push: Int = 4096,
    stretcher given: TimeStretcher? = nil, change: (_ frame: Int) -> Setting? = { _ in nil }
  ) {
    guard let rate = SampleRate(hertz: hertz) else { preconditionFailure("\(hertz) Hz is no rate") }
    let channels = input.count
    stretcher = given ?? TimeStretcher(rate: rate, channels: channels)
    output = Array(repeating: [], count: channels)
    stretcher.set(rate: setting.rate, pitchRatio: setting.ratio, algorithm: setting.algorithm)
    let frames = input[0].count
    var planes: [Float] = []
    for plane in input { planes += plane }
    planes.append(0)
    var block = [Float](repeating: .nan, count: 256 * channels)
    var fed = 0
    var call = 0
    while true {
      let count = pull[call % pull.count]
      call += 1
      if let next = change(output[0].count) {
        stretcher.set(rate: next.rate, pitchRatio: next.ratio, algorithm: next.algorithm)
      }
      while case let wanted = stretcher.wanted(for: count), wanted > 0 {
        let pushed = min(wanted, frames - fed, push)
        guard pushed > 0 else {
          stretcher.finish()
          continue
        }
        planes.withUnsafeBufferPointer { stretcher.push($0.baseAddress! + fed, stride: frames, count: pushed) }
        fed += pushed
      }
      places.append((output[0].count, stretcher.mediaPosition))
      let got = block.withUnsafeMutableBufferPointer {
        stretcher.pull(into: $0.baseAddress!, stride: 256, count: count)
      }
      for channel in 0..<channels { output[channel] += block[256 * channel..<256 * channel + got] }
      if got < count { break }
    }
    places.append((output[0].count, stretcher.mediaPosition))
  }

  /// The source's frame at a frame of the result, as it was told.
  func media(at frame: Int) -> Double {
    let next = places.firstIndex { $0.frame > frame } ?? places.count - 1
    let (before, after) = (places[max(0, next - 1)], places[next])
    guard after.frame > before.frame else { return before.media }
    let part = Double(frame - before.frame) / Double(after.frame - before.frame)
    return before.media + part * (after.media - before.media)
  }
}

/// Signals to stretch, and what is measured of the result.
enum StretchSignals {
  static func tone(_ frames: Int, hertz: Double, rate: Int = 44_100, amplitude: Double = 0.5) -> [Float] {
    (0..<frames).map { Float(amplitude * sin(2 * Double.pi * hertz * Double($0) / Double(rate))) }
  }

  /// Even noise, the same every time.
  static func noise(_ frames: Int, amplitude: Float = 0.5, seed: UInt32 = 1) -> [Float] {
    var random = StretchRandom(seed)
    return (0..<frames).map { _ in amplitude * Float(random.next() * 2 - 1) }
  }

  /// Short strokes, one each `distance` frames, the first half as far behind the beginning.
  static func clicks(_ frames: Int, each distance: Int) -> [Float] {
    var signal = [Float](repeating: 0, count: frames)
    for start in stride(from: distance / 2, to: frames - 20, by: distance) {
      for frame in 0..<20 { signal[start + frame] = (frame % 2 == 0 ? 0.8 : -0.8) * exp(-Float(frame) / 5) }
    }
    return signal
  }

  /// Where strokes begin: the first frame above a fifth of the full scale behind `quiet` frames that are not.
  static func strokes(_ signal: [Float], above level: Float = 0.2, quiet: Int = 900) -> [Int] {
    var found: [Int] = []
    var last = -quiet
    for (frame, sample) in signal.enumerated() where abs(sample) > level {
      if frame - last >= quiet { found.append(frame) }
      last = frame
    }
    return found
  }

  /// How far what is not the tone lies below it, in decibels: the tone is fitted by least squares.
  static func purity(_ signal: some Collection<Float>, hertz: Double, rate: Int = 44_100) -> Double {
    var (ss, cc, sc, xs, xc, xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, sample) in signal.enumerated() {
      let angle = 2 * Double.pi * hertz * Double(index) / Double(rate)
      let (s, c, x) = (sin(angle), cos(angle), Double(sample))
      ss += s * s
      cc += c * c
      sc += s * c
      xs += x * s
      xc += x * c
      xx += x * x
    }
    let determinant = ss * cc - sc * sc
    let (a, b) = ((xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant)
    let power = a * xs + b * xc
    return 10 * log10(power / max(xx - power, 1e-30))
  }

  /// The greatest sample of what lies above 2.5 kHz.
  static func roughness(_ signal: [Float], rate: Int = 44_100) -> Float {
    // A Blackman-windowed sinc, -6 dB at 2 kHz.
    let half = 127
    let cutoff = 2000 / Double(rate)
    let filter = (-half...half).map { index -> Float in
      let place = Double(index) / Double(half + 1)
      let window = 0.42 + 0.5 * cos(Double.pi * place) + 0.08 * cos(2 * Double.pi * place)
      let angle = 2 * Double.pi * cutoff * Double(index)
      let low = index == 0 ? 2 * cutoff : 2 * cutoff * sin(angle) / angle
      return Float((index == 0 ? 1 : 0) - low * window)
    }
    var greatest: Float = 0
    signal.withUnsafeBufferPointer { signal in
      filter.withUnsafeBufferPointer { filter in
        var frame = half
        while frame < signal.count - half {
          var sum: Float = 0
          var tap = 0
          while tap < filter.count {
            sum += filter[tap] * signal[frame - half + tap]
            tap += 1
          }
          greatest = max(greatest, abs(sum))
          frame += 1
        }
      }
    }
    return greatest
  }

  /// Where two runs differ first, in words; `nil` when all bits are equal.
  static func difference(_ found: some Collection<Float>, _ expected: some Collection<Float>) -> String? {
    for (index, pair) in zip(found, expected).enumerated() where pair.0.bitPattern != pair.1.bitPattern {
      return "at \(index): \(pair.0), expected \(pair.1); \(found.count) frames, expected \(expected.count)"
    }
    return found.count == expected.count ? nil : "\(found.count) frames, expected \(expected.count)"
  }
}

/// Numbers that look random, the same every time.
struct StretchRandom {
  private var state: UInt32
  init(_ seed: UInt32) { state = seed }

  /// 0 ..< 1.
  mutating func next() -> Double {
    state = state &* 1_664_525 &+ 1_013_904_223
    return Double(state >> 8) / 16_777_216
  }
}
