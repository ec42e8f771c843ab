package import AudioOutput

#if ALSA
  internal import ALSAOutput
#endif
#if Pulse
  internal import PulseOutput
#endif

/// The inputs of this build, and who knows of the machine's devices.
package enum DefaultInputs {
  /// All inputs; `auto` tries the automatic ones in this order.
  package static var registrations: [InputRegistration] {
    var list: [InputRegistration] = []
    #if Pulse
      list.append(.pulse)
    #endif
    #if ALSA
      list.append(.alsa)
    #endif
    return list
  }

  /// Keeps an eye on the machine's devices; `nil` where nothing in this build can.
  package static func watch(_ onChange: @escaping @Sendable (AudioRoutes) -> Void) -> (any RouteWatch)? {
    #if Pulse
      PulseRouteWatch(onChange: onChange)
    #else
      nil
    #endif
  }
}
