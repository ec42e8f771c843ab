internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// Rates, numbers of channels and sample types at the highest quality.
///
/// `MARTLET_FULL_MATRIX=1` takes every rate to every other, each with every number of channels and every two types: some
/// twenty thousand conversions. Without it a thin diagonal is taken: each rate is left and reached twice, and every number
/// of channels and every type comes up on both sides.
@Suite struct ConverterMatrixTests {
  /// From a rate to another.
  struct Pair: Sendable, CustomTestStringConvertible {
    var from: Double
    var to: Double
    /// Which of the diagonal's conversions it is; `nil` for all.
    var number: Int?

    var testDescription: String { "\(Int(from)) to \(Int(to)) Hz" }
  }

  private struct Case {
    var channels: UInt32
    var input: AVAudioCommonFormat
    var output: AVAudioCommonFormat
    var isInterleaved: (input: Bool, output: Bool)
  }

  private static let rates = [
    8000.0, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000,
  ]
  private static let types: [AVAudioCommonFormat] = [
    .pcmFormatFloat32, .pcmFormatInt16, .pcmFormatInt32, .pcmFormatFloat64,
  ]

  static let pairs: [Pair] = {
    let isFull = ProcessInfo.processInfo.environment["MARTLET_FULL_MATRIX"] == "1"
    var pairs: [Pair] = []
    for (index, from) in rates.enumerated() {
      for distance in isFull ? Array(0..<rates.count) : [1, 5] {
        let to = rates[(index + distance) % rates.count]
        pairs.append(Pair(from: from, to: to, number: isFull ? nil : pairs.count))
      }
    }
    return pairs
  }()

  private static func cases(_ pair: Pair) -> [Case] {
    if let number = pair.number {
      return [
        Case(
          channels: UInt32(number % 8 + 1), input: types[number % 4], output: types[(number / 4 + number) % 4],
          isInterleaved: (number % 3 == 0, number % 5 < 2))
      ]
    }
    var cases: [Case] = []
    for channels in 1...UInt32(8) {
      for input in types {
        for output in types {
          let number = cases.count
          cases.append(
            Case(
              channels: channels, input: input, output: output,
              isInterleaved: (number % 2 == 0, number % 3 == 0)))
        }
      }
    }
    return cases
  }

  @Test("length, level, and nothing else", arguments: pairs)
  func lengthLevelAndRest(_ pair: Pair) throws {
    for item in Self.cases(pair) { try check(pair, item) }
  }

  private func check(_ pair: Pair, _ item: Case) throws {
    let input = try Self.format(item.input, pair.from, item.channels, item.isInterleaved.input)
    let output = try Self.format(item.output, pair.to, item.channels, item.isInterleaved.output)
    let converter = try #require(AVAudioConverter(from: input, to: output))
    converter.sampleRateConverterQuality = AVAudioQuality.max.rawValue
    let frames = Int(pair.from / 8) + 77
    // Eight of them reach to 0.91 of the lower rate's Nyquist frequency.
    let steps = (1...Int(item.channels)).map { min(pair.from, pair.to) * 0.0569 * Double($0) / pair.from }
    let heard = try ConverterTests.convert(
      converter, try Self.sines(input, frames: frames, steps: steps), part: 4096, room: 4096)
    let length = Int((Double(frames) * pair.to / pair.from).rounded(.up))
    // Samples of 16 bits bring a noise of their own, 92 dB below these sines where it is rounded once.
    let isCoarse = item.input == .pcmFormatInt16 || item.output == .pcmFormatInt16
    for (channel, samples) in heard.enumerated() {
      #expect(samples.count == length, "\(item)")
      let fit = Self.fit(samples, step: steps[channel] * pair.from / pair.to)
      #expect(abs(20 * log10(fit.amplitude / 0.5)) < 0.01, "\(item), channel \(channel)")
      let rest = 10 * log10(fit.rest / (fit.amplitude * fit.amplitude / 2))
      #expect(rest < (isCoarse ? -87 : -100), "\(item), channel \(channel)")
    }
  }

  @Test("what the lower rate has no place for", arguments: pairs.filter { $0.to < $0.from })
  func aliases(_ pair: Pair) throws {
    let input = try Self.format(.pcmFormatFloat32, pair.from, 8, false)
    let output = try Self.format(.pcmFormatFloat32, pair.to, 8, false)
    let converter = try #require(AVAudioConverter(from: input, to: output))
    converter.sampleRateConverterQuality = AVAudioQuality.max.rawValue
    // From the lower Nyquist frequency to the upper one.
    let edge = pair.to / pair.from / 2
    let steps = (0..<8).map { edge + (0.5 - edge) * (Double($0) + 0.01) / 8 }
    let signal = try Self.sines(input, frames: Int(pair.from / 8), steps: steps)
    for samples in try ConverterTests.convert(converter, signal, part: 4096, room: 4096) {
      let middle = samples[samples.count / 4..<samples.count * 3 / 4]
      let power = middle.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(middle.count)
      #expect(10 * log10(power / 0.125) < -100)
    }
  }

  private static func format(
    _ kind: AVAudioCommonFormat, _ rate: Double, _ channels: UInt32, _ isInterleaved: Bool
  ) throws -> AVAudioFormat {
    let tags = [
      kAudioChannelLayoutTag_Mono, kAudioChannelLayoutTag_Stereo, kAudioChannelLayoutTag_MPEG_3_0_A,
      kAudioChannelLayoutTag_Quadraphonic, kAudioChannelLayoutTag_MPEG_5_0_A, kAudioChannelLayoutTag_MPEG_5_1_A,
      kAudioChannelLayoutTag_MPEG_6_1_A, kAudioChannelLayoutTag_MPEG_7_1_C,
    ]
    let layout = try #require(AVAudioChannelLayout(layoutTag: tags[Int(channels) - 1]))
    return AVAudioFormat(commonFormat: kind, sampleRate: rate, interleaved: isInterleaved, channelLayout: layout)
  }

  /// Of each channel a sine at half of full scale.
  /// - Parameter steps: Periods per frame, of each channel.
  private static func sines(_ format: AVAudioFormat, frames: Int, steps: [Double]) throws -> AVAudioPCMBuffer {
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)))
    buffer.frameLength = AVAudioFrameCount(frames)
    let list = UnsafeMutableAudioBufferListPointer(buffer.mutableAudioBufferList)
    let stride = buffer.stride
    for channel in 0..<Int(format.channelCount) {
      let memory = list[format.isInterleaved ? 0 : channel].mData!
      let first = format.isInterleaved ? channel : 0
      for frame in 0..<frames {
        let value = 0.5 * sin(2 * Double.pi * steps[channel] * Double(frame))
        let place = first + frame * stride
        switch format.commonFormat {
        case .pcmFormatInt16: memory.assumingMemoryBound(to: Int16.self)[place] = Int16((value * 0x1p15).rounded())
        case .pcmFormatInt32: memory.assumingMemoryBound(to: Int32.self)[place] = Int32((value * 0x1p31).rounded())
        case .pcmFormatFloat64: memory.assumingMemoryBound(to: Double.self)[place] = value
        default: memory.assumingMemoryBound(to: Float.self)[place] = Float(value)
        }
      }
    }
    return buffer
  }

  /// The sine that comes nearest to the middle of a signal, by least squares, and the power of what it leaves.
  private static func fit(_ samples: [Float], step: Double) -> (amplitude: Double, rest: Double) {
    let middle = samples.count / 4..<samples.count * 3 / 4
    let waves = middle.map { frame in
      (sine: sin(2 * Double.pi * step * Double(frame)), cosine: cos(2 * Double.pi * step * Double(frame)))
    }
    var (ss, sc, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for (index, wave) in waves.enumerated() {
      let (s, c, x) = (wave.sine, wave.cosine, Double(samples[middle.lowerBound + index]))
      (ss, sc, cc, xs, xc) = (ss + s * s, sc + s * c, cc + c * c, xs + x * s, xc + x * c)
    }
    let determinant = ss * cc - sc * sc
    let (sine, cosine) = ((xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant)
    var rest = 0.0
    for (index, wave) in waves.enumerated() {
      let difference = Double(samples[middle.lowerBound + index]) - sine * wave.sine - cosine * wave.cosine
      rest += difference * difference
    }
    return ((sine * sine + cosine * cosine).squareRoot(), rest / Double(middle.count))
  }
}
