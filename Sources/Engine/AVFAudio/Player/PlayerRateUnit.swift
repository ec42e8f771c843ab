/// What a player's rate is made by: a unit that is mixed like the node before it.
final class PlayerRateUnit: AVAudioUnitTimePitch, AVAudioMixing, @unchecked Sendable {
  /// Seconds of the sound that are read ahead, at most, at the rates that a player has.
  static let reach = 0.12
}
