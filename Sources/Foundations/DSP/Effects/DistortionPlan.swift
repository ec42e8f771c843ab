package import AudioModel

/// What a distortion is made of. Sound goes through the parts in the order in which they stand here; each of them is
/// off by default. Every number is ours; a preset's name says what it was chosen for.
package struct DistortionPlan: Sendable {
  /// Corners of a band-pass in hertz; 0 for none.
  package var highPass = 0.0
  package var lowPass = 0.0
  /// Samples a second that are left, the others repeat them; 0 for all.
  package var hold = 0.0
  /// Bits of a sample that are left; 0 for all.
  package var bits = 0
  /// Frequencies of two sines by which sound is multiplied, in hertz; how much of the second one, 0…1; and how much of
  /// the product replaces the sound, 0…1.
  package var ring: (first: Double, second: Double, balance: Double, mix: Double) = (0, 0, 0, 0)
  /// Shares of a sample, its square and its cube, and the decibels by which their sum is driven into a soft limit at
  /// 1; `nil` for the sample as it is, without a limit. At twice the sample rate, where no harmonic of a square or a
  /// cube folds back.
  package var curve: (linear: Float, squared: Float, cubed: Float, drive: Double)?
  /// Seconds until an echo comes, the part of each in the next one, and of all of them in the sound; 0 seconds for
  /// none.
  package var echo: (seconds: Double, feedback: Float, mix: Float) = (0, 0, 0)
  /// Decibels by which all that is louder or softer than it was.
  package var level = 0.0

  /// Nothing is done.
  package init() {}

  /// The plan of a preset.
  package init(_ preset: DistortionPreset) {
    self.init()
    switch preset {
    case .drumsBitBrush:
      (hold, bits) = (18_000, 5)
    case .drumsBufferBeats:
      (hold, bits, echo) = (22_050, 10, (0.0938, 0.62, 0.8))
    case .drumsLoFi:
      (lowPass, hold, bits, curve) = (5000, 11_025, 8, (1, 0, 0, 6))
    case .brokenSpeaker:
      (highPass, lowPass, bits, curve) = (220, 3800, 7, (0.7, 0.5, 0.3, 18))
    case .cellphoneConcert:
      (highPass, lowPass, hold, bits) = (400, 3200, 8000, 8)
      (curve, echo) = ((1, 0, 0, 12), (0.043, 0.25, 0.3))
    case .decimated1: (hold, bits) = (12_000, 10)
    case .decimated2: (hold, bits) = (8000, 8)
    case .decimated3: (hold, bits) = (5000, 6)
    case .decimated4: (hold, bits, curve) = (2500, 5, (1, 0, 0, 9))
    case .distortedFunk: (highPass, curve) = (110, (0.6, 0.5, 0.6, 22))
    case .distortedCubed: curve = (0, 0, 1, 42)
    case .distortedSquared: curve = (0, 1, 0, 32)
    case .echo1: echo = (0.25, 0.5, 0.6)
    case .echo2: (curve, echo) = ((1, 0, 0, 9), (0.4, 0.65, 0.7))
    case .echoTight1: echo = (0.031, 0.5, 0.7)
    case .echoTight2: (curve, echo) = ((1, 0, 0, 9), (0.062, 0.68, 0.8))
    case .everythingIsBroken:
      (highPass, hold, bits, ring) = (150, 6000, 5, (873, 0, 0, 0.5))
      (curve, echo) = ((0.6, 0.4, 0.4, 20), (0.117, 0.5, 0.5))
    case .alienChatter: (hold, ring) = (9000, (131, 587, 0.4, 0.85))
    case .cosmicInterference:
      (hold, ring, echo) = (7000, (1733, 2111, 0.5, 0.7), (0.183, 0.55, 0.5))
    case .goldenPi: ring = (314.159, 161.803, 0.382, 0.8)
    case .radioTower:
      (highPass, lowPass, bits) = (500, 2600, 9)
      (ring, curve) = ((55, 0, 0, 0.25), (1, 0.2, 0, 15))
    case .waves: (ring, echo) = ((2.7, 7.1, 0.35, 0.6), (0.33, 0.5, 0.45))
    }
    level = Self.levels[preset] ?? 0
  }

  /// Levels that leave pink noise of −20 dB as loud as it was, behind the default gain of −6 dB.
  private static let levels: [DistortionPreset: Double] = [
    .drumsBitBrush: 6.5, .drumsBufferBeats: 4.0, .drumsLoFi: 2.0, .brokenSpeaker: -3.5, .cellphoneConcert: 0.5,
    .decimated1: 7.0, .decimated2: 7.0, .decimated3: 7.0, .decimated4: -2.5, .distortedFunk: -8.5,
    .distortedCubed: 6.0, .distortedSquared: -1.5, .echo1: 5.0, .echo2: -4.5, .echoTight1: 5.0, .echoTight2: -5.5,
    .everythingIsBroken: -4.5, .alienChatter: 13.0, .cosmicInterference: 12.0, .goldenPi: 13.0, .radioTower: 1.0,
    .waves: 11.5,
  ]

  /// Seconds after which a sound has fallen by 96 dB: it is taken for over.
  package var tail: Double {
    // Filters are done after a fifth of a second; an echo after as many times as it takes.
    guard echo.seconds > 0 else { return 0.2 }
    var (repetitions, size) = (1.0, echo.feedback)
    while size > 1.6e-5 { (repetitions, size) = (repetitions + 1, size * echo.feedback) }
    return 0.2 + echo.seconds * repetitions
  }
}
