/// What a delay is told. A number outside its range counts as the nearer end.
public struct DelaySettings: Hashable, Sendable {
  /// Seconds between the sound and its first repetition, 0…2. Default: 1.
  public var time: Double
  /// Per cent of each repetition in the next one, −100…100; negative ones turn over. At ±100 it goes on forever, and never
  /// grows. Default: 50.
  public var feedback: Double
  /// Per cent of repetitions against sound as it came, 0…100. Default: 100.
  public var mix: Double
  /// Hertz above which each repetition has less treble than the one before, 10…half the sample rate. Default: 15 000.
  public var cutoff: Double

  /// Makes settings.
  public init(time: Double = 1, feedback: Double = 50, mix: Double = 100, cutoff: Double = 15_000) {
    self.time = time
    self.feedback = feedback
    self.mix = mix
    self.cutoff = cutoff
  }

  /// Every value within its range; what is no number becomes its default.
  public var clamped: DelaySettings {
    DelaySettings(
      time: time.clamped(to: 0...2, else: 1), feedback: feedback.clamped(to: -100...100, else: 50),
      mix: mix.clamped(to: 0...100, else: 100), cutoff: cutoff.clamped(to: 10...384_000, else: 15_000))
  }
}
