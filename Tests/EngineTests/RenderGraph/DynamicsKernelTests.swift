import AudioModel
import DSP
import MartletTestSupport
import RenderGraph
import Testing

/// Limiter and compressor as a graph runs them.
@Suite("Dynamics kernels")
struct DynamicsKernelTests {
  /// Calls a kernel with planes of a constant, and gives what comes out.
  private func run(
    _ kernel: any EffectKernel, _ value: Float, frames: Int, channels: Int = 1, rate: Int = 48_000, block: Int = 512
  ) -> [Float] {
    var memory = [Float](repeating: value, count: frames * channels)
    memory.withUnsafeMutableBufferPointer { memory in
      var done = 0
      while done < frames {
        let count = min(block, frames - done)
        kernel.process(
          BlockCall(
            planes: memory.baseAddress! + done, stride: frames, channels: channels, frames: count, rate: rate))
        done += count
      }
    }
    return Array(memory[..<frames])
  }

  @Test("a limiter is as late as it says, and tells how far it lowered")
  func limiter() {
    let kernel = LimiterKernel()
    kernel.prepare(rate: 48_000, channels: 1)
    let silence = [Float](repeating: 0, count: kernel.latency)
    let output = run(kernel, 0.5, frames: 1000)
    #expect(difference(output, silence + [Float](repeating: 0.5, count: 1000 - kernel.latency)) == nil)
    #expect(kernel.takeLowestGain() == 1)
    _ = run(kernel, 4, frames: 1000)
    let lowest = kernel.takeLowestGain()
    #expect(lowest > 0.15 && lowest < 0.23)
    kernel.prepare(rate: 96_000, channels: 2)
    #expect(kernel.latency == TruePeakLimiter.latency(rate: 96_000))
    #expect(kernel.tail == kernel.latency)
  }

  @Test("gain and ceiling change while sound passes, without a step")
  func limiterParameters() {
    let kernel = LimiterKernel()
    kernel.prepare(rate: 48_000, channels: 1)
    var output = run(kernel, 0.5, frames: 2000)
    kernel.settings = LimiterSettings(ceiling: Decibels(-12), gain: Decibels(6))
    output += run(kernel, 0.5, frames: 4000)
    kernel.isBypassed = true
    output += run(kernel, 0.5, frames: 20_000)
    let steps = zip(output[300...], output[301...]).map { abs($0 - $1) }.max() ?? 1
    #expect(steps < 0.01)
    #expect(output[5000] < 0.2512)
    #expect(output.last.map { abs($0 - 0.5) < 0.01 } == true)
    #expect(kernel.settings == LimiterSettings(ceiling: Decibels(-12), gain: Decibels(6)))
    kernel.settings = LimiterSettings(ceiling: Decibels(9), gain: Decibels(-99))
    #expect(kernel.settings == LimiterSettings(ceiling: Decibels(0), gain: Decibels(-40)))
  }

  @Test("a compressor takes its settings at once, and has no latency")
  func compressor() {
    let kernel = CompressorKernel(CompressorSettings(threshold: Decibels(-20), ratio: 2, knee: Decibels(0)))
    kernel.prepare(rate: 48_000, channels: 1)
    #expect(kernel.latency == 0)
    #expect(difference(run(kernel, 0.05, frames: 500), [Float](repeating: 0.05, count: 500)) == nil)
    // 20 dB above the threshold: 10 dB less.
    let lowered = run(kernel, 1, frames: 9600)
    #expect(abs(lowered[9599] - 0.316_23) < 0.001)
    #expect(abs(kernel.takeLowestGain() - 0.316_23) < 0.001)
    kernel.settings = CompressorSettings(threshold: Decibels(0), makeup: Decibels(6))
    #expect(kernel.settings.ratio == 4)
    let raised = run(kernel, 0.25, frames: 48_000)
    #expect(abs(raised[47_999] - 0.498_8) < 0.001)
  }

  @Test("reset forgets", arguments: [true, false])
  func reset(isLimiter: Bool) {
    let kernel: any EffectKernel = isLimiter ? LimiterKernel() : CompressorKernel()
    kernel.prepare(rate: 48_000, channels: 1)
    let fresh = run(kernel, 0.05, frames: 600)
    _ = run(kernel, 8, frames: 3000)
    kernel.reset()
    #expect(difference(run(kernel, 0.05, frames: 600), fresh) == nil)
  }

  @Test(
    "they neither allocate nor lock, with settings changing",
    .enabled(if: AllocationGuard.isAvailable, "a sanitizer holds the allocator"))
  func realtime() {
    let limiter = LimiterKernel()
    let compressor = CompressorKernel()
    let kernels: [any EffectKernel] = [compressor, limiter]
    for kernel in kernels { kernel.prepare(rate: 48_000, channels: 2) }
    let planes = UnsafeMutablePointer<Float>.allocate(capacity: 1024)
    defer { planes.deallocate() }
    let noise = Signals.noise(seed: 4, frames: 1024, amplitude: 1)
    var counts = AllocationGuard()
    func drive(_ calls: Int) -> AllocationGuard {
      var counts = AllocationGuard()
      for call in 0..<calls {
        switch call % 20 {
        case 3: limiter.settings = LimiterSettings(ceiling: Decibels(Double(-(call % 7))), gain: Decibels(6))
        case 7: compressor.settings = CompressorSettings(threshold: Decibels(Double(-(call % 40))))
        case 11: limiter.isBypassed.toggle()
        default: break
        }
        for index in 0..<1024 { planes[index] = noise[index] * Float(call % 5) }
        let block = BlockCall(planes: planes, stride: 512, channels: 2, frames: 1 + call % 512, rate: 48_000)
        counts.watch {
          if call % 20 == 15 { limiter.reset() }
          compressor.process(block)
          limiter.process(block)
        }
      }
      return counts
    }
    _ = drive(40)
    counts = drive(500)
    #expect(counts == AllocationGuard())
  }
}

/// What the player's meter measures, and what it costs.
@Suite("The player's meter")
struct PlayerMeterTests {
  @Test("it measures what it is asked for, and does nothing where that is nothing")
  func measures() {
    let fixture = RendererFixture(channels: 1)
    let format = fixture.format
    let buffer = StreamBuffer(format: format, capacity: 4000, history: 0, generation: 0)
    let block = PCMBlock(channels: 1, capacity: 4000)
    block.appendSilence(4000)
    // Samples of 0.5, and 0.707 between them.
    for frame in 0..<4000 { block.plane(0)[frame] = frame % 4 < 2 ? 0.5 : -0.5 }
    #expect(buffer.write(block, from: 0, count: 4000) == 4000)
    fixture.renderer.replace(buffer, ramp: false)
    fixture.renderer.run()
    fixture.render(1000)
    var levels: [Float] = [0]
    fixture.renderer.takeLevels(into: &levels)
    #expect(levels == [0.5])
    fixture.renderer.takeMeanSquares(into: &levels)
    #expect(levels == [0])

    fixture.renderer.levelMeasures = [.peak, .meanSquare, .truePeak]
    fixture.render(1000)
    fixture.renderer.takeMeanSquares(into: &levels)
    #expect(abs(levels[0] - 0.25) < 1e-5)
    fixture.renderer.takeTruePeaks(into: &levels)
    #expect(levels[0] > 0.7 && levels[0] < 0.9)
    fixture.renderer.takeLevels(into: &levels)
    #expect(levels == [0.5])

    fixture.renderer.levelMeasures = []
    let before = fixture.renderer.measuredFrames
    #expect(before == 2000)
    fixture.render(1000)
    #expect(fixture.renderer.measuredFrames == before)
    fixture.renderer.takeLevels(into: &levels)
    #expect(levels == [0])
  }
}
