internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// The application renders.
@Suite struct ManualRenderingTests {
  @Test func errorsSayWhy() throws {
    let rig = try OfflineRig(maximum: 512)
    _ = rig.player()
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: 1024))
    func code(_ body: () throws -> Void) -> Int? {
      do {
        try body()
        return nil
      } catch { return (error as NSError).code }
    }
    #expect(code { _ = try rig.engine.renderOffline(10, to: buffer) } == -80802)
    try rig.engine.start()
    #expect(code { _ = try rig.engine.renderOffline(513, to: buffer) } == Int(kAudioUnitErr_TooManyFramesToProcess))
    let other = try #require(AVAudioPCMBuffer(pcmFormat: try OfflineRig.format(48_000, 1), frameCapacity: 512))
    #expect(code { _ = try rig.engine.renderOffline(10, to: other) } == Int(kAudioUnitErr_FormatNotSupported))
    #expect(
      code { try rig.engine.enableManualRenderingMode(.realtime, format: rig.format, maximumFrameCount: 10) }
        == -80801)
    rig.engine.stop()
    try rig.engine.enableManualRenderingMode(.realtime, format: rig.format, maximumFrameCount: 10)
    try rig.engine.start()
    #expect(code { _ = try rig.engine.renderOffline(10, to: buffer) } == -80800)
    rig.engine.disableManualRenderingMode()
    #expect(!rig.engine.isInManualRenderingMode && !rig.engine.isRunning)
  }

  @Test func aBlockThatWasFetchedBefore() throws {
    let engine = AVAudioEngine()
    let block = engine.manualRenderingBlock
    let format = try #require(
      AVAudioFormat(commonFormat: .pcmFormatFloat32, sampleRate: 44_100, channels: 2, interleaved: true))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 512))
    var code: OSStatus = 0
    #expect(block(10, buffer.mutableAudioBufferList, &code) == .error && code == -80800)
    try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 512)
    let node = AVAudioSourceNode { _, time, count, list in
      for (channel, buffer) in UnsafeMutableAudioBufferListPointer(list).enumerated() {
        let samples = buffer.mData!.assumingMemoryBound(to: Float.self)
        for frame in 0..<Int(count) { samples[frame] = Float(Int(time.pointee.mSampleTime) + frame + channel * 1000) }
      }
      return noErr
    }
    engine.attach(node)
    engine.connect(node, to: engine.mainMixerNode, format: try OfflineRig.format(44_100, 2))
    #expect(block(10, buffer.mutableAudioBufferList, &code) == .error && code == -80800)
    try engine.start()
    #expect(block(513, buffer.mutableAudioBufferList, &code) == .error)
    #expect(code == kAudioUnitErr_TooManyFramesToProcess)
    let list = buffer.mutableAudioBufferList
    #expect(block(100, list, &code) == .success)
    #expect(list.pointee.mBuffers.mDataByteSize == 800)
    let samples = try #require(buffer.floatChannelData)[0]
    for frame in 0..<100 {
      #expect(samples[2 * frame] == Float(frame) && samples[2 * frame + 1] == Float(frame + 1000))
    }
    #expect(engine.manualRenderingSampleTime == 100)
    engine.pause()
    #expect(block(10, buffer.mutableAudioBufferList, &code) == .error && code == -80802)
    #expect(engine.manualRenderingSampleTime == 100)
  }

  @Test func theInputMayBeTheOutputsOwnMemory() throws {
    let engine = AVAudioEngine()
    let format = try #require(
      AVAudioFormat(commonFormat: .pcmFormatFloat32, sampleRate: 44_100, channels: 2, interleaved: true))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 512))
    try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 512)
    let list = Pointer(buffer.mutableAudioBufferList)
    let notes = Notes()
    #expect(
      engine.inputNode.setManualRenderingInputPCMFormat(format) { count in
        notes.add("\(count)")
        return notes.all.count > 1 ? nil : UnsafePointer(list.list)
      })
    engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
    engine.mainMixerNode.outputVolume = 0.5
    try engine.start()
    let samples = try #require(buffer.floatChannelData)[0]
    for index in 0..<1024 { samples[index] = Float(index) }
    #expect(engine.manualRenderingBlock(512, list.list, nil) == .success)
    for index in 0..<1024 { #expect(samples[index] == Float(index) / 2) }
    #expect(engine.manualRenderingBlock(100, buffer.mutableAudioBufferList, nil) == .insufficientDataFromInputNode)
    #expect(samples[0] == 0)
    #expect(notes.all == ["512", "100"])
    #expect(!engine.inputNode.setManualRenderingInputPCMFormat(format) { _ in nil })
  }

  private struct Pointer: @unchecked Sendable {
    let list: UnsafeMutablePointer<AudioBufferList>
    init(_ list: UnsafeMutablePointer<AudioBufferList>) { self.list = list }
  }

  @Test("the same graph makes the same bits, whatever calls ask for", arguments: [(64, 64), (512, 77), (4096, 4096)])
  func deterministic(maximum: Int, part: Int) throws {
    func run(_ maximum: Int, _ part: Int) throws -> [[Float]] {
      let rig = try OfflineRig(rate: 48_000, channels: 2, maximum: UInt32(maximum))
      _ = rig.engine.mainMixerNode
      let rates: [Double] = [44_100, 48_000, 32_000]
      try rig.engine.start()
      for (index, rate) in rates.enumerated() {
        let format = try OfflineRig.format(rate, UInt32(1 + index % 2))
        let player = rig.player(format)
        let buffer = try rig.ruler(9000, format: format)
        for channel in 0..<Int(format.channelCount) {
          for frame in 0..<9000 {
            buffer.floatChannelData![channel][frame] = Float(sin(Double(frame * frame) / 999)) / 4
          }
        }
        player.volume = 0.7
        player.pan = 0.3
        player.scheduleBuffer(buffer)
        player.play()
      }
      return try rig.renderAll(12_000, by: part)
    }
    let reference = try run(1024, 1000)
    let other = try run(maximum, part)
    for channel in 0..<2 { #expect(difference(other[channel], reference[channel]) == nil) }
  }

  @Test func formatsOfIntegers() throws {
    let engine = AVAudioEngine()
    let format = try #require(
      AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 1, interleaved: true))
    try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 512)
    let player = AVAudioPlayerNode()
    engine.attach(player)
    let mono = try OfflineRig.format(44_100, 1)
    engine.connect(player, to: engine.mainMixerNode, format: mono)
    try engine.start()
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 4))
    buffer.frameLength = 4
    for (index, value) in [Float(0.5), -1, 2, .nan].enumerated() { buffer.floatChannelData![0][index] = value }
    player.scheduleBuffer(buffer)
    player.play()
    let output = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 8))
    #expect(try engine.renderOffline(8, to: output) == .success)
    let samples = try #require(output.int16ChannelData)[0]
    #expect((0..<8).map { samples[$0] } == [16_384, -32_768, 32_767, 0, 0, 0, 0, 0])
  }
}
