package import AudioModel
package import AudioOutput

#if ALSA
  internal import ALSAOutput
#endif
#if Pulse
  internal import PulseOutput
#endif

/// The sound systems of this build: the one place that names the adapters for playing, as ``DefaultInputs`` does for
/// recording.
package enum SystemOutputs {
  /// All of them, in the order in which `auto` tries them.
  package static var registrations: [OutputRegistration] {
    var list: [OutputRegistration] = []
    #if Pulse
      list.append(.pulse)
    #endif
    #if ALSA
      list.append(.alsa)
    #endif
    return list
  }

  /// Format of the device that is taken when none is named; `nil` where none says so.
  package static var defaultFormat: PCMFormat? {
    for registration in registrations {
      if let format = registration.devices().first(where: \.isDefault)?.format { return format }
    }
    return nil
  }
}
