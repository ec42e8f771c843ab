import AudioModel
import DSP
import Glibc
import Testing

@Suite("Resampler")
struct ResamplerTests {
  private static func rate(_ hertz: Int) -> SampleRate { SampleRate(hertz: hertz)! }

  private static func block(_ frames: Int, channels: Int = 1, _ sample: (Int, Int) -> Float) -> PCMBlock {
    let block = PCMBlock(channels: channels, capacity: max(frames, 1))
    for channel in 0..<channels {
      for frame in 0..<frames { block.plane(channel)[frame] = sample(channel, frame) }
    }
    block.advance(frames)
    return block
  }

  private static func sine(_ frames: Int, hertz: Double, rate: Int) -> PCMBlock {
    block(frames) { _, frame in Float(sin(2 * Double.pi * hertz * Double(frame) / Double(rate))) }
  }

  private static func convert(_ input: PCMBlock, from: Int, to: Int, chunk: Int = .max) -> PCMBlock {
    let resampler = Resampler(from: rate(from), to: rate(to), channels: input.channels)
    let output = PCMBlock(channels: input.channels, capacity: 1)
    var frame = 0
    while frame < input.frameCount {
      let count = min(chunk, input.frameCount - frame)
      resampler.process(input, from: frame, count: count, into: output)
      frame += count
    }
    resampler.finish(into: output)
    return output
  }

  private static func samples(_ block: PCMBlock, _ channel: Int = 0) -> [Float] {
    Array(UnsafeBufferPointer(start: block.plane(channel), count: block.frameCount))
  }

  @Test(
    "N frames become ceil(N · out / in)",
    arguments: [
      (44_100, 48_000), (48_000, 44_100), (11_025, 48_000), (44_100, 44_099), (192_000, 8000), (8000, 192_000),
      (22_050, 44_100),
    ])
  func length(from: Int, to: Int) {
    for frames in [0, 1, 2, 147, 160, 161, 1000, 2049] {
      let output = Self.convert(Self.block(frames) { _, _ in 0 }, from: from, to: to)
      #expect(output.frameCount == (frames * to + from - 1) / from, "\(frames) frames")
    }
  }

  @Test(
    "beginning in the midst gives what all of the input gives",
    arguments: [
      (44_100, 48_000), (48_000, 44_100), (11_025, 48_000), (192_000, 8000), (8000, 192_000), (44_100, 44_099),
    ])
  func middle(from: Int, to: Int) {
    let input = Self.block(12_000) { _, frame in Float((frame &* 7919) % 1000) / 1000 }
    let whole = Self.samples(Self.convert(input, from: from, to: to))
    for first in [1, 2, 159, 4410, 5000] {
      let place = Self.rate(from).place(of: Int64(first), at: Self.rate(to))
      let resampler = Resampler(from: Self.rate(from), to: Self.rate(to), channels: 1)
      resampler.reset(place: place.fraction)
      let output = PCMBlock(channels: 1, capacity: 1)
      resampler.process(input, from: first, count: input.frameCount - first, into: output)
      resampler.finish(into: output)
      let begin = Int(place.frame) + (place.fraction > 0 ? 1 : 0)
      #expect(begin + output.frameCount == whole.count, "from \(first)")
      // Half a filter's length at the beginning is blurred by what is missing.
      let blurred = 120 * max(1, to / from) + 1
      #expect(
        Self.samples(output).dropFirst(blurred).elementsEqual(whole.dropFirst(begin + blurred)), "from \(first)")
    }
  }

  @Test("a place is exact where a product overflows")
  func places() {
    let (low, high) = (Self.rate(44_100), Self.rate(48_000))
    #expect(low.place(of: 147, at: high) == (160, 0))
    #expect(low.place(of: 1, at: high) == (1, 3_900 / 44_100))
    #expect(low.place(of: -1, at: high) == (-2, 40_200 / 44_100))
    #expect(low.place(of: 1 << 60, at: low) == (1 << 60, 0))
    #expect(low.place(of: 147 << 50, at: high) == (160 << 50, 0))
    #expect(low.place(of: .max, at: high).frame == .max)
  }

  @Test("equal rates pass bit for bit")
  func identity() {
    let input = Self.block(1000, channels: 2) { channel, frame in Float(frame) / 7 + Float(channel) }
    let output = Self.convert(input, from: 48_000, to: 48_000)
    #expect(Self.samples(output, 0) == Self.samples(input, 0))
    #expect(Self.samples(output, 1) == Self.samples(input, 1))
  }

  @Test(
    "a sine stays the same sine, in place, level and phase",
    arguments: [
      (44_100, 48_000, 1000.0), (44_100, 48_000, 20_000.0), (48_000, 44_100, 20_000.0), (44_100, 44_099, 19_000.0),
      (11_025, 48_000, 5000.0), (96_000, 44_100, 12_345.0), (192_000, 8000, 3600.0), (8000, 192_000, 3600.0),
    ])
  func passBand(from: Int, to: Int, hertz: Double) {
    let frames = max(3000, 1200 * from / to)
    let output = Self.convert(Self.sine(frames, hertz: hertz, rate: from), from: from, to: to)
    let edge = max(120, 120 * to / from)
    var worst = 0.0
    for frame in edge..<output.frameCount - edge {
      let wanted = sin(2 * Double.pi * hertz * Double(frame) / Double(to))
      worst = max(worst, abs(Double(output.plane(0)[frame]) - wanted))
    }
    // −100 dB: ripple, image and the rounding of Float32 together.
    #expect(worst < 1e-5)
  }

  @Test(
    "a tone above the new Nyquist frequency is gone",
    arguments: [
      (48_000, 44_100, 22_100.0), (96_000, 44_100, 30_000.0), (96_000, 48_000, 24_010.0), (44_100, 44_099, 22_049.8),
    ])
  func aliases(from: Int, to: Int, hertz: Double) {
    let output = Self.convert(Self.sine(4000, hertz: hertz, rate: from), from: from, to: to)
    let edge = 200
    var peak: Float = 0
    for frame in edge..<output.frameCount - edge { peak = max(peak, abs(output.plane(0)[frame])) }
    #expect(20 * log10(Double(peak)) < -110)
  }

  @Test("the bits do not depend on the blocks", arguments: [(44_100, 48_000), (48_000, 11_025), (44_100, 44_099)])
  func chunking(from: Int, to: Int) {
    var state: UInt32 = 1
    let input = Self.block(3000, channels: 2) { _, _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(Int32(bitPattern: state)) / 2_147_483_648
    }
    let whole = Self.convert(input, from: from, to: to)
    for chunk in [1, 7, 160, 1023] {
      let pieces = Self.convert(input, from: from, to: to, chunk: chunk)
      #expect(Self.samples(pieces, 0) == Self.samples(whole, 0), "blocks of \(chunk)")
      #expect(Self.samples(pieces, 1) == Self.samples(whole, 1), "blocks of \(chunk)")
    }
  }

  @Test("a click keeps its place to the end")
  func drift() {
    // 100 000 frames between the clicks; the sum of input time and output time is exact only if nothing drifts.
    let frames = 100_161
    let input = Self.block(frames) { _, frame in frame == 0 || frame == 100_156 ? 1 : 0 }
    let output = Self.convert(input, from: 12, to: 13)
    // 100 156 · 13 / 12 = 108 502.33…: the response is highest at the frame nearest to it.
    var greatest = 1000
    for frame in 1000..<output.frameCount where output.plane(0)[frame] > output.plane(0)[greatest] {
      greatest = frame
    }
    #expect(greatest == 108_502)
    #expect(output.frameCount == (frames * 13 + 11) / 12)
  }

  @Test("after finish and after reset it begins anew")
  func reuse() {
    let input = Self.sine(700, hertz: 1000, rate: 44_100)
    let resampler = Resampler(from: .cd, to: .studio, channels: 1)
    let (first, second, third) = (
      PCMBlock(channels: 1, capacity: 1), PCMBlock(channels: 1, capacity: 1), PCMBlock(channels: 1, capacity: 1)
    )
    for output in [first, second] {
      resampler.process(input, from: 0, count: 700, into: output)
      resampler.finish(into: output)
    }
    resampler.process(input, from: 3, count: 333, into: third)
    resampler.reset()
    third.removeAll()
    resampler.process(input, from: 0, count: 700, into: third)
    resampler.finish(into: third)
    #expect(Self.samples(first) == Self.samples(second))
    #expect(Self.samples(first) == Self.samples(third))
  }

  @Test("rates far apart take bounded memory and terminate")
  func extremes() {
    let up = Self.convert(Self.block(3) { _, _ in 1 }, from: 1, to: 48_000)
    #expect(up.frameCount == 144_000)
    let down = Self.convert(Self.block(200_000) { _, _ in 1 }, from: 1_536_000, to: 7)
    #expect(down.frameCount == 1)
  }
}
