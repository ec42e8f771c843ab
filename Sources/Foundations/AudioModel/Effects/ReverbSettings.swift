/// Spaces that a reverb sounds like. `docs/effects.md` has a table of what each is made of.
///
/// The raw value is the name that people write; the order is that of the numbers that Apple's presets have.
public enum ReverbPreset: String, CaseIterable, Hashable, Sendable {
  case smallRoom = "small-room"
  case mediumRoom = "medium-room"
  case largeRoom = "large-room"
  case mediumHall = "medium-hall"
  case largeHall = "large-hall"
  case plate
  case mediumChamber = "medium-chamber"
  case largeChamber = "large-chamber"
  case cathedral
  case largeRoom2 = "large-room-2"
  case mediumHall2 = "medium-hall-2"
  case mediumHall3 = "medium-hall-3"
  case largeHall2 = "large-hall-2"
}

/// What a reverb is told.
public struct ReverbSettings: Hashable, Sendable {
  /// The space. Default: ``ReverbPreset/mediumHall``.
  public var preset: ReverbPreset
  /// Per cent of reverb against sound as it came, 0…100; what lies outside counts as the nearer end. Default: 0.
  public var mix: Double

  /// Makes settings.
  public init(preset: ReverbPreset = .mediumHall, mix: Double = 0) {
    self.preset = preset
    self.mix = mix
  }

  /// Per cent that can be asked for.
  public static let mixRange: ClosedRange<Double> = 0...100

  /// Every value within its range; what is no number becomes its default.
  public var clamped: ReverbSettings { ReverbSettings(preset: preset, mix: mix.clamped(to: Self.mixRange, else: 0)) }
}
