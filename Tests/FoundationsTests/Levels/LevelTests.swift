import AudioModel
import DSP
import Glibc
import MartletTestSupport
import Testing

@Suite("Levels")
struct LevelTests {
  private func truePeak(_ signal: [Float], block: Int = 512) -> Float {
    let meter = TruePeakMeter(channels: 1)
    signal.withUnsafeBufferPointer { signal in
      var done = 0
      while done < signal.count {
        let count = min(block, signal.count - done)
        meter.measure(signal.baseAddress! + done, stride: 0, channels: 1, frames: count)
        done += count
      }
    }
    meter.finish()
    return meter.peak(0)
  }

  @Test(
    "EBU Tech 3341, cases 15 to 19: tones whose samples miss the crest, within 0.02 dB (+0.2 and −0.4 are allowed)",
    arguments: [(4.0, 0.0, 0.5), (4, 45, 0.5), (6, 60, 0.5), (8, 67.5, 0.5), (4, 45, 1.41)]
      as [(Double, Double, Double)])
  func missedCrests(period: Double, degrees: Double, amplitude: Double) {
    // Faded in and out, as a tone that begins at its crest reaches further.
    let signal = (0..<4000).map { frame in
      let fade = min(1, Double(min(frame, 3999 - frame)) / 1000)
      return Float(amplitude * fade * sin(2 * Double.pi * Double(frame) / period + degrees * Double.pi / 180))
    }
    #expect(abs(decibels(Double(truePeak(signal))) - decibels(amplitude)) < 0.02)
  }

  @Test("agrees with a meter that shares nothing with it", arguments: [0.3, 0.8, 1.4, 2.2, 2.8])
  func agrees(frequency: Double) {
    let signal = (0..<3000).map { Float(sin(Double($0) * frequency + 0.4) * exp(-pow(Double($0 - 1500) / 400, 2))) }
    let reference = decibels(ReferenceMeter.peak(signal, reach: 64))
    #expect(abs(decibels(Double(truePeak(signal))) - reference) < 0.01)
  }

  @Test("a single sample is its own peak, and the last sample counts")
  func ends() {
    #expect(truePeak([0.25]) == 0.25)
    #expect(abs(truePeak([Float](repeating: 0, count: 300) + [1, 1]) - 1.27) < 0.02)
    #expect(truePeak([.nan, .infinity, 0.5, -.infinity]) == 0.5)
  }

  @Test("peaks do not depend on how calls are cut", arguments: [1, 100, 257])
  func cuts(block: Int) {
    let signal = Signals.noise(seed: 8, frames: 2000)
    #expect(truePeak(signal, block: block) == truePeak(signal, block: 1000))
  }

  @Test("a level is that of the frames since it was taken last")
  func taking() {
    let meter = LevelMeter(channels: 2, measuresTruePeak: true)
    let planes: [Float] = (0..<400).map { $0 % 2 == 0 ? 0.5 : -0.5 } + [Float](repeating: 0, count: 400)
    planes.withUnsafeBufferPointer { meter.measure($0.baseAddress!, stride: 400, channels: 2, frames: 400) }
    let loud = meter.take(0)
    #expect(loud.peak == 0.5)
    #expect(abs(loud.meanSquare - 0.25) < 1e-6)
    #expect(loud.frames == 400)
    #expect(loud.truePeak >= 0.5)
    #expect(meter.take(1).peak == 0)
    #expect(meter.take(0).frames == 0)
    #expect(meter.take(0).truePeak == 0)
  }

  @Test("numbers that are none leave nothing behind in a level")
  func hostileNumbers() {
    let meter = LevelMeter(channels: 1)
    for value in [Float.nan, 1e30, 0.5] {
      let plane = [Float](repeating: value, count: 8)
      plane.withUnsafeBufferPointer { meter.measure($0.baseAddress!, stride: 0, channels: 1, frames: 8) }
    }
    #expect(abs(meter.take(0).meanSquare - 0.25) < 1e-6)
  }

  @Test(
    "the scale of a meter on the screen",
    arguments: [(-80.0, 0.0), (-200, 0), (-.infinity, 0), (-40, 0.5), (-20, 0.75), (0, 1), (12, 1), (.nan, 0)]
      as [(Double, Double)])
  func scale(level: Double, position: Double) {
    #expect(VUScale().position(Decibels(level)) == position)
  }

  @Test("another minimum; one that is none counts as the usual one")
  func minimum() {
    #expect(VUScale(minimum: Decibels(-60)).position(Decibels(-30)) == 0.5)
    #expect(VUScale(minimum: Decibels(0)) == VUScale())
    #expect(VUScale(minimum: Decibels(.nan)) == VUScale())
  }

  @Test("the gain that makes a programme as loud as wanted stops at the ceiling")
  func gain() {
    let soft = LoudnessMeasurement(integrated: -30, truePeak: Decibels(-9))
    #expect(soft.gain(to: -18) == Decibels(8))
    #expect(soft.gain(to: -18, ceiling: nil) == Decibels(12))
    #expect(LoudnessMeasurement(integrated: -9, truePeak: Decibels(0.5)).gain(to: -18) == Decibels(-9))
    #expect(LoudnessMeasurement(integrated: nil, truePeak: .silence).gain(to: -18) == .unity)
  }
}
