internal import AVFAudio
internal import AudioModel
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// Reverb, delay and distortion as an application sees them.
@Suite("Reverb, delay and distortion units")
struct SpaceUnitTests {
  @Test("the defaults are Apple's")
  func defaults() {
    let (reverb, delay, distortion) = (AVAudioUnitReverb(), AVAudioUnitDelay(), AVAudioUnitDistortion())
    #expect(reverb.wetDryMix == 0)
    #expect(delay.delayTime == 1 && delay.feedback == 50 && delay.lowPassCutoff == 15_000 && delay.wetDryMix == 100)
    #expect(distortion.preGain == -6 && distortion.wetDryMix == 50)
    for unit in [reverb, delay, distortion] as [AVAudioUnitEffect] {
      #expect(!unit.bypass)
      #expect(unit.latency == 0)
      #expect(unit.numberOfInputs == 1 && unit.numberOfOutputs == 1)
    }
  }

  @Test("what lies outside a range becomes the nearer end")
  func clamps() {
    let (reverb, delay, distortion) = (AVAudioUnitReverb(), AVAudioUnitDelay(), AVAudioUnitDistortion())
    for (asked, found) in [(-1, 0), (0, 0), (37.5, 37.5), (100, 100), (101, 100), (.infinity, 100)]
      as [(Float, Float)]
    {
      reverb.wetDryMix = asked
      delay.wetDryMix = asked
      distortion.wetDryMix = asked
      #expect(reverb.wetDryMix == found && delay.wetDryMix == found && distortion.wetDryMix == found)
    }
    delay.delayTime = 2.5
    #expect(delay.delayTime == 2)
    delay.delayTime = -1
    #expect(delay.delayTime == 0)
    delay.feedback = -101
    #expect(delay.feedback == -100)
    delay.feedback = 200
    #expect(delay.feedback == 100)
    delay.lowPassCutoff = 1
    #expect(delay.lowPassCutoff == 10)
    delay.lowPassCutoff = 1e6
    #expect(Double(delay.lowPassCutoff) == delay.outputFormat(forBus: 0).sampleRate / 2)
    distortion.preGain = -90
    #expect(distortion.preGain == -80)
    distortion.preGain = 21
    #expect(distortion.preGain == 20)
  }

  @Test("presets have Apple's numbers, and each its own sound")
  func presets() {
    for (number, preset) in ReverbPreset.allCases.enumerated() {
      #expect(AVAudioUnitReverbPreset(rawValue: number).map { "\($0)" } == "\(preset)")
    }
    #expect(AVAudioUnitReverbPreset(rawValue: ReverbPreset.allCases.count) == nil)
    for (number, preset) in DistortionPreset.allCases.enumerated() {
      // Apple says "multi" and "speech" before what the program's names leave out.
      let name = AVAudioUnitDistortionPreset(rawValue: number).map { "\($0)".lowercased() } ?? ""
      #expect(name.hasSuffix("\(preset)".lowercased()))
    }
    #expect(AVAudioUnitDistortionPreset(rawValue: DistortionPreset.allCases.count) == nil)
    #expect(AVAudioUnitReverbPreset.cathedral.rawValue == 8)
    #expect(AVAudioUnitDistortionPreset.speechWaves.rawValue == 21)
  }

  /// Renders a click and silence through a unit.
  private func click(_ unit: AVAudioUnit, seconds: Double = 1, during: () -> Void = {}) throws -> [Float] {
    let rig = try OfflineRig(rate: 16_000)
    rig.engine.attach(unit)
    let player = AVAudioPlayerNode()
    rig.engine.attach(player)
    rig.engine.connect(player, to: unit, format: rig.format)
    rig.engine.connect(unit, to: rig.engine.mainMixerNode, format: rig.format)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: 16))
    buffer.frameLength = 16
    try #require(buffer.floatChannelData)[0][0] = 1
    player.scheduleBuffer(buffer)
    player.play()
    try rig.engine.start()
    let half = Int(seconds * 8000)
    let first = try rig.render(half)
    during()
    return first + (try rig.render(half))
  }

  @Test("a unit in a graph is heard, rings on behind its input, and a reset ends that")
  func sound() throws {
    #expect(difference(try click(AVAudioUnitReverb()), [1] + silence(15_999)) == nil)
    let reverb = AVAudioUnitReverb()
    reverb.loadFactoryPreset(.cathedral)
    reverb.wetDryMix = 50
    let ringing = try click(reverb)
    #expect(ringing[0] == 0.5)
    #expect(ringing[12_000...].contains { $0.magnitude > 0.000_1 })
    let other = AVAudioUnitReverb()
    other.wetDryMix = 50
    let ended = try click(other) { other.reset() }
    #expect(ended[7000..<8000].contains { $0 != 0 })
    #expect(ended[8000...].allSatisfy { $0 == 0 })

    let delay = AVAudioUnitDelay()
    delay.delayTime = 0.25
    delay.lowPassCutoff = 8000
    let echoes = try click(delay)
    let places = echoes.indices.filter { echoes[$0] != 0 }
    #expect(places == [4000, 8000, 12_000])
    #expect(places.map { echoes[$0] } == [1, 0.5, 0.25])

    let distortion = AVAudioUnitDistortion()
    distortion.loadFactoryPreset(.multiEcho1)
    distortion.wetDryMix = 100
    let distorted = try click(distortion)
    #expect(distorted[0] > 0.3 && (distorted[4000] - distorted[3999]).magnitude > 0.2)
  }

  @Test(
    "all three at once, with everything changing, allocate, free and lock nothing",
    .enabled(if: AllocationGuard.isAvailable, "a sanitizer holds the allocator"))
  func realtime() throws {
    let engine = AVAudioEngine()
    let format = try OfflineRig.format(16_000, 2)
    try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 128)
    let (reverb, delay, distortion) = (AVAudioUnitReverb(), AVAudioUnitDelay(), AVAudioUnitDistortion())
    let player = AVAudioPlayerNode()
    let chain: [AVAudioNode] = [player, distortion, delay, reverb]
    for node in chain { engine.attach(node) }
    for (from, to) in zip(chain, chain.dropFirst()) { engine.connect(from, to: to, format: format) }
    engine.connect(reverb, to: engine.mainMixerNode, format: format)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 3000))
    buffer.frameLength = 3000
    for channel in 0..<2 {
      for frame in 0..<3000 { buffer.floatChannelData?[channel][frame] = Float(frame % 50) / 100 - 0.25 }
    }
    player.scheduleBuffer(buffer, at: nil, options: .loops)
    player.play()
    try engine.start()
    let block = engine.manualRenderingBlock
    let output = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 128))
    func run(_ calls: Int) -> AllocationGuard {
      var counts = AllocationGuard()
      for call in 0..<calls {
        switch call % 40 {
        case 3: reverb.wetDryMix = Float(call % 100)
        case 7: AVAudioUnitReverbPreset(rawValue: call / 40 % 13).map { reverb.loadFactoryPreset($0) }
        case 11: delay.delayTime = Double(call % 200) / 100
        case 15: delay.feedback = Float(call % 200 - 100)
        case 19: delay.lowPassCutoff = Float(call * 13 % 9000)
        case 23: distortion.preGain = Float(call % 50 - 30)
        case 27: AVAudioUnitDistortionPreset(rawValue: call / 40 % 22).map { distortion.loadFactoryPreset($0) }
        case 31: reverb.bypass.toggle()
        case 35: delay.reset()
        default: break
        }
        let list = output.mutableAudioBufferList
        let frames = AVAudioFrameCount(1 + call % 128)
        _ = counts.watch { block(frames, list, nil) }
      }
      return counts
    }
    _ = run(900)
    #expect(run(1500) == AllocationGuard())
  }
}
