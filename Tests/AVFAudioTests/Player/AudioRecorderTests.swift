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

@Suite struct AudioRecorderTests {
  private static let rate = 48_000.0

  /// A recorder with a microphone that hears numbers counting up, when the test says so.
  private final class Rig {
    let input = ManualInput()
    let folder = ToolBox.temporaryFolder()
    let recorder: AVAudioRecorder
    let listener = Listener()
    private var next: Int64 = 1

    init(_ settings: [String: Any] = [:], name: String = "voice.wav", microphone: (any InputDevice)? = nil) throws {
      let device = microphone ?? input
      recorder = try AVAudioRecorder(
        url: URL(filePath: "\(folder)/\(name)"), settings: Self.settings.merging(settings) { $1 },
        streams: StreamSession()
      ) { _ throws(AudioError) in device }
      recorder.delegate = listener
    }

    deinit { ToolBox.remove(folder) }

    static var settings: [String: Any] {
      [
        AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: rate, AVNumberOfChannelsKey: 1,
        AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: true,
      ]
    }

    func hear(_ frames: Int) {
      input.push((0..<Int64(frames)).map { LosslessRuler.sample(next + $0) })
      next += Int64(frames)
    }

    /// The frames in the file.
    func recorded() throws -> [Float] {
      let file = try AVAudioFile(forReading: recorder.url)
      let buffer = try #require(
        AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length) + 1))
      if file.length > 0 { try file.read(into: buffer, frameCount: AVAudioFrameCount(file.length)) }
      let plane = try #require(buffer.floatChannelData)
      return Array(UnsafeBufferPointer(start: plane[0], count: Int(buffer.frameLength)))
    }
  }

  private final class Listener: NSObject, AVAudioRecorderDelegate, Sendable {
    let ends = Monitor<[Bool]>([])
    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
      let isMain = MainQueue.isCurrent
      ends.signal { $0.append(flag && isMain) }
    }

    /// What it was told at the end.
    func waitForEnd() -> Bool? {
      ends.wait(until: MonotonicTime.now.advanced(bySeconds: 10)) { $0.first }
    }
  }

  @Test func recordsEveryFrame() throws {
    let rig = try Rig()
    #expect(rig.recorder.prepareToRecord())
    #expect(!rig.recorder.isRecording && rig.recorder.currentTime == 0)
    rig.hear(500)
    #expect(rig.recorder.record())
    #expect(rig.recorder.isRecording)
    rig.hear(20_480)
    #expect(ToolBox.waits { rig.recorder.currentTime > 0.42 })
    #expect(abs(rig.recorder.currentTime - 20_480 / Self.rate) < 1e-9)
    rig.hear(777)
    rig.recorder.stop()
    #expect(!rig.recorder.isRecording && rig.recorder.currentTime == 0)
    #expect(rig.input.state == .closed)
    #expect(difference(try rig.recorded(), Signals.ramp(frames: 21_257, from: 501)) == nil)
    #expect(rig.listener.waitForEnd() == true)
    rig.recorder.stop()
    #expect(rig.listener.ends.withLock { $0.count } == 1)
  }

  @Test func stopsAfterTheTimeAskedFor() throws {
    let rig = try Rig()
    #expect(rig.recorder.record(forDuration: 5_000 / Self.rate))
    rig.hear(20_000)
    #expect(rig.listener.waitForEnd() == true)
    #expect(!rig.recorder.isRecording)
    #expect(difference(try rig.recorded(), Signals.ramp(frames: 5_000, from: 1)) == nil)
  }

  @Test func beginsAtTheMomentAskedFor() throws {
    // The microphone's clock began at 0 with its first frame.
    let rig = try Rig()
    #expect(rig.recorder.record(atTime: 1_000 / Self.rate, forDuration: 2_000 / Self.rate))
    rig.hear(20_000)
    #expect(rig.listener.waitForEnd() == true)
    #expect(difference(try rig.recorded(), Signals.ramp(frames: 2_000, from: 1_001)) == nil)
  }

  @Test func leavesOutPauses() throws {
    let rig = try Rig()
    #expect(rig.recorder.record())
    rig.hear(3_000)
    rig.recorder.pause()
    #expect(!rig.recorder.isRecording)
    rig.hear(4_000)
    #expect(rig.recorder.record())
    rig.hear(2_000)
    rig.recorder.stop()
    let expected = Signals.ramp(frames: 3_000, from: 1) + Signals.ramp(frames: 2_000, from: 7_001)
    #expect(difference(try rig.recorded(), expected) == nil)
  }

  @Test func replacesAndDeletesFiles() throws {
    let rig = try Rig()
    for frames in [4_000, 2_000] {
      #expect(rig.recorder.record())
      rig.hear(frames)
      #expect(!rig.recorder.deleteRecording())
      rig.recorder.stop()
      #expect(try rig.recorded().count == frames)
    }
    #expect(rig.recorder.deleteRecording())
    #expect(!FileManager.default.fileExists(atPath: rig.recorder.url.path))
    #expect(!rig.recorder.deleteRecording())
  }

  @Test func convertsToTheFilesFormat() throws {
    let microphone = ManualInput(format: PCMFormat(sampleRate: .studio, layout: .stereo))
    let rig = try Rig(
      [AVSampleRateKey: 24_000.0, AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: false], microphone: microphone)
    #expect(rig.recorder.record())
    microphone.push(Array(repeating: 0.25, count: 2 * 48_000))
    rig.recorder.stop()
    let recorded = try rig.recorded()
    #expect(recorded.count == 24_000)
    #expect(recorded[1_000..<23_000].allSatisfy { abs($0 - 0.25) < 1e-4 })
  }

  @Test func compresses() throws {
    let rig = try Rig([AVFormatIDKey: kAudioFormatFLAC, AVEncoderBitDepthHintKey: 24], name: "voice.flac")
    #expect(rig.recorder.record())
    rig.hear(30_000)
    rig.recorder.stop()
    #expect(difference(try rig.recorded(), Signals.ramp(frames: 30_000, from: 1)) == nil)
    let file = try AVAudioFile(forReading: rig.recorder.url)
    #expect(file.fileFormat.streamDescription.pointee.mFormatID == kAudioFormatFLAC)
  }

  @Test func measures() throws {
    let rig = try Rig()
    #expect(rig.recorder.peakPower(forChannel: 0) == -160)
    rig.recorder.isMeteringEnabled = true
    #expect(rig.recorder.record())
    rig.input.push(Signals.sine(hertz: 1000, rate: 48_000, frames: 4_800))
    #expect(ToolBox.waits { rig.recorder.currentTime >= 0.1 })
    let isMeasured = ToolBox.waits {
      rig.recorder.updateMeters()
      return rig.recorder.peakPower(forChannel: 0) > -160
    }
    #expect(isMeasured)
    #expect(abs(rig.recorder.peakPower(forChannel: 0) + 6.02) < 0.01)
    #expect(abs(rig.recorder.averagePower(forChannel: 0) + 9.03) < 0.01)
    rig.recorder.stop()
    #expect(rig.recorder.peakPower(forChannel: 0) == -160)
  }

  @Test func endsWhereTheMicrophoneIsGone() throws {
    let rig = try Rig()
    #expect(rig.recorder.record())
    rig.hear(1_000)
    #expect(ToolBox.waits { rig.recorder.currentTime > 0 })
    rig.input.deliver(.failed(AudioError(.outputLost, "gone")))
    #expect(rig.listener.waitForEnd() == false)
    #expect(!rig.recorder.isRecording)
    #expect(difference(try rig.recorded(), Signals.ramp(frames: 1_000, from: 1)) == nil)
  }

  @Test func refusesWhatCanNotBeRecorded() throws {
    #expect(throws: (any Error).self) {
      try AVAudioRecorder(url: URL(filePath: "/tmp/x.wav"), settings: [AVFormatIDKey: 1])
    }
    let nowhere = try AVAudioRecorder(
      url: URL(filePath: "/nowhere/x.wav"), settings: Rig.settings, streams: StreamSession()
    ) { _ throws(AudioError) in ManualInput() }
    #expect(!nowhere.prepareToRecord())
    #expect(!nowhere.record() && !nowhere.isRecording)
    let deaf = try AVAudioRecorder(
      url: URL(filePath: "/nowhere/x.wav"), settings: Rig.settings, streams: StreamSession()
    ) { _ throws(AudioError) in throw AudioError(.noOutput, "deaf") }
    #expect(!deaf.record() && !deaf.deleteRecording())
  }

  #if Pulse
    @Test(.enabled(if: PulseServer.isInstalled, "pulseaudio, parec or pactl is not installed"))
    func recordsALoudspeakerToTheFrame() throws {
      let server = PulseServer()
      let rig = try Rig(
        [AVNumberOfChannelsKey: 2], microphone: PulseInput(source: "first.monitor", server: server.address))
      #expect(rig.recorder.record())
      #expect(ToolBox.waits { rig.recorder.currentTime > 0 })
      let source = CountingSource(channels: 2, maximumFrames: 1024)
      source.end(after: 24_000)
      let loudspeaker = PulseOutput(server: server.address)
      let format = PCMFormat(sampleRate: .studio, layout: .stereo)
      _ = try loudspeaker.open(OutputRequest(format: format, maximumFrames: 1024), source: source) { source.note($0) }
      try loudspeaker.start()
      #expect(source.wait { $0.events.last == .drained ? true : nil } == true)
      let now = rig.recorder.currentTime
      #expect(ToolBox.waits { rig.recorder.currentTime > now + 0.25 })
      loudspeaker.close()
      rig.recorder.stop()
      let expected = (0..<24_000).map { source.sample(of: $0, channel: 0) }
      #expect(difference(try rig.recorded().filter { $0 != 0 }, expected) == nil)
      #expect(rig.listener.waitForEnd() == true)
    }
  #endif
}
