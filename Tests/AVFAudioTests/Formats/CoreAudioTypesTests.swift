internal import CoreAudioTypes
internal import Testing

@Suite struct CoreAudioTypesTests {
  // What code on other systems relies on in C, too.
  @Test func structuresHaveTheirSizes() {
    #expect(MemoryLayout<AudioStreamPacketDescription>.size == 16)
    #expect(MemoryLayout<AudioBuffer>.size == 16)
    #expect(MemoryLayout<AudioBufferList>.size == 24)
    #expect(MemoryLayout<SMPTETime>.size == 24)
    #expect(MemoryLayout<AudioTimeStamp>.size == 64)
    #expect(MemoryLayout<AudioChannelDescription>.size == 20)
    #expect(MemoryLayout<AudioChannelLayout>.size == 32)
    #expect(MemoryLayout<AudioFormatListItem>.stride == 48)
    #expect(MemoryLayout<AudioFilePacketTableInfo>.size == 16)
    #expect(MemoryLayout<AudioClassDescription>.size == 12)
    #expect(MemoryLayout<AudioComponentDescription>.size == 20)
  }

  @Test func constantsHaveTheirTypesAndLetters() {
    let letters: AudioFormatID = kAudioFormatMPEG4AAC
    #expect(letters == 0x6161_6320 && kAudioFormatLinearPCM == 0x6C70_636D)
    let flags: AudioFormatFlags = kAudioFormatFlagIsFloat | kAudioFormatFlagIsPacked
    #expect(flags == 9 && kAudioFormatFlagsNativeFloatPacked == 9)
    let tag: AudioChannelLayoutTag = kAudioChannelLayoutTag_Stereo
    #expect(tag == 0x65_0002 && AudioChannelLayoutTag_GetNumberOfChannels(tag) == 2)
    let status: OSStatus = kAudioUnitErr_TooManyFramesToProcess
    #expect(status == -10_874 && noErr == 0)
    #expect(kAudioConverterErr_FormatNotSupported == 0x666D_743F)
    let options: AudioTimeStampFlags = [.sampleTimeValid, .hostTimeValid]
    #expect(options == .sampleHostTimeValid && AudioTimeStampFlags().isEmpty)
  }

  @Test func listsOfBuffersAreCollections() {
    let list = AudioBufferList.allocate(maximumBuffers: 3)
    defer { list.unsafeMutablePointer.deallocate() }
    #expect(list.count == 3 && list.allSatisfy { $0.mData == nil && $0.mDataByteSize == 0 })
    #expect(AudioBufferList.sizeInBytes(maximumBuffers: 3) == 56)
    var samples: [Float] = [1, 2, 3, 4]
    samples.withUnsafeMutableBufferPointer { memory in
      list[2] = AudioBuffer(memory, numberOfChannels: 2)
      #expect(list[2].mDataByteSize == 16 && list[2].mNumberChannels == 2)
      #expect(UnsafeBufferPointer<Float>(list[2]).elementsEqual([1, 2, 3, 4]))
      for sample in UnsafeMutableBufferPointer<Float>(list[2]).indices {
        UnsafeMutableBufferPointer<Float>(list[2])[sample] *= 2
      }
    }
    #expect(samples == [2, 4, 6, 8])
    #expect(UnsafeBufferPointer<Float>(list[0]).isEmpty)
    list.count = 1
    #expect(list.unsafePointer.pointee.mNumberBuffers == 1 && list.map(\.mDataByteSize) == [0])
  }

  @Test func poolsJustRun() throws {
    struct Failure: Error {}
    #expect(autoreleasepool { 3 } == 3)
    #expect(throws: Failure.self) { try autoreleasepool { throw Failure() } }
  }
}
