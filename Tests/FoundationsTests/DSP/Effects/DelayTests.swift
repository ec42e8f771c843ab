import AudioModel
import DSP
import Foundation
import MartletTestSupport
import Testing

@Suite("Delay")
struct DelayTests {
  private let rate = 8000

  private func delay(_ settings: DelaySettings, rate: Int = 8000, channels: Int = 1) -> Delay {
    Delay(Delay.Targets(settings, rate: rate), rate: rate, channels: channels)
  }

  private func repetitions(_ planes: [[Float]], _ delay: Delay, cuts: [Int] = [512]) -> [[Float]] {
    Acoustics.run(planes, cuts: cuts) { delay.process($0, inputStride: $1, into: $2, outputStride: $1, count: $3) }
  }

  private func impulse(_ frames: Int) -> [Float] { [1] + [Float](repeating: 0, count: frames - 1) }

  @Test(
    "whole frames without a low-pass: exact repetitions", arguments: [1, 2, 63, 64, 65, 1000, 16_000], [50, -75.0])
  func exact(frames: Int, feedback: Double) {
    let settings = DelaySettings(time: Double(frames) / Double(rate), feedback: feedback, cutoff: 4000)
    let output = repetitions([impulse(3 * frames + 1)], delay(settings))[0]
    let factor = Float(feedback / 100)
    var expected = [Float](repeating: 0, count: 3 * frames + 1)
    expected[frames] = 1
    expected[2 * frames] = factor
    expected[3 * frames] = factor * factor
    #expect(difference(output, expected) == nil)
  }

  @Test(
    "between two frames: the time is exact, and no frequency is louder or softer", arguments: [10.5, 50.25, 99.99])
  func fraction(frames: Double) {
    let settings = DelaySettings(time: frames / Double(rate), feedback: 0, cutoff: 4000)
    for hertz in [100.0, 400] {
      let input = Signals.sine(hertz: hertz, rate: rate, frames: 4000)
      let output = repetitions([input], delay(settings))[0]
      let angle = 2 * Double.pi * hertz / Double(rate)
      let errors = (1000..<4000).map { (frame: Int) -> Double in
        let expected = 0.5 * sin(angle * (Double(frame) - frames))
        return abs(Double(output[frame]) - expected)
      }
      let worst = errors.max() ?? 1
      #expect(worst < 0.5 * angle * 0.01, "\(hertz) Hz")
    }
    let noise = Signals.noise(seed: 5, frames: 4000) + [Float](repeating: 0, count: 400)
    let output = repetitions([noise], delay(settings))[0]
    #expect(abs(Acoustics.energy(output) / Acoustics.energy(noise) - 1) < 1e-4)
  }

  @Test("at 100 per cent it goes on forever, and never grows", arguments: [0.05, 0.050_003], [100.0, -100])
  func endless(time: Double, feedback: Double) {
    let delay = delay(DelaySettings(time: time, feedback: feedback, cutoff: 4000))
    let length = Int(time * Double(rate)) + 1
    let noise = Signals.noise(seed: 6, frames: 300)
    let output = repetitions([noise + [Float](repeating: 0, count: 100 * length)], delay)[0]
    let energy = Acoustics.energy(noise)
    for pass in [1, 10, 99] {
      let start = Int(Double(pass) * time * Double(rate))
      let heard = Acoustics.energy(output[start..<start + length])
      #expect(abs(heard / energy - 1) < 0.02, "\(pass)")
    }
    #expect(Acoustics.energy(output.suffix(length)) < energy * 1.01)
    #expect(!delay.isAsleep)
    #expect(Delay.Targets(DelaySettings(feedback: feedback), rate: rate).tail == Int.max)
  }

  @Test("with a low-pass in the loop 100 per cent die away", arguments: [10.0, 500, 3000])
  func damped(cutoff: Double) {
    let delay = delay(DelaySettings(time: 0.01, feedback: 100, cutoff: cutoff))
    let output = repetitions([Signals.noise(seed: 7, frames: 80) + [Float](repeating: 0, count: 40_000)], delay)[0]
    let parts = (1..<5).map { Acoustics.energy(output[($0 * 10_000 - 8000)..<($0 * 10_000)]) }
    #expect(zip(parts, parts.dropFirst()).allSatisfy { $0 >= $1 })
    #expect(output.allSatisfy { !$0.isSubnormal })
  }

  @Test("at the cutoff the first repetition is 3 dB down, and slopes from there", arguments: [200.0, 1000])
  func cutoff(hertz: Double) {
    for (ratio, expected) in [(0.25, -0.26), (1, -3.01), (2, -7.0)] {
      let input = Signals.sine(hertz: hertz * ratio, rate: 48_000, frames: 24_000)
      let one = DelaySettings(time: 0.01, feedback: 0, cutoff: hertz)
      let output = repetitions([input], delay(one, rate: 48_000))[0]
      let level = Acoustics.decibels(Acoustics.energy(output[4800...]) / Acoustics.energy(input[4800...]))
      #expect(abs(level - expected) < 0.1, "\(ratio)")
    }
  }

  @Test(
    "changes make no clicks: nothing above −60 dB beside the tone",
    arguments: [
      DelaySettings(time: 0.3, feedback: 40), DelaySettings(time: 0.1003, feedback: 90),
      DelaySettings(time: 0.1, feedback: -90), DelaySettings(time: 0.1, feedback: 40, cutoff: 300),
    ])
  func changes(settings: DelaySettings) {
    let rate = 16_000
    let delay = delay(DelaySettings(time: 0.1, feedback: 40), rate: rate)
    let input = Signals.sine(hertz: 1000, rate: rate, frames: 2 * rate, amplitude: 0.25)
    var call = 0
    let output = Acoustics.run([input], cuts: [500]) {
      if call == 30 { delay.move(to: Delay.Targets(settings, rate: rate)) }
      delay.process($0, inputStride: $1, into: $2, outputStride: $1, count: $3)
      call += 1
    }[0]
    let heard = output[(rate / 2)...]
    #expect(Acoustics.outside(1000, distance: 250, heard, rate: rate) < -60)
    // It did change.
    #expect(Acoustics.outside(1000, distance: 2, heard, rate: rate) > -100)
  }

  @Test("the same bits however calls are cut, with changes at the same frames", arguments: [0.000_2, 0.011_3, 0.4])
  func cuts(time: Double) {
    func render(_ cuts: [Int]) -> [[Float]] {
      let delay = delay(DelaySettings(time: 0.05, feedback: 60, cutoff: 2000), channels: 2)
      let gap = [Float](repeating: 0, count: 9000)
      let planes = [UInt64(8), 9].map {
        Signals.noise(seed: $0, frames: 3000) + gap + Signals.noise(seed: $0 + 5, frames: 3000)
      }
      var frame = 0
      return Acoustics.run(planes, cuts: cuts) {
        if frame == 1024 { delay.move(to: Delay.Targets(DelaySettings(time: time, feedback: 20), rate: 8000)) }
        delay.process($0, inputStride: $1, into: $2, outputStride: $1, count: $3)
        frame += $3
      }
    }
    let whole = render([1024, 1 << 20])
    for cuts in [[1], [64], [512], [1000, 24, 3, 5]] {
      let parts = render(cuts)
      for channel in 0..<2 { #expect(difference(parts[channel], whole[channel]) == nil, "\(cuts)") }
    }
  }

  @Test("it sleeps 96 dB down, wakes as new, and a reset silences it")
  func fallsAsleep() {
    let settings = DelaySettings(time: 0.1, feedback: 30, cutoff: 4000)
    let tail = Delay.Targets(settings, rate: rate).tail
    let delay = delay(settings)
    let noise = [Signals.noise(seed: 10, frames: 800) + [Float](repeating: 0, count: tail)]
    let first = repetitions(noise, delay)
    #expect(delay.isAsleep)
    #expect(Acoustics.decibels(Acoustics.energy(first[0].suffix(1600)) / Acoustics.energy(noise[0])) < -90)
    let second = repetitions(noise, delay)
    #expect(difference(second[0], first[0]) == nil)
    _ = repetitions([[Float](repeating: 1, count: 900)], delay)
    delay.reset()
    #expect(delay.isAsleep)
    #expect(repetitions([[Float](repeating: 0, count: 3000)], delay)[0].allSatisfy { $0 == 0 })
  }

  @Test("settings out of range count as the nearer end, nonsense as the default")
  func clamps() {
    let wild = DelaySettings(time: 9, feedback: -400, mix: 130, cutoff: 1).clamped
    #expect(wild == DelaySettings(time: 2, feedback: -100, mix: 100, cutoff: 10))
    let nonsense = DelaySettings(time: .nan, feedback: .nan, mix: .nan, cutoff: .nan).clamped
    #expect(nonsense == DelaySettings())
    let output = repetitions([[.nan, .infinity] + impulse(2000)], delay(DelaySettings(time: 0.1)))[0]
    #expect(output.allSatisfy { $0.magnitude <= 1 })
    #expect(Acoustics.energy(output) > 0)
  }
}
