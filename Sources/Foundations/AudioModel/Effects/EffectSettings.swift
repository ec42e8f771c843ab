/// All that is done to sound between decoding and the volume, in the order in which sound goes through it.
///
/// `nil` is an effect that is not there: it costs nothing and changes no bit.
public struct EffectSettings: Hashable, Sendable {
  /// Rate and pitch.
  public var time: TimePitchSettings
  /// Distortion. Default: none.
  public var distortion: DistortionSettings?
  /// Equalizer. Default: none.
  public var equalizer: EqualizerSettings?
  /// Delay. Default: none.
  public var delay: DelaySettings?
  /// Reverb. Default: none.
  public var reverb: ReverbSettings?

  /// Makes settings.
  public init(
    time: TimePitchSettings = TimePitchSettings(), distortion: DistortionSettings? = nil,
    equalizer: EqualizerSettings? = nil, delay: DelaySettings? = nil, reverb: ReverbSettings? = nil
  ) {
    self.time = time
    self.distortion = distortion
    self.equalizer = equalizer
    self.delay = delay
    self.reverb = reverb
  }

  /// Every value within its range; what is no number becomes its default.
  public var clamped: EffectSettings {
    EffectSettings(
      time: time.clamped, distortion: distortion?.clamped, equalizer: equalizer?.clamped, delay: delay?.clamped,
      reverb: reverb?.clamped)
  }

  /// Whether sound passes unchanged, bit for bit.
  public var isIdentity: Bool {
    time.isIdentity && distortion == nil && equalizer?.isFlat != false && delay == nil && reverb == nil
  }
}
