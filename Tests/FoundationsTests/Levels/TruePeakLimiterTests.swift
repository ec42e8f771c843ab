import DSP
import Glibc
import MartletTestSupport
import Testing

/// Nothing above the ceiling, nothing changed below it.
@Suite("True-peak limiter")
struct TruePeakLimiterTests {
  /// Signals that a limiter meets in the worst of worlds, at 48 kHz.
  enum Hostile: String, CaseIterable, Sendable {
    case noiseAt24, pulses, square, loudSquare, direct, nyquist, nyquistTurning, quarter, randomSigns, treble, steps,
      plain

    var signal: [Float] {
      let frames = 4000
      switch self {
      case .noiseAt24: return Signals.noise(seed: 5, frames: frames, amplitude: 1).map { $0 * 16 }
      case .pulses: return (0..<frames).map { $0 % 977 == 500 ? ($0 % 2 == 0 ? 1 : -16) : 0 }
      case .square: return (0..<frames).map { sin(Double($0) * 0.1305) < 0 ? -1 : 1 }
      case .loudSquare: return (0..<frames).map { $0 / 247 % 2 == 0 ? 4 : -4 }
      case .direct: return [Float](repeating: 0, count: 1000) + [Float](repeating: 2, count: frames - 1000)
      case .nyquist: return (0..<frames).map { $0 % 2 == 0 ? 1 : -1 }
      case .nyquistTurning: return (0..<frames).map { ($0 % 2 == 0) == ($0 / 301 % 2 == 0) ? 1 : -1 }
      // Samples at full scale, 3 dB more between them.
      case .quarter: return (0..<frames).map { $0 % 4 < 2 ? 1 : -1 }
      case .randomSigns: return Signals.noise(seed: 9, frames: frames).map { $0 < 0 ? -1 : 1 }
      case .treble: return (0..<frames).map { $0 % 2000 < 700 ? 4 * Float(sin(Double($0) * 3.076)) : 0 }
      case .steps: return (0..<frames).map { ($0 % 2000 < 900 ? 0.1 : 15) * Float(sin(Double($0) * 1.443 + 0.3)) }
      case .plain: return Signals.sine(hertz: 997, rate: 48_000, frames: frames, amplitude: 1.5)
      }
    }
  }

  private let ceiling = Float(amplitude(-1))

  /// Limits planes, in calls of `block` frames, and takes the delay away.
  private func limit(_ planes: [[Float]], block: Int = 512, rate: Int = 48_000, ceiling: Float? = nil) -> [[Float]] {
    let limiter = TruePeakLimiter(rate: rate, channels: planes.count)
    let frames = planes[0].count + limiter.latency
    var memory = planes.flatMap { $0 + [Float](repeating: 0, count: limiter.latency) }
    memory.withUnsafeMutableBufferPointer { memory in
      var done = 0
      while done < frames {
        let count = min(block, frames - done)
        _ = limiter.process(
          memory.baseAddress! + done, stride: frames, frames: count, ceiling: ceiling ?? self.ceiling)
        done += count
      }
    }
    return planes.indices.map { Array(memory[$0 * frames + limiter.latency..<($0 + 1) * frames]) }
  }

  /// A signal that begins and ends softly: a hard edge reaches further than what is between.
  private func faded(_ signal: [Float]) -> [Float] {
    signal.enumerated().map { $1 * min(1, Float(min($0, signal.count - 1 - $0)) / 400) }
  }

  @Test("no meter reads a true peak above −1 dBTP", arguments: Hostile.allCases)
  func ceilingHolds(hostile: Hostile) {
    let output = limit([hostile.signal])[0]
    #expect(output.contains { abs($0) > 0.1 })
    #expect(decibels(ReferenceMeter.peak(output, reach: 32)) <= -1)
    #expect(decibels(ReferenceMeter.peak(output, reach: 12, beta: 8)) <= -1)
    #expect(decibels(ReferenceMeter.broadcastPeak(output)) <= -1)
  }

  @Test(
    "it takes no more than is needed: a loud tone comes out 0.25 dB below the ceiling",
    arguments: [100.0, 997, 12_000])
  func noMoreThanNeeded(hertz: Double) {
    let output = limit([faded(Signals.sine(hertz: hertz, rate: 48_000, frames: 5000, amplitude: 3))])[0]
    #expect(abs(decibels(ReferenceMeter.peak(output, reach: 32)) + 1.25) < 0.03)
  }

  @Test(
    "what stays below the ceiling passes bit for bit, as late as it says",
    arguments: [8000, 44_100, 48_000, 96_000, 192_000])
  func transparency(rate: Int) {
    // The tone's true peak is 0.02 dB below the ceiling; the noise stays further below.
    let tone = faded(
      Signals.sine(hertz: Double(rate) / 8.1, rate: rate, frames: 3000, amplitude: Float(amplitude(-1.02))))
    let noise = Signals.noise(seed: 3, frames: 3000, amplitude: 0.3)
    let output = limit([tone, noise], block: 333, rate: rate)
    #expect(difference(output[0], tone) == nil)
    #expect(difference(output[1], noise) == nil)
    let latency = Double(TruePeakLimiter.latency(rate: rate)) / Double(rate)
    #expect(rate < 32_000 || latency < 0.005)
  }

  @Test("0.02 dB above it, something happens")
  func threshold() {
    let tone = faded(Signals.sine(hertz: 5900, rate: 48_000, frames: 3000, amplitude: Float(amplitude(-0.98))))
    #expect(difference(limit([tone])[0], tone) != nil)
  }

  @Test("a single peak is forgotten: half of the decibels within 50 ms, nearly all within 0.3 s, all within 1.5 s")
  func recovery() {
    var signal = [Float](repeating: 0.5, count: 13_000)
    signal[100] = 3
    // Over a constant, the signal that comes out is the gain.
    let output = limit([signal], rate: 8000)[0]
    #expect(output[100] < 0.9)
    #expect(output[95] < 0.3)
    #expect(output[100 + 400] > 0.25)
    #expect(output[100 + 2400] > 0.49)
    #expect(difference(Array(output[12_200...]), Array(signal[12_200...])) == nil)
  }

  @Test("the bits do not depend on how calls are cut", arguments: [1, 7, 64, 255, 256, 257, 4000])
  func blocks(block: Int) {
    let planes = [Hostile.steps.signal, Hostile.pulses.signal]
    let expected = limit(planes, block: 512)
    let output = limit(planes, block: block)
    #expect(difference(output[0], expected[0]) == nil)
    #expect(difference(output[1], expected[1]) == nil)
  }

  @Test("all channels are lowered together")
  func linked() {
    let loud = Hostile.steps.signal
    let quiet = loud.map { $0 / 64 }
    let output = limit([loud, quiet])
    let isLinked = zip(output[0], output[1]).allSatisfy { abs($0 / 64 - $1) <= abs($1) * 1e-5 }
    #expect(isLinked)
  }

  @Test("the gain moves without clicks: no faster than a curve of 3 ms allows")
  func smooth() {
    let signal = [Float](repeating: 0.5, count: 1000) + [Float](repeating: 4, count: 2000)
    // Over a constant, the signal that comes out is the gain.
    let output = limit([signal])[0]
    let before = Array(output[500..<999])
    let steepest = zip(before, before.dropFirst()).map { abs($0 - $1) }.max() ?? 1
    // From 0.5 to 0.11 in 144 frames on a triangle's integral: at most twice the mean slope.
    #expect(steepest > 0.001 && steepest < 0.5 * 2 / 144)
    let bends = zip(zip(before, before.dropFirst()), before.dropFirst(2)).map { abs($0.0 - 2 * $0.1 + $1) }.max() ?? 1
    #expect(bends < 2e-4)
  }

  @Test("another ceiling holds too, and numbers that are none leave nothing behind")
  func hostileNumbers() {
    var signal = Signals.sine(hertz: 997, rate: 48_000, frames: 4000, amplitude: 0.2)
    for (place, value) in [(50, Float.nan), (700, .infinity), (701, -.infinity), (1500, 1e30), (1501, -.nan)] {
      signal[place] = value
    }
    let output = limit([signal], ceiling: 0.25)[0]
    #expect(output.allSatisfy { $0.isFinite })
    #expect(ReferenceMeter.peak(output, reach: 32) <= 0.25)
    let clean = limit([signal.map { $0.isFinite ? max(-0x1p20, min($0, 0x1p20)) : 0 }], ceiling: 0.25)[0]
    #expect(difference(output, clean) == nil)
  }

  @Test("reset forgets the signal and its peaks")
  func reset() {
    let limiter = TruePeakLimiter(rate: 48_000, channels: 1)
    var loud = [Float](repeating: 5, count: 1000)
    var quiet = [Float](repeating: 0.5, count: 1000)
    let lowest = loud.withUnsafeMutableBufferPointer {
      limiter.process($0.baseAddress!, stride: 1000, frames: 1000, ceiling: 1)
    }
    #expect(lowest < 0.21)
    limiter.reset()
    let second = quiet.withUnsafeMutableBufferPointer {
      limiter.process($0.baseAddress!, stride: 1000, frames: 1000, ceiling: 1)
    }
    #expect(second == 1)
    let silence = [Float](repeating: 0, count: limiter.latency)
    #expect(difference(quiet, silence + [Float](repeating: 0.5, count: 1000 - limiter.latency)) == nil)
  }
}
