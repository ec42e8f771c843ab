public import AudioOutput

#if ALSA
  internal import ALSAOutput
#endif
#if Pulse
  internal import PulseOutput
#endif

/// The outputs of this build: the one place that names the adapters.
public enum DefaultOutputs {
  /// All of them; `auto` tries the automatic ones in this order.
  public static var registrations: [OutputRegistration] {
    var list: [OutputRegistration] = []
    #if Pulse
      list.append(.pulse)
    #endif
    #if ALSA
      list.append(.alsa)
    #endif
    return list + [.null, .wav, .stdout]
  }
}
