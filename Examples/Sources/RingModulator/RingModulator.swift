import AVFAudio

/// Multiplies sound with a sine, so that every tone becomes two: their sum and their difference. Voices turn into robots.
final class RingModulator: AudioEffect {
  /// The sine's frequency.
  let frequency = EffectParameter("frequency", unit: .hertz, range: 1...5000, default: 440, rampTime: 0.05)
  /// How much of the product stands in place of the sound as it came; at 0 no bit changes.
  let mix = EffectParameter("mix", unit: .percent, range: 0...100, default: 100)

  var parameters: [EffectParameter] { [frequency, mix] }

  func makeProcessor(for format: EffectFormat) -> any EffectProcessor { Processor(self, format) }

  private final class Processor: EffectProcessor {
    private var frequency: ParameterRamp
    private var mix: ParameterRamp
    private let rate: Double
    // One turn of the sine. Looked up, since a function of the C library is none that the compiler can check.
    private let table: UnsafeMutableBufferPointer<Float>
    private let size = 4096
    // Turns, 0 ..< 1.
    private var phase = 0.0

    init(_ effect: RingModulator, _ format: EffectFormat) {
      frequency = ParameterRamp(effect.frequency, for: format)
      mix = ParameterRamp(effect.mix, for: format)
      rate = Double(format.rate)
      table = .allocate(capacity: size + 1)
      for index in 0...size {
        table.initializeElement(at: index, to: Float(sin(2 * .pi * Double(index) / Double(size))))
      }
    }

    deinit { table.deallocate() }

    @_noLocks @_noAllocation
    func process(_ block: EffectBlock) {
      frequency.begin()
      mix.begin()
      var frame = 0
      while frame < block.frames {
        let wet = mix.next() / 100
        let factor = 1 - wet + wet * sine()
        phase += Double(frequency.next()) / rate
        if phase >= 1 { phase -= 1 }
        var channel = 0
        while channel < block.channels {
          block[channel][frame] *= factor
          channel += 1
        }
        frame += 1
      }
    }

    @_noLocks @_noAllocation
    private func sine() -> Float {
      let place = phase * Double(size)
      let index = Int(place)
      let part = Float(place - Double(index))
      return table[index] + part * (table[index + 1] - table[index])
    }

    @_noLocks @_noAllocation
    func reset() {
      frequency.settle()
      mix.settle()
      phase = 0
    }
  }
}
