internal import AudioModel
internal import AudioOutput
internal import CPulse

/// Whether sound goes to the server or comes from it.
enum PulseDirection {
  case output, input

  /// What PulseAudio calls a device.
  var noun: String {
    switch self {
    case .output: "sink"
    case .input: "source"
    }
  }

  /// What the server does with a stream.
  var verb: String {
    switch self {
    case .output: "plays"
    case .input: "records"
    }
  }
}

/// Sinks and sources in our words.
enum PulseRoute {
  static func route(_ info: pa_sink_info) -> AudioRoute? {
    guard let name = info.name.map({ String(cString: $0) }) else { return nil }
    let kind: AudioRoute.Kind
    if info.flags.rawValue & PA_SINK_HARDWARE.rawValue == 0, words(info.proplist, "device.bus") == nil {
      kind = .virtual
    } else {
      kind = outputKind(info.proplist, port: info.active_port?.pointee.name)
    }
    return AudioRoute(
      target: name, summary: info.description.map { String(cString: $0) } ?? name, kind: kind,
      format: PulseFormat.format(info.sample_spec, info.channel_map))
  }

  static func route(_ info: pa_source_info) -> AudioRoute? {
    guard let name = info.name.map({ String(cString: $0) }) else { return nil }
    let isVirtual =
      info.monitor_of_sink != UInt32.max
      || info.flags.rawValue & PA_SOURCE_HARDWARE.rawValue == 0 && words(info.proplist, "device.bus") == nil
    return AudioRoute(
      target: name, summary: info.description.map { String(cString: $0) } ?? name,
      kind: isVirtual ? .virtual : inputKind(info.proplist, port: info.active_port?.pointee.name),
      format: PulseFormat.format(info.sample_spec, info.channel_map))
  }

  /// A device says of itself what its bus and its form are; a card's ports have names such as
  /// `analog-output-headphones`.
  private static func outputKind(_ properties: OpaquePointer?, port: UnsafePointer<CChar>?) -> AudioRoute.Kind {
    let port = port.map { String(cString: $0) } ?? ""
    let form = words(properties, "device.form_factor") ?? ""
    let bus = words(properties, "device.bus")
    if bus == "bluetooth" { return .bluetooth }
    if form.hasPrefix("head") || port.contains("headphone") || port.contains("headset") { return .headphones }
    if port.contains("hdmi") || port.contains("iec958") || port.contains("displayport") { return .digital }
    if bus == "usb" { return .usb }
    return port.contains("line") ? .line : .speaker
  }

  private static func inputKind(_ properties: OpaquePointer?, port: UnsafePointer<CChar>?) -> AudioRoute.Kind {
    let port = port.map { String(cString: $0) } ?? ""
    let bus = words(properties, "device.bus")
    if bus == "bluetooth" { return .bluetooth }
    if bus == "usb" { return .usb }
    return port.contains("line") ? .line : .microphone
  }

  private static func words(_ properties: OpaquePointer?, _ key: String) -> String? {
    guard let properties, let value = pulse.pa_proplist_gets(properties, key) else { return nil }
    return String(cString: value)
  }
}
