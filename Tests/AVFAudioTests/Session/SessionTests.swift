import AVFAudio
import AudioModel
import AudioOutput
import GraphHost
import MartletTestSupport
import Platform
import Testing

#if Pulse
  import PulseOutput
#endif

@Suite struct SessionTests {
  /// A notification, which its poster does not touch any more.
  private struct Post: @unchecked Sendable { let notification: Notification }

  /// A session over devices that the test changes.
  private final class Rig: RouteWatch, Sendable {
    let known: Monitor<AudioRoutes>
    let listener = Monitor<(@Sendable (AudioRoutes) -> Void)?>(nil)
    let streams = StreamSession()
    let posted = Monitor<[Post]>([])

    init(_ routes: AudioRoutes) { known = Monitor(routes) }

    var routes: AudioRoutes { known.withLock { $0 } }
    func close() {}

    func session() -> AVAudioSession {
      AVAudioSession(streams: streams) { [self] onChange in
        listener.withLock { $0 = onChange }
        return self
      }
    }

    func change(_ body: (inout AudioRoutes) -> Void) {
      let routes = known.withLock { routes in
        body(&routes)
        return routes
      }
      listener.withLock { $0 }?(routes)
    }

    /// Collects what a session posts, until the answer is dropped.
    func listen(_ session: AVAudioSession) -> Listening {
      let names = [
        AVAudioSession.interruptionNotification, AVAudioSession.routeChangeNotification,
        AVAudioSession.mediaServicesWereLostNotification, AVAudioSession.mediaServicesWereResetNotification,
      ]
      return Listening(
        tokens: names.map { name in
          NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { [posted] note in
            let post = Post(notification: note)
            posted.signal { $0.append(post) }
          }
        })
    }

    /// The notification with this number, when it has come.
    func notification(_ number: Int) throws -> Notification {
      let post = posted.wait(until: MonotonicTime.now.advanced(bySeconds: 10)) {
        $0.count > number ? $0[number] : nil
      }
      return try #require(post).notification
    }

    func reason(_ number: Int) throws -> AVAudioSession.RouteChangeReason? {
      let note = try notification(number)
      #expect(note.name == AVAudioSession.routeChangeNotification)
      return (note.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt).flatMap { .init(rawValue: $0) }
    }

    func previous(_ number: Int) throws -> AVAudioSessionRouteDescription? {
      try notification(number).userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
    }
  }

  private final class Listening {
    let tokens: [any NSObjectProtocol]
    init(tokens: [any NSObjectProtocol]) { self.tokens = tokens }
    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
  }

  private func device(_ target: String, _ kind: AudioRoute.Kind, _ rate: SampleRate = .studio) -> AudioRoutes.Device {
    let format = PCMFormat(sampleRate: rate, layout: .stereo)
    return AudioRoutes.Device(
      route: AudioRoute(target: target, summary: "The \(target)", kind: kind, format: format), volume: 0.5,
      latency: 0.03)
  }

  private var desk: AudioRoutes {
    AudioRoutes(
      outputs: [device("speaker", .speaker), device("phones", .headphones)], defaultOutput: "speaker",
      inputs: [device("speaker.monitor", .virtual), device("mic", .microphone), device("line", .line)],
      defaultInput: "mic")
  }

  // MARK: Category

  @Test(arguments: [
    (AVAudioSession.Category.soloAmbient, AVAudioSession.Mode.default, StreamRole.music, StreamRole.production),
    (.playback, .default, .music, .production), (.playback, .spokenAudio, .music, .production),
    (.playback, .moviePlayback, .video, .production), (.ambient, .default, .game, .production),
    (.playAndRecord, .default, .production, .production), (.playAndRecord, .voiceChat, .phone, .phone),
    (.playAndRecord, .videoChat, .phone, .phone), (.playAndRecord, .gameChat, .phone, .phone),
    (.record, .measurement, .production, .production), (.playback, .voicePrompt, .accessibility, .production),
    (.multiRoute, .default, .production, .production), (.playAndRecord, .videoRecording, .production, .production),
  ])
  func categoryAndModeAreTheRoleOfStreams(
    category: AVAudioSession.Category, mode: AVAudioSession.Mode, output: StreamRole, input: StreamRole
  ) throws {
    let rig = Rig(desk)
    let session = rig.session()
    try session.setCategory(category, mode: mode)
    #expect(session.category == category && session.mode == mode)
    #expect(rig.streams.wishes.outputRole == output)
    #expect(rig.streams.wishes.inputRole == input)
  }

  @Test func keepsWhatItIsGiven() throws {
    let session = Rig(desk).session()
    #expect(session.category == .soloAmbient && session.mode == .default && session.categoryOptions == [])
    try session.setCategory(.playback, mode: .spokenAudio, policy: .longFormAudio)
    #expect(session.routeSharingPolicy == .longFormAudio)
    try session.setCategory(.playback, options: [.mixWithOthers, .duckOthers])
    #expect(session.mode == .spokenAudio && session.routeSharingPolicy == .default)
    #expect(session.categoryOptions.rawValue == 3)
    try session.setMode(.moviePlayback)
    #expect(session.category == .playback && session.mode == .moviePlayback)
    #expect(session.categoryOptions == [.mixWithOthers, .duckOthers])
    try session.setCategory(.record)
    #expect(session.mode == .default && session.categoryOptions == [])
  }

  @Test func refusesWhatDoesNotGoTogether() throws {
    let session = Rig(desk).session()
    func code(_ body: () throws -> Void) -> Int? {
      do { try body() } catch { return (error as NSError).code }
      return nil
    }
    #expect(code { try session.setCategory(.playback, options: .defaultToSpeaker) } == -50)
    #expect(code { try session.setCategory(.ambient, mode: .default, policy: .longFormAudio) } == -50)
    #expect(
      code { try session.setCategory(.playback, mode: .default, policy: .longFormVideo, options: .mixWithOthers) }
        == -50)
    #expect(code { try session.setCategory(AVAudioSession.Category(rawValue: "AVAudioSessionCategoryX")) } == -50)
    #expect(code { try session.setMode(AVAudioSession.Mode(rawValue: "AVAudioSessionModeX")) } == -50)
    #expect(code { try session.setPreferredSampleRate(1) } == -50)
    #expect(code { try session.setPreferredIOBufferDuration(-1) } == -50)
    #expect(session.category == .soloAmbient && session.mode == .default)
    #expect(code { try session.setCategory(.playAndRecord, options: .defaultToSpeaker) } == nil)
  }

  @Test func wishesReachTheStreams() throws {
    let rig = Rig(desk)
    let session = rig.session()
    try session.setPreferredSampleRate(44_100)
    try session.setPreferredIOBufferDuration(0.005)
    #expect(rig.streams.wishes.sampleRate == 44_100 && session.preferredSampleRate == 44_100)
    #expect(rig.streams.wishes.latency == 0.005 && session.ioBufferDuration == 0.005)
    try session.setPreferredIOBufferDuration(0)
    #expect(rig.streams.wishes.latency == nil && session.ioBufferDuration == StreamSession.usualLatency)
  }

  // MARK: Route

  @Test func routeIsWhatTheCategoryUses() throws {
    let session = Rig(desk).session()
    #expect(session.currentRoute.outputs.map(\.uid) == ["speaker"])
    #expect(session.currentRoute.inputs == [])
    #expect(session.availableInputs == nil)
    try session.setCategory(.playAndRecord)
    let route = session.currentRoute
    #expect(route.outputs.first?.portType == .builtInSpeaker)
    #expect(route.outputs.first?.portName == "The speaker")
    #expect(route.outputs.first?.channels?.map(\.channelName) == ["front left", "front right"])
    #expect(route.outputs.first?.channels?.map(\.channelLabel) == [1, 2])
    #expect(route.inputs.map(\.portType) == [.builtInMic])
    #expect(session.availableInputs?.map(\.uid) == ["mic", "line", "speaker.monitor"])
    #expect(session.availableInputs?.map(\.portType) == [.builtInMic, .lineIn, .virtual])
    try session.setCategory(.record)
    #expect(session.currentRoute.outputs == [])
    #expect(session.sampleRate == 48_000)
    #expect(session.outputVolume == 0.5 && session.outputLatency == 0.03 && session.outputNumberOfChannels == 2)
  }

  @Test func prefersAnInput() throws {
    let rig = Rig(desk)
    let session = rig.session()
    try session.setCategory(.playAndRecord)
    let line = try #require(session.availableInputs?.first { $0.portType == .lineIn })
    try session.setPreferredInput(line)
    #expect(session.currentRoute.inputs == [line] && session.preferredInput == line)
    #expect(rig.streams.wishes.inputTarget == "line")
    rig.change { $0.inputs.removeAll { $0.route.target == "line" } }
    #expect(session.currentRoute.inputs.map(\.uid) == ["mic"])
    #expect(throws: (any Error).self) { try session.setPreferredInput(line) }
    try session.setPreferredInput(nil)
    #expect(rig.streams.wishes.inputTarget == nil)
  }

  @Test func tellsWhyTheRouteChanged() throws {
    let rig = Rig(desk)
    let session = rig.session()
    let listening = rig.listen(session)
    try session.setActive(true)
    rig.change { $0.defaultOutput = "phones" }
    #expect(try rig.reason(0) == .override)
    #expect(try rig.previous(0)?.outputs.map(\.uid) == ["speaker"])
    rig.change { $0.outputs[1] = device("phones", .headphones, .cd) }
    #expect(try rig.reason(1) == .routeConfigurationChange)
    rig.change {
      $0.outputs.removeLast()
      $0.defaultOutput = "speaker"
    }
    #expect(try rig.reason(2) == .oldDeviceUnavailable)
    // A device that nobody chose, and the microphone while only playing, are no change.
    rig.change { $0.outputs.append(device("display", .digital)) }
    rig.change { $0.defaultInput = "line" }
    rig.change {
      $0.outputs.append(device("wireless", .bluetooth))
      $0.defaultOutput = "wireless"
    }
    #expect(try rig.reason(3) == .newDeviceAvailable)
    #expect(session.currentRoute.outputs.map(\.portType) == [.bluetoothA2DP])
    try session.setCategory(.playAndRecord)
    #expect(try rig.reason(4) == .categoryChange)
    #expect(try rig.previous(4)?.inputs == [])
    rig.change { $0.defaultInput = "mic" }
    #expect(try rig.reason(5) == .override)
    rig.change { $0 = AudioRoutes() }
    #expect(try rig.notification(6).name == AVAudioSession.mediaServicesWereLostNotification)
    #expect(try rig.reason(7) == .noSuitableRouteForCategory)
    rig.change { $0 = desk }
    #expect(try rig.notification(8).name == AVAudioSession.mediaServicesWereResetNotification)
    #expect(try rig.reason(9) == .newDeviceAvailable)
    withExtendedLifetime(listening) {}
  }

  // MARK: Interruption

  @Test func interruptionLastsFromTheFirstToTheLastStream() throws {
    let rig = Rig(desk)
    let session = rig.session()
    let listening = rig.listen(session)
    let streams = (NSObject(), NSObject(), NSObject())
    rig.streams.report(OutputEvent.interrupted(true), from: streams.0)
    rig.streams.report(OutputEvent.interrupted(true), from: streams.0)
    rig.streams.report(InputEvent.interrupted(true), from: streams.1)
    rig.streams.report(OutputEvent.interrupted(false), from: streams.0)
    rig.streams.report(OutputEvent.drained, from: streams.1)
    #expect(rig.streams.isInterrupted)
    rig.streams.forget(streams.1)
    rig.streams.forget(streams.2)
    #expect(!rig.streams.isInterrupted)
    rig.streams.report(OutputEvent.interrupted(true), from: streams.2)
    let began = try rig.notification(0)
    #expect(began.name == AVAudioSession.interruptionNotification)
    #expect(type(began) == .began)
    #expect(began.userInfo?[AVAudioSessionInterruptionReasonKey] as? UInt == 0)
    let ended = try rig.notification(1)
    #expect(type(ended) == .ended)
    let options = try #require(ended.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt)
    #expect(AVAudioSession.InterruptionOptions(rawValue: options).contains(.shouldResume))
    #expect(type(try rig.notification(2)) == .began)
    withExtendedLifetime(listening) {}
  }

  private func type(_ note: Notification) -> AVAudioSession.InterruptionType? {
    (note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt).flatMap { .init(rawValue: $0) }
  }

  @Test func constantsAreApples() {
    #expect(AVAudioSession.Category.playback.rawValue == "AVAudioSessionCategoryPlayback")
    #expect(AVAudioSession.Mode.default.rawValue == "AVAudioSessionModeDefault")
    #expect(AVAudioSession.CategoryOptions.allowAirPlay.rawValue == 64)
    #expect(AVAudioSession.ErrorCode.isBusy.rawValue == 560_030_580)
    #expect(AVAudioSession.RecordPermission.granted.rawValue == 1_735_552_628)
    #expect(AVAudioSession.sharedInstance() === AVAudioSession.sharedInstance())
  }

  @Test func mayRecord() async {
    let session = Rig(desk).session()
    #expect(session.recordPermission == .granted)
    #expect(AVAudioApplication.shared.recordPermission == .granted)
    #expect(await AVAudioApplication.requestRecordPermission())
    #expect(
      await withCheckedContinuation { answer in session.requestRecordPermission { answer.resume(returning: $0) } })
  }

  #if Pulse
    @Test(.enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
    func followsASoundServer() throws {
      let server = PulseServer(rate: 44_100)
      let rig = Rig(AudioRoutes())
      let session = AVAudioSession(streams: rig.streams) { [address = server.address] in
        PulseRouteWatch(server: address, onChange: $0)
      }
      let listening = rig.listen(session)
      try session.setActive(true)
      #expect(session.currentRoute.outputs.map(\.uid) == ["first"])
      #expect(session.currentRoute.outputs.first?.portType == .virtual)
      #expect(session.sampleRate == 44_100)
      _ = server.addSink("second")
      server.control(["set-default-sink", "second"])
      _ = try rig.reason(0)
      #expect(session.currentRoute.outputs.map(\.uid) == ["second"])
      #expect(try rig.previous(0)?.outputs.map(\.uid) == ["first"])
      withExtendedLifetime(listening) {}
    }
  #endif
}
