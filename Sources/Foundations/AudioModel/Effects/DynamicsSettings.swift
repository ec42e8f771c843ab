/// What a compressor does: above the threshold, the level rises by 1 dB where it rose by as many as the ratio says.
public struct CompressorSettings: Hashable, Sendable {
  /// Level, in decibels of full scale, from which on it works. Range: ``thresholdRange``. Default: −20 dB.
  public var threshold: Decibels
  /// Decibels of input for one decibel of output above the threshold. Range: ``ratioRange``. Default: 4.
  public var ratio: Double
  /// Width of the bend around the threshold, in decibels; 0 for a corner. Range: ``kneeRange``. Default: 6 dB.
  public var knee: Decibels
  /// Time constant of a falling gain, in seconds. Range: ``attackRange``. Default: 0.01.
  public var attack: Double
  /// Time constant of a rising gain, in seconds. Range: ``releaseRange``. Default: 0.15.
  public var release: Double
  /// Gain behind it all. Range: ``makeupRange``. Default: 0 dB.
  public var makeup: Decibels

  /// Makes settings.
  public init(
    threshold: Decibels = Decibels(-20), ratio: Double = 4, knee: Decibels = Decibels(6), attack: Double = 0.01,
    release: Double = 0.15, makeup: Decibels = .unity
  ) {
    self.threshold = threshold
    self.ratio = ratio
    self.knee = knee
    self.attack = attack
    self.release = release
    self.makeup = makeup
  }

  /// Thresholds, in decibels of full scale.
  public static let thresholdRange: ClosedRange<Double> = -60...0
  /// Ratios; 1 changes nothing.
  public static let ratioRange: ClosedRange<Double> = 1...100
  /// Widths of the bend, in decibels.
  public static let kneeRange: ClosedRange<Double> = 0...40
  /// Attack times, in seconds.
  public static let attackRange: ClosedRange<Double> = 0.0001...1
  /// Release times, in seconds.
  public static let releaseRange: ClosedRange<Double> = 0.01...5
  /// Gains, in decibels.
  public static let makeupRange: ClosedRange<Double> = -40...40

  /// Every value within its range; what is no number becomes its default.
  public var clamped: CompressorSettings {
    let usual = CompressorSettings()
    return CompressorSettings(
      threshold: Decibels(threshold.value.clamped(to: Self.thresholdRange, else: usual.threshold.value)),
      ratio: ratio.clamped(to: Self.ratioRange, else: usual.ratio),
      knee: Decibels(knee.value.clamped(to: Self.kneeRange, else: usual.knee.value)),
      attack: attack.clamped(to: Self.attackRange, else: usual.attack),
      release: release.clamped(to: Self.releaseRange, else: usual.release),
      makeup: Decibels(makeup.value.clamped(to: Self.makeupRange, else: 0)))
  }
}

/// What a limiter does: no true peak passes the ceiling.
public struct LimiterSettings: Hashable, Sendable {
  /// The highest true peak, in decibels of full scale (dBTP). Range: ``ceilingRange``. Default: −1 dB.
  public var ceiling: Decibels
  /// Gain in front of the limiter. Range: ``gainRange``. Default: 0 dB.
  public var gain: Decibels

  /// Makes settings.
  public init(ceiling: Decibels = Decibels(-1), gain: Decibels = .unity) {
    self.ceiling = ceiling
    self.gain = gain
  }

  /// Ceilings, in decibels of full scale.
  public static let ceilingRange: ClosedRange<Double> = -40...0
  /// Gains, in decibels.
  public static let gainRange: ClosedRange<Double> = -40...40

  /// Every value within its range; what is no number becomes its default.
  public var clamped: LimiterSettings {
    LimiterSettings(
      ceiling: Decibels(ceiling.value.clamped(to: Self.ceilingRange, else: -1)),
      gain: Decibels(gain.value.clamped(to: Self.gainRange, else: 0)))
  }
}
