import AudioModel
import DSP
import Glibc
import Testing

/// What nobody should send through a stretcher, and comes all the same.
@Suite("Time-stretching: hostile") struct StretchHostileTests {
  private typealias Signals = StretchSignals

  @Test("whatever is changed in each call, lengths agree with positions", arguments: [1, 2, 3])
  func changes(seed: UInt32) {
    for hertz in [8000, 22_050] {
      var random = StretchRandom(seed &* 7919)
      let input = Signals.noise(60_000, seed: seed)
      var calls = 0
      var frames = 0
      let run = StretchRun(
        [input], hertz: hertz, StretchRun.Setting(), pull: [256, 1, 33, 5, 200], push: 997
      ) { _ in
        calls += 1
        if calls % 3 == 1 { return nil }
        let algorithm = StretchAlgorithm.allCases[Int(random.next() * 4)]
        let rate = random.next() < 0.2 ? 1 : exp2(random.next() * 10 - 5)
        let cents = random.next() < 0.4 ? 0 : (random.next() * 4800 - 2400).rounded()
        return StretchRun.Setting(rate: rate, cents: cents, algorithm: algorithm)
      }
      frames = run.frames
      #expect(calls > 50)
      let places = zip(run.places, run.places.dropFirst())
      #expect(places.allSatisfy { $0.media <= $1.media + 1e-6 }, "the source never goes back")
      let last = run.media(at: frames)
      #expect(abs(last - Double(input.count)) <= run.stretcher.mediaSpeed / 2 + 33, "\(last)")
      #expect(run.output[0].allSatisfy { abs($0) < 8 })
    }
  }

  @Test("numbers that are none pass as such, and are forgotten", arguments: StretchAlgorithm.allCases)
  func notNumbers(algorithm: StretchAlgorithm) {
    for bad in [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
      for (rate, cents) in [(1.0, 0.0), (1.3, 0), (0.6, 300), (6, 0), (1, -200)] {
        var input = Signals.noise(40_000)
        for frame in 10_000..<10_200 where frame % 3 == 0 { input[frame] = bad }
        let run = StretchRun(
          [input], hertz: 22_050, StretchRun.Setting(rate: rate, cents: cents, algorithm: algorithm))
        #expect(run.frames == Int((40_000 / rate).rounded()))
        // 200 ms behind it all is well, whatever was in it.
        let clean = run.output[0].dropFirst(Int(10_200 / rate) + 4410)
        #expect(clean.allSatisfy { abs($0) < 4 }, "\(bad), rate \(rate), \(cents) cents")
        #expect(clean.contains { abs($0) > 0.01 }, "\(bad), rate \(rate), \(cents) cents: silence")
      }
    }
  }

  @Test("any rate and number of channels", arguments: [(8, 8000), (1, 8000), (1, 192_000), (6, 44_100)])
  func formats(channels: Int, hertz: Int) {
    let input = (0..<channels).map { Signals.noise(hertz / 20, seed: UInt32($0 + 1)) }
    for algorithm in StretchAlgorithm.allCases {
      for rate in [0.7, 1.6] {
        let run = StretchRun(input, hertz: hertz, StretchRun.Setting(rate: rate, cents: 100, algorithm: algorithm))
        #expect(run.frames == Int((Double(hertz / 20) / rate).rounded()))
        for plane in run.output { #expect(plane.contains { abs($0) > 0.1 } && plane.allSatisfy { abs($0) < 2 }) }
      }
    }
  }

  @Test("after the end nothing comes, and what is pushed then is not heard")
  func afterTheEnd() throws {
    let run = StretchRun([Signals.noise(1000)], StretchRun.Setting(rate: 1.5))
    let stretcher = run.stretcher
    let more = [Float](repeating: 1, count: 512)
    more.withUnsafeBufferPointer { stretcher.push($0.baseAddress!, stride: 512, count: 512) }
    stretcher.finish()
    #expect(stretcher.pushedFrames == 1000)
    #expect(stretcher.wanted(for: 256) == 0)
    var block = [Float](repeating: 0, count: 256)
    block.withUnsafeMutableBufferPointer {
      #expect(stretcher.pull(into: $0.baseAddress!, stride: 256, count: 256) == 0)
    }
  }
}
