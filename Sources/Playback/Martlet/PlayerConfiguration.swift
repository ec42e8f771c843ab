public import AudioModel
public import HTTPSource

/// How a player works: one value with a default for everything.
public struct PlayerConfiguration: Sendable {
  /// Seconds that a frame waits in the device. Range 0.01…2. Default 0.1: few wake-ups; commands are heard sooner than
  /// that, since what is queued is taken back.
  public var outputLatency = 0.1

  /// Seconds of decoded sound kept ahead of the device. Range 0.5…10. Default 2; as many times more as a rate above 1
  /// says. The memory for it is bounded by 4 MiB whatever the format.
  public var decodedAhead = 2.0

  /// Seconds that must be decoded before an item begins to sound; at least one and a half times ``outputLatency`` in any
  /// case, since the device takes that much at once. Default 0.1.
  public var startThreshold = 0.1

  /// Seconds that must be decoded before sound goes on after it ran dry. Default 1.
  public var restartThreshold = 1.0

  /// Seconds between two ``PlayerEvent/Kind/position(_:)`` events. Default 0.25.
  public var positionInterval = 0.25

  /// Volume at the start. Default 0 dB: samples pass unchanged.
  public var volume = Decibels.unity

  /// Rate, pitch and effects at the start. Default: none of them.
  public var effects = EffectSettings()

  /// How HTTP is spoken.
  public var http = HTTPSourceConfiguration()

  /// What the sound server shows while no title is known.
  public var streamTitle = "Martlet"

  /// Makes the default configuration.
  public init() {}
}
