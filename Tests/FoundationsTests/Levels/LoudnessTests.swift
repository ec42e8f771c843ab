import AudioModel
import DSP
import Glibc
import MartletTestSupport
import Testing
import Transforms

/// EBU Tech 3341 (loudness) and 3342 (range), by signals made after their tables. Cases 7 and 8 of both are recordings.
@Suite("Loudness")
struct LoudnessTests {
  /// Seconds of a tone of 1 kHz, and its level in each channel, in decibels of full scale.
  struct Part: Sendable {
    var seconds: Double
    var levels: [Double]

    init(_ seconds: Double, _ level: Double) { self.init(seconds, [level, level]) }
    init(_ seconds: Double, _ levels: [Double]) { (self.seconds, self.levels) = (seconds, levels) }
  }

  private static let rate = 48_000
  private let tone = Signals.sine(hertz: 1000, rate: rate, frames: rate / 10, amplitude: 1)

  /// Adds tones to whatever measures; they are whole periods long.
  private func play(_ parts: [Part], add: (PCMBlock, Range<Int>) -> Void) {
    for part in parts {
      let block = PCMBlock(channels: part.levels.count, capacity: tone.count)
      block.advance(tone.count)
      for (channel, level) in part.levels.enumerated() {
        let factor = Float(amplitude(level))
        let plane = block.plane(channel)
        for frame in tone.indices { plane[frame] = factor * tone[frame] }
      }
      var left = Int((part.seconds * Double(Self.rate)).rounded())
      while left > 0 {
        let count = min(left, tone.count)
        add(block, 0..<count)
        left -= count
      }
    }
  }

  private func meter(_ parts: [Part], layout: ChannelLayout = .stereo, isDualMono: Bool = false) -> LoudnessMeter {
    let meter = LoudnessMeter(format: PCMFormat(sampleRate: .studio, layout: layout), isDualMono: isDualMono)
    play(parts) { meter.add($0, $1) }
    return meter
  }

  @Test("Tech 3341, cases 1 and 2: a steady tone reads its level on every scale", arguments: [-23.0, -33])
  func steady(level: Double) throws {
    let meter = meter([Part(20, level)])
    #expect(abs(try #require(meter.momentary) - level) < 0.1)
    #expect(abs(try #require(meter.shortTerm) - level) < 0.1)
    #expect(abs(try #require(meter.integrated) - level) < 0.1)
  }

  @Test(
    "Tech 3341, cases 3 to 5: what is soft does not count in the whole",
    arguments: [
      [Part(10, -36), Part(60, -23), Part(10, -36)],
      [Part(10, -72), Part(10, -36), Part(60, -23), Part(10, -36), Part(10, -72)],
      [Part(20, -26), Part(20.1, -20), Part(20, -26)],
    ])
  func gated(parts: [Part]) throws {
    #expect(abs(try #require(meter(parts).integrated) + 23) < 0.1)
  }

  @Test("Tech 3341, case 6: surrounds count 1.5 dB more")
  func surround() throws {
    let layout = try #require(ChannelLayout(count: 5))
    let meter = meter([Part(20, [-28, -28, -24, -30, -30])], layout: layout)
    #expect(abs(try #require(meter.integrated) + 23) < 0.1)
  }

  @Test("Tech 3341, case 9: the short-term loudness of a pattern as long as its window stands still")
  func shortTerm() throws {
    let meter = LoudnessMeter(format: PCMFormat(sampleRate: .studio, layout: .stereo))
    var (heard, readings) = (0, [Double]())
    for _ in 0..<5 {
      play([Part(1.34, -20), Part(1.66, -30)]) { block, range in
        meter.add(block, range)
        heard += range.count
        if heard > 3 * Self.rate, let loudness = meter.shortTerm { readings.append(loudness) }
      }
    }
    #expect(readings.count > 100)
    #expect(readings.allSatisfy { abs($0 + 23) < 0.1 })
  }

  @Test("Tech 3341, case 12: so does the momentary loudness")
  func momentary() throws {
    let meter = LoudnessMeter(format: PCMFormat(sampleRate: .studio, layout: .stereo))
    var (heard, readings) = (0, [Double]())
    for _ in 0..<25 {
      play([Part(0.18, -20), Part(0.22, -30)]) { block, range in
        meter.add(block, range)
        heard += range.count
        if heard > Self.rate, let loudness = meter.momentary { readings.append(loudness) }
      }
    }
    #expect(readings.count > 80)
    #expect(readings.allSatisfy { abs($0 + 23) < 0.1 })
  }

  @Test(
    "Tech 3342, cases 1 to 4: the range of steps, within 1 LU",
    arguments: [
      (levels: [-20.0, -30], range: 10.0), (levels: [-20, -15], range: 5), (levels: [-40, -20], range: 20),
      (levels: [-50, -35, -20, -35, -50], range: 15),
    ] as [(levels: [Double], range: Double)])
  func range(levels: [Double], range: Double) throws {
    let meter = meter(levels.map { Part(20, $0) })
    #expect(abs(try #require(meter.range) - range) < 1)
  }

  @Test("the low-frequency channel counts for nothing, mono once or twice")
  func weights() throws {
    let surround = try #require(ChannelLayout(count: 6))
    let silent = -200.0
    #expect(meter([Part(1, [silent, silent, silent, -6, silent, silent])], layout: surround).integrated == nil)
    let once = try #require(meter([Part(1, [-20])], layout: .mono).integrated)
    let twice = try #require(meter([Part(1, [-20])], layout: .mono, isDualMono: true).integrated)
    #expect(abs(once + 23) < 0.1)
    #expect(abs(twice + 20) < 0.1)
  }

  @Test("silence, numbers that are none, and rates without a filter have no loudness")
  func nothing() throws {
    #expect(meter([Part(4, -100)]).integrated == nil)
    #expect(meter([Part(4, -100)]).range == nil)
    let slow = LoudnessMeter(format: PCMFormat(sampleRate: try #require(SampleRate(hertz: 2000)), layout: .stereo))
    play([Part(1, -20)]) { slow.add($0, $1) }
    #expect(slow.integrated == nil && slow.momentary == nil && slow.shortTerm == nil && slow.range == nil)
    let meter = LoudnessMeter(format: PCMFormat(sampleRate: .studio, layout: .stereo))
    let block = PCMBlock(channels: 2, capacity: 100)
    block.appendSilence(100)
    block.plane(0)[3] = .nan
    block.plane(1)[4] = .infinity
    meter.add(block, 0..<100)
    play([Part(1, -23)]) { meter.add($0, $1) }
    #expect(abs(try #require(meter.integrated) + 23) < 0.1)
  }

  @Test("a whole programme, and two as one")
  func analysis() throws {
    let format = PCMFormat(sampleRate: .studio, layout: .stereo)
    let programmes = [-20.0, -26].map { level in
      let analysis = LoudnessAnalysis(format: format)
      play([Part(4, level)]) { analysis.add($0, $1) }
      return analysis
    }
    let measurements = programmes.map { $0.finish() }
    #expect(abs(try #require(measurements[0].integrated) + 20) < 0.1)
    #expect(abs(measurements[0].truePeak.value + 20) < 0.05)
    #expect(abs(try #require(measurements[1].integrated) + 26) < 0.1)
    // The mean of the powers: −22.03 LUFS.
    #expect(abs(try #require(LoudnessAnalysis.integrated(of: programmes)) + 22.03) < 0.1)
    #expect(LoudnessAnalysis(format: format).finish() == LoudnessMeasurement(integrated: nil, truePeak: .silence))
  }

  @Test(
    "measuring takes no memory once a meter is made",
    .enabled(if: AllocationGuard.isAvailable, "a sanitizer holds the allocator"))
  func memory() {
    let meter = LoudnessMeter(format: PCMFormat(sampleRate: .studio, layout: .stereo))
    play([Part(1, -20)]) { meter.add($0, $1) }
    let planes = UnsafeMutablePointer<Float>.allocate(capacity: 2000)
    defer { planes.deallocate() }
    planes.initialize(repeating: 0.1, count: 2000)
    var counts = AllocationGuard()
    for _ in 0..<300 { counts.watch { meter.add(planes, stride: 1000, frames: 1000) } }
    #expect(counts.allocations == 0)
  }
}
