internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Realtime
internal import Testing

/// Effects of an application's own, among them the one of the examples.
@Suite("Effects of one's own")
struct AudioEffectTests {
  @Test("the example keeps the contract")
  func example() {
    let contract = AudioEffectContract(neutral: { $0.parameters[1].value = 0 }, make: { RingModulator() })
    #expect(contract.violations() == [])
  }

  @Test("a parameter takes what is in its range, and a ramp follows it in a straight line")
  func parameters() {
    let parameter = EffectParameter("level", unit: .ratio, range: -1...2, default: 0.5, rampTime: 0.01)
    var ramp = ParameterRamp(parameter, for: EffectFormat(rate: 1000, channels: 1))
    #expect(parameter.value == 0.5 && ramp.value == 0.5 && !ramp.isMoving)
    parameter.value = 9
    #expect(parameter.value == 2)
    parameter.value = .nan
    #expect(parameter.value == 2)
    parameter.value = -.infinity
    #expect(parameter.value == -1)
    parameter.value = 1.5
    #expect(ramp.next() == 0.5, "nobody has looked yet")
    ramp.begin()
    #expect(ramp.isMoving && ramp.target == 1.5)
    let line = (0..<12).map { _ in ramp.next() }
    let straight = (1...12).map { $0 < 10 ? 0.5 + Float($0) * 0.1 : 1.5 }
    #expect(zip(line, straight).allSatisfy { abs($0 - $1) < 1e-6 })
    parameter.value = 0.5
    ramp.begin()
    ramp.skip(4)
    #expect(abs(ramp.next() - 1) < 1e-6)
    parameter.value = 0
    ramp.settle()
    #expect(ramp.value == 0 && !ramp.isMoving)
  }

  @Test("it sounds in an engine, its parameters move without a step, and bypass lets sound pass")
  func engine() throws {
    let rig = try OfflineRig()
    let ring = RingModulator()
    ring.frequency.value = 441
    ring.mix.value = 0
    let unit = AVAudioUnitEffect(ring)
    let player = AVAudioPlayerNode()
    rig.engine.attach(player)
    rig.engine.attach(unit)
    rig.engine.connect(player, to: unit, format: rig.format)
    rig.engine.connect(unit, to: rig.engine.mainMixerNode, format: rig.format)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: 100))
    buffer.frameLength = 100
    let data = try #require(buffer.floatChannelData)
    for frame in 0..<100 { data[0][frame] = 0.5 }
    player.scheduleBuffer(buffer, at: nil, options: .loops)
    try rig.engine.start()
    player.play()
    #expect(difference(try rig.render(1000), [Float](repeating: 0.5, count: 1000)) == nil)
    ring.mix.value = 100
    let output = try rig.render(4410)
    // The sine of 441 Hz has 100 frames; its steepest step is 0.5 · 2π / 100.
    #expect(zip(output, output.dropFirst()).allSatisfy { abs($0 - $1) < 0.033 })
    #expect(abs((output.suffix(1000).max() ?? 0) - 0.5) < 1e-3 && abs((output.suffix(1000).min() ?? 0) + 0.5) < 1e-3)
    unit.bypass = true
    #expect(difference(try rig.render(1000).suffix(500), [Float](repeating: 0.5, count: 500)) == nil)
  }

  @Test("a unit is as late as its effect says")
  func latency() throws {
    let rig = try OfflineRig()
    let unit = AVAudioUnitEffect(Faulty(.late))
    rig.engine.attach(unit)
    let player = AVAudioPlayerNode()
    rig.engine.attach(player)
    rig.engine.connect(player, to: unit, format: rig.format)
    rig.engine.connect(unit, to: rig.engine.mainMixerNode, format: rig.format)
    try rig.engine.start()
    _ = try rig.render(10)
    #expect(abs(unit.latency - 5 / 44_100) < 1e-9)
  }

  @Test("the contract finds what is wrong", arguments: Faulty.Fault.allCases)
  func faults(fault: Faulty.Fault) {
    var contract = AudioEffectContract(neutral: { $0.parameters[0].value = 0 }, make: { Faulty(fault) })
    contract.formats = [EffectFormat(rate: 8000, channels: 2)]
    let found = contract.violations().joined(separator: "; ")
    guard fault != .none else {
      #expect(found == "")
      return
    }
    if fault == .allocates && !AllocationGuard.isAvailable { return }
    #expect(found.contains(fault.sentence), "\(fault): \(found)")
  }
}

/// An echo that is right, or wrong in one way.
final class Faulty: AudioEffect {
  enum Fault: CaseIterable {
    case none, late, forgetsNothing, endless, blocks, allocates, poisoned, twoNames, sounds

    var sentence: String {
      switch self {
      case .none: ""
      case .late: "set to pass sound 5 frames late, frame"
      case .forgetsNothing: "after a reset"
      case .endless: "behind the tail"
      case .blocks: "by blocks of [1] frames"
      case .allocates: "where it renders"
      case .poisoned: "ends all sound"
      case .twoNames: "one name"
      case .sounds: "makes sound of silence"
      }
    }
  }

  let fault: Fault
  let level = EffectParameter("level", unit: .ratio, range: 0...1, default: 0.5)
  var parameters: [EffectParameter] { fault == .twoNames ? [level, level] : [level] }

  init(_ fault: Fault) { self.fault = fault }

  func makeProcessor(for format: EffectFormat) -> any EffectProcessor { Echo(self, format) }

  private final class Echo: EffectProcessor {
    let fault: Fault
    let frames: Int
    let length = 100
    var level: ParameterRamp
    var memory: [Float]
    var place = 0

    init(_ effect: Faulty, _ format: EffectFormat) {
      fault = effect.fault
      frames = fault == .late ? 5 : 0
      level = ParameterRamp(effect.level, for: format)
      memory = [Float](repeating: 0, count: length * format.channels)
    }

    var latency: Int { frames }
    var tail: Int { fault == .endless ? 0 : length }

    func process(_ block: EffectBlock) {
      level.begin()
      if fault == .allocates { memory = memory.map { $0 } }
      for frame in 0..<block.frames {
        let factor = fault == .blocks ? level.next() * Float(block.frames) : level.next()
        for channel in 0..<block.channels {
          let index = channel * length + place
          let input = block[channel][frame] + (fault == .sounds ? 0.01 : 0)
          block[channel][frame] = input + factor * memory[index]
          memory[index] = fault == .poisoned ? memory[index] * 0 + input : input
        }
        place = (place + 1) % length
      }
    }

    func reset() {
      level.settle()
      if fault == .forgetsNothing { return }
      place = 0
      for index in memory.indices { memory[index] = 0 }
    }
  }
}
