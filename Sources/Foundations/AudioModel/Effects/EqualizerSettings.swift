/// What an equalizer does: a gain over everything, and bands one behind the other.
///
/// A value without a sample rate: the equalizer that gets it fits frequencies to its own.
public struct EqualizerSettings: Hashable, Sendable {
  /// Filters, in the order in which sound goes through them. Default: none.
  public var bands: [EqualizerBand]
  /// Gain over everything. Range: ``EqualizerBand/gainRange``. Default: 0 dB.
  public var globalGain: Decibels

  /// Makes settings of bands and a gain over everything.
  public init(bands: [EqualizerBand] = [], globalGain: Decibels = .unity) {
    self.bands = bands
    self.globalGain = globalGain
  }

  /// Makes the settings of a preset.
  public init(_ preset: EqualizerPreset) {
    self = preset.settings
  }

  /// Whether sound passes unchanged, bit for bit.
  public var isFlat: Bool { globalGain == .unity && bands.allSatisfy(\.isFlat) }

  /// Every value within its range; what is no number becomes its default.
  public var clamped: EqualizerSettings {
    EqualizerSettings(bands: bands.map(\.clamped), globalGain: EqualizerBand.clamped(globalGain))
  }

  /// Middle frequencies of the ten bands of ``graphic(_:)``, in hertz: octaves around 1 kHz.
  public static let graphicFrequencies: [Double] = [31.25, 62.5, 125, 250, 500, 1000, 2000, 4000, 8000, 16_000]

  /// The settings of a graphic equalizer: ten bands an octave wide.
  /// - Parameter gains: The gain of each band, lowest first; those that lack are 0 dB, those above ten count for nothing.
  public static func graphic(_ gains: [Decibels]) -> EqualizerSettings {
    EqualizerSettings(
      bands: graphicFrequencies.enumerated().map { number, frequency in
        EqualizerBand(frequency: frequency, gain: number < gains.count ? gains[number] : .unity, bandwidth: 1)
      })
  }
}

/// One filter of an equalizer.
public struct EqualizerBand: Hashable, Sendable {
  /// What it does to the spectrum. Default: ``EqualizerFilter/parametric``.
  public var filter: EqualizerFilter
  /// Middle or corner frequency in hertz. Range: ``frequencyRange``, and below half of the sample rate: a higher one
  /// counts as just below.
  public var frequency: Double
  /// Gain, for the filters that have one. Range: ``gainRange``. Default: 0 dB.
  public var gain: Decibels
  /// Width in octaves, for the filters that have one. Range: ``bandwidthRange``. Default: 1.
  public var bandwidth: Double
  /// Lets sound pass unchanged. Default: `false`.
  public var isBypassed: Bool

  /// Makes a band.
  public init(
    _ filter: EqualizerFilter = .parametric, frequency: Double, gain: Decibels = .unity, bandwidth: Double = 1,
    isBypassed: Bool = false
  ) {
    self.filter = filter
    self.frequency = frequency
    self.gain = gain
    self.bandwidth = bandwidth
    self.isBypassed = isBypassed
  }

  /// Frequencies that a band may have, in hertz.
  public static let frequencyRange: ClosedRange<Double> = 20...384_000
  /// Gains that a band, or all together, may have, in decibels.
  public static let gainRange: ClosedRange<Double> = -96...24
  /// Widths that a band may have, in octaves.
  public static let bandwidthRange: ClosedRange<Double> = 0.05...5

  /// Whether sound passes unchanged: bypassed, or a filter whose gain is 0 dB.
  public var isFlat: Bool { isBypassed || filter.hasGain && gain == .unity }

  /// Every value within its range; what is no number becomes its default, or 1000 Hz.
  public var clamped: EqualizerBand {
    EqualizerBand(
      filter, frequency: Self.clamped(frequency, to: Self.frequencyRange, else: 1000), gain: Self.clamped(gain),
      bandwidth: Self.clamped(bandwidth, to: Self.bandwidthRange, else: 1), isBypassed: isBypassed)
  }

  static func clamped(_ gain: Decibels) -> Decibels {
    Decibels(clamped(gain.value, to: gainRange, else: 0))
  }

  private static func clamped(_ value: Double, to range: ClosedRange<Double>, else fallback: Double) -> Double {
    value.isNaN ? fallback : min(max(value, range.lowerBound), range.upperBound)
  }
}

/// What a band of an equalizer does to the spectrum. All are filters of second order.
///
/// Raw values are those of `AVAudioUnitEQFilterType`.
public enum EqualizerFilter: Int, CaseIterable, Hashable, Sendable {
  /// A bell: gain around the frequency, over the bandwidth.
  case parametric
  /// Butterworth low pass: −3 dB at the frequency, 12 dB an octave above.
  case lowPass
  /// Butterworth high pass: −3 dB at the frequency, 12 dB an octave below.
  case highPass
  /// A low pass whose bandwidth says how it resonates at the frequency: the narrower, the more.
  case resonantLowPass
  /// A high pass whose bandwidth says how it resonates at the frequency: the narrower, the more.
  case resonantHighPass
  /// What lies within the bandwidth passes, at 0 dB in the middle.
  case bandPass
  /// What lies within the bandwidth is taken away.
  case bandStop
  /// Gain below the frequency, half of it (in decibels) there; as steep as can be without a bulge.
  case lowShelf
  /// Gain above the frequency, half of it (in decibels) there; as steep as can be without a bulge.
  case highShelf
  /// A low shelf whose bandwidth says how it resonates at the frequency.
  case resonantLowShelf
  /// A high shelf whose bandwidth says how it resonates at the frequency.
  case resonantHighShelf

  /// Whether a band's gain counts.
  public var hasGain: Bool {
    switch self {
    case .parametric, .lowShelf, .highShelf, .resonantLowShelf, .resonantHighShelf: true
    case .lowPass, .highPass, .resonantLowPass, .resonantHighPass, .bandPass, .bandStop: false
    }
  }

  /// Whether a band's bandwidth counts.
  public var hasBandwidth: Bool {
    switch self {
    case .lowPass, .highPass, .lowShelf, .highShelf: false
    case .parametric, .resonantLowPass, .resonantHighPass, .bandPass, .bandStop, .resonantLowShelf,
      .resonantHighShelf:
      true
    }
  }
}

/// Settings that have a name.
public enum EqualizerPreset: String, CaseIterable, Hashable, Sendable {
  /// Sound as it is.
  case flat
  /// Speech is understood more easily: no rumble, less boom, more of what consonants are made of.
  case speech
  /// More bass.
  case bass
  /// More treble.
  case treble
  /// More bass and treble, which the ear misses when all is quiet.
  case loudness
  /// Little bass, which walls let through, and voices in front.
  case night

  /// What it does. Those that raise more than a little lower everything first, since loud music leaves no room above.
  public var settings: EqualizerSettings {
    switch self {
    case .flat:
      EqualizerSettings()
    case .speech:
      EqualizerSettings(
        bands: [
          EqualizerBand(.highPass, frequency: 80),
          EqualizerBand(frequency: 250, gain: Decibels(-3), bandwidth: 1.5),
          EqualizerBand(frequency: 3000, gain: Decibels(4), bandwidth: 2),
        ], globalGain: Decibels(-1))
    case .bass:
      EqualizerSettings(
        bands: [EqualizerBand(.lowShelf, frequency: 120, gain: Decibels(6))], globalGain: Decibels(-3))
    case .treble:
      EqualizerSettings(
        bands: [EqualizerBand(.highShelf, frequency: 5000, gain: Decibels(6))], globalGain: Decibels(-2))
    case .loudness:
      EqualizerSettings(
        bands: [
          EqualizerBand(.lowShelf, frequency: 100, gain: Decibels(8)),
          EqualizerBand(.highShelf, frequency: 8000, gain: Decibels(4)),
        ], globalGain: Decibels(-4))
    case .night:
      EqualizerSettings(bands: [
        EqualizerBand(.lowShelf, frequency: 150, gain: Decibels(-10)),
        EqualizerBand(frequency: 2500, gain: Decibels(2), bandwidth: 2),
      ])
    }
  }
}
