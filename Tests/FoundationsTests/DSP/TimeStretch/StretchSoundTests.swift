import AudioModel
import DSP
import Glibc
import Testing

/// What stretched sound sounds like: tones, changes, strokes.
@Suite("Time-stretching: sound") struct StretchSoundTests {
  private typealias Signals = StretchSignals

  @Test("a tone keeps its pitch, and nothing comes to it", arguments: [0.6, 0.9, 1.25, 1.9])
  func tone(rate: Double) {
    for (algorithm, hertz, least) in [
      (StretchAlgorithm.music, 440.0, 60.0), (.music, 3100, 60), (.speech, 210, 60),
    ] {
      let run = StretchRun([Signals.tone(44_100, hertz: hertz)], StretchRun.Setting(rate: rate, algorithm: algorithm))
      let purity = Signals.purity(run.output[0][6000..<16_000], hertz: hertz)
      #expect(purity > least, "\(algorithm), \(hertz) Hz")
    }
  }

  @Test("a varispeed's tone moves with the rate", arguments: [0.25, 0.6, 1.01, 1.9, 4, 20])
  func varispeed(rate: Double) {
    let frames = Int(12_000 * rate) + 4000
    let run = StretchRun([Signals.tone(frames, hertz: 440)], StretchRun.Setting(rate: rate, algorithm: .varispeed))
    let purity = Signals.purity(run.output[0][2000..<10_000], hertz: 440 * rate)
    #expect(purity > 80)
  }

  @Test("what a varispeed lifts above half the rate is gone, not folded")
  func folding() {
    let run = StretchRun([Signals.tone(40_000, hertz: 15_000)], StretchRun.Setting(rate: 3, algorithm: .varispeed))
    let greatest = run.output[0][1000..<11_000].reduce(0) { max($0, abs($1)) }
    #expect(greatest < 0.5 * 1e-4)
  }

  @Test("a pitch moves the tone and leaves the time", arguments: [-2400.0, -300, 50, 700, 2400])
  func pitch(cents: Double) {
    for rate in [1, 1.3] {
      let run = StretchRun([Signals.tone(44_100, hertz: 440)], StretchRun.Setting(rate: rate, cents: cents))
      let purity = Signals.purity(run.output[0][8000..<20_000], hertz: 440 * exp2(cents / 1200))
      #expect(purity > 60, "rate \(rate)")
      #expect(run.frames == Int((44_100 / rate).rounded()))
    }
  }

  @Test("channels keep their phases to each other", arguments: [StretchAlgorithm.music, .speech])
  func channels(algorithm: StretchAlgorithm) {
    let left = Signals.tone(30_000, hertz: 440)
    let right = left.map { -0.25 * $0 }
    let run = StretchRun([left, right], StretchRun.Setting(rate: 1.2, algorithm: algorithm))
    let off = zip(run.output[0], run.output[1]).reduce(Float(0)) { max($0, abs($1.0 * -0.25 - $1.1)) }
    #expect(off < 1e-5)
  }

  struct Change: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var algorithm: StretchAlgorithm
    var settings: [(rate: Double, cents: Double)]
  }

  @Test(
    "changes of rate and pitch leave nothing above 2.5 kHz beside a tone",
    arguments: [
      Change(testDescription: "rate, music", algorithm: .music, settings: [(1, 0), (1.5, 0), (0.7, 0), (1, 0)]),
      Change(testDescription: "pitch, music", algorithm: .music, settings: [(1, 0), (1, 300), (1, -400), (1, 0)]),
      Change(testDescription: "both, music", algorithm: .music, settings: [(1.2, 0), (0.8, 300), (1.2, -200)]),
      Change(testDescription: "varispeed", algorithm: .varispeed, settings: [(1, 0), (1.5, 0), (0.5, 0), (1, 0)]),
    ])
  func changes(change: Change) {
    func setting(_ index: Int) -> StretchRun.Setting {
      let (rate, cents) = change.settings[index % change.settings.count]
      return StretchRun.Setting(rate: rate, cents: cents, algorithm: change.algorithm)
    }
    var step = 0
    let run = StretchRun([Signals.tone(66_150, hertz: 440)], setting(0)) { frame in
      guard frame >= (step + 1) * 6144 else { return nil }
      step += 1
      return setting(step)
    }
    #expect(step >= 6)
    // The tone's own end is a step.
    let roughness = Signals.roughness(Array(run.output[0][6000..<min(run.frames - 6000, 42_000)]))
    #expect(roughness < 0.5e-3, "\(20 * log10(roughness / 0.5)) dB")
  }

  @Test("a stroke in silence stays one stroke, in its place, with nothing before it", arguments: [0.5, 0.8, 1.3, 2])
  func stroke(rate: Double) throws {
    for algorithm in [StretchAlgorithm.music, .speech] {
      let place = 22_050
      var input = [Float](repeating: 0, count: 44_100)
      for frame in 0..<2000 {
        input[place + frame] = Float(0.7 * sin(0.3 * Double(frame) + 1) * exp(-Double(frame) / 300))
      }
      let run = StretchRun([input], StretchRun.Setting(rate: rate, algorithm: algorithm))
      let heard = Signals.strokes(run.output[0], above: 0.3)
      #expect(heard.count == 1, "\(algorithm): \(heard)")
      let first = try #require(heard.first)
      let off = abs(Double(first) * rate - Double(place))
      #expect(off < (algorithm == .music ? 44 : 700), "\(algorithm): \(off) frames off")
      // 2 ms before it, at most 50 dB below it, and before that nothing.
      let before = run.output[0][..<(first - 2)].reduce(Float(0)) { max($0, abs($1)) }
      #expect(before < 0.7e-2, "\(algorithm)")
    }
  }

  @Test("silence stays silent", arguments: StretchAlgorithm.allCases)
  func silence(algorithm: StretchAlgorithm) {
    let run = StretchRun(
      [[Float](repeating: 0, count: 20_000)], StretchRun.Setting(rate: 1.3, cents: 100, algorithm: algorithm))
    #expect(run.output[0].allSatisfy { $0 == 0 })
  }
}
