internal import Glibc

/// Signals for tests, as planes of Float32 at full scale ±1. All are the same on every run.
package enum Signals {
  /// A sine.
  package static func sine(hertz: Double, rate: Int, frames: Int, amplitude: Float = 0.5) -> [Float] {
    (0..<frames).map { amplitude * Float(sin(2 * Double.pi * hertz * Double($0) / Double(rate))) }
  }

  /// Integers that count up from `start`, as samples of 24 bits: no two within 2²⁴ frames are alike.
  package static func ramp(frames: Int, from start: Int = 0) -> [Float] {
    (0..<frames).map { LosslessRuler.sample(Int64(start + $0)) }
  }

  /// White noise of equal distribution, exact in 24 bits.
  package static func noise(seed: UInt64, frames: Int, amplitude: Float = 0.5) -> [Float] {
    var random = SeededGenerator(seed: seed)
    return (0..<frames).map { _ in
      let number = Float(Int32(truncatingIfNeeded: random.next() >> 40) - (1 << 23))
      return (number * amplitude).rounded() * 0x1p-23
    }
  }

  /// The plane as whole numbers of `bits`, rounded to nearest.
  package static func integers(_ plane: [Float], bits: Int) -> [Int64] {
    let scale = Double(Int64(1) << (bits - 1))
    return plane.map { Int64(max(-scale, min(scale - 1, (Double($0) * scale).rounded()))) }
  }
}

/// A generator of random numbers that gives the same ones for a seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// A signal that tells its own place to the frame where nothing is lost on the way: every frame holds its own number,
/// modulo 2²⁴, as a sample of 24 bits. Channel `n` holds the number plus 2²⁰ · n, so that swapped channels show.
package enum LosslessRuler {
  /// The sample for a frame.
  package static func sample(_ frame: Int64, channel: Int = 0) -> Float {
    let number = (Int32(truncatingIfNeeded: frame &+ Int64(channel) << 20) << 8) >> 8
    return Float(number) * 0x1p-23
  }

  /// A plane that begins with `frame`.
  package static func plane(from frame: Int64 = 0, frames: Int, channel: Int = 0) -> [Float] {
    (0..<frames).map { sample(frame + Int64($0), channel: channel) }
  }

  /// The frame that a sample was made for, 0…2²⁴ − 1; `nil` for one that no ruler makes.
  package static func frame(of sample: Float, channel: Int = 0) -> Int? {
    let scaled = sample * 0x1p23
    guard scaled == scaled.rounded(), abs(scaled) <= 0x1p23 else { return nil }
    return (Int(scaled) - channel << 20) & 0xFF_FFFF
  }
}

/// A signal that tells its own second, even after lossy coding at any usual rate from 8 kHz on.
///
/// Each second begins with 60 ms of 2 500 Hz, the mark; behind it come 12 bits of 50 ms each, least first, 900 Hz for 0
/// and 1 600 Hz for 1: the number of the second. The rest is silent.
package enum LossyRuler {
  /// Seconds that it can count.
  package static let limit = 4096
  private static let mark = 2500.0
  private static let tones = [900.0, 1600.0]
  private static let markLength = 0.06, bitLength = 0.05

  /// The signal from second 0 on.
  package static func plane(seconds: Int, rate: Int) -> [Float] {
    var plane = [Float](repeating: 0, count: seconds * rate)
    func tone(_ hertz: Double, from start: Double, length: Double) {
      let first = Int((start * Double(rate)).rounded())
      let count = Int((length * Double(rate)).rounded())
      for index in 0..<count where first + index < plane.count {
        plane[first + index] = 0.5 * Float(sin(2 * Double.pi * hertz * Double(index) / Double(rate)))
      }
    }
    for second in 0..<min(seconds, limit) {
      tone(mark, from: Double(second), length: markLength)
      for bit in 0..<12 {
        let start = Double(second) + markLength + Double(bit) * bitLength
        tone(tones[second >> bit & 1], from: start, length: bitLength)
      }
    }
    return plane
  }

  /// Where the first whole mark in a plane is, and what second it says; right within 2 ms.
  package static func read(_ plane: [Float], rate: Int) -> (frame: Int, second: Int)? {
    let hop = max(1, rate / 1000)
    let markCount = Int(markLength * Double(rate))
    let bitCount = Int(bitLength * Double(rate))
    guard plane.count >= markCount + 12 * bitCount else { return nil }
    let powers = stride(from: 0, through: plane.count - markCount - 12 * bitCount, by: hop).map { start in
      (start, power(plane, start, markCount, mark, rate))
    }
    // The mark fits best where its power is greatest within the first stretch that has enough of it.
    guard let enough = powers.firstIndex(where: { $0.1 > 0.02 }) else { return nil }
    let reach = powers[enough..<min(powers.count, enough + 61)]
    guard let best = reach.max(by: { $0.1 < $1.1 }) else { return nil }
    var second = 0
    for bit in 0..<12 {
      let start = best.0 + markCount + bit * bitCount + bitCount / 5
      let count = bitCount * 3 / 5
      if power(plane, start, count, tones[1], rate) > power(plane, start, count, tones[0], rate) {
        second |= 1 << bit
      }
    }
    return (best.0, second)
  }

  /// Mean square of what a stretch has of a frequency (Goertzel's algorithm).
  private static func power(_ plane: [Float], _ start: Int, _ count: Int, _ hertz: Double, _ rate: Int) -> Double {
    let coefficient = 2 * cos(2 * Double.pi * hertz / Double(rate))
    var last = 0.0
    var before = 0.0
    for index in start..<start + count {
      let next = Double(plane[index]) + coefficient * last - before
      before = last
      last = next
    }
    let square = last * last + before * before - coefficient * last * before
    return 2 * square / (Double(count) * Double(count))
  }
}
