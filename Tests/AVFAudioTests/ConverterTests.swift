internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// Formats into formats.
@Suite struct ConverterTests {
  /// A sine of each channel's own frequency, in the engine's form.
  static func sine(_ format: AVAudioFormat, frames: Int, frequency: Double = 997, level: Double = 0.5) throws
    -> AVAudioPCMBuffer
  {
    let standard = try OfflineRig.format(format.sampleRate, format.channelCount)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: standard, frameCapacity: AVAudioFrameCount(frames)))
    buffer.frameLength = AVAudioFrameCount(frames)
    for channel in 0..<Int(format.channelCount) {
      for frame in 0..<frames {
        let angle = 2 * Double.pi * frequency * Double(channel + 1) * Double(frame) / format.sampleRate
        buffer.floatChannelData![channel][frame] = Float(level * sin(angle))
      }
    }
    guard format != standard else { return buffer }
    let converter = try #require(AVAudioConverter(from: standard, to: format))
    let converted = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames)))
    try converter.convert(to: converted, from: buffer)
    return converted
  }

  /// All that a converter makes of a buffer, given in pieces of `part` frames, taken in pieces of `room`.
  static func convert(
    _ converter: AVAudioConverter, _ input: AVAudioPCMBuffer, part: Int = 1000, room: Int = 700
  ) throws -> [[Float]] {
    let output = try #require(
      AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: AVAudioFrameCount(room)))
    var channels = [[Float]](repeating: [], count: Int(converter.outputFormat.channelCount))
    var done = 0
    while true {
      var error: NSError?
      let status = converter.convert(to: output, error: &error) { _, status in
        let count = min(part, Int(input.frameLength) - done)
        guard count > 0,
          let piece = AVAudioPCMBuffer(pcmFormat: input.format, frameCapacity: AVAudioFrameCount(count))
        else {
          status.pointee = .endOfStream
          return nil
        }
        piece.frameLength = AVAudioFrameCount(count)
        let bytes = Int(input.format.streamDescription.pointee.mBytesPerFrame)
        let source = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: input.audioBufferList))
        let target = UnsafeMutableAudioBufferListPointer(piece.mutableAudioBufferList)
        for index in source.indices {
          memcpy(target[index].mData!, source[index].mData! + done * bytes, count * bytes)
        }
        done += count
        status.pointee = .haveData
        return piece
      }
      #expect(error == nil)
      for channel in channels.indices { channels[channel] += samples(output, channel) }
      if status == .endOfStream { return channels }
      try #require(status == .haveData)
    }
  }

  /// A channel's samples as Float32.
  static func samples(_ buffer: AVAudioPCMBuffer, _ channel: Int) -> [Float] {
    let (count, step) = (Int(buffer.frameLength), buffer.stride)
    if let data = buffer.floatChannelData { return (0..<count).map { data[channel][$0 * step] } }
    if let data = buffer.int16ChannelData { return (0..<count).map { Float(data[channel][$0 * step]) / 0x1p15 } }
    if let data = buffer.int32ChannelData {
      return (0..<count).map { Float(Double(data[channel][$0 * step]) / 0x1p31) }
    }
    let list = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: buffer.audioBufferList))
    let isInterleaved = buffer.format.isInterleaved
    let data = (isInterleaved ? list[0] : list[channel]).mData!.assumingMemoryBound(to: Double.self)
    return (0..<count).map { Float(data[isInterleaved ? $0 * step + channel : $0]) }
  }

  @Test(
    "sample types and interleaving, there and back",
    arguments: [AVAudioCommonFormat.pcmFormatFloat32, .pcmFormatFloat64, .pcmFormatInt16, .pcmFormatInt32],
    [true, false])
  func sampleTypes(kind: AVAudioCommonFormat, interleaved: Bool) throws {
    let format = try #require(
      AVAudioFormat(commonFormat: kind, sampleRate: 44_100, channels: 2, interleaved: interleaved))
    let standard = try OfflineRig.format(44_100, 2)
    let original = try Self.sine(standard, frames: 500)
    let there = try Self.sine(format, frames: 500)
    let back = try #require(AVAudioPCMBuffer(pcmFormat: standard, frameCapacity: 500))
    try #require(AVAudioConverter(from: format, to: standard)).convert(to: back, from: there)
    #expect(back.frameLength == 500)
    let allowed: Float = kind == .pcmFormatInt16 ? 0x1p-16 : 0x1p-24
    for channel in 0..<2 {
      let pairs = zip(Self.samples(original, channel), Self.samples(back, channel))
      #expect(pairs.allSatisfy { abs($0 - $1) <= allowed })
    }
  }

  @Test(
    "rates: the length is exact, the level right and nothing else is there",
    arguments: [
      (8000.0, 48_000.0), (11_025, 44_100), (16_000, 44_100), (22_050, 48_000), (32_000, 44_100), (44_100, 48_000),
      (48_000, 44_100), (44_100, 96_000), (96_000, 44_100), (48_000, 192_000), (192_000, 48_000), (176_400, 44_100),
      (48_000, 8000),
    ])
  func rates(from: Double, to: Double) throws {
    let input = try OfflineRig.format(from, 1)
    let output = try OfflineRig.format(to, 1)
    let converter = try #require(AVAudioConverter(from: input, to: output))
    converter.sampleRateConverterQuality = AVAudioQuality.max.rawValue
    let frames = Int(from / 2) + 77
    let heard = try Self.convert(converter, try Self.sine(input, frames: frames))[0]
    #expect(heard.count == Int((Double(frames) * to / from).rounded(.up)))
    // What is left where the sine is taken away, in the middle, away from the edges.
    let middle = heard.count / 4..<heard.count * 3 / 4
    // By least squares: over parts of periods, sine and cosine are not at right angles.
    var (ss, sc, cc, xs, xc) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for frame in middle {
      let angle = 2 * Double.pi * 997 * Double(frame) / to
      let (s, c, x) = (sin(angle), cos(angle), Double(heard[frame]))
      (ss, sc, cc, xs, xc) = (ss + s * s, sc + s * c, cc + c * c, xs + x * s, xc + x * c)
    }
    let determinant = ss * cc - sc * sc
    let (sine, cosine) = ((xs * cc - xc * sc) / determinant, (xc * ss - xs * sc) / determinant)
    let level = 20 * log10((sine * sine + cosine * cosine).squareRoot() / 0.5)
    #expect(abs(level) < 0.01)
    #expect(abs(atan2(cosine, sine)) < 0.001, "the first frame lies where the first did")
    var rest = 0.0
    for frame in middle {
      let angle = 2 * Double.pi * 997 * Double(frame) / to
      let difference = Double(heard[frame]) - sine * sin(angle) - cosine * cos(angle)
      rest += difference * difference
    }
    #expect(10 * log10(rest / Double(middle.count) / 0.125) < -100)
  }

  @Test func aliasesAreFarBelow() throws {
    // 30 kHz at 96 kHz has no place at 44.1 kHz.
    let input = try OfflineRig.format(96_000, 1)
    let converter = try #require(AVAudioConverter(from: input, to: try OfflineRig.format(44_100, 1)))
    converter.sampleRateConverterQuality = AVAudioQuality.max.rawValue
    let heard = try Self.convert(converter, try Self.sine(input, frames: 48_000, frequency: 30_000))[0]
    let middle = heard[heard.count / 4..<heard.count * 3 / 4]
    let power = middle.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(middle.count)
    #expect(10 * log10(power / 0.125) < -100)
  }

  @Test("the bits do not depend on how it is cut", arguments: [(1, 1), (7, 5000), (5000, 7), (4410, 4800)])
  func pieces(part: Int, room: Int) throws {
    let input = try OfflineRig.format(44_100, 1)
    let output = try OfflineRig.format(48_000, 1)
    let signal = try Self.sine(input, frames: 3000)
    let reference = try Self.convert(try #require(AVAudioConverter(from: input, to: output)), signal)
    let other = try Self.convert(
      try #require(AVAudioConverter(from: input, to: output)), signal, part: part, room: room)
    #expect(difference(other[0], reference[0]) == nil)
  }

  @Test func channels() throws {
    func convert(_ from: UInt32, _ to: UInt32, _ set: (AVAudioConverter) -> Void = { _ in }) throws -> [[Float]] {
      let input = try OfflineRig.format(44_100, from)
      let converter = try #require(AVAudioConverter(from: input, to: try OfflineRig.format(44_100, to)))
      set(converter)
      let buffer = try #require(AVAudioPCMBuffer(pcmFormat: input, frameCapacity: 2))
      buffer.frameLength = 2
      for channel in 0..<Int(from) {
        for frame in 0..<2 { buffer.floatChannelData![channel][frame] = Float(channel + 1) }
      }
      return try Self.convert(converter, buffer).map { Array($0.prefix(1)) }
    }
    #expect(try convert(1, 2) == [[1], [1]])
    #expect(try convert(2, 1) == [[1]])
    #expect(try convert(2, 1) { $0.downmix = true } == [[1.5]])
    #expect(try convert(6, 2) == [[1], [2]])
    #expect(try convert(2, 2) { $0.channelMap = [1, 0] } == [[2], [1]])
    #expect(try convert(2, 3) { $0.channelMap = [1, -1, 0] } == [[2], [0], [1]])
  }

  @Test func theFourStatuses() throws {
    let format = try OfflineRig.format(44_100, 1)
    let converter = try #require(AVAudioConverter(from: format, to: try OfflineRig.format(88_200, 1)))
    let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 10_000))
    let signal = try Self.sine(format, frames: 1000)
    var isGiven = false
    var error: NSError?
    // Some frames, then nothing for now: what came of them is good.
    #expect(
      converter.convert(to: output, error: &error) { _, status in
        status.pointee = isGiven ? .noDataNow : .haveData
        defer { isGiven = true }
        return isGiven ? nil : signal
      } == .inputRanDry)
    let first = Int(output.frameLength)
    #expect(first > 1500 && first < 2000)
    #expect(
      converter.convert(to: output, error: &error) { _, status in
        status.pointee = .endOfStream
        return nil
      } == .haveData)
    #expect(first + Int(output.frameLength) == 2000)
    #expect(
      converter.convert(to: output, error: &error) { _, status in
        status.pointee = .endOfStream
        return nil
      } == .endOfStream)
    #expect(output.frameLength == 0 && error == nil)
    converter.reset()
    #expect(try Self.convert(converter, signal)[0].count == 2000)
  }

  @Test func whatNeedsAnInputBlockSaysSo() throws {
    let (input, output) = (try OfflineRig.format(44_100, 1), try OfflineRig.format(48_000, 1))
    let converter = try #require(AVAudioConverter(from: input, to: output))
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: output, frameCapacity: 100))
    let signal = try Self.sine(input, frames: 10)
    #expect(throws: NSError.self) { try converter.convert(to: buffer, from: signal) }
    var strange = AudioStreamBasicDescription()
    strange.mSampleRate = 44_100
    strange.mFormatID = 0x3F3F_3F3F
    strange.mChannelsPerFrame = 2
    let unknown = AVAudioFormat(streamDescription: &strange)
    if let unknown { #expect(AVAudioConverter(from: unknown, to: output) == nil) }
  }
}
