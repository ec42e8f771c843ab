/// How fast sound plays, and how high.
///
/// Speed and pitch are apart: at twice the rate voices are not higher, and a pitch of its own costs no time. (But
/// ``StretchAlgorithm/varispeed`` ties them together.)
public struct TimePitchSettings: Hashable, Sendable {
  /// Seconds of the recording for each second of playing. Range: ``rateRange``. Default: 1.
  public var rate: Double
  /// Cents by which sound is higher; 100 are a semitone, 1200 an octave. Range: ``pitchRange``. Default: 0.
  public var pitch: Double
  /// How it is done. Default: ``StretchAlgorithm/automatic``.
  public var algorithm: StretchAlgorithm

  /// Makes settings.
  public init(rate: Double = 1, pitch: Double = 0, algorithm: StretchAlgorithm = .automatic) {
    self.rate = rate
    self.pitch = pitch
    self.algorithm = algorithm
  }

  /// Rates that can be asked for.
  public static let rateRange: ClosedRange<Double> = 0.03125...32
  /// Cents that can be asked for.
  public static let pitchRange: ClosedRange<Double> = -2400...2400

  /// Whether sound passes unchanged, bit for bit.
  public var isIdentity: Bool { rate == 1 && pitch == 0 }

  /// Every value within its range; what is no number becomes its default.
  public var clamped: TimePitchSettings {
    TimePitchSettings(
      rate: rate.clamped(to: Self.rateRange, else: 1), pitch: pitch.clamped(to: Self.pitchRange, else: 0),
      algorithm: algorithm)
  }
}

/// Ways to change the speed of sound. The raw value is the name that people write.
public enum StretchAlgorithm: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
  /// Speech or music, whichever it sounds like at the moment.
  case automatic = "auto"
  /// Repeats and leaves out whole periods of the voice: clear and quick to answer, made for one speaker at a time.
  case speech
  /// Stretches the partials of the sound one by one: for many voices and instruments at once.
  case music
  /// As a tape that runs faster: the pitch goes along with the rate.
  case varispeed
}
