import AVFAudio
import MartletTestSupport
import Testing

/// The rules of files that are written.
@Suite struct FileWritingTests {
  private let fixture = FileFixture()

  /// What an application asks for, and what is on disk then.
  struct Wish: Sendable, CustomTestStringConvertible {
    var name: String
    var code: AudioFormatID
    var numbers: [String: Int] = [:]
    var rate = 44_100.0
    var isExact = true
    var testDescription: String { name }
  }

  static let wishes: [Wish] = [
    Wish(name: "a.wav", code: kAudioFormatLinearPCM, numbers: [AVLinearPCMBitDepthKey: 24]),
    Wish(
      name: "b.wav", code: kAudioFormatLinearPCM, numbers: [AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: 1]),
    Wish(
      name: "c.wav", code: kAudioFormatLinearPCM, numbers: [AVLinearPCMBitDepthKey: 64, AVLinearPCMIsFloatKey: 1]),
    Wish(name: "a.aiff", code: kAudioFormatLinearPCM, numbers: [AVLinearPCMBitDepthKey: 24]),
    Wish(name: "b.aif", code: kAudioFormatLinearPCM, numbers: [AVLinearPCMIsFloatKey: 1]),
    Wish(
      name: "a.caf", code: kAudioFormatLinearPCM, numbers: [AVLinearPCMBitDepthKey: 32, AVLinearPCMIsBigEndianKey: 1]),
    Wish(name: "b.caf", code: kAudioFormatAppleLossless, numbers: [AVEncoderBitDepthHintKey: 24]),
    Wish(name: "a.flac", code: kAudioFormatFLAC, numbers: [AVEncoderBitDepthHintKey: 24]),
    Wish(name: "a.m4a", code: kAudioFormatAppleLossless, numbers: [AVEncoderBitDepthHintKey: 24]),
    Wish(name: "b.m4a", code: kAudioFormatMPEG4AAC, numbers: [AVEncoderBitRateKey: 192_000], isExact: false),
    Wish(name: "c.m4a", code: kAudioFormatMPEG4AAC, numbers: [AVEncoderAudioQualityKey: 127], isExact: false),
    Wish(name: "a.aac", code: kAudioFormatMPEG4AAC, isExact: false),
    Wish(
      name: "a.mp3", code: kAudioFormatMPEGLayer3, numbers: [AVEncoderBitRatePerChannelKey: 96_000], isExact: false),
    Wish(name: "a.opus", code: kAudioFormatOpus, rate: 48_000, isExact: false),
    Wish(name: "a.ogg", code: 0x766F_7262, isExact: false),
  ]

  @Test(arguments: wishes) func whatIsWrittenIsRead(_ wish: Wish) throws {
    var settings = FileFixture.settings(wish.code, rate: wish.rate)
    for (key, value) in wish.numbers { settings[key] = value }
    let file = try AVAudioFile(forWriting: fixture.url(wish.name), settings: settings)
    #expect(file.processingFormat.isStandard && file.processingFormat.sampleRate == wish.rate)
    #expect(file.fileFormat.streamDescription.pointee.mFormatID == wish.code)
    var written = 0
    for count in [1, 1_000, 0, 4_096, 7, 20_000] {
      let start = written
      try file.write(
        from: FileFixture.buffer(file.processingFormat, frames: count) {
          LosslessRuler.sample(Int64(start + $1), channel: $0)
        })
      written += count
      #expect(file.length == Int64(written) && file.framePosition == Int64(written))
    }
    let onDisk = file.fileFormat
    file.close()
    let read = try AVAudioFile(forReading: fixture.url(wish.name))
    #expect(read.length == Int64(written))
    #expect(read.fileFormat == onDisk)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: read.processingFormat, frameCapacity: 30_000))
    try read.read(into: buffer)
    #expect(Int(buffer.frameLength) == written)
    if wish.isExact { #expect(FileFixture.breach(buffer, from: 0) == nil) }
  }

  @Test func takesTheFormatThatItIsGiven() throws {
    let settings = FileFixture.settings()
    let file = try AVAudioFile(
      forWriting: fixture.url("a.wav"), settings: settings, commonFormat: .pcmFormatInt16, interleaved: true)
    #expect(file.processingFormat.commonFormat == .pcmFormatInt16 && file.processingFormat.isInterleaved)
    let samples: (Int, Int) -> Float = { channel, frame in Float(frame - 50 + 1_000 * channel) / 32_768 }
    try file.write(from: FileFixture.buffer(file.processingFormat, frames: 100, samples))
    file.close()
    let read = try AVAudioFile(forReading: fixture.url("a.wav"), commonFormat: .pcmFormatInt16, interleaved: false)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: read.processingFormat, frameCapacity: 100))
    try read.read(into: buffer)
    let data = try #require(buffer.int16ChannelData)
    for frame in 0..<100 { #expect(data[0][frame] == Int16(frame - 50) && data[1][frame] == Int16(frame + 950)) }
  }

  @Test func aBuffersOwnSettingsDo() throws {
    let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
    for name in ["a.wav", "a.caf", "a.aiff"] {
      let file = try AVAudioFile(forWriting: fixture.url(name), settings: format.settings)
      #expect(file.processingFormat == format)
      #expect(file.fileFormat.streamDescription.pointee.mBitsPerChannel == 32)
      try file.write(from: FileFixture.buffer(format, frames: 10) { Float($1) + Float($0) })
    }
    #expect(try AVAudioFile(forReading: fixture.url("a.aiff")).length == 10)
  }

  @Test func surroundKeepsItsLayout() throws {
    let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
    let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channelLayout: layout)
    for (name, code) in [
      ("a.wav", kAudioFormatLinearPCM), ("a.flac", kAudioFormatFLAC), ("a.m4a", kAudioFormatMPEG4AAC),
    ] {
      var settings = format.settings
      settings[AVFormatIDKey] = code
      let file = try AVAudioFile(forWriting: fixture.url(name), settings: settings)
      #expect(file.processingFormat == format)
      try file.write(from: FileFixture.buffer(format, frames: 3_000) { $0 == 4 ? sin(Float($1) / 9) / 2 : 0 })
      file.close()
      let read = try AVAudioFile(forReading: fixture.url(name))
      #expect(read.processingFormat == format)
      let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 3_000))
      try read.read(into: buffer)
      let data = try #require(buffer.floatChannelData)
      let peaks = (0..<6).map { channel in (0..<3_000).reduce(Float(0)) { max($0, abs(data[channel][$1])) } }
      #expect(peaks[4] > 0.4 && peaks.enumerated().allSatisfy { $0.offset == 4 || $0.element < 0.05 }, "\(name)")
    }
  }

  @Test func aFileAppearsWhenItIsComplete() throws {
    ToolBox.write(Array("old".utf8), to: fixture.url("a.wav").path)
    var file: AVAudioFile? = try AVAudioFile(forWriting: fixture.url("a.wav"), settings: FileFixture.settings())
    let format = try #require(file?.processingFormat)
    let buffer = try FileFixture.buffer(format, frames: 10) { _, _ in 0 }
    try file?.write(from: buffer)
    #expect(ToolBox.contents(fixture.url("a.wav").path) == Array("old".utf8))
    let read = FileFixture.refusal { try file?.read(into: buffer) }
    #expect(read?.code == Int(kAudioFilePermissionsError))
    // The last reference closes it.
    file = nil
    #expect(try AVAudioFile(forReading: fixture.url("a.wav")).length == 10)
    let second = try AVAudioFile(forWriting: fixture.url("b.wav"), settings: FileFixture.settings())
    second.close()
    #expect(!second.isOpen)
    let write = FileFixture.refusal { try second.write(from: buffer) }
    #expect(write?.code == Int(kAudioFileNotOpenError))
    #expect(try AVAudioFile(forReading: fixture.url("b.wav")).length == 0)
  }

  @Test func refusalsNameTheKey() throws {
    func refusal(_ name: String, _ settings: [String: Any]) -> String {
      let error = FileFixture.refusal { _ = try AVAudioFile(forWriting: fixture.url(name), settings: settings) }
      return error?.localizedDescription ?? "none"
    }
    let usual = FileFixture.settings()
    func with(_ key: String, _ value: Any?) -> [String: Any] {
      var settings = usual
      settings[key] = value
      return settings
    }
    for (name, settings, key) in [
      ("a.wav", with(AVSampleRateKey, nil), AVSampleRateKey),
      ("a.wav", with(AVSampleRateKey, "fast"), AVSampleRateKey),
      ("a.wav", with(AVSampleRateKey, -1), AVSampleRateKey),
      ("a.wav", with(AVSampleRateKey, 44_100.5), AVSampleRateKey),
      ("a.wav", with(AVNumberOfChannelsKey, nil), AVNumberOfChannelsKey),
      ("a.wav", with(AVNumberOfChannelsKey, 65), AVNumberOfChannelsKey),
      ("a.wav", with(AVFormatIDKey, "wav"), AVFormatIDKey),
      ("a.wav", with(AVFormatIDKey, kAudioFormatAC3), AVFormatIDKey),
      ("a.wav", with(AVFormatIDKey, kAudioFormatMPEG4AAC), AVFormatIDKey),
      ("a.m4a", usual, AVFormatIDKey),
      ("a.wav", with(AVLinearPCMBitDepthKey, 20), AVLinearPCMBitDepthKey),
      ("a.wav", with(AVLinearPCMIsFloatKey, "yes"), AVLinearPCMIsFloatKey),
      ("a.wav", with(AVLinearPCMIsBigEndianKey, true), AVLinearPCMIsBigEndianKey),
      ("a.wav", with(AVChannelLayoutKey, Data([1])), AVChannelLayoutKey),
      ("a.wav", with(AVAudioFileTypeKey, kAudioFileAMRType), AVAudioFileTypeKey),
      (
        "a.flac", with(AVFormatIDKey, kAudioFormatFLAC).merging([AVEncoderBitDepthHintKey: 12]) { $1 },
        AVEncoderBitDepthHintKey
      ),
      ("a.opus", with(AVFormatIDKey, kAudioFormatOpus), AVSampleRateKey),
      (
        "a.mp3", with(AVFormatIDKey, kAudioFormatMPEGLayer3).merging([AVNumberOfChannelsKey: 6]) { $1 },
        AVNumberOfChannelsKey
      ),
      (
        "a.m4a", with(AVFormatIDKey, kAudioFormatMPEG4AAC).merging([AVEncoderBitRateKey: 4]) { $1 },
        AVEncoderBitRateKey
      ),
      (
        "a.m4a", with(AVFormatIDKey, kAudioFormatMPEG4AAC).merging([AVEncoderAudioQualityKey: 200]) { $1 },
        AVEncoderAudioQualityKey
      ),
      (
        "a.m4a", with(AVFormatIDKey, kAudioFormatMPEG4AAC).merging([AVEncoderBitRateStrategyKey: "some"]) { $1 },
        AVEncoderBitRateStrategyKey
      ),
    ] as [(String, [String: Any], String)] {
      let found = refusal(name, settings)
      #expect(found.hasPrefix(key + ": "), "\(name), \(key): \(found)")
    }
    #expect(refusal("none/a.wav", usual).contains("none/a.wav"))
    #expect(refusal("a.xyz", [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1]).contains(".xyz"))
    #expect(ToolBox.run("ls", ["-A", fixture.folder]).text.isEmpty)
  }

  @Test(
    "a full disk is an error of the write that fills it, and of all that follow", arguments: ["wav", "flac", "ogg"])
  func fullDisk(kind: String) throws {
    let codes = ["wav": kAudioFormatLinearPCM, "flac": kAudioFormatFLAC]
    let vorbis = AudioFormatID(0x766F_7262)
    let url = fixture.url("a.\(kind)")
    try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "/dev/full")
    let settings = FileFixture.settings(codes[kind] ?? vorbis)
    let file = try AVAudioFile(forWriting: url, settings: settings)
    let buffer = try FileFixture.buffer(file.processingFormat, frames: 10_000) { Float($1 % 100) / 100 + Float($0) }
    for _ in 0..<2 {
      let error = try #require(FileFixture.refusal { try file.write(from: buffer) })
      #expect(error.localizedDescription.contains("No space left on device"))
    }
    #expect(file.length == 0 && file.isOpen)
    #expect(FileFixture.refusal { try file.finish() }?.localizedDescription.contains("No space left") == true)
    #expect(!file.isOpen)
    #expect(FileFixture.refusal { try file.finish() } == nil, "once is enough")

    // What is not written before the end is an error of the end, of which close() says nothing.
    let empty = try AVAudioFile(forWriting: url, settings: settings)
    #expect(FileFixture.refusal { try empty.finish() }?.localizedDescription.contains("No space left") == true)
    let closed = try AVAudioFile(forWriting: url, settings: settings)
    closed.close()
    #expect(!closed.isOpen)
  }

  @Test func finishing() throws {
    let file = try AVAudioFile(forWriting: fixture.url("a.wav"), settings: FileFixture.settings())
    let buffer = try FileFixture.buffer(file.processingFormat, frames: 100) { Float($1) / 100 + Float($0) }
    try file.write(from: buffer)
    #expect(!FileManager.default.fileExists(atPath: fixture.url("a.wav").path))
    try file.finish()
    #expect(!file.isOpen && file.framePosition == 100)
    #expect(FileFixture.refusal { try file.write(from: buffer) } != nil)
    let read = try AVAudioFile(forReading: fixture.url("a.wav"))
    #expect(read.length == 100)
    try read.finish()
    #expect(!read.isOpen)
  }
}
