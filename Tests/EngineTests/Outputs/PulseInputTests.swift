#if Pulse
  import AudioModel
  import AudioOutput
  import MartletTestSupport
  import PulseOutput
  import Realtime
  import Testing

  @Suite(.serialized, .enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
  struct PulseInputTests {
    let format = PCMFormat(sampleRate: .studio, layout: .stereo)

    /// A microphone at `server`, already started.
    private func start(
      _ server: PulseServer, _ recorder: CaptureRecorder, source: String? = nil, latency: Double = 0.02
    ) throws -> PulseInput {
      let device = PulseInput(source: source, server: server.address)
      let request = InputRequest(format: format, latency: latency, maximumFrames: 300)
      #expect(try device.open(request, sink: recorder) { recorder.note($0) } == format)
      try device.start()
      return device
    }

    /// A loudspeaker that plays numbers, which the monitor of its sink hears.
    private func play(_ server: PulseServer, _ source: CountingSource, sink: String? = nil) throws -> PulseOutput {
      let device = PulseOutput(sink: sink, server: server.address)
      let request = OutputRequest(format: format, latency: 0.1, maximumFrames: 1024)
      _ = try device.open(request, source: source) { source.note($0) }
      try device.start()
      return device
    }

    private func waitForSound(_ recorder: CaptureRecorder, after frames: Int = 0) {
      #expect(recorder.wait { $0.soundFrames > frames ? true : nil } == true)
    }

    @Test(arguments: [0.005, 0.02, 0.1])
    func keepsTheContract(latency: Double) throws {
      let server = PulseServer()
      let contract = InputContract(
        InputRequest(format: format, latency: latency, maximumFrames: 300),
        make: { PulseInput(source: "first.monitor", server: server.address) })
      #expect(try contract.violations() == [])
    }

    @Test func hearsEveryFrameThatIsPlayed() throws {
      let server = PulseServer()
      let recorder = CaptureRecorder(channels: 2, maximumFrames: 300)
      let microphone = try start(server, recorder)
      #expect(recorder.wait { $0.frames > 0 ? true : nil } == true)
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      source.end(after: 24_000)
      let loudspeaker = try play(server, source)
      #expect(recorder.wait { $0.soundFrames >= 24_000 ? true : nil } == true)
      loudspeaker.close()
      microphone.close()
      let samples = recorder.now.samples
      let first = try #require(samples.firstIndex { $0 != 0 })
      #expect(first % 2 == 0)
      let heard = Array(samples[first..<first + 48_000])
      #expect(zip(heard, source.expectedSamples).allSatisfy { $0 == $1 })
      #expect(recorder.now.violations == [])
      #expect(recorder.now.events == [])
    }

    @Test func dropsWhatIsSaidWhilePaused() throws {
      let server = PulseServer()
      let recorder = CaptureRecorder(channels: 2, maximumFrames: 300)
      let microphone = try start(server, recorder)
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let loudspeaker = try play(server, source)
      waitForSound(recorder)
      microphone.pause()
      let before = recorder.now
      recorder.forbid("while paused")
      let rendered = source.now.rendered
      #expect(source.wait { $0.rendered > rendered + 24_000 ? true : nil } == true)
      recorder.forbid(nil)
      microphone.resume()
      waitForSound(recorder, after: before.soundFrames + 1000)
      loudspeaker.close()
      microphone.close()
      let samples = recorder.now.samples
      let last = try #require(CountingSource.number(before.samples[before.samples.count - 2]))
      // Silence that the server puts in between is not of the loudspeaker's making.
      let next = try #require(
        stride(from: before.samples.count, to: samples.count, by: 2).lazy.compactMap {
          CountingSource.number(samples[$0])
        }.first)
      #expect(next - last >= 20_000, "frame \(next) follows \(last)")
      #expect(recorder.now.violations == [])
    }

    @Test func goesOnWhenTheServerComesBack() throws {
      let server = PulseServer()
      let recorder = CaptureRecorder(channels: 2, maximumFrames: 300)
      let microphone = try start(server, recorder)
      #expect(recorder.wait { $0.frames > 0 ? true : nil } == true)
      server.kill()
      #expect(recorder.wait { if case .lost = $0.events.last { true } else { nil } } == true)
      let frames = recorder.now.frames
      server.start()
      #expect(recorder.wait { $0.events.last == .restored && $0.frames > frames ? true : nil } == true)
      microphone.close()
      #expect(recorder.now.violations == [])
    }

    @Test func tellsWhereItIsMovedTo() throws {
      let server = PulseServer()
      _ = server.addSink("second")
      let recorder = CaptureRecorder(channels: 2, maximumFrames: 300)
      let microphone = try start(server, recorder, source: "first.monitor")
      #expect(recorder.wait { $0.frames > 0 ? true : nil } == true)
      server.moveRecording(to: "second.monitor")
      let route = recorder.wait { if case .routeChanged(let route) = $0.events.last { route } else { nil } }
      #expect(route?.target == "second.monitor")
      #expect(route?.kind == .virtual)
      #expect(route?.format == format)
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let loudspeaker = try play(server, source, sink: "second")
      waitForSound(recorder)
      loudspeaker.close()
      microphone.close()
      #expect(recorder.now.violations == [])
    }

    @Test func isInterruptedWhereTheSourceIsSuspended() throws {
      let server = PulseServer()
      let recorder = CaptureRecorder(channels: 2, maximumFrames: 300)
      let microphone = try start(server, recorder)
      #expect(recorder.wait { $0.frames > 0 ? true : nil } == true)
      server.control(["suspend-sink", "first", "1"])
      #expect(recorder.wait { $0.events == [.interrupted(true)] ? true : nil } == true)
      server.control(["suspend-sink", "first", "0"])
      #expect(recorder.wait { $0.events == [.interrupted(true), .interrupted(false)] ? true : nil } == true)
      microphone.close()
    }

    @Test func saysWhatIsNotThere() throws {
      let server = PulseServer()
      let recorder = CaptureRecorder(channels: 2)
      let unknown = #expect(throws: AudioError.self) {
        try PulseInput(source: "third", server: server.address)
          .open(InputRequest(format: format), sink: recorder) { recorder.note($0) }
      }
      #expect(unknown?.code == .noOutput)
      #expect(unknown?.message == "PulseAudio has no source named third")
      server.kill()
      let gone = #expect(throws: AudioError.self) {
        try PulseInput(server: server.address)
          .open(InputRequest(format: format), sink: recorder) { recorder.note($0) }
      }
      #expect(gone?.message == "No PulseAudio server can be reached: connection refused")
      #expect(PulseInput.devices(server: server.address) == [])
    }

    @Test func listsSources() throws {
      let server = PulseServer(rate: 44_100)
      _ = server.addSink("second")
      server.control(["set-default-source", "second.monitor"])
      let devices = PulseInput.devices(server: server.address)
      #expect(devices.map(\.route.target) == ["first.monitor", "second.monitor"])
      #expect(devices.map(\.isDefault) == [false, true])
      #expect(devices.map(\.route.kind) == [.virtual, .virtual])
      #expect(devices.first?.route.format == PCMFormat(sampleRate: .cd, layout: .stereo))
    }
  }
#endif
