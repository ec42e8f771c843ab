import AudioModel
import DSP
import MartletTestSupport
import Testing

@Suite("Distortion")
struct DistortionTests {
  private func spoil(
    _ planes: [[Float]], _ distortion: Distortion, gain: Float = 1, cuts: [Int] = [512]
  ) -> [[Float]] {
    Acoustics.run(planes, cuts: cuts) {
      distortion.process(
        $0, inputStride: $1, into: $2, outputStride: $1, gain: GainRamp(gain), count: $3)
    }
  }

  private func distortion(_ change: (inout DistortionPlan) -> Void, rate: Int = 48_000) -> Distortion {
    var plan = DistortionPlan()
    change(&plan)
    return Distortion(plan, rate: rate, channels: 1)
  }

  @Test(
    "a preset changes sound, keeps its loudness, and leaves nothing constant", arguments: DistortionPreset.allCases)
  func preset(_ preset: DistortionPreset) {
    let rate = 24_000
    let noise = Acoustics.pink(seed: 3, frames: 2 * rate)
    let loudness = (Acoustics.energy(noise) / Double(noise.count)).squareRoot()
    let planes = [noise.map { $0 * Float(0.1 / loudness) }]
    let output = spoil(planes, Distortion(DistortionPlan(preset), rate: rate, channels: 1), gain: 0.501_187)[0]
    let level = Acoustics.decibels(Acoustics.energy(output[12_000...]) / Acoustics.energy(planes[0][12_000...]))
    #expect(abs(level) < 2.5, "\(level) dB")
    let mean = output.reduce(0.0) { $0 + Double($1) } / Double(output.count)
    #expect(abs(mean) < 0.003)
    let change = zip(output, planes[0]).map { $0 - $1 }
    #expect(Acoustics.decibels(Acoustics.energy(change) / Acoustics.energy(planes[0])) > -30)
    // As loud as can be: what comes out has a limit.
    let square = (0..<9000).map { Float($0 / 40 % 2 * 2 - 1) }
    let loud = spoil([square], Distortion(DistortionPlan(preset), rate: rate, channels: 1), gain: 10)[0]
    #expect(loud.allSatisfy { $0.magnitude < 100 })
  }

  @Test("squares and cubes make the harmonics that they should, and none that fold back")
  func harmonics() {
    let rate = 48_000
    func levels(_ curve: (Float, Float, Float, Double), _ hertz: Double, _ places: [Double]) -> [Double] {
      let output = spoil(
        [Signals.sine(hertz: hertz, rate: rate, frames: 24_000, amplitude: 0.1)], distortion { $0.curve = curve })[0]
      let power = Acoustics.power(output[4800...])
      let width = Double(rate) / Double(2 * (power.count - 1))
      return places.map { place in
        let bin = Int((place / width).rounded())
        return Acoustics.decibels(power[(bin - 3)...(bin + 3)].max() ?? 0) - Acoustics.decibels(power.max() ?? 1)
      }
    }
    // cos³ = (3 cos + cos 3) / 4: the third harmonic lies 9.5 dB below the first.
    let cubed = levels((0, 0, 1, 0), 3000, [3000, 6000, 9000])
    #expect(abs(cubed[0]) < 0.1 && cubed[1] < -80 && abs(cubed[2] + 9.54) < 0.1)
    let squared = levels((0, 1, 0, 0), 3000, [3000, 6000, 9000])
    #expect(squared[0] < -80 && abs(squared[1]) < 0.1 && squared[2] < -80)
    // 3 × 15 kHz is no frequency of this rate: at the rate itself it would come back as 3 kHz, at −9.5 dB.
    #expect(levels((0, 0, 1, 0), 15_000, [3000])[0] < -60)
  }

  @Test("twice the rate and back changes no level up to 0.43 of the rate", arguments: [100.0, 5000, 15_000, 20_600])
  func oversampling(hertz: Double) {
    let input = Signals.sine(hertz: hertz, rate: 48_000, frames: 24_000, amplitude: 0.001)
    let output = spoil([input], distortion { $0.curve = (1, 0, 0, 0) })[0]
    let level = Acoustics.decibels(Acoustics.energy(output[4800...]) / Acoustics.energy(input[4800...]))
    #expect(abs(level) < 0.05, "\(level) dB")
  }

  @Test("holding repeats samples, rounding leaves few of them")
  func decimation() {
    let noise = Signals.noise(seed: 4, frames: 4800)
    let held = spoil([noise], distortion { $0.hold = 12_000 })[0]
    // What takes constants away lets the steps through, sloping a little.
    let steps = zip(held, held.dropFirst()).map { $1 - $0 }
    #expect(steps.enumerated().allSatisfy { $0.offset % 4 == 3 || $0.element.magnitude < 0.003 })
    #expect(steps.contains { $0.magnitude > 0.3 })
    let rounded = spoil([noise], distortion { $0.bits = 4 })[0]
    let exact = noise.map { ($0 * 8).rounded() / 8 }
    let errors = (1..<noise.count).map { (frame: Int) -> Float in
      let (found, expected) = (rounded[frame] - rounded[frame - 1], exact[frame] - exact[frame - 1])
      return (found - expected).magnitude
    }
    #expect((errors.max() ?? 1) < 0.002)
  }

  @Test("echoes come when they should")
  func echo() {
    var input = [Float](repeating: 0, count: 2000)
    input[0] = 1
    let output = spoil([input], distortion({ $0.echo = (0.1, 0.5, 0.8) }, rate: 8000))[0]
    // The part that takes constants away follows a jump with a slow slope.
    #expect(abs(output[0] - 1) < 0.001 && abs(output[800] - output[799] - 0.8) < 0.001)
    #expect(abs(output[1600] - output[1599] - 0.4) < 0.001)
  }

  @Test("the same bits however calls are cut", arguments: DistortionPreset.allCases)
  func cuts(preset: DistortionPreset) {
    let gap = [Float](repeating: 0, count: 2500)
    let planes = [UInt64(5), 6].map {
      Signals.noise(seed: $0, frames: 800) + gap + Signals.noise(seed: $0 + 4, frames: 300)
    }
    let whole = spoil(planes, Distortion(DistortionPlan(preset), rate: 8000, channels: 2), cuts: [1 << 20])
    for cuts in [[1], [7, 300, 1, 65]] {
      let parts = spoil(planes, Distortion(DistortionPlan(preset), rate: 8000, channels: 2), cuts: cuts)
      for channel in 0..<2 { #expect(difference(parts[channel], whole[channel]) == nil, "\(cuts)") }
    }
  }

  @Test("it sleeps after its tail, wakes as new, a reset silences it", arguments: DistortionPreset.allCases)
  func fallsAsleep(preset: DistortionPreset) {
    let distortion = Distortion(DistortionPlan(preset), rate: 8000, channels: 1)
    let planes = [Signals.noise(seed: 7, frames: 500) + [Float](repeating: 0, count: distortion.tail)]
    let first = spoil(planes, distortion)
    #expect(distortion.isAsleep)
    #expect(first[0].allSatisfy { !$0.isSubnormal && $0.magnitude < 20 })
    #expect(Acoustics.decibels(Acoustics.energy(first[0].suffix(400)) / Acoustics.energy(first[0])) < -80)
    let second = spoil(planes, distortion)
    #expect(difference(second[0], first[0]) == nil)
    _ = spoil([[.nan, .infinity, 1, -1]], distortion)
    distortion.reset()
    #expect(distortion.isAsleep)
    #expect(spoil([[Float](repeating: 0, count: 900)], distortion)[0].allSatisfy { $0 == 0 })
  }
}
