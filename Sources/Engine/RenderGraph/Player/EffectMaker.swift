internal import AudioModel

/// Makes the player's effects.
enum EffectMaker {
  /// A kernel, and how it is told other settings while it renders.
  struct Effect<Settings> {
    let kernel: any EffectKernel
    let set: (Settings) -> Void
  }

  static func distortion(_ settings: DistortionSettings) -> Effect<DistortionSettings>? { nil }
  static func equalizer(_ settings: EqualizerSettings) -> Effect<EqualizerSettings>? { nil }
  static func delay(_ settings: DelaySettings) -> Effect<DelaySettings>? { nil }
  static func reverb(_ settings: ReverbSettings) -> Effect<ReverbSettings>? { nil }
  static func limiter(_ settings: LimiterSettings) -> Effect<LimiterSettings>? {
    let kernel = LimiterKernel(settings)
    return Effect(kernel: kernel) { kernel.settings = $0 }
  }
}
