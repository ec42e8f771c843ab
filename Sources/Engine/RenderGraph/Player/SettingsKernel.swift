internal import AudioModel

/// A kernel that is told all that it does by one value, from any thread.
protocol SettingsKernel: EffectKernel {
  associatedtype Settings: Equatable
  init(_ settings: Settings)
  var settings: Settings { get set }
}

extension LimiterKernel: SettingsKernel {}
extension DistortionKernel: SettingsKernel {}
extension EqualizerKernel: SettingsKernel {}
extension DelayKernel: SettingsKernel {}
extension ReverbKernel: SettingsKernel {}
