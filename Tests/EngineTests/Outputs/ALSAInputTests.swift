#if ALSA
  import ALSAOutput
  import AudioModel
  import AudioOutput
  import MartletTestSupport
  import Realtime
  import Testing

  @Suite(.serialized) struct ALSAInputTests {
    let request = InputRequest(
      format: PCMFormat(sampleRate: .studio, layout: .stereo), latency: 0.01, maximumFrames: 700)

    @Test func nullDeviceKeepsTheContract() throws {
      let contract = InputContract(request, make: { ALSAInput(pcm: "null") })
      #expect(try contract.violations() == [])
    }

    @Test(arguments: [nil, 4, 3, 2])
    func hearsAFileInEveryFormat(integerBytes: Int?) throws {
      let numbers = (1...20_000).map { Float($0 % 32_000) / 32_768 * ($0 % 2 == 0 ? 1 : -1) }
      let heard = try record(
        numbers.flatMap { bytes($0, integerBytes) }, integerBytes ?? 0, .stereo, frames: Int64(numbers.count / 2))
      #expect(heard.count == numbers.count)
      #expect(zip(heard, numbers).allSatisfy { $0 == $1 })
    }

    @Test func readsTheExtremes() throws {
      #expect(try record([0, 0x80, 0xFF, 0x7F, 0xFF, 0xFF], 2, .mono, frames: 3) == [-1, 32767 * 0x1p-15, -0x1p-15])
      #expect(
        try record([0, 0, 0x80, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF], 3, .mono, frames: 3)
          == [-1, 8_388_607 * 0x1p-23, -0x1p-23])
      #expect(try record([0, 0, 0, 0x80, 0, 0, 0, 0x40], 4, .mono, frames: 2) == [-1, 0.5])
    }

    @Test func putsChannelsInOurOrder() throws {
      let surround = try #require(ChannelLayout(count: 6))
      // Front pair, rear pair, centre, low frequency.
      let frame: [UInt8] = [1, 2, 5, 6, 3, 4].flatMap { [$0, 0] }
      #expect(try record(frame, 2, surround, frames: 1) == (1...6).map { Float($0) / 32_768 })
    }

    @Test func saysWhatIsNotThere() {
      let recorder = CaptureRecorder(channels: 2)
      let unknown = #expect(throws: AudioError.self) {
        try ALSAInput(pcm: "no-such-pcm").open(request, sink: recorder) { recorder.note($0) }
      }
      #expect(unknown?.code == .noOutput)
      #expect(unknown?.message == "The ALSA device no-such-pcm can't be opened: no such file or directory")
    }

    @Test func listsDevices() {
      #expect(ALSAInput.devices().contains { $0.route.target == "null" })
    }

    // MARK: A device with a clock: PulseAudio behind ALSA's plug-in

    @Test(.enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
    func deviceWithClockHearsEveryFrame() throws {
      let server = PulseServer()
      let contract = InputContract(request, make: { ALSAInput(pcm: "heard", configuration: pulse(server)) })
      #expect(try contract.violations() == [])
      let recorder = CaptureRecorder(channels: 2, maximumFrames: 700)
      var request = request
      request.latency = 0.1
      let microphone = ALSAInput(pcm: "heard", configuration: pulse(server))
      #expect(try microphone.open(request, sink: recorder) { recorder.note($0) } == request.format)
      try microphone.start()
      #expect(recorder.wait { $0.frames > 0 ? true : nil } == true)
      let source = CountingSource(channels: 2, maximumFrames: 700)
      source.end(after: 20_000)
      let loudspeaker = ALSAOutput(pcm: "heard", configuration: pulse(server))
      let output = OutputRequest(format: request.format, latency: 0.1, maximumFrames: 700)
      _ = try loudspeaker.open(output, source: source) { source.note($0) }
      try loudspeaker.start()
      #expect(recorder.wait { $0.soundFrames >= 20_000 ? true : nil } == true)
      loudspeaker.close()
      microphone.close()
      let heard = recorder.now.samples.filter { $0 != 0 }
      #expect(heard.count == 40_000)
      #expect(zip(heard, source.expectedSamples).allSatisfy { $0 == $1 })
      #expect(recorder.now.violations == [])
    }

    @Test(.enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
    func deviceComesBack() throws {
      let server = PulseServer()
      let recorder = CaptureRecorder(channels: 2, maximumFrames: 700)
      let device = ALSAInput(pcm: "heard", configuration: pulse(server))
      _ = try device.open(request, sink: recorder) { recorder.note($0) }
      try device.start()
      #expect(recorder.wait { $0.frames >= 4_000 ? true : nil } == true)
      server.kill()
      #expect(recorder.wait { if case .lost = $0.events.last { true } else { nil } } == true)
      let frames = recorder.now.frames
      server.start()
      #expect(recorder.wait { $0.events.contains(.restored) && $0.frames > frames ? true : nil } == true)
      device.close()
      #expect(recorder.now.violations == [])
    }

    private func pulse(_ server: PulseServer) -> String { "pcm.heard { type pulse server \"\(server.address)\" }" }

    /// What a device of integers (0 bytes: floats) hears of a file's first frames.
    private func record(
      _ bytes: [UInt8], _ integerBytes: Int, _ layout: ChannelLayout, frames: Int64
    ) throws -> [Float] {
      let folder = ToolBox.temporaryFolder()
      defer { ToolBox.remove(folder) }
      ToolBox.write(bytes, to: folder + "/raw")
      let configuration = """
        pcm.heard {
          type file
          file /dev/null
          infile "\(folder)/raw"
          format raw
          slave.pcm { type null }
        }
        """
      let recorder = CaptureRecorder(channels: layout.count, maximumFrames: 700)
      let device = ALSAInput(
        pcm: "heard", configuration: configuration, integerBytes: integerBytes > 0 ? integerBytes : nil)
      var request = request
      request.format.layout = layout
      #expect(try device.open(request, sink: recorder) { recorder.note($0) } == request.format)
      try device.start()
      #expect(recorder.wait { $0.frames >= frames ? true : nil } == true)
      device.close()
      #expect(recorder.now.violations == [])
      return Array(recorder.now.samples.prefix(Int(frames) * layout.count))
    }

    private func bytes(_ sample: Float, _ integerBytes: Int?) -> [UInt8] {
      guard let integerBytes else { return withUnsafeBytes(of: sample) { Array($0) } }
      let value = Int32(Double(sample) * 2_147_483_648)
      return withUnsafeBytes(of: value) { Array($0.suffix(integerBytes)) }
    }
  }
#endif
