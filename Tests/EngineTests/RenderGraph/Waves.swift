import Glibc

/// Test signals, and how to compare long runs of samples.
enum Waves {
  /// The sine of a number of turns.
  static func sine(_ turns: Double) -> Double { sin(2 * .pi * turns) }

  /// Even noise, the same every time.
  static func noise(_ frames: Int, amplitude: Float, seed: UInt32 = 1) -> [Float] {
    var state = seed
    return (0..<frames).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return amplitude * (Float(state >> 8) / 8_388_608 - 1)
    }
  }

  /// Where two runs differ first, in words; `nil` when all bits are equal.
  static func difference(_ found: some Collection<Float>, _ expected: some Collection<Float>) -> String? {
    for (index, pair) in zip(found, expected).enumerated() where pair.0 != pair.1 {
      return "at \(index): \(pair.0), expected \(pair.1); \(found.count) frames, expected \(expected.count)"
    }
    return found.count == expected.count ? nil : "\(found.count) frames, expected \(expected.count)"
  }
}
