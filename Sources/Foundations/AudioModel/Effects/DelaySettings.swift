/// What a delay is told. A number outside its range counts as the nearer end.
public struct DelaySettings: Hashable, Sendable {
  /// Seconds between the sound and its first repetition, 0…2. Default: 1.
  public var time: Double
  /// Per cent of each repetition in the next one, −100…100; negative ones turn over. At ±100 it goes on forever, and never
  /// grows. Default: 50.
  public var feedback: Double
  /// Per cent of repetitions against sound as it came, 0…100. Default: 100.
  public var mix: Double
  /// Hertz above which each repetition has less treble than the one before, 10…half the sample rate. Default:
  /// 15 000.
  public var cutoff: Double

  /// Makes settings.
  public init(time: Double = 1, feedback: Double = 50, mix: Double = 100, cutoff: Double = 15_000) {
    self.time = time
    self.feedback = feedback
    self.mix = mix
    self.cutoff = cutoff
  }

  /// Seconds that can be asked for.
  public static let timeRange: ClosedRange<Double> = 0...2
  /// Per cent of each repetition in the next one that can be asked for.
  public static let feedbackRange: ClosedRange<Double> = -100...100
  /// Per cent of repetitions that can be asked for.
  public static let mixRange: ClosedRange<Double> = 0...100
  /// The lowest cutoff that can be asked for, in hertz.
  public static let lowestCutoff = 10.0

  /// Every value within its range; what is no number becomes its default. A cutoff may lie above half a sample rate, where
  /// it does nothing.
  public var clamped: DelaySettings {
    DelaySettings(
      time: time.clamped(to: Self.timeRange, else: 1), feedback: feedback.clamped(to: Self.feedbackRange, else: 50),
      mix: mix.clamped(to: Self.mixRange, else: 100),
      cutoff: cutoff.clamped(to: Self.lowestCutoff...(.greatestFiniteMagnitude), else: 15_000))
  }
}
