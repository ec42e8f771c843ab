internal import AudioModel

final class EqualizerKernel: EffectKernel, @unchecked Sendable {
  var settings: EqualizerSettings
  init(_ settings: EqualizerSettings) { self.settings = settings }
  func process(_ call: BlockCall) {}
  func reset() {}
  var latency: Int { 0 }
  var tail: Int { 0 }
}
