import AudioModel
import DSP
import Testing

@Suite("Channel mixer")
struct ChannelMixerTests {
  private static func layout(_ count: Int, _ mask: UInt32 = 0) -> ChannelLayout {
    ChannelLayout(count: count, mask: mask)!
  }

  private static func matrix(_ input: ChannelLayout, _ output: ChannelLayout) -> [[Float]] {
    ChannelMixer(from: input, to: output).matrix
  }

  @Test("mono goes to both sides as it is")
  func monoToStereo() { #expect(Self.matrix(.mono, .stereo) == [[1], [1]]) }

  @Test("mono goes to the centre where there is one")
  func monoToSurround() {
    #expect(Self.matrix(.mono, Self.layout(6)) == [[0], [0], [1], [0], [0], [0]])
  }

  @Test("stereo goes to mono as half the sum")
  func stereoToMono() {
    let row = Self.matrix(.stereo, .mono)[0]
    #expect(row == [0.5, 0.5])
  }

  @Test("5.1 to stereo is BS.775, divided so that it cannot clip", arguments: [0x3F, 0x60F] as [UInt32])
  func surroundToStereo(mask: UInt32) {
    let rows = Self.matrix(Self.layout(6, mask), .stereo)
    let minus3 = Float(0.5.squareRoot())
    let left = rows[0].map { $0 / rows[0][0] }
    #expect(zip(left, [1, 0, minus3, 0, minus3, 0]).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(abs(rows[0].reduce(0, +) - 1) < 1e-6)
    #expect(rows[1] == [rows[0][1], rows[0][0], rows[0][2], rows[0][3], rows[0][5], rows[0][4]])
  }

  @Test("5.1 to mono is BS.775's 1, 0.71, 0.5")
  func surroundToMono() {
    let row = Self.matrix(Self.layout(6), .mono)[0]
    let minus3 = Float(0.5.squareRoot())
    let relative = row.map { $0 / row[2] }
    #expect(zip(relative, [minus3, minus3, 1, 0, 0.5, 0.5]).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(abs(row.reduce(0, +) - 1) < 1e-6)
  }

  @Test("side and back loudspeakers stand for each other")
  func sidesAndBacks() {
    let rows = Self.matrix(Self.layout(6, 0x60F), Self.layout(6, 0x3F))
    for channel in 0..<6 { #expect(rows[channel].enumerated().allSatisfy { $1 == ($0 == channel ? 1 : 0) }) }
  }

  @Test("stereo to 5.1 leaves the other loudspeakers silent")
  func stereoToSurround() {
    #expect(Self.matrix(.stereo, Self.layout(6)) == [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
  }

  @Test("channels of unknown position go to the one of their number, counted round")
  func unknown() {
    let rows = Self.matrix(Self.layout(12), .stereo)
    #expect(rows[0] == (0..<12).map { $0 % 2 == 0 ? Float(1.0 / 6) : 0 })
    let wide = Self.matrix(Self.layout(9), Self.layout(12))
    #expect(wide[8][8] == 1 && wide[11].allSatisfy { $0 == 0 })
  }

  @Test("between any two usual layouts nothing can clip, and only the low-frequency channel may be lost")
  func limits() {
    let masks: [UInt32] = [0x4, 0x3, 0x7, 0x33, 0x107, 0x37, 0x607, 0x3F, 0x60F, 0x70F, 0x63F, 0xFF, 0x2D63F]
    for from in masks {
      for to in masks {
        let input = Self.layout(from.nonzeroBitCount, from)
        let rows = Self.matrix(input, Self.layout(to.nonzeroBitCount, to))
        #expect(rows.allSatisfy { $0.reduce(0, +) < 1.000_001 })
        let lowFrequency = from & 0x8 == 0 ? -1 : (from & 0x7).nonzeroBitCount
        for channel in 0..<input.count where channel != lowFrequency {
          #expect(rows.contains { $0[channel] > 0 }, "channel \(channel) of \(from) in \(to)")
        }
      }
    }
  }

  @Test("samples are mixed, and single channels pass bit for bit")
  func samples() {
    let input = PCMBlock(channels: 2, capacity: 20)
    for frame in 0..<20 {
      input.plane(0)[frame] = Float(frame) / 3
      input.plane(1)[frame] = -Float(frame) * 5 / 3
    }
    input.advance(20)
    let surround = PCMBlock(channels: 6, capacity: 1)
    ChannelMixer(from: .stereo, to: Self.layout(6)).process(input, from: 5, count: 15, into: surround)
    #expect(surround.frameCount == 15)
    #expect((0..<15).allSatisfy { surround.plane(1)[$0] == input.plane(1)[$0 + 5] && surround.plane(2)[$0] == 0 })
    let mono = PCMBlock(channels: 1, capacity: 1)
    ChannelMixer(from: .stereo, to: .mono).process(input, from: 0, count: 20, into: mono)
    #expect((0..<20).allSatisfy { mono.plane(0)[$0] == input.plane(0)[$0] * 0.5 + input.plane(1)[$0] * 0.5 })
  }
}

@Suite("Format converter")
struct FormatConverterTests {
  private func format(_ hertz: Int, _ channels: Int) -> PCMFormat {
    PCMFormat(sampleRate: SampleRate(hertz: hertz)!, layout: ChannelLayout(count: channels)!)
  }

  private func convert(_ input: PCMBlock, from: PCMFormat, to: PCMFormat, chunk: Int) -> [[Float]] {
    let converter = FormatConverter(from: from, to: to)
    let output = PCMBlock(channels: to.channels, capacity: 1)
    var frame = 0
    while frame < input.frameCount {
      let count = min(chunk, input.frameCount - frame)
      converter.process(input, from: frame, count: count, into: output)
      frame += count
    }
    converter.finish(into: output)
    return (0..<to.channels).map {
      Array(UnsafeBufferPointer(start: output.plane($0), count: output.frameCount))
    }
  }

  @Test(
    "rate and channels together: length, place and independence of blocks",
    arguments: [(2, 1), (1, 2), (6, 2), (2, 2)])
  func both(from: Int, to: Int) {
    let input = PCMBlock(channels: from, capacity: 1000)
    for channel in 0..<from {
      for frame in 0..<1000 { input.plane(channel)[frame] = frame == 441 ? 1 : 0 }
    }
    input.advance(1000)
    let whole = convert(input, from: format(44_100, from), to: format(48_000, to), chunk: 1000)
    let pieces = convert(input, from: format(44_100, from), to: format(48_000, to), chunk: 33)
    #expect(whole == pieces)
    for plane in whole {
      #expect(plane.count == 1089)
      #expect(plane.indices.max { plane[$0] < plane[$1] } == 480)
    }
  }

  @Test("equal formats pass bit for bit, and say so")
  func identity() {
    let input = PCMBlock(channels: 2, capacity: 100)
    for frame in 0..<100 { input.plane(1)[frame] = Float(frame) / 7 }
    input.advance(100)
    #expect(FormatConverter(from: format(48_000, 2), to: format(48_000, 2)).isIdentity)
    #expect(!FormatConverter(from: format(48_000, 2), to: format(48_000, 1)).isIdentity)
    let output = convert(input, from: format(48_000, 2), to: format(48_000, 2), chunk: 7)
    #expect(output[1] == (0..<100).map { Float($0) / 7 })
  }

  @Test(
    "a bound on the output is kept",
    arguments: [(44_100, 48_000), (48_000, 44_100), (8000, 192_000), (192_000, 8000)])
  func bound(from: Int, to: Int) {
    let converter = FormatConverter(from: format(from, 1), to: format(to, 1))
    let step = converter.inputFrames(within: 500)
    let input = PCMBlock(channels: 1, capacity: step)
    input.appendSilence(step)
    let output = PCMBlock(channels: 1, capacity: 1000)
    for _ in 0..<20 {
      output.removeAll()
      converter.process(input, from: 0, count: step, into: output)
      #expect(output.frameCount <= 500)
    }
  }
}
