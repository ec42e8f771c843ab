#if Pulse
  import AudioModel
  import AudioOutput
  import MartletTestSupport
  import PulseOutput
  import Testing

  @Suite(.serialized, .enabled(if: PulseServer.isInstalled, "pulseaudio, parec and pactl are not installed"))
  struct PulseOutputTests {
    let request = OutputRequest(
      format: PCMFormat(sampleRate: .studio, layout: .stereo), latency: 0.1, maximumFrames: 1024)

    @Test(arguments: [0.04, 0.1])
    func keepsTheContract(latency: Double) throws {
      let server = PulseServer()
      let capture = server.capture()
      var request = request
      request.latency = latency
      var source: CountingSource?
      _ = source
      source = nil
      let contract = OutputContract(
        request, allowsSilence: true, make: { PulseOutput(server: server.address) },
        heard: {
          // The monitor trails behind: it is complete when silence has followed the last sound.
          let end = capture.now.byteCount + 48_000 * 8 / 5
          #expect(capture.wait { $0.byteCount >= end })
          return capture.now.samples
        })
      #expect(try contract.violations() == [])
    }
  }
#endif
