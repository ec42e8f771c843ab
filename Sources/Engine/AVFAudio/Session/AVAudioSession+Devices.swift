internal import AudioModel
internal import AudioOutput
public import Foundation
internal import GraphHost
internal import Platform

extension AVAudioSession {
  // MARK: Wishes

  /// Asks for a rate of the device side, in hertz; 0 leaves it to the device. For streams that are opened from then on:
  /// the sound server converts between it and the device's own.
  /// - Throws: ``ErrorCode/badParam`` outside 8 000…384 000.
  public func setPreferredSampleRate(_ sampleRate: Double) throws {
    guard sampleRate == 0 || (8_000...384_000).contains(sampleRate) else {
      throw failure(.badParam, "a sample rate of \(sampleRate) Hz is outside 8000…384000")
    }
    state.withLock { $0.preferredSampleRate = sampleRate }
    streams.wishes.sampleRate = sampleRate == 0 ? nil : sampleRate
  }

  /// What was asked for; 0 before.
  public var preferredSampleRate: Double { state.withLock { $0.preferredSampleRate } }

  /// Asks how long a frame should wait in the device, in seconds; 0 leaves it to the engine. For streams that are opened
  /// from then on: short waits cost more wake-ups, and the server may lengthen them.
  /// - Throws: ``ErrorCode/badParam`` outside 0…2.
  public func setPreferredIOBufferDuration(_ duration: TimeInterval) throws {
    guard (0...2).contains(duration) else {
      throw failure(.badParam, "a duration of \(duration) s is outside 0…2")
    }
    state.withLock { $0.preferredIOBufferDuration = duration }
    streams.wishes.latency = duration == 0 ? nil : duration
  }

  /// What was asked for; 0 before.
  public var preferredIOBufferDuration: TimeInterval { state.withLock { $0.preferredIOBufferDuration } }

  /// Asks for a microphone, for inputs that are opened from then on; `nil` is the server's default.
  /// - Throws: ``ErrorCode/resourceNotAvailable`` for one that is not there.
  public func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws {
    if let inPort, !routes.inputs.contains(where: { $0.route.target == inPort.uid }) {
      throw failure(.resourceNotAvailable, "there is no input \(inPort.uid)")
    }
    state.withLock { $0.preferredInput = inPort }
    streams.wishes.inputTarget = inPort?.uid
  }

  /// What was asked for; `nil` before.
  public var preferredInput: AVAudioSessionPortDescription? { state.withLock { $0.preferredInput } }

  // MARK: Facts

  /// The devices in use: the server's defaults, as far as the category plays and records. Empty where no PulseAudio
  /// answers: ALSA does not tell.
  public var currentRoute: AVAudioSessionRouteDescription {
    let routes = routes
    return state.withLock { AVAudioSessionRouteDescription(routes, $0.category, $0.preferredInput?.uid) }
  }

  /// What can be recorded from when the category records, else `nil`: microphones first, then what loudspeakers play.
  public var availableInputs: [AVAudioSessionPortDescription]? {
    guard category.records else { return nil }
    let ports = routes.inputs.map { AVAudioSessionPortDescription($0.route, isInput: true) }
    return ports.filter { $0.portType != .virtual } + ports.filter { $0.portType == .virtual }
  }

  /// Whether anything can be recorded from.
  public var isInputAvailable: Bool { !routes.inputs.isEmpty }

  /// Hertz at which the output works, or the input where nothing plays; what was preferred, or 48 000, where nobody knows.
  public var sampleRate: Double {
    let format = category.plays ? routes.output?.route.format : input?.route.format
    if let format { return Double(format.sampleRate.hertz) }
    return preferredSampleRate == 0 ? 48_000 : preferredSampleRate
  }

  /// How long a frame waits in a stream, in seconds: what was preferred, or what the engine asks for by itself.
  public var ioBufferDuration: TimeInterval { streams.wishes.latency ?? StreamSession.usualLatency }

  /// From the sound server to the ear, in seconds, as the server sets it; 0 where it does not say.
  public var outputLatency: TimeInterval { routes.output?.latency ?? 0 }

  /// From the microphone to the sound server, in seconds, as the server sets it; 0 where it does not say.
  public var inputLatency: TimeInterval { input?.latency ?? 0 }

  /// The output's volume as the server's mixer shows it, 0…1. It may stand above 1 there, which counts as 1.
  public var outputVolume: Float { min(1, max(0, routes.output?.volume ?? 1)) }

  /// Channels of the output; 0 where nobody knows.
  public var outputNumberOfChannels: Int { routes.output?.route.format?.channels ?? 0 }

  /// Channels of the input; 0 where nobody knows.
  public var inputNumberOfChannels: Int { input?.route.format?.channels ?? 0 }

  /// The same as ``outputNumberOfChannels``: streams of any other number are mixed by the server.
  public var maximumOutputNumberOfChannels: Int { outputNumberOfChannels }

  /// The same as ``inputNumberOfChannels``.
  public var maximumInputNumberOfChannels: Int { inputNumberOfChannels }

  private var input: AudioRoutes.Device? { routes.input(preferring: preferredInput?.uid) }

  // MARK: Permission

  /// Always ``RecordPermission/granted``: what a user may, his programs may on Linux. Sandboxes refuse later, when the
  /// input is opened.
  public var recordPermission: RecordPermission { .granted }

  /// Answers `true`, on another thread.
  public func requestRecordPermission(_ response: @escaping @Sendable (Bool) -> Void) {
    DispatchQueue.global().async { response(true) }
  }
}
