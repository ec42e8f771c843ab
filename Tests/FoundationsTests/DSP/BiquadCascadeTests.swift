import AudioModel
import DSP
import Glibc
import MartletTestSupport
import Testing
import Transforms

@Suite("A cascade of filters")
struct BiquadCascadeTests {
  static let rate = 48_000
  static let loudness = EqualizerSettings(.loudness)

  static func cascade(
    _ settings: EqualizerSettings, room: Int = 0, rate: Int = rate, channels: Int = 1
  ) -> BiquadCascade {
    BiquadCascade(settings.filters(rate: rate), room: room, rate: rate, channels: channels)
  }

  static func run(_ cascade: BiquadCascade, _ planes: [[Float]], by block: Int = 512) -> [[Float]] {
    let count = planes[0].count
    var samples = planes.flatMap { $0 }
    samples.withUnsafeMutableBufferPointer {
      var done = 0
      while done < count {
        let size = min(block, count - done)
        cascade.process($0.baseAddress! + done, stride: count, count: size)
        done += size
      }
    }
    return planes.indices.map { Array(samples[$0 * count..<($0 + 1) * count]) }
  }

  /// Runs a tone through a cascade that others take the place of, every so many frames.
  /// - Returns: How far below the loudest the loudest component is that is farther than 200 Hz from the tone.
  static func outside(_ tone: Double, every frames: Int, _ settings: (Int) -> EqualizerSettings) -> Double {
    let (length, lead) = (32_768, 4800)
    var current = cascade(settings(0))
    var output: [Float] = []
    let input = Signals.sine(hertz: tone, rate: rate, frames: length + lead + frames)
    var step = 0
    while output.count < length + lead {
      step += 1
      if !current.isFading {
        let next = cascade(settings(step), room: current.count)
        next.adopt(current.past)
        current = next
      }
      output += run(current, [Array(input[output.count..<output.count + frames])])[0]
    }
    // Blackman and Harris's window: what leaks is below −92 dB.
    let transform = RealFFT(length: length)
    let windowed = output[lead..<lead + length].enumerated().map { index, sample in
      let phase = 2 * Double.pi * Double(index) / Double(length)
      let window = 0.35875 - 0.48829 * cos(phase) + 0.14128 * cos(2 * phase) - 0.01168 * cos(3 * phase)
      return sample * Float(window)
    }
    var spectrum = [Float](repeating: 0, count: transform.bins * 2)
    transform.forward(windowed, into: &spectrum)
    let width = Double(rate) / Double(length)
    var (near, far): (Float, Float) = (0, 0)
    for bin in 0..<transform.bins {
      let (real, imaginary) = (spectrum[2 * bin], spectrum[2 * bin + 1])
      let power = real * real + imaginary * imaginary
      if abs(Double(bin) * width - tone) > 200 { far = max(far, power) } else { near = max(near, power) }
    }
    return Double(10 * log10(far / near))
  }

  /// Up and down between 0 and 1.
  static func triangle(_ step: Int, _ half: Int) -> Double { Double(abs(step % (2 * half) - half)) / Double(half) }

  // MARK: Changes

  @Test("sweeps of a value make nothing above −60 dB outside the signal", arguments: EqualizerFilter.allCases)
  func sweeps(filter: EqualizerFilter) {
    for tone in [60.0, 1000, 6000] {
      func check(_ name: String, _ band: @escaping (Double) -> EqualizerBand) {
        let worst = Self.outside(tone, every: 480) { EqualizerSettings(bands: [band(Self.triangle($0, 50))]) }
        #expect(worst < -60, "\(name) of \(filter) at \(tone) Hz")
      }
      check("frequency") {
        EqualizerBand(filter, frequency: 40 * pow(2, 8 * $0), gain: Decibels(12), bandwidth: 1)
      }
      if filter.hasGain {
        check("gain") { EqualizerBand(filter, frequency: tone, gain: Decibels(-12 + 24 * $0), bandwidth: 1) }
      }
      if filter.hasBandwidth {
        check("bandwidth") {
          EqualizerBand(filter, frequency: tone * 1.1, gain: Decibels(9), bandwidth: 0.1 + 3 * $0)
        }
      }
    }
  }

  @Test("other filters, presets and bypass come without a click", arguments: [60.0, 1000, 6000])
  func jumps(tone: Double) {
    let presets = EqualizerPreset.allCases
    #expect(Self.outside(tone, every: 6000) { EqualizerSettings(presets[$0 % presets.count]) } < -60)
    for filter in EqualizerFilter.allCases {
      let worst = Self.outside(tone, every: 6000) {
        let other = EqualizerFilter.allCases[(filter.rawValue + 1) % 11]
        return EqualizerSettings(bands: [
          EqualizerBand($0 % 2 == 0 ? filter : other, frequency: 300, gain: Decibels(6), isBypassed: $0 % 3 == 0),
          EqualizerBand(frequency: $0 % 2 == 0 ? 100 : 5000, gain: Decibels(6)),
        ])
      }
      #expect(worst < -60, "\(filter) at \(tone) Hz")
    }
  }

  @Test("changes at every block, of everything, stay bounded, and then the settings are those of the last")
  func storm() {
    var random = SeededGenerator(seed: 7)
    var current = Self.cascade(EqualizerSettings())
    func next(_ settings: EqualizerSettings) {
      guard !current.isFading else { return }
      let fresh = Self.cascade(settings, room: current.count)
      fresh.adopt(current.past)
      current = fresh
    }
    var peak: Float = 0
    for step in 0..<400 {
      next(
        EqualizerSettings(
          bands: (0..<3).map { _ in
            EqualizerBand(
              EqualizerFilter.allCases[Int.random(in: 0..<11, using: &random)],
              frequency: 20 * pow(2, Double.random(in: 0...10, using: &random)),
              gain: Decibels(.random(in: -12...12, using: &random)), bandwidth: .random(in: 0.3...3, using: &random),
              isBypassed: .random(using: &random))
          }))
      let noise = Signals.noise(seed: UInt64(step), frames: 64 + step % 100)
      peak = max(peak, Self.run(current, [noise])[0].map(abs).max() ?? 0)
    }
    // Three bands of 12 dB, and resonances of 9 dB at 0.5 octaves and less than 14 dB at 0.3.
    #expect(peak < 0.5 * 200)
    _ = Self.run(current, [Signals.noise(seed: 1, frames: 4800)])
    next(Self.loudness)
    _ = Self.run(current, [[Float](repeating: 0, count: 48_000)])
    let steady = Self.cascade(Self.loudness)
    let noise = Signals.noise(seed: 5, frames: 2000)
    let (found, expected) = (Self.run(current, [noise])[0], Self.run(steady, [noise])[0])
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test("the result does not depend on blocks", arguments: [1, 7, 64, 1000])
  func blocks(block: Int) {
    func output(_ block: Int) -> [[Float]] {
      var planes = (0..<3).map { Signals.noise(seed: UInt64($0), frames: 1000) }
      var all = [[Float]](repeating: [], count: 3)
      var current = Self.cascade(EqualizerSettings(.speech), channels: 3)
      // A jump, a ramp in the middle of it, and what has become flat.
      for settings in [
        EqualizerSettings(.speech), Self.loudness, Self.loudness, EqualizerSettings(), EqualizerSettings(),
      ] {
        if !current.isFading {
          let next = Self.cascade(settings, room: current.count, channels: 3)
          next.adopt(current.past)
          current = next
        }
        for _ in 0..<3 {
          planes = Self.run(current, planes.map { $0.reversed() }, by: block)
          for channel in 0..<3 { all[channel] += planes[channel] }
        }
      }
      return all
    }
    let (found, expected) = (output(block), output(512))
    for channel in 0..<3 { #expect(difference(found[channel], expected[channel]) == nil) }
  }

  @Test("channels are filtered alike, and apart")
  func channels() {
    let planes = (0..<5).map { Signals.noise(seed: UInt64($0), frames: 700) }
    let found = Self.run(Self.cascade(Self.loudness, channels: 5), planes)
    for channel in 0..<5 {
      let alone = Self.run(Self.cascade(Self.loudness), [planes[channel]])[0]
      #expect(difference(found[channel], alone) == nil)
    }
  }

  // MARK: Nothing to do

  @Test("flat and bypassed bands change no bit, also when they have come from others")
  func transparent() {
    let flat = EqualizerSettings(bands: [
      EqualizerBand(frequency: 50), EqualizerBand(.lowPass, frequency: 50, isBypassed: true),
      EqualizerBand(.lowShelf, frequency: 50), EqualizerBand(.resonantHighShelf, frequency: 50),
    ])
    let odd: [Float] = [.nan, .infinity, -0.0, .leastNonzeroMagnitude, 3]
    let cascade = Self.cascade(flat)
    #expect(cascade.isTransparent)
    #expect(Self.run(cascade, [odd])[0].map(\.bitPattern) == odd.map(\.bitPattern))
    for settings in [Self.loudness, EqualizerSettings(.speech), EqualizerSettings(globalGain: Decibels(-6))] {
      let before = Self.cascade(settings)
      _ = Self.run(before, [Signals.noise(seed: 1, frames: 1000)])
      let after = Self.cascade(flat, room: before.count)
      after.adopt(before.past)
      #expect(!after.isTransparent)
      _ = Self.run(after, [Signals.noise(seed: 2, frames: 24_000)])
      #expect(after.isTransparent)
      #expect(Self.run(after, [odd])[0].map(\.bitPattern) == odd.map(\.bitPattern))
    }
  }

  @Test("what dies away ends in silence before numbers become too small to be handled quickly")
  func denormals() {
    let bands = [EqualizerBand(.resonantLowPass, frequency: 200), EqualizerBand(frequency: 1000, gain: Decibels(6))]
    let cascade = Self.cascade(EqualizerSettings(bands: bands))
    _ = Self.run(cascade, [Signals.noise(seed: 1, frames: 1000)])
    var (tail, frames) = ([Float](repeating: 0, count: 64), 0)
    repeat {
      tail = Self.run(cascade, [[Float](repeating: 0, count: 64)])[0]
      frames += 64
    } while tail.contains { $0 != 0 } && frames < 480_000
    #expect(frames < 48_000)
    // Not even an input that is too small keeps it up.
    let tiny = [Float](repeating: .leastNonzeroMagnitude, count: 640)
    #expect(Self.run(cascade, [tiny])[0].allSatisfy { $0 == 0 || abs($0) < 1e-37 })
  }

  @Test("a sample that is no number is forgotten within milliseconds")
  func notANumber() {
    let cascade = Self.cascade(Self.loudness)
    var noise = Signals.noise(seed: 1, frames: 1000)
    noise[100] = .nan
    noise[101] = .infinity
    let output = Self.run(cascade, [noise])[0]
    #expect(output[..<100].allSatisfy { $0.isFinite })
    #expect(output[200...].allSatisfy { abs($0) < 10 })
  }

  @Test("reset forgets the signal, and begins with the settings that were wanted")
  func reset() {
    let before = Self.cascade(EqualizerSettings(.speech))
    let noise = Signals.noise(seed: 1, frames: 1000)
    _ = Self.run(before, [noise])
    let cascade = Self.cascade(Self.loudness, room: before.count)
    cascade.adopt(before.past)
    _ = Self.run(cascade, [noise])
    cascade.reset()
    #expect(difference(Self.run(cascade, [noise])[0], Self.run(Self.cascade(Self.loudness), [noise])[0]) == nil)
  }

  @Test("a gain over everything is exact in single precision")
  func gain() {
    let noise = Signals.noise(seed: 1, frames: 100)
    let output = Self.run(Self.cascade(EqualizerSettings(globalGain: Decibels(20 * log10(2)))), [noise])[0]
    #expect(zip(output, noise).allSatisfy { abs($0 - 2 * $1) <= 2e-7 * abs($1) })
  }
}
