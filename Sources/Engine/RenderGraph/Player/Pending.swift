internal import AudioModel

final class PassKernel<Settings: Equatable & Sendable>: SettingsKernel, @unchecked Sendable {
  var settings: Settings
  init(_ settings: Settings) { self.settings = settings }
  func process(_ call: BlockCall) {}
  func reset() {}
  var latency: Int { 0 }
  var tail: Int { 0 }
}
typealias EqualizerKernel = PassKernel<EqualizerSettings>
