import AudioModel
import DSP
import Glibc
import Testing

@Suite("Filters of an equalizer")
struct BiquadTests {
  static let rates = [44_100, 48_000, 192_000]

  /// Bands over the whole range of everything.
  static func bands(_ filter: EqualizerFilter, rate: Int) -> [EqualizerBand] {
    let top = Double(rate) / 2
    return [20, 63, 1000, 7000, top * 0.9, top].flatMap { frequency in
      [-96.0, -6, 0, 3, 24].flatMap { gain in
        [0.05, 0.5, 1, 5].map {
          EqualizerBand(filter, frequency: frequency, gain: Decibels(gain), bandwidth: $0)
        }
      }
    }
  }

  /// The analogue filter that a band is made from, at the frequency that the bilinear transform takes its value from.
  static func analogue(_ band: EqualizerBand, at frequency: Double, rate: Int) -> Double {
    func warped(_ frequency: Double) -> Double { tan(.pi * frequency / Double(rate)) }
    let middle = min(band.frequency, 0.499 * Double(rate))
    let s = warped(frequency) / warped(middle)
    let edge = warped(middle * pow(2, -band.bandwidth / 2)) / warped(middle)
    var q = edge / (1 - edge * edge)
    switch band.filter {
    case .lowPass, .highPass, .lowShelf, .highShelf: q = sqrt(0.5)
    case .resonantLowPass, .resonantHighPass, .resonantLowShelf, .resonantHighShelf:
      q = 1 / (2 * sinh(log(2) / 2 * band.bandwidth))
    default: break
    }
    let a = pow(10, band.gain.value / 40)
    // At s = jΩ a quadratic has the real part c − aΩ² and the imaginary part bΩ.
    func size(_ square: Double, _ linear: Double, _ constant: Double) -> Double {
      hypot(constant - square * s * s, linear * s)
    }
    switch band.filter {
    case .parametric: return size(1, a / q, 1) / size(1, 1 / (a * q), 1)
    case .lowPass, .resonantLowPass: return 1 / size(1, 1 / q, 1)
    case .highPass, .resonantHighPass: return s * s / size(1, 1 / q, 1)
    case .bandPass: return s / q / size(1, 1 / q, 1)
    case .bandStop: return abs(1 - s * s) / size(1, 1 / q, 1)
    case .lowShelf, .resonantLowShelf: return a * size(1, sqrt(a) / q, a) / size(a, sqrt(a) / q, 1)
    case .highShelf, .resonantHighShelf: return a * size(a, sqrt(a) / q, 1) / size(1, sqrt(a) / q, a)
    }
  }

  static func decibels(_ amplitude: Double) -> Double { 20 * log10(max(amplitude, 1e-9)) }

  @Test("coefficients have the response of the analogue prototype, over the whole range", arguments: rates)
  func designs(rate: Int) {
    for filter in EqualizerFilter.allCases {
      var worst = (0.0, "")
      for band in Self.bands(filter, rate: rate) {
        let biquad = Biquad(band, rate: rate)
        #expect(abs(biquad.a2) < 1 && abs(biquad.a1) < 1 + biquad.a2, "\(band) is unstable")
        for step in 0...40 {
          let frequency = 10 * pow(Double(rate) / 20.2, Double(step) / 40)
          let found = Self.decibels(biquad.magnitude(at: frequency, rate: rate))
          let error = abs(found - Self.decibels(Self.analogue(band, at: frequency, rate: rate)))
          if !(error <= worst.0) { worst = (error, "\(band) at \(frequency) Hz") }
        }
      }
      #expect(worst.0 < 0.001, "\(worst.1)")
    }
  }

  @Test("what goes through the filter comes out as its coefficients say", arguments: rates)
  func measured(rate: Int) {
    for filter in EqualizerFilter.allCases {
      for (frequency, bandwidth) in [(60, 1), (1000, 0.05), (0.45 * Double(rate), 2)] {
        let band = EqualizerBand(filter, frequency: frequency, gain: Decibels(-9), bandwidth: bandwidth)
        let design = Biquad(band, rate: rate)
        let cascade = BiquadCascade([.init(band, rate: rate)], rate: rate, channels: 1)
        // An impulse, until nothing comes any more.
        var response: [Float] = []
        while response.isEmpty || response.suffix(512).contains(where: { abs($0) > 1e-9 }) {
          var block = [Float](repeating: 0, count: 512)
          if response.isEmpty { block[0] = 1 }
          block.withUnsafeMutableBufferPointer { cascade.process($0.baseAddress!, stride: 512, count: 512) }
          response += block
        }
        #expect(response.count < rate * 2, "\(band) does not settle")
        for probe in [frequency / 2, frequency, frequency * 1.05, 5000] {
          let expected = Self.decibels(design.magnitude(at: probe, rate: rate))
          guard expected > -60 else { continue }
          let found = Self.decibels(Self.magnitude(of: response, at: probe, rate: rate))
          #expect(abs(found - expected) < 0.05, "\(band) at \(probe) Hz: \(found) dB")
        }
      }
    }
  }

  /// One value of the Fourier transform.
  static func magnitude(of response: [Float], at frequency: Double, rate: Int) -> Double {
    let angle = 2 * .pi * frequency / Double(rate)
    let (c, s) = (cos(angle), sin(angle))
    var (x, y, real, imaginary) = (1.0, 0.0, 0.0, 0.0)
    for sample in response {
      real += Double(sample) * x
      imaginary += Double(sample) * y
      (x, y) = (x * c - y * s, x * s + y * c)
    }
    return hypot(real, imaginary)
  }

  @Test("frequency, gain and bandwidth mean what they say")
  func meanings() {
    let rate = 48_000
    func level(_ band: EqualizerBand, _ frequency: Double) -> Double {
      Self.decibels(Biquad(band, rate: rate).magnitude(at: frequency, rate: rate))
    }
    func near(_ found: Double, _ expected: Double) -> Bool { abs(found - expected) < 0.001 }
    for frequency in [40.0, 1000, 12_000, 20_000] {
      for bandwidth in [0.05, 1.0, 3] {
        let edge = frequency * pow(2, -bandwidth / 2)
        func band(_ filter: EqualizerFilter, _ gain: Double = 0) -> EqualizerBand {
          EqualizerBand(filter, frequency: frequency, gain: Decibels(gain), bandwidth: bandwidth)
        }
        // The middle, and half of the gain at the edge.
        #expect(near(level(band(.parametric, 12), frequency), 12))
        #expect(near(level(band(.parametric, -8), frequency), -8))
        #expect(near(level(band(.parametric, 12), edge), 6))
        #expect(near(level(band(.bandPass), frequency), 0))
        #expect(near(level(band(.bandPass), edge), -3.0103))
        #expect(level(band(.bandStop), frequency) < -120)
        #expect(near(level(band(.bandStop), edge), -3.0103))
        let resonance = Self.decibels(1 / (pow(2, bandwidth / 2) - pow(2, -bandwidth / 2)))
        #expect(near(level(band(.resonantLowPass), frequency), resonance))
        #expect(near(level(band(.resonantHighPass), frequency), resonance))
        #expect(near(level(band(.lowPass), frequency), -3.0103))
        #expect(near(level(band(.highPass), frequency), -3.0103))
        for filter in [EqualizerFilter.lowShelf, .resonantLowShelf] {
          #expect(near(level(band(filter, 10), 0.001), 10))
          #expect(near(level(band(filter, 10), frequency), 5))
          #expect(near(level(band(filter, 10), 23_999), 0))
        }
        for filter in [EqualizerFilter.highShelf, .resonantHighShelf] {
          #expect(near(level(band(filter, 10), 0.001), 0))
          #expect(near(level(band(filter, 10), frequency), 5))
          #expect(near(level(band(filter, 10), 23_999.999), 10))
        }
      }
    }
    // 12 dB an octave; a plain shelf has no bulge.
    let low = EqualizerBand(.highPass, frequency: 1000)
    #expect(abs(level(low, 50) - level(low, 25) - 12.04) < 0.05)
    let shelf = EqualizerBand(.lowShelf, frequency: 1000, gain: Decibels(12))
    let levels = (1...200).map { level(shelf, Double($0) * 100) }
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 >= $1 })
  }

  @Test("values beyond a range count as its end, what is no number as the default; flat is known")
  func clamps() {
    let odd = EqualizerBand(frequency: 1e9, gain: Decibels(100), bandwidth: 99)
    #expect(odd.clamped == EqualizerBand(frequency: 384_000, gain: Decibels(24), bandwidth: 5))
    let low = EqualizerBand(frequency: -1, gain: Decibels(-.infinity), bandwidth: 0)
    #expect(low.clamped == EqualizerBand(frequency: 20, gain: Decibels(-96), bandwidth: 0.05))
    let none = EqualizerBand(frequency: .nan, gain: Decibels(.nan), bandwidth: .nan)
    #expect(none.clamped == EqualizerBand(frequency: 1000, gain: .unity, bandwidth: 1))
    #expect(EqualizerSettings(bands: [none], globalGain: Decibels(25)).clamped.globalGain == Decibels(24))
    #expect(EqualizerSettings(.flat).isFlat && EqualizerSettings.graphic([]).isFlat)
    #expect(!EqualizerSettings.graphic([Decibels(1)]).isFlat)
    #expect(!EqualizerSettings(bands: [EqualizerBand(.lowPass, frequency: 50)]).isFlat)
    #expect(EqualizerSettings(bands: [EqualizerBand(.lowPass, frequency: 50, isBypassed: true)]).isFlat)
    let graphic = EqualizerSettings.graphic((0..<12).map { Decibels(Double($0)) })
    #expect(graphic.bands.map(\.gain.value) == (0..<10).map(Double.init))
    for preset in EqualizerPreset.allCases where preset != .flat { #expect(!preset.settings.isFlat) }
  }
}
