internal import AudioModel
internal import PlaybackLogic
internal import RenderGraph

/// Rate, pitch and effects.
extension PlayerSession {
  /// Lets other settings hold from the next blocks on, and tells what changed.
  func setEffects(_ wanted: EffectSettings) {
    let settings = wanted.clamped
    let previous = effects
    guard settings != previous else { return }
    effects = settings
    if settings.time.rate != previous.time.rate { tell(.changed(.rate(settings.time.rate))) }
    if settings.time.pitch != previous.time.pitch { tell(.changed(.pitch(settings.time.pitch))) }
    if settings.time.algorithm != previous.time.algorithm { tell(.changed(.stretch(settings.time.algorithm))) }
    if settings.equalizer != previous.equalizer { tell(.changed(.equalizer(settings.equalizer))) }
    if settings.reverb != previous.reverb { tell(.changed(.reverb(settings.reverb))) }
    if settings.delay != previous.delay { tell(.changed(.delay(settings.delay))) }
    if settings.distortion != previous.distortion { tell(.changed(.distortion(settings.distortion))) }
    renderer?.isSounding = isDeviceRunning
    renderer?.setEffects(settings)
  }

  /// Whether the device asks for frames.
  var isDeviceRunning: Bool { isOutputStarted && !isOutputPaused && !hasDrained }

  /// Whether the silence that was asked for is heard: the stream stands, and effects have faded.
  var isSilent: Bool {
    guard let start = timeline.silence(after: 0), let renderer else { return timeline.silence(after: heard) == heard }
    return start + Int64(renderer.fadeFrames) <= heard
  }
}

extension EffectSettings {
  /// The settings after a command; others than those of effects change nothing.
  func applying(_ command: PlayerCommand) -> EffectSettings {
    var settings = self
    switch command {
    case .rate(let rate): settings.time.rate = rate
    // Ten steps of a tenth are one.
    case .rateBy(let change): settings.time.rate = ((time.rate + change) * 1e6).rounded() / 1e6
    case .pitch(let cents): settings.time.pitch = cents
    case .pitchBy(let change): settings.time.pitch = ((time.pitch + change) * 1e6).rounded() / 1e6
    case .stretch(let algorithm): settings.time.algorithm = algorithm
    case .equalizer(let equalizer): settings.equalizer = equalizer
    case .reverb(let reverb): settings.reverb = reverb
    case .delay(let delay): settings.delay = delay
    case .distortion(let distortion): settings.distortion = distortion
    case .play, .pause, .toggle, .stop, .next, .previous, .seek, .volume, .volumeBy, .mute, .toggleMute: break
    }
    return settings
  }
}
