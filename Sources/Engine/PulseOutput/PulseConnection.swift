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
    pulse.pa_context_disconnect(context)
    pulse.pa_context_unref(context)
  }

  /// Whether the server has a sink of that name.
  func hasSink(_ name: String) throws(AudioError) -> Bool {
    let answer = Answer(loop)
    let operation = pulse.pa_context_get_sink_info_by_name(
      context, name, { _, info, _, answer in Answer.add(info, answer) }, Unmanaged.passUnretained(answer).toOpaque())
    guard loop.finish(operation, context, seconds: Self.patience) else {
      throw AudioError(.noOutput, "The PulseAudio server does not answer", recovery: .retry)
    }
    return !answer.sinks.isEmpty
  }

  /// All sinks; empty when the server does not answer in time.
  func sinks() -> [OutputDescription] {
    let answer = Answer(loop)
    let pointer = Unmanaged.passUnretained(answer).toOpaque()
    let server = pulse.pa_context_get_server_info(
      context,
      { _, info, answer in
        let answer = Unmanaged<Answer>.fromOpaque(answer!).takeUnretainedValue()
        answer.defaultSink = (info?.pointee.default_sink_name).map { String(cString: $0) }
        answer.loop.signal()
      }, pointer)
    guard loop.finish(server, context, seconds: 1) else { return [] }
    let list = pulse.pa_context_get_sink_info_list(
      context, { _, info, _, answer in Answer.add(info, answer) }, pointer)
    return loop.finish(list, context, seconds: 1) ? answer.sinks : []
  }

  private final class Answer {
    let loop: PulseLoop
    var defaultSink: String?
    var sinks: [OutputDescription] = []

    init(_ loop: PulseLoop) { self.loop = loop }

    static func add(_ info: UnsafePointer<pa_sink_info>?, _ answer: UnsafeMutableRawPointer?) {
      let answer = Unmanaged<Answer>.fromOpaque(answer!).takeUnretainedValue()
      defer { answer.loop.signal() }
      guard let info = info?.pointee, let name = info.name.map({ String(cString: $0) }) else { return }
      answer.sinks.append(
        OutputDescription(
          target: name, summary: info.description.map { String(cString: $0) } ?? name,
          isDefault: name == answer.defaultSink, format: PulseFormat.format(info.sample_spec, info.channel_map)))
    }
  }
}

/// What libpulse says of an error.
func text(_ number: Int32) -> String {
  let text = pulse.pa_strerror(number).map { String(cString: $0) } ?? "error \(number)"
  return text.prefix(1).lowercased() + text.dropFirst()
}
