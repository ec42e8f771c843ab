#if ALSA
  import ALSAOutput
  import AudioModel
  import AudioOutput
  import MartletTestSupport
  import Realtime
  import Testing

  @Suite(.serialized) struct ALSAOutputTests {
    let request = OutputRequest(
      format: PCMFormat(sampleRate: .studio, layout: .stereo), latency: 0.04, maximumFrames: 700)

    @Test func nullDeviceKeepsTheContract() throws {
      let contract = OutputContract(request, make: { ALSAOutput(pcm: "null") })
      let violations = try contract.violations()
      #expect(violations == [])
    }

    @Test(arguments: [nil, 4, 3, 2])
    func fileDeviceKeepsTheContractInEveryFormat(integerBytes: Int?) throws {
      let folder = ToolBox.temporaryFolder()
      defer { ToolBox.remove(folder) }
      let contract = OutputContract(
        request,
        make: { ALSAOutput(pcm: "heard", configuration: file(folder), integerBytes: integerBytes) },
        heard: {
          let bytes = ToolBox.contents(folder + "/raw")
          guard let integerBytes else { return floats(bytes[...]) }
          return integers(bytes, integerBytes).map { Float($0) }
        })
      let violations = try contract.violations()
      #expect(violations == [])
    }

    @Test func roundsAndClips() throws {
      let samples: [Float] = [1, -1, 2, -.infinity, .nan, 0.4 / 32768, 0.6 / 32768, -0.6 / 32768]
      #expect(try play(samples, .mono, integerBytes: 2) == [32767, -32768, 32767, -32768, 0, 0, 1, -1])
      #expect(
        try play([1, -1, 2, 0.6 / 8_388_608], .mono, integerBytes: 3) == [8_388_607, -8_388_608, 8_388_607, 1])
      #expect(
        try play([1, -1, 0.5, .nan], .mono, integerBytes: 4) == [2_147_483_647, -2_147_483_648, 1_073_741_824, 0])
    }

    @Test func putsChannelsInTheDevicesOrder() throws {
      // Front pair, centre, low frequency, rear pair, side pair.
      let frame = (1...8).map { Float($0) / 32768 }
      let surround = try #require(ChannelLayout(count: 6))
      #expect(try play(Array(frame.prefix(6)), surround, integerBytes: 2) == [1, 2, 5, 6, 3, 4])
      let wide = try #require(ChannelLayout(count: 8))
      #expect(try play(frame, wide, integerBytes: 2) == [1, 2, 5, 6, 3, 4, 7, 8])
    }

    @Test func saysWhatIsNotThere() {
      let source = CountingSource(channels: 2)
      let unknown = #expect(throws: AudioError.self) {
        try ALSAOutput(pcm: "no-such-pcm").open(request, source: source) { source.note($0) }
      }
      #expect(unknown?.code == .noOutput)
      #expect(
        unknown?.message == "The ALSA device no-such-pcm can't be opened: no such file or directory")
    }

    @Test func takesTheNearestFormat() throws {
      let source = CountingSource(channels: 2)
      let configuration = """
        pcm.heard {
          type multi
          slaves.pair { pcm { type null } channels 2 }
          bindings { 0 { slave pair channel 0 } 1 { slave pair channel 1 } }
        }
        """
      let device = ALSAOutput(pcm: "heard", configuration: configuration)
      var request = request
      request.format.layout = try #require(ChannelLayout(count: 6))
      #expect(try device.open(request, source: source) { source.note($0) } == self.request.format)
      device.close()
    }

    @Test func listsDevices() {
      #expect(ALSAOutput.devices().contains { $0.target == "null" })
    }

    // MARK: A device with a clock: PulseAudio behind ALSA's plug-in

    @Test(.enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
    func deviceWithClockKeepsTheContract() throws {
      let server = PulseServer()
      let capture = server.capture()
      let contract = OutputContract(
        request, allowsSilence: true, make: { ALSAOutput(pcm: "heard", configuration: pulse(server)) },
        heard: { sound(capture) })
      let violations = try contract.violations()
      #expect(violations == [])
    }

    @Test(.enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
    func deviceComesBack() throws {
      let server = PulseServer()
      let first = server.capture()
      let source = CountingSource(channels: 2, maximumFrames: 700)
      let device = ALSAOutput(pcm: "heard", configuration: pulse(server))
      _ = try device.open(request, source: source) { source.note($0) }
      try device.start()
      #expect(source.wait { $0.rendered >= 12_000 ? true : nil } == true)
      server.kill()
      #expect(source.wait { if case .lost = $0.events.last { true } else { nil } } == true)
      source.forbid("while the device is gone")
      let resumed = source.now.rendered - source.now.rewound
      #expect(device.timing == OutputTiming(rendered: resumed, pending: 0))
      source.forbid(nil)
      server.start()
      let second = server.capture()
      #expect(source.wait { $0.events.contains(.restored) ? true : nil } == true)
      source.end(after: 8_000)
      #expect(source.wait { $0.events.last == .drained ? true : nil } == true)
      device.close()
      let expected = source.expectedSamples
      let before = first.now.samples.filter { $0 != 0 }
      #expect(before == Array(expected.prefix(before.count)))
      let after = sound(second)
      #expect(after.count >= 10_000)
      #expect(after == Array(expected.suffix(after.count)))
      #expect(source.now.violations == [])
    }

    /// The samples captured until now that are no silence; the monitor trails behind.
    private func sound(_ capture: PulseServer.Capture) -> [Float] {
      let end = capture.now.byteCount + 12_000 * 8
      #expect(capture.wait { $0.byteCount >= end })
      return capture.now.samples.filter { $0 != 0 }
    }

    private func pulse(_ server: PulseServer) -> String { "pcm.heard { type pulse server \"\(server.address)\" }" }

    private func file(_ folder: String) -> String {
      "pcm.heard { type file file \"\(folder)/raw\" format raw slave.pcm { type null } }"
    }

    /// What a device of integers gets of some samples.
    private func play(_ samples: [Float], _ layout: ChannelLayout, integerBytes: Int) throws -> [Int32] {
      let folder = ToolBox.temporaryFolder()
      defer { ToolBox.remove(folder) }
      let source = FixedSource(samples, channels: layout.count)
      let account = CountingSource(channels: layout.count)
      let device = ALSAOutput(pcm: "heard", configuration: file(folder), integerBytes: integerBytes)
      let request = OutputRequest(format: PCMFormat(sampleRate: .studio, layout: layout))
      #expect(try device.open(request, source: source) { account.note($0) } == request.format)
      try device.start()
      #expect(account.wait { $0.events == [.drained] ? true : nil } == true)
      device.close()
      let bytes = ToolBox.contents(folder + "/raw")
      let scale = Int32(1) << Int32(8 * (4 - integerBytes))
      return integers(bytes, integerBytes).map { Int32($0 * 2_147_483_648) / scale }
    }

    /// Little-endian integers as fractions of full scale.
    private func integers(_ bytes: [UInt8], _ size: Int) -> [Double] {
      stride(from: 0, to: bytes.count - size + 1, by: size).map { start in
        let value = (0..<size).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * (4 - size + $1)) }
        return Double(Int32(bitPattern: value)) / 2_147_483_648
      }
    }
  }

  /// Renders some samples once.
  private final class FixedSource: RenderSource, @unchecked Sendable {
    private let samples: [Float]
    private let channels: Int
    private var next = 0

    init(_ samples: [Float], channels: Int) {
      self.samples = samples
      self.channels = channels
    }

    func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
      let count = min(frames, self.samples.count / channels - next)
      for index in 0..<count * channels { samples[index] = self.samples[next * channels + index] }
      next += count
      return count
    }

    func rewind(frames: Int) -> Int {
      next -= frames
      return frames
    }
  }
#endif
