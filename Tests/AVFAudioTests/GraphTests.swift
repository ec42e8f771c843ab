internal import AVFAudio
internal import AudioModel
internal import AudioOutput
internal import DSP
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// Connections: what goes where, and in which form.
@Suite struct GraphTests {
  @Test func severalPlayersAddUp() throws {
    let rig = try OfflineRig()
    let players = (0..<8).map { _ in rig.player() }
    #expect(rig.engine.mainMixerNode.nextAvailableInputBus == 8)
    try rig.engine.start()
    for player in players {
      player.scheduleBuffer(try rig.ruler(500))
      player.play()
    }
    #expect(difference(try rig.render(600, by: 128), numbers(500).map { $0 * 8 } + silence(100)) == nil)
  }

  @Test func monoGoesToBothSidesAndStereoToTheMean() throws {
    let rig = try OfflineRig(channels: 2)
    let mono = rig.player(try OfflineRig.format(44_100, 1))
    try rig.engine.start()
    mono.scheduleBuffer(try rig.ruler(100, format: try OfflineRig.format(44_100, 1)))
    mono.play()
    let both = try rig.renderAll(100)
    #expect(difference(both[0], numbers(100)) == nil && difference(both[1], numbers(100)) == nil)

    let narrow = try OfflineRig(channels: 1)
    let stereo = narrow.player(try OfflineRig.format(44_100, 2))
    try narrow.engine.start()
    stereo.scheduleBuffer(try narrow.ruler(100, format: try OfflineRig.format(44_100, 2)))
    stereo.play()
    #expect(difference(try narrow.render(100), numbers(100).map { $0 + 0.25 }) == nil)
  }

  @Test("players at other rates and channels are converted as the converter does it", arguments: [1, 2])
  func ratesAndChannels(channels: Int) throws {
    let rig = try OfflineRig(rate: 48_000, channels: UInt32(channels))
    _ = rig.engine.mainMixerNode
    let inputs: [(rate: Double, channels: UInt32)] = [(44_100, 1), (48_000, 2), (96_000, 2), (22_050, 2)]
    try rig.engine.start()
    var expected = [[Float]](repeating: silence(4000), count: channels)
    for (rate, count) in inputs {
      let format = try OfflineRig.format(rate, count)
      let player = rig.player(format)
      let frames = Int(rate / 20)
      let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)))
      buffer.frameLength = AVAudioFrameCount(frames)
      for channel in 0..<Int(count) {
        for frame in 0..<frames {
          buffer.floatChannelData![channel][frame] = Float(sin(Double(frame) * 1000 * Double(channel + 1) / rate)) / 8
        }
      }
      player.scheduleBuffer(buffer)
      player.play()
      let converted = Self.convert(buffer, to: rig.format, frames: 4000)
      for channel in 0..<channels { for frame in 0..<4000 { expected[channel][frame] += converted[channel][frame] } }
    }
    let heard = try rig.renderAll(4000, by: 333)
    // The order of additions differs, and with it the last bit.
    for channel in 0..<channels {
      #expect(zip(heard[channel], expected[channel]).allSatisfy { abs($0 - $1) < 1e-6 })
    }
  }

  /// What the engine's converter makes of a buffer, with silence behind it.
  private static func convert(_ buffer: AVAudioPCMBuffer, to format: AVAudioFormat, frames: Int) -> [[Float]] {
    let channels = Int(buffer.format.channelCount)
    let source = PCMBlock(channels: channels, capacity: Int(buffer.frameLength))
    for channel in 0..<channels {
      source.plane(channel).update(from: buffer.floatChannelData![channel], count: Int(buffer.frameLength))
    }
    source.advance(Int(buffer.frameLength))
    // Silence follows the sound in an engine, and the filter's end with it.
    source.appendSilence(Int(buffer.format.sampleRate / 10))
    let mixer = ChannelMixer(from: buffer.format.pcmFormat.layout, to: format.pcmFormat.layout)
    let resampler = Resampler(
      from: buffer.format.pcmFormat.sampleRate, to: format.pcmFormat.sampleRate, channels: channels)
    // The engine changes the rate first, whatever the channels.
    let resampled = PCMBlock(channels: channels, capacity: frames)
    resampler.process(source, from: 0, count: source.frameCount, into: resampled)
    resampler.finish(into: resampled)
    let mixed = PCMBlock(channels: Int(format.channelCount), capacity: frames)
    mixer.process(resampled, from: 0, count: min(frames, resampled.frameCount), into: mixed)
    return (0..<Int(format.channelCount)).map { channel in
      let count = min(frames, mixed.frameCount)
      return Array(UnsafeBufferPointer(start: mixed.plane(channel), count: count)) + silence(frames - count)
    }
  }

  @Test func oneToMany() throws {
    let rig = try OfflineRig(channels: 1)
    let player = AVAudioPlayerNode()
    let (left, right) = (AVAudioMixerNode(), AVAudioMixerNode())
    for node in [player, left, right] { rig.engine.attach(node) }
    let main = rig.engine.mainMixerNode
    rig.engine.connect(
      player,
      to: [AVAudioConnectionPoint(node: left, bus: 0), AVAudioConnectionPoint(node: right, bus: 0)],
      fromBus: 0, format: rig.format)
    rig.engine.connect(left, to: main, format: rig.format)
    rig.engine.connect(right, to: main, format: rig.format)
    left.outputVolume = 0.25
    right.outputVolume = 0.5
    #expect(rig.engine.outputConnectionPoints(for: player, outputBus: 0).count == 2)
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(1000))
    player.play()
    let heard = try rig.render(1100, by: 99)
    #expect(difference(heard, numbers(1000).map { $0 * 0.75 } + silence(100)) == nil)
  }

  @Test func oneToTwoRates() throws {
    let rig = try OfflineRig(rate: 48_000)
    let player = AVAudioPlayerNode()
    let slow = AVAudioMixerNode()
    rig.engine.attach(player)
    rig.engine.attach(slow)
    let main = rig.engine.mainMixerNode
    rig.engine.connect(slow, to: main, fromBus: 0, toBus: 1, format: try OfflineRig.format(24_000, 1))
    rig.engine.connect(
      player, to: [AVAudioConnectionPoint(node: main, bus: 0), AVAudioConnectionPoint(node: slow, bus: 0)],
      fromBus: 0, format: rig.format)
    try rig.engine.start()
    let buffer = try rig.ruler(4800)
    for frame in 0..<4800 { buffer.floatChannelData![0][frame] = 0.25 }
    player.scheduleBuffer(buffer)
    player.play()
    let heard = try rig.render(4800, by: 480)
    // A constant passes the way over the lower rate as it is, but for the edges.
    #expect(heard[1000..<3800].allSatisfy { abs($0 - 0.5) < 1e-5 })
    let time = try #require(player.lastRenderTime)
    #expect(time.sampleTime >= 4800)
  }

  @Test func connectingAgainReplaces() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let mixer = AVAudioMixerNode()
    rig.engine.attach(mixer)
    rig.engine.connect(mixer, to: rig.engine.mainMixerNode, format: rig.format)
    rig.engine.connect(player, to: mixer, format: rig.format)
    #expect(rig.engine.inputConnectionPoint(for: rig.engine.mainMixerNode, inputBus: 0) == nil)
    #expect(rig.engine.inputConnectionPoint(for: mixer, inputBus: 0)?.node === player)
    rig.engine.connect(player, to: mixer, format: rig.format)
    #expect(mixer.numberOfInputs == 2)
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(300))
    player.play()
    var heard = try rig.render(100)
    // In the middle of the sound, offline, to the sample.
    rig.engine.connect(player, to: rig.engine.mainMixerNode, format: rig.format)
    heard += try rig.render(100)
    rig.engine.disconnectNodeInput(rig.engine.mainMixerNode)
    heard += try rig.render(50)
    rig.engine.connect(player, to: rig.engine.mainMixerNode, format: nil)
    heard += try rig.render(150)
    #expect(difference(heard, numbers(200) + silence(50) + numbers(100, from: 200) + silence(50)) == nil)
  }

  @Test func volumesAndBalance() throws {
    let rig = try OfflineRig(channels: 2)
    let player = rig.player()
    let main = rig.engine.mainMixerNode
    #expect(player.volume == 1 && player.pan == 0 && main.outputVolume == 1)
    player.volume = 0.5
    player.pan = -1
    main.outputVolume = 0.3
    #expect(player.volume == 0.5 && player.pan == -1 && main.outputVolume == 0.3)
    main.outputVolume = 1
    try rig.engine.start()
    let buffer = try rig.ruler(4410)
    for channel in 0..<2 { for frame in 0..<4410 { buffer.floatChannelData![channel][frame] = 1 } }
    player.scheduleBuffer(buffer)
    player.play()
    let first = try rig.renderAll(100)
    #expect(first[0].allSatisfy { $0 == 0.5 } && first[1].allSatisfy { $0 == 0 })
    player.volume = 1
    player.pan = 0
    let second = try rig.renderAll(882, by: 100)
    // 10 ms from one to the other, in a straight line.
    #expect(abs(second[0][220] - 0.75) < 0.01 && abs(second[1][220] - 0.5) < 0.01)
    #expect(second[0][441...].allSatisfy { $0 == 1 } && second[1][441...].allSatisfy { $0 == 1 })
    #expect(zip(second[1], second[1].dropFirst()).allSatisfy { $1 >= $0 && $1 - $0 < 0.003 })
  }

  @Test func aUnitPassesBitForBit() throws {
    let rig = try OfflineRig()
    let player = AVAudioPlayerNode()
    let unit = AVAudioUnitEffect()
    rig.engine.attach(player)
    rig.engine.attach(unit)
    rig.engine.connect(player, to: unit, format: rig.format)
    rig.engine.connect(unit, to: rig.engine.mainMixerNode, format: rig.format)
    #expect(unit.outputFormat(forBus: 0) == rig.format && unit.inputFormat(forBus: 0) == rig.format)
    try rig.engine.start()
    player.scheduleBuffer(try rig.ruler(300))
    player.play()
    #expect(difference(try rig.render(310), numbers(300) + silence(10)) == nil)
    rig.engine.stop()
    rig.engine.connect(unit, to: rig.engine.mainMixerNode, format: try OfflineRig.format(22_050, 1))
    #expect {
      try rig.engine.start()
    } throws: { error in
      let text = (error as NSError).localizedDescription
      return text.contains("44100") && text.contains("22050")
    }
  }

  @Test func blocksMakeAndTakeSound() throws {
    let rig = try OfflineRig(channels: 2)
    let heard = Notes()
    let int16 = try #require(
      AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 2, interleaved: true))
    let source = AVAudioSourceNode(format: int16) { _, time, count, list in
      let buffer = UnsafeMutableAudioBufferListPointer(list)[0]
      let samples = buffer.mData!.assumingMemoryBound(to: Int16.self)
      for frame in 0..<Int(count) {
        samples[2 * frame] = Int16(truncatingIfNeeded: Int(time.pointee.mSampleTime) + frame)
        samples[2 * frame + 1] = -1
      }
      return noErr
    }
    let silent = AVAudioSourceNode { isSilence, _, count, list in
      for buffer in UnsafeMutableAudioBufferListPointer(list) {
        memset(buffer.mData!, 0x3F, Int(buffer.mDataByteSize))
      }
      isSilence.pointee = true
      return noErr
    }
    let failing = AVAudioSourceNode { _, _, _, _ in -1 }
    let sink = AVAudioSinkNode { time, count, list in
      heard.add("\(Int(time.pointee.mSampleTime)) \(count) \(list.pointee.mNumberBuffers)")
      return noErr
    }
    for node in [source, silent, failing, sink] { rig.engine.attach(node) }
    let main = rig.engine.mainMixerNode
    rig.engine.connect(
      source, to: [AVAudioConnectionPoint(node: main, bus: 0), AVAudioConnectionPoint(node: sink, bus: 0)],
      fromBus: 0, format: nil)
    rig.engine.connect(silent, to: main, format: rig.format)
    rig.engine.connect(failing, to: main, format: rig.format)
    try rig.engine.start()
    let channels = try rig.renderAll(1000, by: 400)
    #expect(difference(channels[0], (0..<1000).map { Float($0) / 32_768 }) == nil)
    #expect(channels[1].allSatisfy { $0 == -1 / 32_768 })
    #expect(heard.all == ["0 400 2", "400 400 2", "800 200 2"])
  }

  @Test func whatSoundsOnGoesOnToTheSample() throws {
    let rig = try DeviceRig()
    let player = rig.player()
    let other = AVAudioPlayerNode()
    rig.engine.attach(other)
    rig.engine.connect(other, to: rig.engine.mainMixerNode, format: rig.format)
    let offline = try OfflineRig(rate: 48_000)
    player.scheduleBuffer(try offline.ruler(20_000))
    let silent = try offline.ruler(1000)
    for frame in 0..<1000 { silent.floatChannelData![0][frame] = 0 }
    other.scheduleBuffer(silent, at: nil, options: .loops)
    try rig.engine.start()
    player.play()
    other.play()
    let mixer = AVAudioMixerNode()
    rig.engine.attach(mixer)
    rig.engine.connect(mixer, to: rig.engine.mainMixerNode, format: rig.format)
    for turn in 0..<60 {
      switch turn % 6 {
      case 0: rig.engine.connect(other, to: rig.engine.mainMixerNode, format: rig.format)
      case 1: rig.engine.connect(other, to: mixer, format: rig.format)
      case 2: other.installTap(onBus: 0, bufferSize: 256, format: nil) { _, _ in }
      case 3: rig.engine.disconnectNodeOutput(other)
      case 4: other.removeTap(onBus: 0)
      default: rig.engine.connect(other, to: mixer, format: try OfflineRig.format(44_100, 1))
      }
      rig.output.pull(frames: 100 + turn)
      _ = rig.engine.pump(heard: rig.output.timing.heard)
    }
    #expect(difference(rig.output.heard, numbers(rig.output.heard.count)) == nil)
  }

  @Test func whatLeavesFades() throws {
    let rig = try DeviceRig()
    let player = rig.player()
    try rig.engine.start()
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: 1000))
    buffer.frameLength = 1000
    for frame in 0..<1000 { buffer.floatChannelData![0][frame] = 1 }
    player.scheduleBuffer(buffer, at: nil, options: .loops)
    player.play()
    rig.output.pull(frames: 480)
    rig.engine.disconnectNodeOutput(player)
    rig.output.pull(frames: 480)
    rig.engine.connect(player, to: rig.engine.mainMixerNode, format: rig.format)
    rig.output.pull(frames: 480)
    rig.engine.detach(player)
    rig.output.pull(frames: 480)
    let heard = rig.output.heard
    #expect(heard[..<480].allSatisfy { $0 == 1 } && heard[720..<960].allSatisfy { $0 == 0 })
    #expect(heard[1200..<1440].allSatisfy { $0 == 1 } && heard[1680...].allSatisfy { $0 == 0 })
    // A player that is detached stops as well: both fades at once.
    #expect(zip(heard, heard.dropFirst()).allSatisfy { abs($1 - $0) < 0.009 })
  }

  @Test func nodesMove() throws {
    let rig = try OfflineRig()
    let player = rig.player()
    let other = AVAudioEngine()
    rig.engine.attach(player)
    #expect(rig.engine.attachedNodes.contains(player))
    rig.engine.detach(player)
    #expect(player.engine == nil && !rig.engine.attachedNodes.contains(player))
    other.attach(player)
    #expect(player.engine === other)
    #expect(rig.engine.description.contains("AVAudioMixerNode output 0 → AVAudioOutputNode"))
  }

  @Test func enginesAreFreed() throws {
    weak var engine: AVAudioEngine?
    weak var player: AVAudioPlayerNode?
    do {
      let rig = try OfflineRig()
      let node = rig.player()
      (engine, player) = (rig.engine, node)
      node.installTap(onBus: 0, bufferSize: 512, format: nil) { _, _ in }
      try rig.engine.start()
      node.play()
      try rig.render(1000)
    }
    #expect(engine == nil && player == nil)
  }
}
