#if Pulse
  import AudioModel
  import AudioOutput
  import MartletTestSupport
  import PulseOutput
  import Testing

  @Suite(.serialized, .enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
  struct PulseOutputTests {
    let format = PCMFormat(sampleRate: .studio, layout: .stereo)

    /// A device that plays to `server`, drawing from `source`, already started.
    private func start(
      _ server: PulseServer, _ source: CountingSource, sink: String? = nil, latency: Double = 0.1
    ) throws -> PulseOutput {
      let device = PulseOutput(sink: sink, server: server.address)
      let request = OutputRequest(format: format, latency: latency, maximumFrames: 1024)
      #expect(try device.open(request, source: source) { source.note($0) } == format)
      try device.start()
      return device
    }

    private func waitForDrained(_ source: CountingSource) {
      #expect(source.wait { $0.events.last == .drained ? true : nil } == true)
    }

    /// Withdraws until the machine is quick enough for something to be taken back.
    private func withdraw(_ device: PulseOutput, _ source: CountingSource) {
      let before = source.now.rewound
      for _ in 0..<20 where source.now.rewound == before { device.withdraw() }
    }

    /// All events but underruns, which a busy machine may bring about.
    private func told(_ source: CountingSource) -> [OutputEvent] {
      source.now.events.filter { if case .underrun = $0 { false } else { true } }
    }

    /// The samples captured until now that are no silence. The monitor trails behind: a quarter of a second more shows the end.
    private func sound(_ capture: PulseServer.Capture) -> [Float] {
      let end = capture.now.byteCount + 12_000 * 8
      #expect(capture.wait { $0.byteCount >= end })
      return capture.now.samples.filter { $0 != 0 }
    }

    @Test(arguments: [0.04, 0.1])
    func keepsTheContract(latency: Double) throws {
      let server = PulseServer()
      let capture = server.capture()
      let contract = OutputContract(
        OutputRequest(format: format, latency: latency, maximumFrames: 1024), allowsSilence: true,
        make: { PulseOutput(server: server.address) }, heard: { sound(capture) })
      let violations = try contract.violations()
      #expect(violations == [])
    }

    @Test func playsEveryFrameWithoutAGap() throws {
      let server = PulseServer()
      let capture = server.capture()
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      source.end(after: 24_000)
      let device = try start(server, source)
      waitForDrained(source)
      #expect(device.timing == OutputTiming(rendered: 24_000, pending: 0))
      #expect(sound(capture).count == 48_000)
      let samples = capture.now.samples
      let first = try #require(samples.firstIndex { $0 != 0 })
      #expect(Array(samples[first..<first + 48_000]) == source.expectedSamples)
      #expect(told(source) == [.drained])
      device.close()
    }

    @Test func jumpsWhereItIsWithdrawnAndLosesNothing() throws {
      let server = PulseServer()
      let capture = server.capture()
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let device = try start(server, source)
      var heard: Int64 = 0
      var effective = 0
      for jump in 1...12 {
        let rendered = source.now.rendered
        // Odd sizes, so that withdrawals fall at all places of the server's period.
        #expect(source.wait { $0.rendered >= rendered + Int64(4000 + jump * 331) ? true : nil } == true)
        source.jumpWhenRewound(to: Int64(jump) * 2_400)
        if jump % 4 == 0 { device.pause() }
        let before = source.now.rewound
        device.withdraw()
        if source.now.rewound > before { effective += 1 }
        if jump % 4 == 0 { device.resume() }
        #expect(device.timing.heard >= heard)
        heard = device.timing.heard
      }
      // A busy machine may be too slow for some of them, which then leave all as it is.
      #expect(effective >= 4, "\(effective) of 12 withdrawals took something back")
      source.end(after: 2000)
      waitForDrained(source)
      #expect(sound(capture) == source.expectedSamples)
      #expect(source.now.violations == [])
      device.close()
    }

    @Test func endsRightAfterAWithdrawal() throws {
      let server = PulseServer()
      let capture = server.capture()
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let device = try start(server, source)
      #expect(source.wait { $0.rendered >= 12_000 ? true : nil } == true)
      source.jumpWhenRewound(to: 30_000)
      source.end(after: nil)
      source.endWhenRewound(after: 10)
      withdraw(device, source)
      waitForDrained(source)
      #expect(source.now.rewound > 10)
      #expect(device.timing.pending == 0)
      source.end(after: 6_000)
      device.resume()
      #expect(source.wait { $0.events.filter { $0 == .drained }.count == 2 ? true : nil } == true)
      #expect(sound(capture) == source.expectedSamples)
      device.close()
    }

    @Test func takesBackTheEnd() throws {
      let server = PulseServer()
      let capture = server.capture()
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      source.end(after: 14_000)
      // All is rendered at once, and held until there is something to be taken back: a busy machine may be slow.
      let device = try start(server, source, latency: 1)
      device.pause()
      #expect(source.wait { $0.rendered == 14_000 ? true : nil } == true)
      source.jumpWhenRewound(to: 20_000)
      source.endWhenRewound(after: 3_000)
      withdraw(device, source)
      device.resume()
      waitForDrained(source)
      #expect(source.now.expected.last == 20_000..<23_000)
      #expect(sound(capture) == source.expectedSamples)
      #expect(told(source) == [.drained])
      device.close()
    }

    @Test func goesOnWhenTheServerComesBack() throws {
      let server = PulseServer()
      let first = server.capture()
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let device = try start(server, source)
      #expect(source.wait { $0.rendered >= 16_000 ? true : nil } == true)
      server.kill()
      #expect(source.wait { if case .lost = $0.events.last { true } else { nil } } == true)
      let resumed = source.now.rendered - source.now.rewound
      #expect(device.timing == OutputTiming(rendered: resumed, pending: 0))
      source.forbid("while the server is gone")
      server.start()
      let second = server.capture()
      source.forbid(nil)
      #expect(source.wait { $0.events.last == .restored ? true : nil } == true)
      source.end(after: 12_000)
      waitForDrained(source)
      let expected = source.expectedSamples
      let before = first.now.samples.filter { $0 != 0 }
      #expect(before == Array(expected.prefix(before.count)))
      #expect(abs(before.count / 2 - Int(resumed)) <= 4800, "\(before.count / 2) heard, goes on at \(resumed)")
      let after = sound(second)
      // The recording of the new server may begin after its sound.
      #expect(after == Array(expected.suffix(after.count)))
      device.close()
    }

    @Test func followsTheServerToAnotherSink() throws {
      let server = PulseServer()
      let module = server.addSink("second")
      let capture = server.capture("first")
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let device = try start(server, source, sink: "second")
      #expect(source.wait { $0.rendered >= 12_000 ? true : nil } == true)
      #expect(capture.now.soundFrames == 0)
      server.removeSink(module)
      source.end(after: 12_000)
      waitForDrained(source)
      let heard = sound(capture)
      #expect(heard.count >= 24_000)
      #expect(heard == Array(source.expectedSamples.suffix(heard.count)))
      let told = told(source)
      #expect(told.count == 2 && told.last == .drained)
      #expect(told.first == .routeChanged(first))
      device.close()
    }

    /// The route that it told last.
    private func route(_ source: CountingSource) -> AudioRoute? {
      source.wait { if case .routeChanged(let route) = $0.events.last { route } else { nil } }
    }

    @Test func tellsWhereAUserMovesIt() throws {
      let server = PulseServer()
      _ = server.addSink("second")
      let capture = server.capture("second")
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let device = try start(server, source, sink: "first")
      #expect(source.wait { $0.rendered >= 8_000 ? true : nil } == true)
      #expect(capture.now.soundFrames == 0)
      server.movePlayback(to: "second")
      let route = try #require(self.route(source))
      #expect(route.target == "second" && route.kind == .virtual && route.format == format)
      source.end(after: 12_000)
      waitForDrained(source)
      let heard = sound(capture)
      #expect(heard.count >= 24_000)
      #expect(heard == Array(source.expectedSamples.suffix(heard.count)))
      device.close()
    }

    @Test func followsTheDefaultSinkAndTellsSo() throws {
      let server = PulseServer()
      _ = server.addSink("second")
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let device = try start(server, source)
      #expect(source.wait { $0.rendered >= 8_000 ? true : nil } == true)
      server.control(["set-default-sink", "second"])
      #expect(route(source)?.target == "second")
      server.control(["set-default-sink", "first"])
      #expect(source.wait { $0.events.last == .routeChanged(first) ? true : nil } == true)
      device.close()
    }

    private var first: AudioRoute {
      AudioRoute(target: "first", summary: "Null Output", kind: .virtual, format: format)
    }

    @Test func waitsForAnotherSinkWhenTheLastIsRemoved() throws {
      let server = PulseServer()
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let device = try start(server, source)
      #expect(source.wait { $0.rendered >= 8_000 ? true : nil } == true)
      server.removeSink("module-null-sink")
      #expect(source.wait { $0.events.last == .lost("The sound server ended the stream") ? true : nil } == true)
      source.forbid("while there is no sink")
      _ = server.addSink("second")
      let capture = server.capture("second")
      source.forbid(nil)
      #expect(source.wait { $0.events.last == .restored ? true : nil } == true)
      source.end(after: 12_000)
      waitForDrained(source)
      let heard = sound(capture)
      #expect(heard.count >= 20_000)
      #expect(heard == Array(source.expectedSamples.suffix(heard.count)))
      #expect(device.timing.pending == 0)
      device.close()
    }

    @Test func isInterruptedByAnotherProgram() throws {
      let server = PulseServer()
      server.control(["load-module", "module-role-cork", "trigger_roles=phone", "cork_roles=music"])
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      let device = try start(server, source)
      #expect(source.wait { $0.rendered >= 8_000 ? true : nil } == true)
      let call = server.play(role: "phone")
      #expect(source.wait { $0.events.last == .interrupted(true) ? true : nil } == true)
      source.forbid("while interrupted")
      // A round trip: the server gives back only a stream that it has seen corked.
      device.withdraw()
      source.forbid(nil)
      call.signal(15)
      call.waitForEnd()
      #expect(source.wait { $0.events.last == .interrupted(false) ? true : nil } == true)
      source.end(after: 100)
      waitForDrained(source)
      device.close()
      #expect(source.now.violations == [])
    }

    @Test(arguments: [StreamRole.music, .phone, .accessibility])
    func tellsWhatTheSoundIsFor(role: StreamRole) throws {
      let server = PulseServer()
      let source = CountingSource(channels: 2)
      let device = PulseOutput(server: server.address)
      let request = OutputRequest(format: format, title: "A title", role: role)
      _ = try device.open(request, source: source) { source.note($0) }
      let streams = server.control(["list", "sink-inputs"]).text
      #expect(streams.contains("media.role = \"\(role.rawValue)\""))
      #expect(streams.contains("media.name = \"A title\""))
      device.close()
    }

    @Test func saysWhatIsNotThere() throws {
      let server = PulseServer()
      let request = OutputRequest(format: format)
      let source = CountingSource(channels: 2)
      let unknown = #expect(throws: AudioError.self) {
        try PulseOutput(sink: "third", server: server.address).open(request, source: source) { source.note($0) }
      }
      #expect(unknown?.code == .noOutput)
      #expect(unknown?.message == "PulseAudio has no sink named third")
      server.kill()
      let gone = #expect(throws: AudioError.self) {
        try PulseOutput(server: server.address).open(request, source: source) { source.note($0) }
      }
      #expect(gone?.code == .noOutput)
      #expect(gone?.message == "No PulseAudio server can be reached: connection refused")
      #expect(PulseOutput.devices(server: server.address) == [])
      #expect(told(source) == [])
    }

    @Test func listsSinks() throws {
      let server = PulseServer(rate: 44_100)
      _ = server.addSink("second")
      server.control(["set-default-sink", "second"])
      let cd = PCMFormat(sampleRate: .cd, layout: .stereo)
      let devices = PulseOutput.devices(server: server.address)
      #expect(devices.map(\.target) == ["first", "second"])
      #expect(devices.map(\.isDefault) == [false, true])
      #expect(devices.map(\.format) == [cd, cd])
    }
  }
#endif
