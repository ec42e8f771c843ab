internal import AVFAudio
internal import AudioModel
internal import Glibc
internal import Testing

@Suite struct AVAudioFormatTests {
  private static func layout(_ tag: AudioChannelLayoutTag) throws -> AVAudioChannelLayout {
    try #require(AVAudioChannelLayout(layoutTag: tag))
  }

  @Test func standardFormatIsFloatInPlanes() throws {
    let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
    #expect(format.isStandard && !format.isInterleaved && format.commonFormat == .pcmFormatFloat32)
    #expect(format.channelCount == 2 && format.sampleRate == 44_100 && format.channelLayout == nil)
    let stream = format.streamDescription.pointee
    #expect(stream.mFormatID == kAudioFormatLinearPCM && stream.mFormatFlags == 9 | 32)
    #expect(stream.mBytesPerFrame == 4 && stream.mBytesPerPacket == 4 && stream.mFramesPerPacket == 1)
    #expect(stream.mBitsPerChannel == 32 && stream.mChannelsPerFrame == 2)
    #expect("\(format)" == "<AVAudioFormat: 2 ch, 44100 Hz, Float32, deinterleaved>")
  }

  @Test(arguments: [
    (AVAudioCommonFormat.pcmFormatFloat32, 4, true), (.pcmFormatFloat64, 8, true), (.pcmFormatInt16, 2, false),
    (.pcmFormatInt32, 4, false),
  ])
  func commonFormats(kind: AVAudioCommonFormat, bytes: UInt32, isFloat: Bool) throws {
    for isInterleaved in [false, true] {
      let format = try #require(
        AVAudioFormat(commonFormat: kind, sampleRate: 48_000, channels: 2, interleaved: isInterleaved))
      #expect(format.commonFormat == kind && format.isInterleaved == isInterleaved)
      let stream = format.streamDescription.pointee
      #expect(stream.mBytesPerFrame == (isInterleaved ? 2 * bytes : bytes) && stream.mBitsPerChannel == 8 * bytes)
      #expect((stream.mFormatFlags & kAudioFormatFlagIsFloat != 0) == isFloat)
      #expect((stream.mFormatFlags & kAudioFormatFlagIsSignedInteger != 0) == !isFloat)
      #expect(format.isStandard == (kind == .pcmFormatFloat32 && !isInterleaved))
    }
  }

  @Test func impossibleFormatsAreRefused() {
    #expect(AVAudioFormat(standardFormatWithSampleRate: 0, channels: 2) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: -1, channels: 2) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: .nan, channels: 2) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: .infinity, channels: 2) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 0) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 3) == nil)
    #expect(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: .max) == nil)
    #expect(AVAudioFormat(commonFormat: .otherFormat, sampleRate: 44_100, channels: 1, interleaved: false) == nil)
    var zero = AudioStreamBasicDescription()
    #expect(AVAudioFormat(streamDescription: &zero) == nil)
  }

  @Test func descriptionsThatContradictThemselvesAreRefused() throws {
    let good = AudioStreamBasicDescription(
      mSampleRate: 44_100, mFormatID: kAudioFormatLinearPCM, mFormatFlags: 4 | 8, mBytesPerPacket: 4,
      mFramesPerPacket: 1, mBytesPerFrame: 4, mChannelsPerFrame: 2, mBitsPerChannel: 16, mReserved: 0)
    func isAccepted(_ change: (inout AudioStreamBasicDescription) -> Void) -> Bool {
      var stream = good
      change(&stream)
      return AVAudioFormat(streamDescription: &stream) != nil
    }
    #expect(isAccepted { _ in })
    #expect(!isAccepted { $0.mBytesPerPacket = 8 })
    #expect(!isAccepted { $0.mFramesPerPacket = 0 })
    #expect(
      !isAccepted {
        $0.mBytesPerFrame = 3; $0.mBytesPerPacket = 3
      })
    #expect(!isAccepted { $0.mBitsPerChannel = 17 })
    #expect(!isAccepted { $0.mBitsPerChannel = 0 })
    #expect(!isAccepted { $0.mFormatFlags = kAudioFormatFlagIsFloat })
    #expect(
      !isAccepted {
        $0.mChannelsPerFrame = 3; $0.mBytesPerFrame = 6; $0.mBytesPerPacket = 6
      })
    #expect(
      isAccepted {
        $0.mBytesPerFrame = 6; $0.mBytesPerPacket = 6; $0.mBitsPerChannel = 24
      })
    #expect(isAccepted { $0.mFormatFlags |= kAudioFormatFlagIsBigEndian })
  }

  @Test func moreThanTwoChannelsNeedALayout() throws {
    let surround = try Self.layout(kAudioChannelLayoutTag_MPEG_5_1_A)
    let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: surround)
    #expect(format.channelCount == 6 && format.channelLayout === surround)
    var stream = format.streamDescription.pointee
    #expect(AVAudioFormat(streamDescription: &stream) == nil)
    #expect(AVAudioFormat(streamDescription: &stream, channelLayout: surround) == format)
    let quad = try Self.layout(kAudioChannelLayoutTag_Quadraphonic)
    #expect(AVAudioFormat(streamDescription: &stream, channelLayout: quad) == nil)
  }

  @Test func compressedFormatsAreTakenAsTheyAre() throws {
    var stream = AudioStreamBasicDescription()
    stream.mSampleRate = 44_100
    stream.mFormatID = kAudioFormatMPEGLayer3
    stream.mFramesPerPacket = 1152
    stream.mChannelsPerFrame = 2
    let format = try #require(AVAudioFormat(streamDescription: &stream))
    #expect(format.commonFormat == .otherFormat && !format.isStandard && format.magicCookie == nil)
    #expect(memcmp(format.streamDescription, &stream, MemoryLayout<AudioStreamBasicDescription>.size) == 0)
    format.magicCookie = Data([1, 2, 3])
    #expect(format.magicCookie == Data([1, 2, 3]))
    #expect("\(format)" == "<AVAudioFormat: 2 ch, 44100 Hz, '.mp3', 1152 frames/packet>")
  }

  @Test func theStreamDescriptionStaysWhereItIs() throws {
    let format = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1))
    let pointer = format.streamDescription
    let other = try #require(AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 1))
    #expect(format.streamDescription == pointer && pointer != other.streamDescription)
    #expect(MemoryLayout<AudioStreamBasicDescription>.size == 40)
    #expect(MemoryLayout<AudioStreamBasicDescription>.stride == 40)
    let twin = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1))
    #expect(memcmp(pointer, twin.streamDescription, 40) == 0)
    #expect(memcmp(pointer, other.streamDescription, 40) != 0)
  }

  @Test func equalityIsByMeaning() throws {
    let stereo = try #require(AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 2))
    let named = AVAudioFormat(
      standardFormatWithSampleRate: 44_100, channelLayout: try Self.layout(kAudioChannelLayoutTag_Stereo))
    #expect(stereo == named && stereo.hash == named.hash && stereo.isEqual(named))
    let midSide = AVAudioFormat(
      standardFormatWithSampleRate: 44_100, channelLayout: try Self.layout(kAudioChannelLayoutTag_MidSide))
    #expect(stereo != midSide)
    let interleaved = try #require(
      AVAudioFormat(commonFormat: .pcmFormatFloat32, sampleRate: 44_100, channels: 2, interleaved: true))
    #expect(stereo != interleaved)
    let mono = [true, false].map {
      AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 1, interleaved: $0)
    }
    #expect(mono[0] == mono[1] && mono[0]?.hash == mono[1]?.hash)
    #expect(stereo != AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
    // Nothing is left over in a sample of 16 bits: how it is packed and aligned means nothing.
    var stream = try #require(mono[0]).streamDescription.pointee
    stream.mFormatFlags = kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsAlignedHigh
    #expect(AVAudioFormat(streamDescription: &stream) == mono[0])
    #expect(stereo.copy() as? AVAudioFormat == stereo)
  }

  @Test func settingsGoThereAndBack() throws {
    let settings: [String: Any] = [
      AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2,
      AVLinearPCMBitDepthKey: 24, AVLinearPCMIsBigEndianKey: true, AVLinearPCMIsFloatKey: false,
    ]
    let format = try #require(AVAudioFormat(settings: settings))
    #expect(format.commonFormat == .otherFormat && format.streamDescription.pointee.mBytesPerFrame == 6)
    #expect(format.streamDescription.pointee.mFormatFlags & kAudioFormatFlagIsBigEndian != 0)
    #expect(AVAudioFormat(settings: format.settings) == format)
    // A reader may ask for any kind of number.
    #expect(format.settings[AVSampleRateKey] as? Double == 48_000)
    #expect(format.settings[AVNumberOfChannelsKey] as? Int == 2)
    #expect(format.settings[AVNumberOfChannelsKey] as? UInt32 == 2)
    #expect(format.settings[AVLinearPCMIsFloatKey] as? Bool == false)
    let surround = AVAudioFormat(
      standardFormatWithSampleRate: 48_000, channelLayout: try Self.layout(kAudioChannelLayoutTag_MPEG_5_1_A))
    #expect(AVAudioFormat(settings: surround.settings) == surround)
  }

  @Test func settingsOfEncodersNameTheirPackets() throws {
    let aac = try #require(
      AVAudioFormat(settings: [
        AVFormatIDKey: Int(kAudioFormatMPEG4AAC), AVSampleRateKey: 44_100.0, AVNumberOfChannelsKey: 2,
        AVEncoderBitRateKey: 128_000,
      ]))
    #expect(aac.streamDescription.pointee.mFramesPerPacket == 1024 && aac.channelCount == 2)
    let lossless = try #require(
      AVAudioFormat(settings: [
        AVFormatIDKey: kAudioFormatAppleLossless, AVSampleRateKey: Float(48_000), AVNumberOfChannelsKey: UInt32(1),
        AVEncoderBitDepthHintKey: 24,
      ]))
    #expect(lossless.settings[AVEncoderBitDepthHintKey] as? Int == 24)
  }

  @Test func settingsWithoutSenseAreRefused() {
    #expect(AVAudioFormat(settings: [:]) == nil)
    #expect(AVAudioFormat(settings: [AVSampleRateKey: 44_100]) == nil)
    #expect(AVAudioFormat(settings: [AVSampleRateKey: "fast", AVNumberOfChannelsKey: 2]) == nil)
    #expect(AVAudioFormat(settings: [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: -2]) == nil)
    #expect(AVAudioFormat(settings: [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1.5]) == nil)
    let depth: [String: Any] = [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1, AVLinearPCMBitDepthKey: 17]
    #expect(AVAudioFormat(settings: depth) == nil)
    let layout: [String: Any] = [
      AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1, AVChannelLayoutKey: Data([1, 2]),
    ]
    #expect(AVAudioFormat(settings: layout) == nil)
  }

  @Test(arguments: [
    (1, 0x4), (2, 0x3), (3, 0x7), (4, 0x33), (5, 0x37), (6, 0x3F), (6, 0x60F), (7, 0x70F), (8, 0x63F),
  ])
  func engineFormatsGoThereAndBack(channels: Int, mask: UInt32) throws {
    let layout = try #require(ChannelLayout(count: channels, mask: mask))
    let format = PCMFormat(sampleRate: .studio, layout: layout)
    let standard = AVAudioFormat(format)
    #expect(standard.isStandard && standard.pcmFormat == format)
    #expect(standard.channelOrder == Array(0..<channels))
  }

  @Test func channelsOfOtherOrdersAreFound() throws {
    // C L R Ls Rs LFE
    let format = AVAudioFormat(
      standardFormatWithSampleRate: 48_000, channelLayout: try Self.layout(kAudioChannelLayoutTag_MPEG_5_1_D))
    #expect(format.pcmFormat.layout == ChannelLayout(count: 6, mask: 0x3F))
    #expect(format.channelOrder == [1, 2, 0, 5, 3, 4])
    let rear = AVAudioFormat(
      standardFormatWithSampleRate: 48_000, channelLayout: try Self.layout(kAudioChannelLayoutTag_MPEG_7_1_C))
    #expect(rear.pcmFormat.layout == ChannelLayout(count: 8, mask: 0x63F))
    #expect(rear.channelOrder == [0, 1, 2, 3, 6, 7, 4, 5])
  }

  @Test func layoutsByTagBitsAndDescriptions() throws {
    #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_UseChannelBitmap) == nil)
    #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_UseChannelDescriptions) == nil)
    let unknown = try Self.layout(kAudioChannelLayoutTag_Unknown | 5)
    #expect(unknown.channelCount == 5 && unknown.layoutTag == 0xFFFF_0005)
    var bits = AudioChannelLayout()
    bits.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelBitmap
    bits.mChannelBitmap = [.bit_Left, .bit_Right, .bit_LFEScreen]
    let byBits = AVAudioChannelLayout(layout: &bits)
    #expect(byBits.channelCount == 3 && byBits == AVAudioChannelLayout(layout: &bits))
    var described = AudioChannelLayout()
    described.mNumberChannelDescriptions = 1
    described.mChannelDescriptions.mChannelLabel = kAudioChannelLabel_Center
    let byDescription = AVAudioChannelLayout(layout: &described)
    #expect(byDescription.channelCount == 1 && byDescription != byBits)
    #expect(byDescription.layout.pointee.mChannelDescriptions.mChannelLabel == kAudioChannelLabel_Center)
  }
}
