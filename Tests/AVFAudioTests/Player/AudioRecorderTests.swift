import AVFAudio
import MartletTestSupport
import Platform
import Testing

@Suite struct AudioRecorderTests {
  private static let rate = 48_000

  /// A microphone that hears numbers counting up, when the test says so.
  private final class Rig {
    let engine = AVAudioEngine()
    let folder = ToolBox.temporaryFolder()
    let recorder: AVAudioRecorder
    private let output: AVAudioPCMBuffer
    private let microphone: Microphone

    init(_ settings: [String: Any] = [:]) throws {
      let format = try #require(AVAudioFormat(standardFormatWithSampleRate: Double(rate), channels: 1))
      try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 1024)
      output = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1024))
      let microphone = try Microphone(format)
      self.microphone = microphone
      #expect(engine.inputNode.setManualRenderingInputPCMFormat(format) { microphone.hear(Int($0)) })
      var all: [String: Any] = [
        AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: Double(rate), AVNumberOfChannelsKey: 1,
        AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: true,
      ]
      all.merge(settings) { $1 }
      recorder = try AVAudioRecorder(url: URL(filePath: "\(folder)/voice.wav"), settings: all, engine: engine)
    }

    deinit { ToolBox.remove(folder) }

    /// Lets the microphone hear some blocks of 1024 frames, and waits until the recorder has them.
    func hear(blocks: Int) throws {
      for _ in 0..<blocks {
        let before = recorder.currentTime
        #expect(try engine.renderOffline(1024, to: output) == .success)
        if recorder.isRecording {
          #expect(ToolBox.waits { !recorder.isRecording || recorder.currentTime > before })
        }
      }
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

  private final class Microphone: @unchecked Sendable {
    private let buffer: AVAudioPCMBuffer
    private var next: Int64 = 1

    init(_ format: AVAudioFormat) throws {
      buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1024))
    }

    func hear(_ frames: Int) -> UnsafePointer<AudioBufferList>? {
      for index in 0..<frames { buffer.floatChannelData?[0][index] = LosslessRuler.sample(next + Int64(index)) }
      next += Int64(frames)
      buffer.frameLength = AVAudioFrameCount(frames)
      return buffer.audioBufferList
    }
  }

  private final class Listener: NSObject, AVAudioRecorderDelegate, Sendable {
    let ends = Monitor<[Bool]>([])
    func audioRecorderDidFinishRecording(_ recorder: AVAudioRecorder, successfully flag: Bool) {
      let isMain = MainQueue.isCurrent
      ends.signal { $0.append(flag && isMain) }
    }

    func waitForEnd() -> Bool {
      ends.wait(until: MonotonicTime.now.advanced(bySeconds: 10)) { $0.isEmpty ? nil : true } ?? false
    }
  }

  @Test func recordsEveryFrame() throws {
    let rig = try Rig()
    let listener = Listener()
    rig.recorder.delegate = listener
    #expect(rig.recorder.prepareToRecord())
    #expect(!rig.recorder.isRecording && rig.recorder.currentTime == 0)
    #expect(rig.recorder.record())
    try rig.hear(blocks: 20)
    #expect(rig.recorder.isRecording)
    #expect(abs(rig.recorder.currentTime - 20_480 / Double(Self.rate)) < 1e-9)
    rig.recorder.stop()
    #expect(!rig.recorder.isRecording && rig.recorder.currentTime == 0)
    #expect(difference(try rig.recorded(), Signals.ramp(frames: 20_480, from: 1)) == nil)
    #expect(listener.waitForEnd())
    #expect(listener.ends.withLock { $0 } == [true])
  }

  @Test func stopsAfterTheTimeAskedFor() throws {
    let rig = try Rig()
    let listener = Listener()
    rig.recorder.delegate = listener
    #expect(rig.recorder.record(forDuration: 5_000 / Double(Self.rate)))
    try rig.hear(blocks: 8)
    #expect(listener.waitForEnd())
    #expect(!rig.recorder.isRecording)
    #expect(difference(try rig.recorded(), Signals.ramp(frames: 5_000, from: 1)) == nil)
  }

  @Test func leavesOutPauses() throws {
    let rig = try Rig()
    #expect(rig.recorder.record())
    try rig.hear(blocks: 3)
    rig.recorder.pause()
    #expect(!rig.recorder.isRecording && rig.recorder.currentTime > 0)
    #expect(rig.recorder.record())
    try rig.hear(blocks: 3)
    rig.recorder.stop()
    let recorded = try rig.recorded()
    #expect(recorded.count == 6 * 1024)
    #expect(difference(Array(recorded.prefix(3072)), Signals.ramp(frames: 3072, from: 1)) == nil)
  }

  @Test func replacesAndDeletesFiles() throws {
    let rig = try Rig()
    for blocks in [4, 2] {
      #expect(rig.recorder.record())
      try rig.hear(blocks: blocks)
      #expect(!rig.recorder.deleteRecording())
      rig.recorder.stop()
      #expect(try rig.recorded().count == blocks * 1024)
    }
    #expect(rig.recorder.deleteRecording())
    #expect(!FileManager.default.fileExists(atPath: rig.recorder.url.path))
    #expect(!rig.recorder.deleteRecording())
  }

  @Test func convertsToTheFilesFormat() throws {
    let rig = try Rig([
      AVSampleRateKey: 24_000.0, AVNumberOfChannelsKey: 2, AVLinearPCMBitDepthKey: 16,
      AVLinearPCMIsFloatKey: false,
    ])
    #expect(rig.recorder.record())
    try rig.hear(blocks: 10)
    rig.recorder.stop()
    let file = try AVAudioFile(forReading: rig.recorder.url)
    #expect(file.length == 5_120)
    #expect(file.fileFormat.sampleRate == 24_000 && file.fileFormat.channelCount == 2)
  }

  @Test func measures() throws {
    let rig = try Rig()
    rig.recorder.isMeteringEnabled = true
    #expect(rig.recorder.record())
    try rig.hear(blocks: 4)
    rig.recorder.updateMeters()
    let peak = LosslessRuler.sample(4 * 1024)
    #expect(abs(rig.recorder.peakPower(forChannel: 0) - Float(20 * log10(Double(peak)))) < 0.01)
    rig.recorder.stop()
    #expect(rig.recorder.peakPower(forChannel: 0) == -160)
  }

  @Test func refusesWhatCanNotBeWritten() throws {
    #expect(throws: (any Error).self) {
      try AVAudioRecorder(url: URL(filePath: "/tmp/x.wav"), settings: [AVFormatIDKey: 1])
    }
    let rig = try Rig()
    let recorder = try AVAudioRecorder(
      url: URL(filePath: "/nowhere/x.wav"), settings: rig.recorder.settings, engine: rig.engine)
    #expect(!recorder.prepareToRecord())
    #expect(!recorder.record() && !recorder.isRecording)
  }
}
