import AudioModel
import DSP
import MartletTestSupport
import Testing

@Suite("Reverb")
struct ReverbTests {
  /// The answer to an impulse in one channel.
  private func response(
    _ preset: ReverbPreset, rate: Int, channels: Int = 2, seconds: Double, in entry: Int = 0
  ) -> [[Float]] {
    var planes = [[Float]](repeating: [Float](repeating: 0, count: Int(seconds * Double(rate))), count: channels)
    planes[entry][0] = 1
    return reverberate(planes, Reverb(ReverbPlan(preset), rate: rate, channels: channels))
  }

  private func reverberate(_ planes: [[Float]], _ reverb: Reverb, cuts: [Int] = [512]) -> [[Float]] {
    Acoustics.run(planes, cuts: cuts) { reverb.process($0, inputStride: $1, into: $2, outputStride: $1, count: $3) }
  }

  @Test("a preset lasts as long, is as loud and as wide as it says", arguments: ReverbPreset.allCases)
  func preset(_ preset: ReverbPreset) {
    let rate = 16_000
    let plan = ReverbPlan(preset)
    let response = response(preset, rate: rate, seconds: 0.1 + 0.9 * plan.times.middle)
    let middle = Acoustics.decayTime(
      response.map { Acoustics.octave($0, around: 1000, rate: rate) }, rate: rate)
    #expect(abs(middle / plan.times.middle - 1) < 0.1, "\(middle) s")
    let low = Acoustics.decayTime(response.map { Acoustics.octave($0, around: 90, rate: rate) }, rate: rate)
    #expect(abs(low / (plan.times.middle * plan.times.bass) - 1) < 0.2, "\(low) s at 90 Hz")
    let high = Acoustics.decayTime(
      response.map { Acoustics.octave($0, around: 5000, rate: rate) }, rate: rate)
    // At the corner, the geometric mean.
    let expected = plan.times.middle * 2 / (1 + 1 / plan.times.treble)
    #expect(abs(high / expected - 1) < 0.15, "\(high) s at 5 kHz instead of \(expected)")

    // Pink noise has as much energy in each octave: the mean of what comes of an impulse's octaves. An impulse in one of
    // two channels is half of a sound that is in both.
    var loudness = 0.0
    var impulse = [Float](repeating: 0, count: response[0].count)
    impulse[impulse.count / 2] = 1
    let octaves = [125.0, 250, 500, 1000, 2000, 4000]
    for hertz in octaves {
      let parts = response.map { Acoustics.octave($0, around: hertz, rate: rate) }
      let dry = Acoustics.energy(Acoustics.octave(impulse, around: hertz, rate: rate))
      let both = Acoustics.energy(parts[0]) + Acoustics.energy(parts[1])
      loudness += both / dry / Double(octaves.count)
      let sum = Acoustics.energy(zip(parts[0], parts[1]).map { ($0 + $1) / 2 })
      #expect(Acoustics.decibels(sum / (both / 2)) > -4.5, "mono at \(hertz) Hz")
    }
    #expect(abs(Acoustics.decibels(loudness)) < 1.5, "\(Acoustics.decibels(loudness)) dB")
    let sum = Acoustics.energy(zip(response[0], response[1]).map { ($0 + $1) / 2 })
    let sides = (Acoustics.energy(response[0]) + Acoustics.energy(response[1])) / 2
    #expect(abs(Acoustics.decibels(sum / sides) + 3) < 0.5)
  }

  @Test("no tone rings on: none is 12 dB over its neighbours in the tail", arguments: ReverbPreset.allCases)
  func ringing(_ preset: ReverbPreset) {
    let (rate, channels) = (16_000, 4)
    let plan = ReverbPlan(preset)
    let start = Int((plan.preDelay / 1000 + 0.3 * plan.times.middle) * Double(rate))
    let count = Int(min(0.6, 0.6 * plan.times.middle) * Double(rate))
    var power: [Double] = []
    for entry in 0..<channels {
      let seconds = Double(start + count) / Double(rate)
      for plane in response(preset, rate: rate, channels: channels, seconds: seconds, in: entry) {
        let one = Acoustics.power(plane[start..<plane.count])
        power = power.isEmpty ? one : zip(power, one).map(+)
      }
    }
    let width = Double(rate) / Double(2 * (power.count - 1))
    #expect(Acoustics.mostProminent(power, bins: Int(60 / width)..<Int(6400 / width)) < 12)
  }

  @Test("rooms, halls, chambers are in order of their size")
  func order() {
    func times(_ presets: ReverbPreset...) -> [Double] { presets.map { ReverbPlan($0).times.middle } }
    for row in [
      times(.smallRoom, .mediumRoom, .largeRoom, .mediumHall, .largeHall, .cathedral),
      times(.mediumChamber, .largeChamber), times(.mediumHall2, .largeHall2), times(.largeRoom2, .mediumHall3),
    ] { #expect(row == row.sorted()) }
  }

  @Test("every rate gives the same room", arguments: [8000, 44_100, 192_000])
  func rates(rate: Int) {
    let plan = ReverbPlan(.smallRoom)
    let planes = response(.smallRoom, rate: rate, seconds: 0.35)
    let time = Acoustics.decayTime(planes.map { Acoustics.octave($0, around: 1000, rate: rate) }, rate: rate)
    #expect(abs(time / plan.times.middle - 1) < 0.12, "\(time) s")
    #expect(planes.allSatisfy { $0.allSatisfy { !$0.isNaN } })
  }

  @Test("each of any number of channels has a reverb of its own", arguments: [1, 3, 6, 8])
  func channels(count: Int) {
    let rate = 8000
    let planes = response(.mediumRoom, rate: rate, channels: count, seconds: 0.5, in: count - 1)
    let energies = planes.map { Acoustics.energy($0) }
    for first in 0..<count {
      #expect(energies[first] > 0.05 / Double(count) / Double(count))
      for second in 0..<first {
        let product = zip(planes[first], planes[second]).reduce(0.0) { $0 + Double($1.0 * $1.1) }
        #expect(abs(product) < 0.3 * (energies[first] * energies[second]).squareRoot(), "\(first) and \(second)")
      }
    }
  }

  /// Noise, a silence in which a small room falls asleep, noise, and silence.
  private func burst(rate: Int) -> [[Float]] {
    [UInt64(1), 2].map { seed in
      let gap = [Float](repeating: 0, count: rate)
      return Signals.noise(seed: seed, frames: 777) + gap + Signals.noise(seed: seed + 9, frames: 501) + gap
    }
  }

  @Test("the same bits however calls are cut, also where it falls asleep and wakes")
  func cuts() {
    let rate = 8000
    let planes = burst(rate: rate)
    let whole = reverberate(planes, Reverb(ReverbPlan(.smallRoom), rate: rate, channels: 2), cuts: [1 << 20])
    for cuts in [[1], [64], [7, 300, 1, 65], [480]] {
      let parts = reverberate(planes, Reverb(ReverbPlan(.smallRoom), rate: rate, channels: 2), cuts: cuts)
      for channel in 0..<2 { #expect(difference(parts[channel], whole[channel]) == nil, "\(cuts)") }
    }
  }

  @Test("after its tail it is silent and asleep, 96 dB down, and never near the numbers that make processors slow")
  func tail() {
    let rate = 8000
    let reverb = Reverb(ReverbPlan(.smallRoom), rate: rate, channels: 2)
    #expect(reverb.isAsleep)
    let rest = [Float](repeating: 0, count: reverb.tail)
    let noise = [UInt64(3), 4].map { Signals.noise(seed: $0, frames: 4000) + rest }
    let output = reverberate(noise, reverb)
    #expect(reverb.isAsleep)
    let loudness = Acoustics.energy(output[0][2000..<4000])
    let end = Acoustics.energy(output[0].suffix(500)) * 4
    #expect(Acoustics.decibels(end / loudness) < -84)
    #expect(end > 0)
    #expect(output.allSatisfy { $0.allSatisfy { !$0.isSubnormal } })
    let silence = [[Float]](repeating: [Float](repeating: 0, count: 1000), count: 2)
    #expect(reverberate(silence, reverb).allSatisfy { $0.allSatisfy { $0.bitPattern == 0 } })
  }

  @Test("a reset silences the room, and it begins as a new one does")
  func reset() {
    let planes = burst(rate: 8000)
    let reverb = Reverb(ReverbPlan(.largeHall), rate: 8000, channels: 2)
    let first = reverberate(planes, reverb)
    reverb.reset()
    #expect(reverb.isAsleep)
    let silence = [[Float]](repeating: [Float](repeating: 0, count: 1000), count: 2)
    #expect(reverberate(silence, reverb).allSatisfy { $0.allSatisfy { $0 == 0 } })
    let again = reverberate(planes, reverb)
    #expect(difference(again[1], first[1]) == nil)
  }

  @Test("what is no number does not stay", arguments: [Float.nan, .infinity, -.infinity, 3e38])
  func nonsense(sample: Float) {
    var planes = burst(rate: 8000)
    planes[0][100] = sample
    let output = reverberate(planes, Reverb(ReverbPlan(.plate), rate: 8000, channels: 2))
    #expect(output.allSatisfy { $0.allSatisfy { $0.magnitude < 10 } })
    #expect(Acoustics.energy(output[0].suffix(5000)) > 0)
  }
}
