/// Ways to spoil sound. `docs/effects.md` has a table of what each is made of.
///
/// The raw value is the name that people write; the order is that of the numbers that Apple's presets have.
public enum DistortionPreset: String, CaseIterable, Hashable, Sendable {
  case drumsBitBrush = "drums-bit-brush"
  case drumsBufferBeats = "drums-buffer-beats"
  case drumsLoFi = "drums-lo-fi"
  case brokenSpeaker = "broken-speaker"
  case cellphoneConcert = "cellphone-concert"
  case decimated1 = "decimated-1"
  case decimated2 = "decimated-2"
  case decimated3 = "decimated-3"
  case decimated4 = "decimated-4"
  case distortedFunk = "distorted-funk"
  case distortedCubed = "distorted-cubed"
  case distortedSquared = "distorted-squared"
  case echo1 = "echo-1"
  case echo2 = "echo-2"
  case echoTight1 = "echo-tight-1"
  case echoTight2 = "echo-tight-2"
  case everythingIsBroken = "everything-is-broken"
  case alienChatter = "alien-chatter"
  case cosmicInterference = "cosmic-interference"
  case goldenPi = "golden-pi"
  case radioTower = "radio-tower"
  case waves
}

/// What a distortion is told.
public struct DistortionSettings: Hashable, Sendable {
  /// What is done to the sound. Default: ``DistortionPreset/drumsBitBrush``.
  public var preset: DistortionPreset
  /// Per cent of distorted sound against sound as it came, 0…100; what lies outside counts as the nearer end. Default: 50.
  public var mix: Double
  /// Gain in front of the distortion in decibels, −80…20; what lies outside counts as the nearer end. Default: −6.
  public var preGain: Double

  /// Makes settings.
  public init(preset: DistortionPreset = .drumsBitBrush, mix: Double = 50, preGain: Double = -6) {
    self.preset = preset
    self.mix = mix
    self.preGain = preGain
  }

  /// Per cent that can be asked for.
  public static let mixRange: ClosedRange<Double> = 0...100
  /// Decibels in front that can be asked for.
  public static let preGainRange: ClosedRange<Double> = -80...20

  /// Every value within its range; what is no number becomes its default.
  public var clamped: DistortionSettings {
    DistortionSettings(
      preset: preset, mix: mix.clamped(to: Self.mixRange, else: 50),
      preGain: preGain.clamped(to: Self.preGainRange, else: -6))
  }
}
