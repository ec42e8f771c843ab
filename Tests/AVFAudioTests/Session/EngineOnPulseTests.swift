#if Pulse
  import AVFAudio
  import AudioModel
  import AudioOutput
  import GraphHost
  import MartletTestSupport
  import Platform
  import PulseOutput
  import Testing

  /// An engine's loudspeaker and microphone on a sound server of the test's own.
  @Suite(.serialized, .enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
  struct EngineOnPulseTests {
    /// An engine on a server, which looks for it a moment only when it is gone.
    private static func engine(
      _ server: PulseServer, sink: String = "first", latency: Double = 0.5, patience: Double = 0.3
    ) -> AVAudioEngine {
      let streams = StreamSession()
      streams.wishes.sampleRate = 48_000
      // On a busy machine a thread may come late by more than the usual twentieth of a second.
      streams.wishes.latency = latency
      let address = server.address
      return AVAudioEngine(
        session: streams,
        output: { PulseOutput(sink: sink, server: address, patience: patience) },
        input: { _ in PulseInput(source: "first.monitor", server: address, patience: patience) })
    }

    private static func player(_ engine: AVAudioEngine) throws -> AVAudioPlayerNode {
      let node = AVAudioPlayerNode()
      engine.attach(node)
      engine.connect(node, to: engine.mainMixerNode, format: try OfflineRig.format(48_000, 1))
      return node
    }

    private static func buffer(_ samples: [Float]) throws -> AVAudioPCMBuffer {
      let format = try OfflineRig.format(48_000, 1)
      let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: UInt32(samples.count)))
      buffer.frameLength = UInt32(samples.count)
      buffer.floatChannelData![0].update(from: samples, count: samples.count)
      return buffer
    }

    @Test("the microphone hears a loudspeaker to the frame: a tap on the input node, and on through the graph")
    func inputNode() throws {
      let server = PulseServer(channels: 1)
      _ = server.addSink("second")
      let speaking = Self.engine(server)
      let player = try Self.player(speaking)
      let listening = Self.engine(server, sink: "second")
      let heard = Monitor<[Float]>([])
      let input = listening.inputNode
      let format = input.outputFormat(forBus: 0)
      #expect(format.sampleRate > 0 && format.channelCount > 0)
      listening.connect(input, to: listening.mainMixerNode, format: nil)
      input.installTap(onBus: 0, bufferSize: 480, format: nil) { buffer, time in
        guard time.isSampleTimeValid, time.isHostTimeValid, let data = buffer.floatChannelData else { return }
        let samples = Array(UnsafeBufferPointer(start: data[0], count: Int(buffer.frameLength)))
        heard.signal { $0 += samples }
      }
      let through = server.capture("second")
      try listening.start()
      #expect(input.outputFormat(forBus: 0).sampleRate == 48_000)
      try speaking.start()
      player.scheduleBuffer(try Self.buffer(Signals.ramp(frames: 48_000, from: 1)))
      player.play()
      let isAllHeard = heard.wait(until: .now.advanced(bySeconds: 20)) { samples -> Bool? in
        (samples.lastIndex { $0 != 0 }).map { samples.count - $0 > 24_000 } == true ? true : nil
      }
      #expect(isAllHeard == true)
      #expect(through.wait { $0.soundFrames > 0 && $0.silentFrames > 12_000 })
      speaking.stop()
      listening.stop()
      // Two clocks meet, so that frames may be dropped or missing; what is heard is in order, and most of it is.
      for samples in [heard.withLock { $0 }, through.now.samples] {
        let frames = samples.filter { $0 != 0 }.map { LosslessRuler.frame(of: $0) ?? -1 }
        #expect(frames.count > 40_000)
        let steps = zip(frames, frames.dropFirst()).map { $1 - $0 }
        #expect(steps.allSatisfy { $0 >= 1 })
        #expect(steps.count { $0 != 1 } < 10)
      }
    }

    @Test("a device rests after a second without sound, and goes on by itself, with nothing lost")
    func autoShutdown() throws {
      let server = PulseServer(channels: 1)
      let engine = Self.engine(server)
      #expect(!engine.isAutoShutdownEnabled)
      engine.isAutoShutdownEnabled = true
      let player = try Self.player(engine)
      let capture = server.capture()
      try engine.start()
      func isCorked() -> Bool {
        server.control(["list", "sink-inputs"]).text.contains("Corked: yes")
      }
      for _ in 0..<2 {
        #expect(ToolBox.waits(seconds: 20, until: isCorked))
        #expect(engine.isRunning)
        let before = capture.now.soundFrames
        player.scheduleBuffer(try Self.buffer([Float](repeating: 0.25, count: 24_000)))
        player.play()
        #expect(ToolBox.waits(seconds: 20) { capture.now.soundFrames >= before + 23_000 })
        player.stop()
      }
      #expect(ToolBox.waits(seconds: 20, until: isCorked))
      engine.stop()
    }

    @Test(
      "a server that does not come back is a change of configuration; the connections stay, and start works again")
    func configurationChange() throws {
      let server = PulseServer(channels: 1)
      let engine = Self.engine(server)
      let player = try Self.player(engine)
      let notes = Notes()
      let token = NotificationCenter.default.addObserver(
        forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
      ) { note in
        let isRunning = (note.object as? AVAudioEngine)?.isRunning
        notes.add("running: \(isRunning.map { "\($0)" } ?? "?"), main thread: \(Thread.isMainThread)")
      }
      defer { NotificationCenter.default.removeObserver(token) }
      // With a microphone too, so that both are lost at once.
      engine.inputNode.installTap(onBus: 0, bufferSize: 480, format: nil) { _, _ in }
      try engine.start()
      player.scheduleBuffer(try Self.buffer([Float](repeating: 0.5, count: 480_000))) { notes.add("over") }
      player.play()
      #expect(ToolBox.waits { (player.lastRenderTime?.sampleTime ?? 0) > 0 })
      server.kill()
      #expect(Set(notes.wait(for: 2)) == ["over", "running: false, main thread: false"])
      #expect(!engine.isRunning && !player.isPlaying)
      #expect(throws: NSError.self) { try engine.start() }
      server.start()
      #expect(engine.outputConnectionPoints(for: player, outputBus: 0).first?.node === engine.mainMixerNode)
      let capture = server.capture()
      try engine.start()
      player.scheduleBuffer(try Self.buffer([Float](repeating: 0.5, count: 24_000)))
      player.play()
      #expect(ToolBox.waits(seconds: 20) { capture.now.soundFrames >= 23_000 })
      engine.stop()
      #expect(notes.all.count == 2)
    }

    @Test("a stream that is moved to another sink plays on, and is no change of configuration")
    func moved() throws {
      let server = PulseServer(channels: 1)
      _ = server.addSink("second")
      let engine = Self.engine(server)
      let player = try Self.player(engine)
      let notes = Notes()
      let token = NotificationCenter.default.addObserver(
        forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
      ) { _ in notes.add("changed") }
      defer { NotificationCenter.default.removeObserver(token) }
      let (first, second) = (server.capture(), server.capture("second"))
      try engine.start()
      player.scheduleBuffer(try Self.buffer([Float](repeating: 0.5, count: 48_000)), at: nil, options: .loops)
      player.play()
      #expect(ToolBox.waits(seconds: 20) { first.now.soundFrames > 4800 })
      server.movePlayback(to: "second")
      #expect(ToolBox.waits(seconds: 20) { second.now.soundFrames > 4800 })
      #expect(engine.isRunning && notes.all.isEmpty)
      engine.stop()
    }
  }
#endif
