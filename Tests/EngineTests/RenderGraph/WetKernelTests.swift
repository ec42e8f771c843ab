import AudioModel
import Foundation
import MartletTestSupport
import RenderGraph
import Testing

/// Reverb, delay and distortion as a graph runs them.
@Suite("Reverb, delay and distortion kernels")
struct WetKernelTests {
  /// A kernel whose settings the tests change without knowing what it is.
  enum Kind: CaseIterable {
    case reverb, delay, distortion

    func make(mix: Double) -> Subject {
      switch self {
      case .reverb:
        let kernel = ReverbKernel(ReverbSettings(preset: .smallRoom, mix: mix))
        return Subject(kernel: kernel, set: { mix in kernel.change { $0.mix = mix } }) { step in
          kernel.change { $0.preset = step % 2 == 0 ? .largeRoom : .smallRoom }
        }
      case .delay:
        let kernel = DelayKernel(DelaySettings(time: 0.05, feedback: 40, mix: mix))
        return Subject(kernel: kernel, set: { mix in kernel.change { $0.mix = mix } }) { step in
          kernel.settings = DelaySettings(
            time: step % 2 == 0 ? 0.08 : 0.05, feedback: step % 2 == 0 ? -30 : 40, mix: kernel.settings.mix,
            cutoff: step % 2 == 0 ? 2000 : 15_000)
        }
      case .distortion:
        let kernel = DistortionKernel(DistortionSettings(preset: .echoTight1, mix: mix, preGain: 0))
        return Subject(kernel: kernel, set: { mix in kernel.change { $0.mix = mix } }) { step in
          kernel.change {
            $0.preset = step % 2 == 0 ? .echo1 : .echoTight1
            $0.preGain = step % 2 == 0 ? -12 : 0
          }
        }
      }
    }
  }

  struct Subject {
    let kernel: any EffectKernel
    let set: (_ mix: Double) -> Void
    let change: (_ step: Int) -> Void
  }

  /// Lets a kernel change planes, in calls of the lengths that `cuts` gives in turn; `before` is told each call's first
  /// frame.
  private func run(
    _ kernel: any EffectKernel, _ planes: [[Float]], rate: Int = 16_000, cuts: [Int] = [500],
    before: (_ frame: Int) -> Void = { _ in }
  ) -> [[Float]] {
    let frames = planes[0].count
    var memory = planes.flatMap { $0 }
    memory.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return }
      var (done, call) = (0, 0)
      while done < frames {
        let count = min(cuts[call % cuts.count], frames - done)
        before(done)
        kernel.process(
          BlockCall(planes: base + done, stride: frames, channels: planes.count, frames: count, rate: rate))
        (done, call) = (done + count, call + 1)
      }
    }
    return planes.indices.map { Array(memory[$0 * frames..<($0 + 1) * frames]) }
  }

  private func noise(_ frames: Int, channels: Int = 2) -> [[Float]] {
    (0..<channels).map { Signals.noise(seed: UInt64($0 + 1), frames: frames) }
  }

  @Test("at a mix of 0 no bit changes, before and after there was another", arguments: Kind.allCases)
  func transparency(kind: Kind) {
    let subject = kind.make(mix: 0)
    let odd: [[Float]] = [[.nan, -0.0, .infinity, .leastNonzeroMagnitude] + noise(4000)[0], noise(4004)[1]]
    // Not even prepared.
    #expect(run(subject.kernel, odd)[0].map(\.bitPattern) == odd[0].map(\.bitPattern))
    subject.kernel.prepare(rate: 16_000, channels: 2)
    #expect(run(subject.kernel, odd)[0].map(\.bitPattern) == odd[0].map(\.bitPattern))
    #expect(subject.kernel.tail == 0)
    subject.set(70)
    #expect(subject.kernel.tail > 0)
    #expect(difference(run(subject.kernel, noise(2000))[0], noise(2000)[0]) != nil)
    subject.set(0)
    // 20 ms, in which it moves.
    let output = run(subject.kernel, noise(4000))
    #expect(difference(output[0], noise(4000)[0]) != nil)
    #expect(difference(Array(output[0][321...]), Array(noise(4000)[0][321...])) == nil)
  }

  @Test("mix and settings change without clicks: nothing above −60 dB beside a tone", arguments: Kind.allCases)
  func clicks(kind: Kind) {
    let rate = 16_000
    let subject = kind.make(mix: 100)
    subject.kernel.prepare(rate: rate, channels: 1)
    let tone = Signals.sine(hertz: 1000, rate: rate, frames: 3 * rate, amplitude: 0.25)
    let output = run(subject.kernel, [tone]) { frame in
      switch frame {
      case 20_000: subject.change(0)
      case 26_000: subject.set(30)
      case 31_000: subject.change(1)
      case 40_000: subject.set(0)
      default: break
      }
    }[0]
    #expect(outside(1000, output[12_000...], rate: rate) < -60)
  }

  /// The strongest of the tones 250 Hz and more beside a tone, in decibels below it.
  private func outside(_ hertz: Double, _ signal: ArraySlice<Float>, rate: Int) -> Double {
    let frames = signal.count
    // A window that has fallen by 100 dB four bins from its middle (Blackman and Harris).
    let windowed = signal.enumerated().map { index, sample -> Double in
      let angle = 2 * Double.pi * Double(index) / Double(frames)
      return Double(sample) * (0.35875 - 0.48829 * cos(angle) + 0.14128 * cos(2 * angle) - 0.01168 * cos(3 * angle))
    }
    func power(_ bin: Int) -> Double {
      let factor = 2 * cos(2 * Double.pi * Double(bin) / Double(frames))
      var (last, before) = (0.0, 0.0)
      for sample in windowed { (last, before) = (sample + factor * last - before, last) }
      return last * last + before * before - factor * last * before
    }
    let center = Int(hertz * Double(frames) / Double(rate))
    let top = (center - 3...center + 3).map(power).max() ?? 0
    let far = Int(250 * Double(frames) / Double(rate))
    // Clicks are everywhere: a few hundred places are enough to find them.
    let places = stride(from: 40, to: frames / 2, by: frames / 600).filter { abs($0 - center) > far }
    return 10 * log10((places.map(power).max() ?? 0) / top)
  }

  @Test("the same bits however calls are cut, with changes at the same frames", arguments: Kind.allCases)
  func cuts(kind: Kind) {
    func render(_ cuts: [Int]) -> [[Float]] {
      let subject = kind.make(mix: 50)
      subject.kernel.prepare(rate: 16_000, channels: 2)
      let gap = [Float](repeating: 0, count: 12_000)
      return run(subject.kernel, noise(6000).map { $0 + gap + $0 }, cuts: cuts) { frame in
        switch frame {
        case 1000: subject.change(0)
        case 1200: subject.set(20)
        case 3000: subject.change(1)
        case 4000: subject.set(0)
        case 5000: subject.set(80)
        default: break
        }
      }
    }
    let whole = render([1000, 200, 1800, 1000, 1000, 1 << 20])
    for cuts in [[1], [200], [250, 750, 199, 1, 800, 1000, 64, 936, 1000, 3, 511]] {
      let parts = render(cuts)
      for channel in 0..<2 { #expect(difference(parts[channel], whole[channel]) == nil, "\(cuts)") }
    }
  }

  @Test("the tail is as long as it says, and a reset ends it", arguments: Kind.allCases)
  func tail(kind: Kind) {
    let subject = kind.make(mix: 100)
    subject.kernel.prepare(rate: 16_000, channels: 1)
    let tail = subject.kernel.tail
    #expect(tail > 1000)
    let silence = [Float](repeating: 0, count: tail + 100)
    let output = run(subject.kernel, [noise(3000)[0] + silence])[0]
    #expect(output.suffix(100).allSatisfy { $0 == 0 })
    #expect(output.suffix(200).contains { $0 != 0 })
    #expect(output.suffix(700).allSatisfy { $0.magnitude < 0.000_1 })
    #expect(output[3000...].prefix(tail / 3).contains { $0.magnitude > 0.001 })
    _ = run(subject.kernel, noise(3000, channels: 1))
    subject.kernel.reset()
    #expect(run(subject.kernel, [silence])[0].allSatisfy { $0 == 0 })
  }

  @Test("another format comes with its first call; the one before passes as it came", arguments: Kind.allCases)
  func formats(kind: Kind) {
    let subject = kind.make(mix: 100)
    subject.kernel.prepare(rate: 16_000, channels: 1)
    let mono = noise(3000, channels: 1)
    #expect(difference(run(subject.kernel, mono)[0], mono[0]) != nil)
    subject.kernel.prepare(rate: 48_000, channels: 3)
    // Still the plan before.
    #expect(difference(run(subject.kernel, mono)[0], mono[0]) != nil)
    let three = noise(9000, channels: 3)
    let output = run(subject.kernel, three, rate: 48_000)
    for channel in 0..<3 { #expect(difference(output[channel], three[channel]) != nil) }
    #expect(difference(run(subject.kernel, mono)[0], mono[0]) == nil)
    subject.kernel.prepare(rate: 48_000, channels: 3)
    #expect(difference(run(subject.kernel, three, rate: 48_000)[0], three[0]) != nil)
  }

  @Test(
    "10 000 calls with all settings changing allocate, free and lock nothing",
    .enabled(if: AllocationGuard.isAvailable, "a sanitizer holds the allocator"), arguments: Kind.allCases)
  func realtime(kind: Kind) {
    let subject = kind.make(mix: 50)
    subject.kernel.prepare(rate: 8000, channels: 2)
    var memory = Signals.noise(seed: 3, frames: 64)
    memory.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return }
      func calls(_ count: Int) -> AllocationGuard {
        var counts = AllocationGuard()
        for index in 0..<count {
          switch index % 60 {
          case 7: subject.change(index / 60)
          case 20: subject.set(Double(index % 101))
          case 40 where index % 3 == 0: subject.kernel.reset()
          case 50 where index % 7 == 0: subject.kernel.prepare(rate: index % 2 == 0 ? 8000 : 11_025, channels: 2)
          default: break
          }
          for sample in 0..<64 { base[sample] = Float(sample % 7) / 20 - 0.15 }
          let call = BlockCall(planes: base, stride: 32, channels: 2, frames: 1 + index % 32, rate: 8000)
          counts.watch { subject.kernel.process(call) }
        }
        return counts
      }
      _ = calls(500)
      #expect(calls(10_000) == AllocationGuard())
    }
  }

  @Test("settings are clamped, and an endless delay has a tail of a minute")
  func settings() {
    let reverb = ReverbKernel(ReverbSettings(preset: .plate, mix: 900))
    #expect(reverb.settings == ReverbSettings(preset: .plate, mix: 100))
    let distortion = DistortionKernel(DistortionSettings(preset: .waves, mix: -3, preGain: 90))
    #expect(distortion.settings == DistortionSettings(preset: .waves, mix: 0, preGain: 20))
    let delay = DelayKernel(DelaySettings(time: 7, feedback: 180, mix: 40, cutoff: 3))
    #expect(delay.settings == DelaySettings(time: 2, feedback: 100, mix: 40, cutoff: 10))
    delay.prepare(rate: 16_000, channels: 1)
    #expect(delay.tail == 60 * 16_000)
    for kernel in [reverb, distortion, delay] as [any EffectKernel] { #expect(kernel.latency == 0) }
  }
}
