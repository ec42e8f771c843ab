import AVFAudio
import MartletTestSupport
import Testing

/// The rules of files that are read.
@Suite struct FileReadingTests {
  private let fixture = FileFixture()

  private static var depth24: [String: Any] { [AVLinearPCMBitDepthKey: 24] }

  @Test func readsAsFloatWithoutInterleavingUnlessAskedOtherwise() throws {
    let url = try fixture.ruler("a.wav", frames: 100, FileFixture.settings(rate: 32_000, more: Self.depth24))
    let file = try AVAudioFile(forReading: url)
    #expect(file.url == url && file.isOpen)
    #expect(file.processingFormat.isStandard && file.processingFormat.channelCount == 2)
    #expect(file.processingFormat.sampleRate == 32_000)
    let other = try AVAudioFile(forReading: url, commonFormat: .pcmFormatInt32, interleaved: true)
    #expect(other.processingFormat.commonFormat == .pcmFormatInt32 && other.processingFormat.isInterleaved)
    #expect(other.fileFormat == file.fileFormat && other.length == 100)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: other.processingFormat, frameCapacity: 100))
    try other.read(into: buffer)
    let samples = try #require(buffer.int32ChannelData)
    for frame in 0..<100 {
      #expect(samples[0][frame * 2] == Int32(frame) << 8)
      #expect(samples[1][frame * 2] == Int32(frame + 1 << 20) << 8)
    }
  }

  @Test func fileFormatIsThatOnDisk() throws {
    func format(_ name: String, _ settings: [String: Any]) throws -> AVAudioFormat {
      try AVAudioFile(forReading: fixture.ruler(name, frames: 5_000, settings)).fileFormat
    }
    let wave = try format("a.wav", FileFixture.settings(more: Self.depth24))
    #expect(wave.streamDescription.pointee.mFormatID == kAudioFormatLinearPCM)
    #expect(
      wave.streamDescription.pointee.mBitsPerChannel == 24 && wave.streamDescription.pointee.mBytesPerFrame == 6)
    let aiff = try format("a.aiff", FileFixture.settings())
    #expect(aiff.streamDescription.pointee.mFormatFlags & kAudioFormatFlagIsBigEndian != 0)
    let flac = try format("a.flac", FileFixture.settings(kAudioFormatFLAC, more: [AVEncoderBitDepthHintKey: 24]))
    #expect(flac.streamDescription.pointee.mFormatID == kAudioFormatFLAC)
    #expect(flac.streamDescription.pointee.mFormatFlags == kAppleLosslessFormatFlag_24BitSourceData)
    let aac = try format("a.m4a", FileFixture.settings(kAudioFormatMPEG4AAC))
    #expect(aac.streamDescription.pointee.mFormatID == kAudioFormatMPEG4AAC)
    #expect(aac.streamDescription.pointee.mFramesPerPacket == 1024)
    let mp3 = try format("a.mp3", FileFixture.settings(kAudioFormatMPEGLayer3))
    #expect(mp3.streamDescription.pointee.mFormatID == kAudioFormatMPEGLayer3)
    #expect(try format("a.ogg", [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2]).channelCount == 2)
  }

  @Test(arguments: ["mp3", "m4a", "aac", "ogg", "opus", "flac", "caf"])
  func lengthLeavesOutWhatEncodersAdd(_ name: String) throws {
    let rate = name == "opus" ? 48_000.0 : 44_100
    let url = try fixture.ruler("a.\(name)", frames: 30_011, [AVSampleRateKey: rate, AVNumberOfChannelsKey: 1])
    let file = try AVAudioFile(forReading: url)
    #expect(file.length == 30_011)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 40_000))
    try file.read(into: buffer)
    #expect(buffer.frameLength == 30_011)
  }

  @Test func lengthIsExactWhereNoHeaderSaysIt() throws {
    // A WAV header that leaves it open, as pipes get it; and frames of AAC without any.
    let url = try fixture.ruler("a.wav", frames: 1_000, FileFixture.settings(more: Self.depth24))
    var bytes = ToolBox.contents(url.path)
    for index in Array(4..<8) + Array(bytes.count - 6_004..<bytes.count - 6_000) { bytes[index] = 0xFF }
    ToolBox.write(bytes, to: fixture.url("open.wav").path)
    #expect(try AVAudioFile(forReading: fixture.url("open.wav")).length == 1_000)
    let aac = try fixture.ruler("a.aac", frames: 10_000, FileFixture.settings(kAudioFormatMPEG4AAC, channels: 1))
    let frames = ToolBox.contents(aac.path)
    // Behind the tag.
    let size = frames[6..<10].reduce(0) { $0 << 7 | Int($1) }
    ToolBox.write(Array(frames[(10 + size)...]), to: fixture.url("bare.aac").path)
    let bare = try AVAudioFile(forReading: fixture.url("bare.aac"))
    #expect(bare.length == 11 * 1024)
    #expect(bare.framePosition == 0)
  }

  @Test(arguments: ["wav", "flac", "caf"]) func goesToTheFrame(_ name: String) throws {
    let depth: [String: Any] = [AVLinearPCMBitDepthKey: 24, AVEncoderBitDepthHintKey: 24]
    let code = name == "flac" ? kAudioFormatFLAC : name == "caf" ? kAudioFormatAppleLossless : kAudioFormatLinearPCM
    let url = try fixture.ruler("a.\(name)", frames: 50_000, FileFixture.settings(code, more: depth))
    let file = try AVAudioFile(forReading: url)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 777))
    #expect(file.framePosition == 0)
    for target in [0, 1, 4_095, 4_096, 31_234, 17, 49_990, 12_288] {
      file.framePosition = AVAudioFramePosition(target)
      #expect(file.framePosition == Int64(target))
      try file.read(into: buffer)
      #expect(Int(buffer.frameLength) == min(777, 50_000 - target))
      #expect(FileFixture.breach(buffer, from: target) == nil)
      #expect(file.framePosition == Int64(target) + Int64(buffer.frameLength))
    }
    file.framePosition = 60_000
    #expect(file.framePosition == 50_000)
    file.framePosition = -3
    #expect(file.framePosition == 0)
  }

  @Test func readsNoMoreThanIsAskedForAndThrowsAtTheEnd() throws {
    let url = try fixture.ruler("a.wav", frames: 1_000, FileFixture.settings(more: Self.depth24))
    let file = try AVAudioFile(forReading: url)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 600))
    try file.read(into: buffer, frameCount: 250)
    #expect(buffer.frameLength == 250 && FileFixture.breach(buffer, from: 0) == nil)
    try file.read(into: buffer, frameCount: 10_000)
    #expect(buffer.frameLength == 600 && FileFixture.breach(buffer, from: 250) == nil)
    try file.read(into: buffer, frameCount: 0)
    #expect(buffer.frameLength == 0 && file.framePosition == 850)
    try file.read(into: buffer)
    #expect(buffer.frameLength == 150 && FileFixture.breach(buffer, from: 850) == nil)
    let end = FileFixture.refusal { try file.read(into: buffer) }
    #expect(end?.code == Int(kAudioFileEndOfFileError) && buffer.frameLength == 0)
    file.framePosition = 10
    try file.read(into: buffer)
    #expect(FileFixture.breach(buffer, from: 10) == nil)
  }

  @Test func whatCantBeReadSaysSo() throws {
    let missing = FileFixture.refusal { _ = try AVAudioFile(forReading: fixture.url("none.mp3")) }
    #expect(missing?.code == Int(kAudioFileFileNotFoundError))
    #expect(missing?.localizedDescription.contains("none.mp3") == true)
    ToolBox.write(Array("Dear diary,\n".utf8), to: fixture.url("a.mp3").path)
    let text = FileFixture.refusal { _ = try AVAudioFile(forReading: fixture.url("a.mp3")) }
    #expect(text?.code == Int(kAudioFileUnsupportedFileTypeError) && text?.localizedDescription.isEmpty == false)
    let remote = FileFixture.refusal { _ = try AVAudioFile(forReading: URL(string: "http://127.0.0.1/a.mp3")!) }
    #expect(remote?.localizedDescription.contains("http://127.0.0.1/a.mp3") == true)
  }

  @Test func closingEndsReading() throws {
    let url = try fixture.ruler("a.wav", frames: 1_000, FileFixture.settings(more: Self.depth24))
    let file = try AVAudioFile(forReading: url)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 600))
    try file.read(into: buffer)
    let write = FileFixture.refusal { try file.write(from: buffer) }
    #expect(write?.code == Int(kAudioFilePermissionsError))
    file.close()
    file.close()
    #expect(!file.isOpen && file.length == 1_000 && file.framePosition == 600)
    let read = FileFixture.refusal { try file.read(into: buffer) }
    #expect(read?.code == Int(kAudioFileNotOpenError))
  }
}
