import AudioModel
import DSP
import Glibc
import Testing

/// How much comes out, and which frame of the source it is.
@Suite("Time-stretching: lengths and positions") struct StretchLengthTests {
  private static let rates = [1.0 / 32, 0.25, 0.5, 0.77, 1, 1.01, 1.5, 2, 3.3, 8, 32]

  @Test("frames / rate come out, rounded", arguments: StretchAlgorithm.allCases)
  func length(algorithm: StretchAlgorithm) {
    for rate in Self.rates {
      for cents in algorithm == .varispeed ? [0] : [-2400.0, 0, 700, 2400] {
        for frames in rate < 0.3 ? [0, 1, 300] : [0, 1, 15, 701, 3000] {
          let run = StretchRun(
            [StretchSignals.noise(frames)], hertz: 8000,
            StretchRun.Setting(rate: rate, cents: cents, algorithm: algorithm))
          let wanted = (Double(frames) / rate).rounded()
          #expect(Double(run.frames) == wanted, "\(frames) frames, rate \(rate), \(cents) cents")
        }
      }
    }
  }

  @Test("at rate 1 and pitch 0 every bit passes", arguments: StretchAlgorithm.allCases)
  func transparent(algorithm: StretchAlgorithm) {
    let input = [StretchSignals.noise(5000), StretchSignals.noise(5000, seed: 7)]
    let run = StretchRun(input, StretchRun.Setting(algorithm: algorithm), pull: [256, 1, 77])
    for channel in 0..<2 {
      #expect(StretchSignals.difference(run.output[channel], input[channel]) == nil)
    }
  }

  @Test(
    "back at rate 1 and pitch 0 frames are copies again",
    arguments: [
      (StretchAlgorithm.music, 1.37, 0.0), (.music, 0.7, 0), (.speech, 0.7, 0), (.varispeed, 1.3, 0),
      (.music, 1, 300),
    ])
  func thereAndBack(algorithm: StretchAlgorithm, rate: Double, cents: Double) throws {
    let input = StretchSignals.noise(40_000)
    let run = StretchRun([input], StretchRun.Setting(algorithm: algorithm)) { frame in
      switch frame {
      case 2560: StretchRun.Setting(rate: rate, cents: cents, algorithm: algorithm)
      case 7680: StretchRun.Setting(algorithm: algorithm)
      default: nil
      }
    }
    #expect(StretchSignals.difference(run.output[0].prefix(2560), input.prefix(2560)) == nil)
    // The end is the source's: whatever frame is told of the last ones, it is that frame.
    let tail = 20_000
    let media = run.media(at: run.frames - tail)
    #expect(abs(media.rounded() - media) < 1e-6 || algorithm == .music || algorithm == .speech)
    let first = try #require(
      [Int(floor(media)), Int(floor(media)) + 1].first { frame in
        frame + 100 <= input.count
          && run.output[0][run.frames - tail..<run.frames - tail + 100].elementsEqual(input[frame..<frame + 100])
      })
    #expect(abs(Double(first) - media) <= 0.5 + 1e-6)
    let rest = input[first...]
    #expect(StretchSignals.difference(run.output[0].suffix(tail).prefix(rest.count), rest.prefix(tail)) == nil)
    #expect(abs(run.media(at: run.frames) - Double(input.count)) <= 0.5 + 1e-6)
  }

  @Test("how calls are cut makes no difference", arguments: StretchAlgorithm.allCases)
  func cuts(algorithm: StretchAlgorithm) {
    let input = (0..<2).map { StretchSignals.noise(4000, seed: UInt32($0 + 1)) }
    for (rate, cents) in [(1.4, 0.0), (0.6, 0), (1, 400), (1.25, -500)] {
      let setting = StretchRun.Setting(rate: rate, cents: cents, algorithm: algorithm)
      let whole = StretchRun(input, hertz: 11_025, setting)
      for (pull, push) in [([1], 4096), ([13, 256, 1, 101], 4096), ([256], 37), ([99], 1000)] {
        let cut = StretchRun(input, hertz: 11_025, setting, pull: pull, push: push)
        for channel in 0..<2 {
          #expect(
            StretchSignals.difference(cut.output[channel], whole.output[channel]) == nil,
            "rate \(rate), \(cents) cents, pulled by \(pull), pushed by \(push)")
        }
      }
    }
  }

  @Test(
    "with rates that change five times a second, strokes are heard where positions say",
    arguments: [
      StretchAlgorithm.music, .varispeed,
    ])
  func ruler(algorithm: StretchAlgorithm) {
    let frames = 4 * 44_100
    let rates = [1.0, 1.6, 0.7, 2, 1.15, 0.5, 1, 1.9]
    var step = 0
    let run = StretchRun(
      [StretchSignals.clicks(frames, each: 4410)], StretchRun.Setting(rate: 1.3, algorithm: algorithm), pull: [64]
    ) { frame in
      guard frame >= (step + 1) * 8820 else { return nil }
      step += 1
      return StretchRun.Setting(rate: rates[step % rates.count], algorithm: algorithm)
    }
    let heard = StretchSignals.strokes(run.output[0])
    #expect(heard.count == 40)
    for (number, frame) in heard.enumerated() {
      let media = run.media(at: frame)
      #expect(abs(media - Double(2205 + number * 4410)) < 44, "stroke \(number) at \(frame), media \(media)")
    }
    let rest = Double(frames) - run.media(at: run.frames)
    #expect(abs(rest) <= 1.01, "\(rest) frames of the source are left")
  }

  @Test("reset forgets", arguments: [StretchAlgorithm.music, .speech, .varispeed])
  func reset(algorithm: StretchAlgorithm) {
    let setting = StretchRun.Setting(rate: 1.3, cents: algorithm == .varispeed ? 0 : 200, algorithm: algorithm)
    let input = [StretchSignals.noise(6000, seed: 3)]
    let fresh = StretchRun(input, hertz: 22_050, setting)
    let used = StretchRun(
      [StretchSignals.tone(9000, hertz: 300, rate: 22_050, amplitude: 1)], hertz: 22_050,
      StretchRun.Setting(rate: 0.8, algorithm: .speech))
    used.stretcher.reset()
    #expect(used.stretcher.mediaPosition == 0)
    #expect(used.stretcher.pushedFrames == 0)
    let again = StretchRun(input, hertz: 22_050, setting, stretcher: used.stretcher)
    #expect(StretchSignals.difference(again.output[0], fresh.output[0]) == nil)
  }

  @Test("looking ahead is bounded by what is told", arguments: StretchAlgorithm.allCases)
  func lookAhead(algorithm: StretchAlgorithm) throws {
    for rate in [0.5, 0.99, 1.01, 1.7, 2, 3, 8] {
      let stretcher = TimeStretcher(rate: try #require(SampleRate(hertz: 44_100)), channels: 1)
      stretcher.set(rate: rate, pitchRatio: 1, algorithm: algorithm)
      let input = StretchSignals.noise(120_000)
      var block = [Float](repeating: 0, count: 256)
      var (fed, most) = (0, 0)
      for _ in 0..<30 {
        while case let wanted = stretcher.wanted(for: 256), wanted > 0 {
          input.withUnsafeBufferPointer { stretcher.push($0.baseAddress! + fed, stride: input.count, count: wanted) }
          fed += wanted
        }
        block.withUnsafeMutableBufferPointer {
          #expect(stretcher.pull(into: $0.baseAddress!, stride: 256, count: 256) == 256)
        }
        most = max(most, stretcher.lookAhead)
      }
      let told = TimeStretcher.latency(of: algorithm, rate: rate) * 44_100
      // Noise counts as speech until it has been heard for a while.
      #expect(
        Double(most) <= told && (algorithm == .automatic || Double(most) > told * 0.75),
        "\(algorithm) at rate \(rate): \(most) frames, told \(told)")
      #expect(stretcher.pushedFrames == Int64(fed))
    }
  }
}
