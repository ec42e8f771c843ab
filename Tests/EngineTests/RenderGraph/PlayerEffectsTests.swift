import AudioModel
import RenderGraph
import Testing

/// The player's effects in its plan: when they are there, what they change, and that nobody hears them come and go.
@Suite("Player's effects") struct PlayerEffectsTests {
  /// A renderer that plays a signal while a test changes its effects.
  private final class Rig {
    let renderer: Renderer
    private let input: [Float]
    private(set) var output: [Float] = []

    init(_ input: [Float], effects: EffectSettings = EffectSettings()) {
      self.input = input
      let format = PCMFormat(sampleRate: .studio, layout: .stereo)
      renderer = Renderer(format: format, maximumFrames: 256, rampFrames: 240)
      renderer.setEffects(effects)
      let buffer = StreamBuffer(format: format, capacity: input.count, history: 4096, generation: 0)
      let block = PCMBlock(channels: 2, capacity: input.count)
      for (frame, sample) in input.enumerated() {
        block.plane(0)[frame] = sample
        block.plane(1)[frame] = sample
      }
      block.advance(input.count)
      _ = buffer.write(block, from: 0, count: input.count)
      buffer.finish()
      renderer.replace(buffer, ramp: false)
      renderer.run()
      renderer.isSounding = true
    }

    /// Renders so many frames and looks after the plan as a player does.
    func render(_ frames: Int, by size: Int = 256) {
      var left = frames
      let samples = UnsafeMutablePointer<Float>.allocate(capacity: 2 * size)
      defer { samples.deallocate() }
      while left > 0 {
        let count = renderer.render(samples, frames: min(left, size))
        renderer.collectRetired()
        if count == 0 { return }
        for frame in 0..<count { output.append(samples[2 * frame]) }
        left -= count
      }
    }
  }

  private static let all = EffectSettings(
    distortion: DistortionSettings(preset: .radioTower, mix: 40), equalizer: EqualizerSettings(.bass),
    delay: DelaySettings(time: 0.05, feedback: 30, mix: 40), reverb: ReverbSettings(preset: .smallRoom, mix: 30))

  private static func sine(_ frames: Int, amplitude: Float = 0.2) -> [Float] {
    (0..<frames).map { amplitude * Float(Waves.sine(100 * Double($0) / 48_000)) }
  }

  private static func offline(
    _ input: [Float], gain: Float = 1, _ effects: EffectSettings = EffectSettings(), by call: Int = 256
  ) -> [Float] {
    let graph = OfflineRenderer(
      format: PCMFormat(sampleRate: .studio, layout: .mono), maximumFrames: 1024, gain: gain, effects: effects)
    let block = PCMBlock(channels: 1, capacity: input.count)
    for (frame, sample) in input.enumerated() { block.plane(0)[frame] = sample }
    block.advance(input.count)
    var output: [Float] = []
    var written = 0
    while true {
      written += graph.buffer.write(block, from: written, count: input.count - written)
      if written == input.count && !graph.buffer.isFinished { graph.buffer.finish() }
      if graph.render(frames: call, { output += $0 }) == 0 { return output }
    }
  }

  @Test(
    "settings that change nothing are no stages",
    arguments: [
      EffectSettings(), EffectSettings(equalizer: EqualizerSettings(.flat)), EffectSettings(equalizer: .graphic([])),
      EffectSettings(time: TimePitchSettings(algorithm: .music)),
    ])
  func identity(effects: EffectSettings) {
    let noise = Waves.noise(5000, amplitude: 3)
    #expect(Waves.difference(Self.offline(noise, effects), noise) == nil)
    let rig = Rig(noise, effects: effects)
    rig.render(6000)
    #expect(Waves.difference(rig.output, noise) == nil)
    #expect(rig.renderer.latency == 0 && rig.renderer.fadeFrames == 0)
  }

  @Test("a gain above 0 dB brings the limiter, which a quiet sound passes bit for bit and at its time")
  func gain() {
    let noise = Waves.noise(5000, amplitude: 0.1)
    #expect(Waves.difference(Self.offline(noise, gain: 2), noise.map { $0 * 2 }) == nil)
    let loud = Self.offline(Waves.noise(5000, amplitude: 0.9), gain: 4)
    #expect(loud.count == 5000)
    #expect(loud.allSatisfy { abs($0) < 0.9 })
  }

  @Test("how calls are cut makes no difference", arguments: [1, 7, 333, 1024])
  func blocks(call: Int) {
    let noise = Waves.noise(6000, amplitude: 0.5)
    let wanted = Self.offline(noise, Self.all)
    #expect(Waves.difference(Self.offline(noise, Self.all, by: call), wanted) == nil)
  }

  @Test("what sounds on behind the end is rendered, and ends in silence")
  func tail() {
    let effects = EffectSettings(delay: DelaySettings(time: 0.1, feedback: 50, mix: 50))
    let output = Self.offline(Waves.noise(4800, amplitude: 0.3), effects)
    #expect(output.count > 4800 + 4 * 4800)
    #expect(output[4800..<9600].contains { abs($0) > 0.05 })
    #expect(abs(output.last ?? 1) < 1e-6)
  }

  @Test("a delay that never ends, ends")
  func endless() {
    let effects = EffectSettings(delay: DelaySettings(time: 0.1, feedback: 100, mix: 50))
    let output = Self.offline(Waves.noise(4800, amplitude: 0.3), effects)
    #expect((10 * 48_000...13 * 48_000).contains(output.count))
    #expect(output.suffix(4).allSatisfy { abs($0) < 0.01 })
  }

  @Test("effects come, change and go without a click, and behind them sound is as it was")
  func clicks() {
    let input = Self.sine(96_000)
    let rig = Rig(input)
    var settings = EffectSettings()
    rig.render(4800)
    settings.equalizer = EqualizerSettings(.bass)
    rig.renderer.setEffects(settings)
    rig.render(4800)
    settings.reverb = ReverbSettings(preset: .largeHall, mix: 40)
    rig.renderer.setEffects(settings)
    rig.render(9600)
    settings.delay = DelaySettings(time: 0.02, feedback: 40, mix: 40)
    settings.reverb?.mix = 10
    rig.renderer.setEffects(settings)
    rig.render(9600)
    settings.equalizer = nil
    settings.reverb = nil
    rig.renderer.setEffects(settings)
    rig.render(9600)
    #expect(rig.renderer.latency > 0)
    // Taken back before it was gone.
    rig.renderer.setEffects(EffectSettings())
    rig.render(256)
    rig.renderer.setEffects(settings)
    rig.render(9600)
    rig.renderer.setEffects(EffectSettings())
    rig.renderer.setGain(1.5)
    rig.render(4800)
    rig.renderer.setGain(1)
    rig.render(9600)
    let output = rig.output
    let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
    // The sine's own steps are 0.0026; a cut would make one of 0.1 and more.
    #expect(steps.max()! < 0.02, "\(steps.max()!) at \(steps.firstIndex(of: steps.max()!)!)")
    #expect(rig.renderer.latency == 0)
    // From there on the plan is the plain one again.
    #expect(Waves.difference(output.suffix(4000), input[..<output.count].suffix(4000)) == nil)
  }

  @Test("a pause freezes effects, and what they hold is heard when it goes on")
  func pause() {
    let effects = EffectSettings(delay: DelaySettings(time: 0.1, feedback: 0, mix: 50))
    let rig = Rig(Self.sine(48_000), effects: effects)
    rig.render(9600)
    rig.renderer.pause()
    rig.render(4800)
    let quiet = rig.output.suffix(4800 - 240 - rig.renderer.fadeFrames - rig.renderer.latency)
    #expect(quiet.allSatisfy { $0 == 0 })
    rig.renderer.run()
    rig.render(4800)
    let steps = zip(rig.output, rig.output.dropFirst()).map { abs($1 - $0) }
    #expect(steps.max()! < 0.01)
    #expect(rig.output.suffix(4800).contains { abs($0) > 0.05 })
  }

  @Test("frames with effects can't be taken back; those without can, up to where effects were")
  func rewind() {
    let rig = Rig(Self.sine(48_000), effects: EffectSettings(reverb: ReverbSettings(preset: .plate, mix: 20)))
    rig.render(1000)
    #expect(rig.renderer.rewind(frames: 100) == 0)
    rig.renderer.setEffects(EffectSettings())
    rig.render(2000)
    #expect(rig.renderer.latency == 0)
    let count = rig.renderer.rewind(frames: 3000)
    #expect((1...1488).contains(count), "two blocks of fading, then those of the plain plan: \(count)")
  }
}
