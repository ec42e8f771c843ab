import AudioModel
import MartletTestSupport
import Realtime
import RenderGraph
import Testing

/// The built-in effects under the contract that applications' effects are checked by.
@Suite("Built-in effects keep the contract")
struct EffectContractTests {
  private func violations(
    neutral: Float?, seconds: Double = 10, formats: [EffectFormat]? = nil, make: @escaping () -> BuiltIn
  ) -> [String] {
    var contract = AudioEffectContract(make: make)
    if let neutral { contract.neutral = { $0.parameters[0].value = neutral } }
    contract.tell = { ($0 as? BuiltIn)?.tell() }
    contract.longestTail = seconds
    if let formats { contract.formats = formats }
    return contract.violations()
  }

  @Test func equalizer() {
    let found = violations(neutral: 0) {
      BuiltIn(EffectParameter("gain", unit: .decibels, range: -12...12, default: 6), EqualizerKernel()) {
        let band = EqualizerBand(frequency: 200, gain: Decibels(Double($1)))
        $0.settings = EqualizerSettings(bands: [band, EqualizerBand(.highPass, frequency: 50, isBypassed: $1 == 0)])
      }
    }
    #expect(found == [])
  }

  @Test func delay() {
    let found = violations(neutral: 0) {
      BuiltIn(EffectParameter("mix", unit: .percent, range: 0...100, default: 50), DelayKernel()) {
        $0.settings = DelaySettings(time: 0.02, feedback: 30, mix: Double($1))
      }
    }
    #expect(found == [])
  }

  @Test func reverb() {
    let found = violations(neutral: 0, formats: [EffectFormat(rate: 16_000, channels: 2)]) {
      BuiltIn(EffectParameter("mix", unit: .percent, range: 0...100, default: 50), ReverbKernel()) {
        $0.settings = ReverbSettings(preset: .smallRoom, mix: Double($1))
      }
    }
    #expect(found == [])
  }

  @Test func distortion() {
    let found = violations(neutral: 0) {
      BuiltIn(EffectParameter("mix", unit: .percent, range: 0...100, default: 50), DistortionKernel()) {
        $0.settings = DistortionSettings(preset: .distortedCubed, mix: Double($1))
      }
    }
    #expect(found == [])
  }

  @Test func limiter() {
    let found = violations(neutral: 0, formats: [EffectFormat(rate: 48_000, channels: 2)]) {
      BuiltIn(EffectParameter("gain", unit: .decibels, range: 0...12, default: 6), LimiterKernel()) {
        $0.settings.gain = Decibels(Double($1))
      }
    }
    #expect(found == [])
  }

  @Test func compressor() {
    let found = violations(neutral: nil) {
      BuiltIn(EffectParameter("threshold", unit: .decibels, range: -40...0, default: -20), CompressorKernel()) {
        $0.settings.threshold = Decibels(Double($1))
      }
    }
    #expect(found == [])
  }
}

/// A built-in kernel with one parameter, as an effect. Everything happens on the test's thread.
private final class BuiltIn: AudioEffect, @unchecked Sendable {
  let parameters: [EffectParameter]
  private let make: () -> (kernel: any EffectKernel, set: (Float) -> Void)
  private var made: [(Float) -> Void] = []

  init<Kernel: EffectKernel>(
    _ parameter: EffectParameter, _ kernel: @autoclosure @escaping () -> Kernel,
    _ set: @escaping (Kernel, Float) -> Void
  ) {
    parameters = [parameter]
    make = {
      let kernel = kernel()
      return (kernel, { set(kernel, $0) })
    }
  }

  /// Tells the kernels what was set.
  func tell() { for set in made { set(parameters[0].value) } }

  func makeProcessor(for format: EffectFormat) -> any EffectProcessor {
    let (kernel, set) = make()
    set(parameters[0].value)
    kernel.prepare(rate: format.rate, channels: format.channels)
    made.append(set)
    return Processor(kernel, format)
  }

  private final class Processor: EffectProcessor {
    private let kernel: any EffectKernel
    private let format: EffectFormat

    init(_ kernel: any EffectKernel, _ format: EffectFormat) {
      self.kernel = kernel
      self.format = format
    }

    var latency: Int { kernel.latency }
    var tail: Int { kernel.tail }
    func reset() { kernel.reset() }

    func process(_ block: EffectBlock) {
      guard let first = block[0].baseAddress else { return }
      let stride = block.channels > 1 ? block[1].baseAddress! - first : block.frames
      kernel.process(
        BlockCall(
          planes: first, stride: stride, channels: block.channels, frames: block.frames, rate: format.rate))
    }
  }
}
