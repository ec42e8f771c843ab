internal import AudioModel
internal import AudioOutput
internal import CPulse

/// One try to reach a server, and questions to it. Used with the loop's lock held.
struct PulseConnection {
  let loop: PulseLoop
  let context: OpaquePointer

  /// How long a server may take to answer while nothing plays yet.
  static let patience = 3.0

  /// Connects and waits until the server is ready.
  init(_ loop: PulseLoop, server: String?) throws(AudioError) {
    guard let context = loop.makeContext() else { throw AudioError(.noOutput, "PulseAudio can't be used") }
    self.loop = loop
    self.context = context
    pulse.pa_context_set_state_callback(
      context, { _, loop in Unmanaged<PulseLoop>.fromOpaque(loop!)._withUnsafeGuaranteedRef { $0.signal() } },
      Unmanaged.passUnretained(loop).toOpaque())
    let isUnderWay = pulse.pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0
    let isAnswered =
      isUnderWay
      && loop.wait(context, seconds: Self.patience) {
        let state = pulse.pa_context_get_state(context)
        return state == PA_CONTEXT_READY || PA_CONTEXT_IS_GOOD(state) == 0
      }
    let state = pulse.pa_context_get_state(context)
    pulse.pa_context_set_state_callback(context, nil, nil)
    guard state == PA_CONTEXT_READY else {
      let number = pulse.pa_context_errno(context)
      let reason = isAnswered || !isUnderWay ? text(number) : "it does not answer"
      close()
      throw AudioError(
        .noOutput, "No PulseAudio server can be reached: \(reason)", recovery: .retry, detail: Int(number))
    }
  }

  func close() {
    pulse.pa_context_set_state_callback(context, nil, nil)
    pulse.pa_context_set_subscribe_callback(context, nil, nil)
    pulse.pa_context_disconnect(context)
    pulse.pa_context_unref(context)
  }

  /// Whether the server has a device of that name.
  func has(_ direction: PulseDirection, _ name: String) throws(AudioError) -> Bool {
    let answer = PulseAnswer(loop)
    let operation =
      switch direction {
      case .output:
        pulse.pa_context_get_sink_info_by_name(context, name, { PulseAnswer.from($3).add($1) }, answer.pointer)
      case .input:
        pulse.pa_context_get_source_info_by_name(context, name, { PulseAnswer.from($3).add($1) }, answer.pointer)
      }
    guard loop.finish(operation, context, seconds: Self.patience) else {
      throw AudioError(.noOutput, "The PulseAudio server does not answer", recovery: .retry)
    }
    return !answer.routes.outputs.isEmpty || !answer.routes.inputs.isEmpty
  }

  /// All devices, and which are the defaults.
  /// - Returns: `nil` when the server does not answer in time.
  func everything() -> PulseAnswer? {
    let answer = PulseAnswer(loop)
    let server = pulse.pa_context_get_server_info(context, { PulseAnswer.from($2).add($1) }, answer.pointer)
    guard loop.finish(server, context, seconds: 1) else { return nil }
    let sinks = pulse.pa_context_get_sink_info_list(context, { PulseAnswer.from($3).add($1) }, answer.pointer)
    guard loop.finish(sinks, context, seconds: 1) else { return nil }
    let sources = pulse.pa_context_get_source_info_list(context, { PulseAnswer.from($3).add($1) }, answer.pointer)
    return loop.finish(sources, context, seconds: 1) ? answer : nil
  }

  /// Hears of changes of devices, and of the connection's end.
  func subscribe(
    _ pointer: UnsafeMutableRawPointer, changed: pa_context_subscribe_cb_t, ended: pa_context_notify_cb_t
  ) {
    pulse.pa_context_set_state_callback(context, ended, pointer)
    pulse.pa_context_set_subscribe_callback(context, changed, pointer)
    let mask = pa_subscription_mask_t(
      rawValue: PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
        | PA_SUBSCRIPTION_MASK_SERVER.rawValue | PA_SUBSCRIPTION_MASK_CARD.rawValue)
    if let operation = pulse.pa_context_subscribe(context, mask, nil, nil) { pulse.pa_operation_unref(operation) }
  }
}

/// What a server answers. Guarded by the loop's lock.
final class PulseAnswer {
  private let loop: PulseLoop
  private(set) var routes = AudioRoutes()

  init(_ loop: PulseLoop) { self.loop = loop }

  var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  static func from(_ pointer: UnsafeMutableRawPointer?) -> PulseAnswer {
    Unmanaged<PulseAnswer>.fromOpaque(pointer!).takeUnretainedValue()
  }

  func add(_ info: UnsafePointer<pa_server_info>?) {
    routes.defaultOutput = (info?.pointee.default_sink_name).map { String(cString: $0) }
    routes.defaultInput = (info?.pointee.default_source_name).map { String(cString: $0) }
    loop.signal()
  }

  func add(_ info: UnsafePointer<pa_sink_info>?) {
    defer { loop.signal() }
    guard let info = info?.pointee, let route = PulseRoute.route(info) else { return }
    // What is measured moves all the time, what is set does not.
    let latency = Double(info.configured_latency) / 1e6
    routes.outputs.append(AudioRoutes.Device(route: route, volume: Self.volume(info.volume), latency: latency))
  }

  func add(_ info: UnsafePointer<pa_source_info>?) {
    defer { loop.signal() }
    guard let info = info?.pointee, let route = PulseRoute.route(info) else { return }
    let latency = Double(info.configured_latency) / 1e6
    routes.inputs.append(AudioRoutes.Device(route: route, volume: Self.volume(info.volume), latency: latency))
  }

  private static func volume(_ volume: pa_cvolume) -> Float {
    let count = min(Int(volume.channels), Int(PA_CHANNELS_MAX))
    guard count > 0 else { return 1 }
    return withUnsafeBytes(of: volume.values) { bytes in
      let values = bytes.bindMemory(to: pa_volume_t.self).prefix(count)
      return Float(values.reduce(0) { $0 + Double($1) } / Double(count) / 0x10000)
    }
  }
}

/// What libpulse says of an error.
func text(_ number: Int32) -> String {
  let text = pulse.pa_strerror(number).map { String(cString: $0) } ?? "error \(number)"
  return text.prefix(1).lowercased() + text.dropFirst()
}
