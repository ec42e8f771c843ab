import AudioModel
import DSP
import Glibc
import MartletTestSupport
import Testing

@Suite("Compressor")
struct CompressorTests {
  private func compress(_ planes: [[Float]], _ settings: CompressorSettings, block: Int = 512) -> [[Float]] {
    let compressor = Compressor(rate: 48_000, channels: planes.count)
    compressor.apply(settings)
    let frames = planes[0].count
    var memory = planes.flatMap { $0 }
    memory.withUnsafeMutableBufferPointer { memory in
      var done = 0
      while done < frames {
        let count = min(block, frames - done)
        _ = compressor.process(memory.baseAddress! + done, stride: frames, frames: count)
        done += count
      }
    }
    return planes.indices.map { Array(memory[$0 * frames..<($0 + 1) * frames]) }
  }

  private func constant(_ level: Double, frames: Int) -> [Float] {
    [Float](repeating: Float(amplitude(level)), count: frames)
  }

  private func peak(_ samples: ArraySlice<Float>) -> Double { decibels(Double(samples.map(abs).max() ?? 0)) }

  /// The static curve of Giannoulis, Massberg and Reiss, equation 4.
  private func curve(_ level: Double, _ settings: CompressorSettings) -> Double {
    let (over, knee) = (level - settings.threshold.value, settings.knee.value)
    if 2 * over < -knee { return level }
    if 2 * abs(over) <= knee, knee > 0 {
      return level + (1 / settings.ratio - 1) * (over + knee / 2) * (over + knee / 2) / (2 * knee)
    }
    return settings.threshold.value + over / settings.ratio
  }

  @Test(
    "tones come out on the static curve within 0.1 dB",
    arguments: [(4.0, 6.0), (2, 0), (100, 12), (1, 6)] as [(Double, Double)],
    [60.0, 1000])
  func staticCurve(shape: (ratio: Double, knee: Double), hertz: Double) {
    let settings = CompressorSettings(
      threshold: Decibels(-20), ratio: shape.ratio, knee: Decibels(shape.knee), attack: 0.001, release: 0.05)
    for level in [-40.0, -23, -21, -20, -18, -15, -10, 0, 6] {
      let tone = Signals.sine(hertz: hertz, rate: 48_000, frames: 4800, amplitude: Float(amplitude(level)))
      let output = compress([tone], settings)[0]
      let found = peak(output[3200...])
      #expect(abs(found - curve(level, settings)) < 0.1, "\(level) dB became \(found) dB")
    }
  }

  @Test("the gain falls and rises with the time constants, in decibels")
  func times() {
    let settings = CompressorSettings(
      threshold: Decibels(-20), ratio: 100, knee: Decibels(0), attack: 0.02, release: 0.04)
    // 16 dB over the threshold from frame 1000 on, for 9600 frames; then below it.
    let signal = constant(-30, frames: 1000) + constant(-4, frames: 9600) + constant(-30, frames: 6000)
    let output = compress([signal], settings)[0]
    let wanted = 16 * 0.99
    func lowering(_ frame: Int) -> Double { decibels(Double(signal[frame] / output[frame])) }
    #expect(abs(lowering(999 + 960) - wanted * (1 - exp(-1))) < 0.05)
    #expect(abs(lowering(999 + 2880) - wanted * (1 - exp(-3))) < 0.05)
    // A peak counts for 10 ms; then the gain rises.
    let end = 1000 + 9600 + 479
    #expect(abs(lowering(end) - wanted) < 0.05)
    #expect(abs(lowering(end + 1920) - wanted * exp(-1)) < 0.05)
    #expect(abs(lowering(end + 3840) - wanted * exp(-2)) < 0.05)
  }

  @Test("below the bend it passes bit for bit, whatever it is")
  func transparency() {
    let signal = Signals.noise(seed: 1, frames: 3000, amplitude: Float(amplitude(-23.1)))
    let output = compress([signal], CompressorSettings())[0]
    #expect(difference(output, signal) == nil)
  }

  @Test("makeup gain is exact, and a gain of 1 after loud sound is 1 again")
  func makeupAndReturn() {
    let signal = constant(0, frames: 1000) + constant(-40, frames: 20_000)
    let settings = CompressorSettings(release: 0.01)
    let output = compress([signal], settings)[0]
    #expect(difference(Array(output[18_000...]), Array(signal[18_000...])) == nil)
    let raised = compress([constant(-40, frames: 100)], CompressorSettings(makeup: Decibels(12)))[0]
    #expect(abs(peak(raised[...]) + 28) < 0.001)
  }

  @Test(
    "channels are lowered together, and the bits do not depend on how calls are cut", arguments: [1, 100, 256, 300])
  func linkedAndCut(block: Int) {
    let loud = Signals.noise(seed: 2, frames: 3000, amplitude: 1)
    let quiet = loud.map { $0 / 32 }
    let expected = compress([loud, quiet], CompressorSettings())
    let isLinked = zip(expected[0], expected[1]).allSatisfy { $0 / 32 == $1 }
    #expect(isLinked)
    #expect(difference(compress([loud, quiet], CompressorSettings(), block: block)[0], expected[0]) == nil)
  }

  @Test("numbers that are none pass, and leave nothing behind")
  func hostileNumbers() {
    var signal = constant(-30, frames: 3000)
    signal[10] = .nan
    signal[20] = .infinity
    signal[30] = 1e38
    let output = compress([signal], CompressorSettings(release: 0.01))[0]
    #expect(output[1000...].allSatisfy { $0.isFinite })
    #expect(output[10].isNaN)
    #expect(output[20] == .infinity)
  }

  @Test("settings are brought into their ranges, and what is no number becomes the default")
  func clamping() {
    let wild = CompressorSettings(
      threshold: Decibels(5), ratio: 0, knee: Decibels(-1), attack: 0, release: 99, makeup: Decibels(.infinity))
    #expect(
      wild.clamped
        == CompressorSettings(
          threshold: Decibels(0), ratio: 1, knee: Decibels(0), attack: 0.0001, release: 5, makeup: Decibels(40)))
    let none = CompressorSettings(
      threshold: Decibels(.nan), ratio: .nan, knee: Decibels(.nan), attack: .nan, release: .nan,
      makeup: Decibels(.nan))
    #expect(none.clamped == CompressorSettings())
    #expect(
      LimiterSettings(ceiling: Decibels(3), gain: Decibels(.nan)).clamped == LimiterSettings(ceiling: Decibels(0)))
  }
}
