/// Maps a level to how far a meter on the screen is filled, 0…1: decibels from a minimum to full scale, in equal steps.
public struct VUScale: Hashable, Sendable {
  /// Level at which the meter is empty; below 0 dB.
  public var minimum: Decibels

  /// Makes a scale.
  /// - Parameter minimum: Level at which the meter is empty. Default: −80 dB. What is not below 0 dB, or no number, counts
  ///   as the default.
  public init(minimum: Decibels = Decibels(-80)) {
    self.minimum = minimum.value < 0 && minimum.value.isFinite ? minimum : Decibels(-80)
  }

  /// How far the meter is filled: 0 at ``minimum`` and below, 1 at 0 dB and above; 0 for what is no number.
  public func position(_ level: Decibels) -> Double {
    let place = 1 - level.value / minimum.value
    return place > 0 ? min(place, 1) : 0
  }
}
