internal import AVFAudio
internal import Synchronization
internal import Testing

@Suite struct AVAudioBufferTests {
  private static func format(
    _ kind: AVAudioCommonFormat = .pcmFormatFloat32, channels: UInt32 = 2, interleaved: Bool = false
  ) throws -> AVAudioFormat {
    try #require(AVAudioFormat(commonFormat: kind, sampleRate: 44_100, channels: channels, interleaved: interleaved))
  }

  @Test func aNewBufferIsEmptySilence() throws {
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(), frameCapacity: 100))
    #expect(buffer.frameLength == 0 && buffer.frameCapacity == 100 && buffer.stride == 1)
    #expect(buffer.audioBufferList.pointee.mNumberBuffers == 2)
    let channels = try #require(buffer.floatChannelData)
    #expect((0..<100).allSatisfy { channels[0][$0] == 0 && channels[1][$0] == 0 })
  }

  @Test func frameLengthSetsTheBytesOfEveryBuffer() throws {
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(), frameCapacity: 100))
    buffer.frameLength = 7
    let list = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: buffer.audioBufferList))
    #expect(list.count == 2 && list.allSatisfy { $0.mDataByteSize == 28 && $0.mNumberChannels == 1 })
    #expect(list[0].mData != list[1].mData)
    // What is to be filled has all the room there is, whatever a filler wrote into it before.
    let whole = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
    #expect(whole.allSatisfy { $0.mDataByteSize == 400 } && whole[0].mData == list[0].mData)
    whole[0].mDataByteSize = 4
    #expect(buffer.mutableAudioBufferList.pointee.mBuffers.mDataByteSize == 400)
    #expect(buffer.frameLength == 7)
  }

  @Test func interleavedChannelsAreAStrideApart() throws {
    let buffer = try #require(
      AVAudioPCMBuffer(pcmFormat: Self.format(.pcmFormatInt16, interleaved: true), frameCapacity: 10))
    #expect(buffer.stride == 2 && buffer.audioBufferList.pointee.mNumberBuffers == 1)
    #expect(buffer.audioBufferList.pointee.mBuffers.mNumberChannels == 2)
    buffer.frameLength = 10
    #expect(buffer.audioBufferList.pointee.mBuffers.mDataByteSize == 40)
    let channels = try #require(buffer.int16ChannelData)
    #expect(channels[1] == channels[0] + 1)
    #expect(buffer.audioBufferList.pointee.mBuffers.mData == UnsafeMutableRawPointer(channels.pointee))
    #expect(buffer.floatChannelData == nil && buffer.int32ChannelData == nil)
  }

  @Test func onlyTheFittingPointersAreThere() throws {
    let wide = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(.pcmFormatInt32), frameCapacity: 1))
    #expect(wide.int32ChannelData != nil && wide.int16ChannelData == nil && wide.floatChannelData == nil)
    let double = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(.pcmFormatFloat64), frameCapacity: 1))
    #expect(double.int32ChannelData == nil && double.int16ChannelData == nil && double.floatChannelData == nil)
    double.frameLength = 1
    #expect(double.audioBufferList.pointee.mBuffers.mDataByteSize == 8)
  }

  @Test func buffersThatCannotBeAreRefused() throws {
    var stream = AudioStreamBasicDescription()
    stream.mSampleRate = 44_100
    stream.mFormatID = kAudioFormatMPEG4AAC
    stream.mChannelsPerFrame = 2
    let compressed = try #require(AVAudioFormat(streamDescription: &stream))
    #expect(AVAudioPCMBuffer(pcmFormat: compressed, frameCapacity: 1) == nil)
    #expect(AVAudioPCMBuffer(pcmFormat: try Self.format(), frameCapacity: .max) == nil)
    #expect(AVAudioPCMBuffer(pcmFormat: try Self.format(), frameCapacity: 0) != nil)
  }

  @Test func memoryOfOthersIsUsedAndGivenBackOnce() throws {
    let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: 8)
    memory.initialize(repeating: 0.5)
    defer { memory.deallocate() }
    let list = AudioBufferList.allocate(maximumBuffers: 1)
    defer { list.unsafeMutablePointer.deallocate() }
    list[0] = AudioBuffer(memory, numberOfChannels: 2)
    let releases = Atomic<Int>(0)
    let given = UInt(bitPattern: list.unsafePointer)
    do {
      let format = try Self.format(interleaved: true)
      #expect(AVAudioPCMBuffer(pcmFormat: try Self.format(), bufferListNoCopy: list.unsafePointer) == nil)
      let buffer = try #require(
        AVAudioPCMBuffer(pcmFormat: format, bufferListNoCopy: list.unsafePointer) { back in
          if UInt(bitPattern: back) == given { releases.add(1, ordering: .relaxed) }
        })
      #expect(buffer.frameCapacity == 4 && buffer.frameLength == 4)
      #expect(buffer.floatChannelData?.pointee == memory.baseAddress)
      buffer.frameLength = 2
      #expect(list[0].mDataByteSize == 32, "the caller's list stays as it is")
      #expect(releases.load(ordering: .relaxed) == 0)
    }
    #expect(releases.load(ordering: .relaxed) == 1)
  }

  @Test func aCopyHasMemoryOfItsOwn() throws {
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: Self.format(), frameCapacity: 4))
    buffer.frameLength = 2
    buffer.floatChannelData?[1][1] = 0.25
    let copy = try #require(buffer.copy() as? AVAudioPCMBuffer)
    buffer.floatChannelData?[1][1] = 0.75
    #expect(copy.frameLength == 2 && copy.frameCapacity == 4 && copy.format == buffer.format)
    #expect(copy.floatChannelData?[1][1] == 0.25)
  }

  @Test func packetsAndTheirDescriptions() throws {
    var stream = AudioStreamBasicDescription()
    stream.mSampleRate = 44_100
    stream.mFormatID = kAudioFormatMPEG4AAC
    stream.mFramesPerPacket = 1024
    stream.mChannelsPerFrame = 2
    let format = try #require(AVAudioFormat(streamDescription: &stream))
    let buffer = AVAudioCompressedBuffer(format: format, packetCapacity: 3, maximumPacketSize: 100)
    #expect(buffer.byteCapacity == 300 && buffer.byteLength == 0 && buffer.packetCount == 0)
    #expect(buffer.audioBufferList.pointee.mBuffers.mData == buffer.data)
    let descriptions = try #require(buffer.packetDescriptions)
    descriptions[2] = AudioStreamPacketDescription(mStartOffset: 1, mVariableFramesInPacket: 2, mDataByteSize: 3)
    buffer.byteLength = 42
    buffer.packetCount = 3
    #expect(buffer.audioBufferList.pointee.mBuffers.mDataByteSize == 42)
    #expect(buffer.mutableAudioBufferList.pointee.mBuffers.mDataByteSize == 300)
    let copy = try #require(buffer.copy() as? AVAudioCompressedBuffer)
    #expect(copy.packetDescriptions?[2].mDataByteSize == 3 && copy.byteLength == 42 && copy.packetCount == 3)
  }

  @Test func packetsOfOneSizeNeedNoDescriptions() throws {
    var stream = AudioStreamBasicDescription()
    stream.mSampleRate = 8000
    stream.mFormatID = kAudioFormatULaw
    stream.mFramesPerPacket = 1
    stream.mBytesPerPacket = 1
    stream.mChannelsPerFrame = 1
    let buffer = AVAudioCompressedBuffer(
      format: try #require(AVAudioFormat(streamDescription: &stream)), packetCapacity: 80)
    #expect(buffer.packetDescriptions == nil && buffer.byteCapacity == 80 && buffer.maximumPacketSize == 1)
  }

  @Test func moreThanTheCapacityTraps() async {
    await #expect(processExitsWith: .failure) {
      let format = AVAudioFormat(standardFormatWithSampleRate: 44_100, channels: 1)!
      AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4)!.frameLength = 5
    }
  }
}
