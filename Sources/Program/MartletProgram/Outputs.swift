internal import AudioModel
internal import AudioOutput

#if Pulse
  internal import PulseOutput
#endif
#if ALSA
  internal import ALSAOutput
#endif

/// The outputs of this build, in the order in which `auto` tries them.
enum Outputs {
  static let registrations: [OutputRegistration] = {
    var rows: [OutputRegistration] = []
    #if Pulse
      rows.append(.pulse)
    #endif
    #if ALSA
      rows.append(.alsa)
    #endif
    return rows + [.null, .wav, .stdout]
  }()
}
