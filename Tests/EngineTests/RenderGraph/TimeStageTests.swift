import AudioModel
import MartletTestSupport
import RenderGraph
import Synchronization
import Testing

/// A node of a graph that lets time pass at another speed.
@Suite("Time stage") struct TimeStageTests {
  /// A signal through a stage to the output.
  private final class Rig {
    let stage = TimeStage()
    let pulled: Count
    let fixture: GraphFixture

    final class Count: Sendable {
      let frames = Atomic<Int64>(0)
    }

    init(_ settings: TimePitchSettings = TimePitchSettings(), channels: Int = 1, hertz: Double = 441) {
      let (format, output, pulled) = (GraphFixture.format(44_100, channels), OutputNode(), Count())
      self.pulled = pulled
      let source = GraphFixture.source { frame, channel in
        if channel == 0 { pulled.frames.store(frame + 1, ordering: .relaxed) }
        return Float(0.5 * Waves.sine(hertz * Double(frame) / 44_100))
      }
      stage.settings = settings
      fixture = GraphFixture(
        output, format,
        [
          GraphConnection(from: source, to: stage, bus: 0, format: format),
          GraphConnection(from: stage, to: output, bus: 0, format: format),
        ])
    }
  }

  @Test("the input passes as fast as the rate says", arguments: [(2.0, 0.0), (0.5, 0), (1, 300), (1.3, -700)])
  func counts(rate: Double, pitch: Double) {
    for algorithm in StretchAlgorithm.allCases where pitch == 0 || algorithm != .varispeed {
      let rig = Rig(TimePitchSettings(rate: rate, pitch: pitch, algorithm: algorithm))
      _ = rig.fixture.render(4410)
      let before = rig.pulled.frames.load(ordering: .relaxed)
      _ = rig.fixture.render(22_050)
      let passed = Double(rig.pulled.frames.load(ordering: .relaxed) - before)
      // Blocks are pulled whole; where speech turns out to be music more is read ahead.
      #expect(abs(passed - 22_050 * rate) < (algorithm == .automatic ? 6144 : 2048), "\(algorithm): \(passed)")
      let ahead = Double(before) - 4410 * rate
      #expect(
        ahead >= 0 && ahead <= rig.stage.latency * 44_100 * (pitch == 0 ? 1 : 2) + 512, "\(algorithm): \(ahead)")
    }
  }

  @Test("a stage that changes nothing lets every bit pass, and pulls nothing ahead but a block")
  func transparent() {
    let (rig, plain) = (Rig(), Rig())
    plain.stage.isBypassed = true
    plain.stage.settings = TimePitchSettings(rate: 2, pitch: 100)
    let wanted = (0..<10_000).map { Float(0.5 * Waves.sine(441 * Double($0) / 44_100)) }
    #expect(difference(rig.fixture.render(10_000, by: 333), wanted) == nil)
    #expect(difference(plain.fixture.render(10_000, by: 512), wanted) == nil)
    #expect(rig.stage.latency == 0 && plain.stage.latency == 0)
    #expect(rig.pulled.frames.load(ordering: .relaxed) <= 10_000 + 1024)
  }

  @Test("how calls are cut makes no difference", arguments: StretchAlgorithm.allCases)
  func cuts(algorithm: StretchAlgorithm) {
    let settings = TimePitchSettings(rate: 1.3, pitch: algorithm == .varispeed ? 0 : 200, algorithm: algorithm)
    let whole = Rig(settings, channels: 2).fixture.render(6000, by: 512, channel: 1)
    for part in [1, 100, 511] {
      #expect(difference(Rig(settings, channels: 2).fixture.render(6000, by: part, channel: 1), whole) == nil)
    }
  }

  @Test("changes are heard without a step, and reset begins anew")
  func changes() {
    let rig = Rig(TimePitchSettings(algorithm: .music))
    var heard: [Float] = []
    for (rate, pitch) in [(1.0, 0.0), (1.5, 0), (0.7, 0), (0.7, 300), (1, 0), (2, -300), (1, 0)] {
      rig.stage.settings = TimePitchSettings(rate: rate, pitch: pitch, algorithm: .music)
      heard += rig.fixture.render(6000)
    }
    // The steepest step of the tone, a third higher: 0.5 · 2π · 441 · 1.19 / 44 100.
    #expect(greatestStep(heard) < 0.039)
    rig.stage.reset()
    rig.stage.settings = TimePitchSettings(rate: 3)
    #expect(rig.fixture.render(4410).allSatisfy { abs($0) <= 0.6 })
    rig.stage.settings = TimePitchSettings(rate: .nan, pitch: .infinity)
    #expect(rig.stage.settings.rate == 1)
  }

  @Test(
    "10 000 calls under every change allocate, free and lock nothing",
    .enabled(if: AllocationGuard.isAvailable, "a sanitizer holds the allocator"))
  func realtime() {
    let rig = Rig(channels: 2)
    var samples = [Float](repeating: 0, count: 2 * 512)
    var counts = AllocationGuard()
    func run(_ calls: Int) {
      for call in 0..<calls {
        if call % 5 == 0 {
          rig.stage.settings = TimePitchSettings(
            rate: [1, 1.5, 0.5, 3, 1][call / 5 % 5], pitch: [0, 300, 0, -500][call / 25 % 4],
            algorithm: StretchAlgorithm.allCases[call / 100 % 4])
        }
        if call % 97 == 0 { rig.stage.isBypassed.toggle() }
        if call % 501 == 0 { rig.stage.reset() }
        if call % 60 == 0 { rig.stage.windows = 4 + call / 60 % 13 }
        samples.withUnsafeMutableBufferPointer { samples in
          guard let base = samples.baseAddress else { return }
          counts.watch { _ = rig.fixture.renderer.render(base, frames: 1 + call % 24) }
        }
      }
    }
    // The first use of each path makes its metadata.
    run(600)
    counts = AllocationGuard()
    run(10_000)
    #expect(counts == AllocationGuard())
  }
}
