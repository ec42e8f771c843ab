import AudioModel
import MartletTestSupport
import RenderGraph
import Testing

@Suite("The equalizer's kernel")
struct EqualizerKernelTests {
  private let loud = EqualizerSettings(bands: [EqualizerBand(frequency: 1000, gain: Decibels(12))])

  /// Runs planes through a kernel, block by block.
  private func run(
    _ kernel: EqualizerKernel, _ planes: [[Float]], rate: Int = 48_000, by block: Int = 256,
    watch: ((() -> Void) -> Void)? = nil
  ) -> [[Float]] {
    let count = planes[0].count
    var samples = planes.flatMap { $0 }
    samples.withUnsafeMutableBufferPointer { samples in
      var done = 0
      while done < count {
        let size = min(block, count - done)
        let call = BlockCall(
          planes: samples.baseAddress! + done, stride: count, channels: planes.count, frames: size, rate: rate)
        if let watch { watch { kernel.process(call) } } else { kernel.process(call) }
        done += size
      }
    }
    return planes.indices.map { Array(samples[$0 * count..<($0 + 1) * count]) }
  }

  private func peak(_ plane: [Float]) -> Float { plane.suffix(2000).map(abs).max() ?? 0 }

  @Test("settings are clamped, and are heard at any rate and number of channels")
  func settings() {
    let kernel = EqualizerKernel(EqualizerSettings(globalGain: Decibels(99)))
    #expect(kernel.settings.globalGain == Decibels(24))
    kernel.settings = loud
    #expect(kernel.settings == loud)
    for (rate, channels) in [(48_000, 1), (44_100, 2), (192_000, 3)] {
      kernel.prepare(rate: rate, channels: channels)
      let tone = Signals.sine(hertz: 1000, rate: rate, frames: rate / 5, amplitude: 0.1)
      for plane in run(kernel, [[Float]](repeating: tone, count: channels), rate: rate) {
        #expect(abs(peak(plane) - 0.398) < 0.005)
      }
    }
    #expect(kernel.latency == 0)
  }

  @Test("a format that nothing was made for passes, and so does what is flat")
  func passes() {
    let noise = Signals.noise(seed: 3, frames: 1000)
    let kernel = EqualizerKernel(loud)
    #expect(difference(run(kernel, [noise])[0], noise) == nil)
    kernel.prepare(rate: 48_000, channels: 2)
    #expect(difference(run(kernel, [noise])[0], noise) == nil)
    kernel.settings = EqualizerSettings()
    kernel.prepare(rate: 48_000, channels: 1)
    #expect(difference(run(kernel, [noise])[0], noise) == nil)
    #expect(kernel.tail == 0)
  }

  @Test("the state for another format waits for its first call")
  func formats() {
    let kernel = EqualizerKernel(loud)
    kernel.prepare(rate: 48_000, channels: 1)
    let tone = Signals.sine(hertz: 1000, rate: 48_000, frames: 9600, amplitude: 0.1)
    _ = run(kernel, [tone])
    kernel.prepare(rate: 44_100, channels: 1)
    // The plan before renders on, as loud as it was.
    let plane = run(kernel, [tone])[0]
    #expect(abs((plane.prefix(2000).map(abs).max() ?? 0) - 0.398) < 0.005)
    #expect(abs(peak(run(kernel, [tone], rate: 44_100)[0]) - 0.38) < 0.02)
  }

  @Test("what is set while a filter fades in follows when it has")
  func whileFading() {
    let kernel = EqualizerKernel()
    kernel.prepare(rate: 48_000, channels: 1)
    let tone = Signals.sine(hertz: 1000, rate: 48_000, frames: 9600, amplitude: 0.1)
    _ = run(kernel, [tone])
    kernel.settings = EqualizerSettings(bands: [EqualizerBand(.lowPass, frequency: 100)])
    _ = run(kernel, [Array(tone.prefix(480))])
    kernel.settings = loud
    kernel.settings.bands.append(EqualizerBand(.highPass, frequency: 30))
    #expect(abs(peak(run(kernel, [tone])[0]) - 0.398) < 0.005)
  }

  @Test("the tail says how long it rings")
  func tail() {
    let kernel = EqualizerKernel(
      EqualizerSettings(bands: [EqualizerBand(.resonantLowPass, frequency: 100, bandwidth: 0.5)]))
    kernel.prepare(rate: 48_000, channels: 1)
    #expect((2000..<48_000).contains(kernel.tail))
    _ = run(kernel, [Signals.sine(hertz: 100, rate: 48_000, frames: 9600)])
    let silence = [Float](repeating: 0, count: kernel.tail + 1000)
    #expect(peak(Array(run(kernel, [silence])[0].suffix(1000))) < 1e-4)
  }

  @Test("reset forgets the signal")
  func reset() {
    let kernel = EqualizerKernel(loud)
    kernel.prepare(rate: 48_000, channels: 1)
    let noise = Signals.noise(seed: 3, frames: 1000)
    let first = run(kernel, [noise])[0]
    kernel.reset()
    #expect(difference(run(kernel, [noise])[0], first) == nil)
  }

  @Test(
    "changes from everywhere allocate, free and lock nothing where it renders",
    .enabled(if: AllocationGuard.isAvailable))
  func realtime() {
    let kernel = EqualizerKernel()
    kernel.prepare(rate: 48_000, channels: 2)
    let noise = [Signals.noise(seed: 3, frames: 500), Signals.noise(seed: 4, frames: 500)]
    func rounds(_ count: Int) -> AllocationGuard {
      var counts = AllocationGuard()
      for round in 0..<count {
        kernel.settings = EqualizerSettings(EqualizerPreset.allCases[round % 6])
        if round % 5 == 4 { kernel.change { $0.globalGain = Decibels(Double(round % 7)) } }
        if round % 17 == 16 { kernel.reset() }
        kernel.prepare(rate: round % 50 < 40 ? 48_000 : 44_100, channels: 2)
        _ = run(kernel, noise, rate: round % 50 < 40 ? 48_000 : 44_100, by: 100) { body in counts.watch { body() } }
      }
      return counts
    }
    _ = rounds(20)
    #expect(rounds(200) == AllocationGuard())
  }
}
