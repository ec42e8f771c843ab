#if Pulse
  import AVFAudio
  import AudioModel
  import AudioOutput
  import GraphHost
  import MartletTestSupport
  import Platform
  import PulseOutput
  import Testing

  /// The simple player and the session on a sound server of the test's own.
  @Suite(.serialized, .enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
  struct DevicesOnPulseTests {
    /// A player's engine on a server.
    private final class Rig {
      let server = PulseServer(channels: 1)
      let streams = StreamSession()
      let engine: AVAudioEngine
      let hub: PlaybackHub

      init() {
        streams.wishes.sampleRate = 48_000
        // On a busy machine a thread may come late by more than the usual twentieth of a second.
        streams.wishes.latency = 1
        engine = AVAudioEngine(
          session: streams, output: { [address = server.address] in PulseOutput(server: address) },
          input: { [address = server.address] in PulseInput(source: $0, server: address) })
        hub = PlaybackHub(engine)
      }

      func player(_ samples: [Float]) throws -> AVAudioPlayer {
        let format = PCMFormat(sampleRate: .studio, layout: .mono)
        let header = WAVHeader(format: format, sample: .f32).bytes(frames: Int64(samples.count))
        return try AVAudioPlayer(data: Data(header + samples.withUnsafeBytes { Array($0) }), hub: hub)
      }
    }

    @Test func playsToTheFrame() throws {
      let rig = Rig()
      let capture = rig.server.capture()
      let samples = Signals.ramp(frames: 96_000, from: 1)
      let player = try rig.player(samples)
      let listener = PlayerListener()
      player.delegate = listener
      #expect(player.play())
      #expect(listener.waitForEnd())
      #expect(listener.ends.withLock { $0 } == [true])
      let end = capture.now.byteCount + 12_000 * 4
      #expect(capture.wait { $0.byteCount >= end })
      let heard = capture.now.samples
      // A device's stream may fade in; what follows is exact.
      let first = try #require(heard.firstIndex { LosslessRuler.frame(of: $0) == 1_000 })
      #expect(difference(Array(heard[first..<first + 95_001]), Array(samples[999...])) == nil)
    }

    @Test func beginsAtAMoment() throws {
      let rig = Rig()
      let capture = rig.server.capture()
      let low = try rig.player(Array(repeating: 0.125, count: 24_000))
      let high = try rig.player(Array(repeating: 0.25, count: 24_000))
      let listeners = (PlayerListener(), PlayerListener())
      low.delegate = listeners.0
      high.delegate = listeners.1
      let moment = low.deviceCurrentTime + 1
      #expect(low.play(atTime: moment))
      #expect(high.play(atTime: moment))
      #expect(low.isPlaying && low.currentTime == 0)
      #expect(listeners.0.waitForEnd() && listeners.1.waitForEnd())
      let end = capture.now.byteCount + 12_000 * 4
      #expect(capture.wait { $0.byteCount >= end })
      let sound = capture.now.samples.filter { $0 != 0 }
      // Both at once, or nearly nothing would be their sum.
      #expect(
        sound.count { $0 == 0.375 } >= 23_000, "\(sound.count { $0 == 0.375 }) of \(sound.count) frames together")
      #expect(sound.count <= 24_600)
    }

    @Test func interruptionsOfTheServerReachTheSession() throws {
      let rig = Rig()
      rig.server.control(["load-module", "module-role-cork", "trigger_roles=phone", "cork_roles=music"])
      let session = AVAudioSession(streams: rig.streams) { [address = rig.server.address] in
        PulseRouteWatch(server: address, onChange: $0)
      }
      try session.setCategory(.playback)
      let kinds = Monitor<[UInt]>([])
      let token = NotificationCenter.default.addObserver(
        forName: AVAudioSession.interruptionNotification, object: session, queue: nil
      ) { note in
        let kind = note.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
        kinds.signal { $0.append(kind ?? 99) }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      func wait(for expected: [UInt]) -> Bool {
        kinds.wait(until: MonotonicTime.now.advanced(bySeconds: 10)) { $0 == expected ? true : nil } ?? false
      }
      let player = try rig.player(Array(repeating: 0.5, count: 48_000 * 60))
      #expect(player.play())
      #expect(ToolBox.waits { player.currentTime > 0.2 })
      let call = rig.server.play(role: "phone")
      #expect(wait(for: [1]))
      let stood = player.currentTime
      call.signal(15)
      call.waitForEnd()
      #expect(wait(for: [1, 0]))
      #expect(ToolBox.waits { player.currentTime > stood + 0.3 })
      #expect(player.isPlaying)
      player.stop()
    }

    @Test func roleFollowsTheCategory() throws {
      let rig = Rig()
      let session = AVAudioSession(streams: rig.streams) { _ in nil }
      try session.setCategory(.playAndRecord, mode: .voiceChat)
      let player = try rig.player(Array(repeating: 0.5, count: 48_000))
      #expect(player.play())
      #expect(rig.server.control(["list", "sink-inputs"]).text.contains("media.role = \"phone\""))
      player.stop()
    }

    @Test func saysWhereThereIsNoDevice() throws {
      let rig = Rig()
      let player = try rig.player([1, 2, 3])
      rig.server.kill()
      #expect(!player.play() && !player.isPlaying)
      rig.server.start()
      #expect(player.play())
    }
  }
#endif
