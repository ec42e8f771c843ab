internal import AVFAudio
internal import Foundation
internal import MartletTestSupport
internal import Testing

/// Packets out of a converter and into one.
@Suite struct ConverterCodecTests {
  /// A coding, and how well it keeps sound.
  struct Coding: Sendable, CustomTestStringConvertible {
    var name: String
    var id: AudioFormatID
    var rate = 44_100.0
    /// Decibels by which what it changes lies below the signal; nil for nothing at all.
    var quality: Double?
    /// What the encoder puts in front, in frames.
    var delay: ClosedRange<UInt32>
    var hasCookie = true

    var testDescription: String { name }

    func format(channels: UInt32 = 2) throws -> AVAudioFormat {
      try #require(
        AVAudioFormat(settings: [AVFormatIDKey: id, AVSampleRateKey: rate, AVNumberOfChannelsKey: channels]))
    }
  }

  static let all = [
    Coding(name: "AAC", id: kAudioFormatMPEG4AAC, quality: 24, delay: 1024...2112),
    Coding(name: "ALAC", id: kAudioFormatAppleLossless, delay: 0...0),
    Coding(name: "FLAC", id: kAudioFormatFLAC, delay: 0...0),
    Coding(name: "Opus", id: kAudioFormatOpus, rate: 48_000, quality: 20, delay: 100...960),
    Coding(name: "MP3", id: kAudioFormatMPEGLayer3, quality: 30, delay: 500...2400, hasCookie: false),
  ]
  static let lossless = all.filter { $0.quality == nil }

  static func converters(_ coding: Coding) throws -> (encoder: AVAudioConverter, decoder: AVAudioConverter) {
    let (standard, packed) = (try OfflineRig.format(coding.rate, 2), try coding.format())
    return (
      try #require(AVAudioConverter(from: standard, to: packed)),
      try #require(AVAudioConverter(from: packed, to: standard))
    )
  }

  @Test("there and back: the length is exact, and the sound is the same", arguments: all)
  func roundTrip(_ coding: Coding) throws {
    let (encoder, decoder) = try Self.converters(coding)
    let signal = try ConverterTests.sine(decoder.outputFormat, frames: 20_000)
    let pieces = try Packets.encode(encoder, Packets.feed(signal, part: 1000))
    let prime = encoder.primeInfo
    #expect(coding.delay.contains(prime.leadingFrames))
    let total = pieces.reduce(0) { $0 + Int($1.frames) }
    #expect(total == 20_000 + Int(prime.leadingFrames) + Int(prime.trailingFrames))
    #expect((encoder.magicCookie != nil) == coding.hasCookie)

    decoder.magicCookie = encoder.magicCookie
    decoder.primeInfo = prime
    #expect(decoder.primeInfo == prime && decoder.magicCookie == encoder.magicCookie)
    let heard = try Packets.decode(decoder, Packets.feed(decoder.inputFormat, pieces, part: 4))
    for channel in 0..<2 {
      let sent = ConverterTests.samples(signal, channel)
      try #require(heard[channel].count == sent.count)
      var (power, rest) = (0.0, 0.0)
      for (a, b) in zip(sent, heard[channel]) {
        power += Double(a) * Double(a)
        rest += Double(a - b) * Double(a - b)
      }
      if let quality = coding.quality {
        #expect(10 * log10(power / rest) > quality, "channel \(channel)")
      } else {
        // 16 bits, rounded.
        #expect(zip(sent, heard[channel]).allSatisfy { abs($0 - $1) <= 0x1p-16 }, "channel \(channel)")
      }
    }
  }

  @Test("without prime info all that the packets hold comes out", arguments: all)
  func untrimmed(_ coding: Coding) throws {
    let (encoder, decoder) = try Self.converters(coding)
    let signal = try ConverterTests.sine(decoder.outputFormat, frames: 5000)
    let pieces = try Packets.encode(encoder, Packets.feed(signal, part: 5000))
    decoder.magicCookie = encoder.magicCookie
    let heard = try Packets.decode(decoder, Packets.feed(decoder.inputFormat, pieces, part: 1))
    #expect(heard[0].count == pieces.reduce(0) { $0 + Int($1.frames) })
  }

  @Test("the bytes do not depend on how the sound is cut, nor the samples on how the packets are", arguments: all)
  func cuts(_ coding: Coding) throws {
    let (encoder, decoder) = try Self.converters(coding)
    let signal = try ConverterTests.sine(decoder.outputFormat, frames: 12_345)
    let reference = try Packets.encode(encoder, Packets.feed(signal, part: 12_345))
    let cookie = encoder.magicCookie
    for (part, packets) in [(1, 1), (1024, 2), (4097, 50)] as [(Int, UInt32)] {
      encoder.reset()
      #expect(try Packets.encode(encoder, Packets.feed(signal, part: part), packets: packets) == reference, "\(part)")
      #expect(encoder.magicCookie == cookie)
    }
    decoder.magicCookie = cookie
    decoder.primeInfo = encoder.primeInfo
    let all = try Packets.decode(decoder, Packets.feed(decoder.inputFormat, reference, part: 100), room: 20_000)
    for (part, room) in [(1, 1), (3, 500)] as [(Int, UInt32)] {
      decoder.reset()
      let heard = try Packets.decode(decoder, Packets.feed(decoder.inputFormat, reference, part: part), room: room)
      #expect(difference(heard[0], all[0]) == nil)
      #expect(difference(heard[1], all[1]) == nil)
    }
  }

  @Test("the four statuses of an encoder", arguments: all)
  func statuses(_ coding: Coding) throws {
    let (encoder, decoder) = try Self.converters(coding)
    let signal = try ConverterTests.sine(decoder.outputFormat, frames: 10_000)
    let reference = try Packets.encode(encoder, Packets.feed(signal, part: 10_000))
    encoder.reset()
    let output = AVAudioCompressedBuffer(
      format: encoder.outputFormat, packetCapacity: 100, maximumPacketSize: encoder.maximumOutputPacketSize)
    var error: NSError?
    func convert(_ block: AVAudioConverterInputBlock) -> AVAudioConverterOutputStatus {
      encoder.convert(to: output, error: &error, withInputFrom: block)
    }
    func nothing(_ count: AVAudioPacketCount, _ status: UnsafeMutablePointer<AVAudioConverterInputStatus>)
      -> AVAudioBuffer?
    {
      status.pointee = .noDataNow
      return nil
    }
    // Nothing at first, then all, then nothing for now, then the end.
    #expect(convert(nothing) == .inputRanDry && output.packetCount == 0)
    var pieces: [Packets.Piece] = []
    var isGiven = false
    #expect(
      convert { _, status in
        status.pointee = isGiven ? .noDataNow : .haveData
        defer { isGiven = true }
        return isGiven ? nil : signal
      } == .inputRanDry)
    #expect(output.packetCount > 0)
    pieces += Packets.pieces(output)
    #expect(convert(nothing) == .inputRanDry && output.packetCount == 0)
    let end: AVAudioConverterInputBlock = { _, status in
      status.pointee = .endOfStream
      return nil
    }
    #expect(convert(end) == .haveData)
    pieces += Packets.pieces(output)
    #expect(pieces == reference)
    #expect(convert(end) == .endOfStream && output.packetCount == 0)
    #expect(error == nil)
  }

  @Test("the four statuses of a decoder", arguments: all)
  func decoderStatuses(_ coding: Coding) throws {
    let (encoder, decoder) = try Self.converters(coding)
    let signal = try ConverterTests.sine(decoder.outputFormat, frames: 10_000)
    let pieces = try Packets.encode(encoder, Packets.feed(signal, part: 10_000))
    decoder.magicCookie = encoder.magicCookie
    let all = try Packets.decode(decoder, Packets.feed(decoder.inputFormat, pieces, part: 1))
    decoder.reset()
    let output = try #require(AVAudioPCMBuffer(pcmFormat: decoder.outputFormat, frameCapacity: 20_000))
    var heard: [Float] = []
    var error: NSError?
    for piece in pieces.indices {
      var isGiven = false
      let status = decoder.convert(to: output, error: &error) { count, status in
        #expect(count >= 1)
        status.pointee = isGiven ? .noDataNow : .haveData
        defer { isGiven = true }
        return isGiven ? nil : Packets.buffer(decoder.inputFormat, pieces[piece...piece])
      }
      #expect(status == .inputRanDry)
      heard += ConverterTests.samples(output, 0)
    }
    let end: AVAudioConverterInputBlock = { _, status in
      status.pointee = .endOfStream
      return nil
    }
    if decoder.convert(to: output, error: &error, withInputFrom: end) == .haveData {
      heard += ConverterTests.samples(output, 0)
      #expect(decoder.convert(to: output, error: &error, withInputFrom: end) == .endOfStream)
    }
    #expect(output.frameLength == 0 && error == nil)
    #expect(difference(heard, all[0]) == nil)
  }

  @Test("rate and channels change on the way to an encoder, and on the way from a decoder")
  func conversionAndCoding() throws {
    let (narrow, packed) = (try OfflineRig.format(32_000, 1), try Self.all[3].format())
    let encoder = try #require(AVAudioConverter(from: narrow, to: packed))
    let signal = try ConverterTests.sine(narrow, frames: 32_000)
    let pieces = try Packets.encode(encoder, Packets.feed(signal, part: 1000))
    let prime = encoder.primeInfo
    #expect(
      pieces.reduce(0) { $0 + Int($1.frames) } == 48_000 + Int(prime.leadingFrames) + Int(prime.trailingFrames))
    let decoder = try #require(AVAudioConverter(from: packed, to: narrow))
    decoder.magicCookie = encoder.magicCookie
    decoder.primeInfo = prime
    let heard = try Packets.decode(decoder, Packets.feed(packed, pieces, part: 5))[0]
    #expect(heard.count == 32_000)
    let sent = ConverterTests.samples(signal, 0)
    var (power, rest) = (0.0, 0.0)
    for (a, b) in zip(sent, heard) {
      power += Double(a) * Double(a)
      rest += Double(a - b) * Double(a - b)
    }
    #expect(10 * log10(power / rest) > 20)
  }

  @Test("the depth of a lossless format is kept", arguments: lossless, [16, 24])
  func depths(_ coding: Coding, bits: Int) throws {
    let packed = try #require(
      AVAudioFormat(settings: [
        AVFormatIDKey: coding.id, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1, AVEncoderBitDepthHintKey: bits,
      ]))
    let standard = try OfflineRig.format(44_100, 1)
    let encoder = try #require(AVAudioConverter(from: standard, to: packed))
    let signal = try ConverterTests.sine(standard, frames: 5000)
    let pieces = try Packets.encode(encoder, Packets.feed(signal, part: 777))
    let decoder = try #require(AVAudioConverter(from: packed, to: standard))
    decoder.magicCookie = encoder.magicCookie
    let heard = try Packets.decode(decoder, Packets.feed(packed, pieces, part: 1))[0]
    let step = Float(sign: .plus, exponent: -(bits - 1), significand: 1)
    let sent = ConverterTests.samples(signal, 0)
    let rounded = sent.map { ($0 / step).rounded(.toNearestOrEven) * step }
    #expect(difference(heard, rounded) == nil)
  }

  @Test("Core Audio's cookies are read too: esds of AAC, bare ALAC, dfLa of FLAC")
  func cookies() throws {
    for coding in Self.all where coding.hasCookie && coding.name != "Opus" {
      let (encoder, decoder) = try Self.converters(coding)
      let signal = try ConverterTests.sine(decoder.outputFormat, frames: 6000)
      let pieces = try Packets.encode(encoder, Packets.feed(signal, part: 6000))
      let own = try #require(encoder.magicCookie)
      decoder.magicCookie = own
      let reference = try Packets.decode(decoder, Packets.feed(decoder.inputFormat, pieces, part: 1))
      let foreign =
        switch coding.name {
        case "AAC": Data(MP4Fixture.esds(Array(own)).dropFirst(8))
        case "ALAC": own.dropFirst(12)
        default: Data([0, 0, 0, 50] + Array("dfLa".utf8) + [0, 0, 0, 0, 0x80, 0, 0, 34]) + own
        }
      decoder.reset()
      decoder.magicCookie = foreign
      let heard = try Packets.decode(decoder, Packets.feed(decoder.inputFormat, pieces, part: 1))
      #expect(difference(heard[0], reference[0]) == nil, "\(coding.name)")
    }
  }

  @Test func bitRates() throws {
    for coding in Self.all where coding.quality != nil {
      let (encoder, _) = try Self.converters(coding)
      let signal = try ConverterTests.sine(try OfflineRig.format(coding.rate, 2), frames: Int(coding.rate))
      let rates = try #require(encoder.availableEncodeBitRates).map(\.intValue)
      #expect(rates.contains(64_000) && rates.contains(128_000), "\(coding.name)")
      #expect(encoder.applicableEncodeBitRates?.map(\.intValue) == rates)
      var sizes: [Int] = []
      for rate in [64_000, 128_000] {
        encoder.reset()
        encoder.bitRate = rate
        #expect(encoder.maximumOutputPacketSize > 0)
        sizes.append(try Packets.encode(encoder, Packets.feed(signal, part: 4096)).reduce(0) { $0 + $1.bytes.count })
      }
      #expect(sizes[0] < sizes[1], "\(coding.name)")
    }
    #expect(try Self.converters(Self.all[1]).encoder.availableEncodeBitRates == nil)
    #expect(try Self.converters(Self.all[3]).encoder.availableEncodeSampleRates == [48_000])
  }

  @Test("what fails says so, and nothing is asked for ever")
  func failures() throws {
    let (encoder, decoder) = try Self.converters(Self.all[2])
    let signal = try ConverterTests.sine(decoder.outputFormat, frames: 9000)
    var error: NSError?
    let tiny = AVAudioCompressedBuffer(format: encoder.outputFormat, packetCapacity: 1, maximumPacketSize: 4)
    #expect(encoder.convert(to: tiny, error: &error, withInputFrom: Packets.feed(signal, part: 9000)) == .error)
    #expect(error?.code == Int(kAudioConverterErr_InvalidOutputSize))

    // An empty buffer with the word that there is data.
    encoder.reset()
    let empty = try #require(AVAudioPCMBuffer(pcmFormat: decoder.outputFormat, frameCapacity: 1))
    let room = AVAudioCompressedBuffer(format: encoder.outputFormat, packetCapacity: 1, maximumPacketSize: 100_000)
    error = nil
    #expect(
      encoder.convert(to: room, error: &error) { _, status in
        status.pointee = .haveData
        return empty
      } == .inputRanDry)
    #expect(error == nil)

    // A packet that lies outside of its buffer.
    let pieces = try Packets.encode(encoder, Packets.feed(signal, part: 9000))
    decoder.magicCookie = encoder.magicCookie
    let lying = Packets.buffer(decoder.inputFormat, pieces[0..<1])
    lying.packetDescriptions![0].mStartOffset = 1
    let output = try #require(AVAudioPCMBuffer(pcmFormat: decoder.outputFormat, frameCapacity: 5000))
    #expect(
      decoder.convert(to: output, error: &error) { _, status in
        status.pointee = .haveData
        return lying
      } == .error)
    #expect(error?.code == Int(kAudioConverterErr_InvalidInputSize))

    // A damaged packet is silence of its length.
    decoder.reset()
    var damaged = pieces
    damaged[1].bytes[damaged[1].bytes.count / 2] ^= 0x55
    let heard = try Packets.decode(decoder, Packets.feed(decoder.inputFormat, damaged, part: 2))[0]
    #expect(heard.count == 9000)
    #expect(heard[4096..<8192].allSatisfy { $0 == 0 })
    #expect(zip(heard, ConverterTests.samples(signal, 0)).dropFirst(8192).allSatisfy { abs($0 - $1) <= 0x1p-16 })
  }

  @Test("dither is the same however it is cut, has no tone, and a mean of nothing")
  func dither() throws {
    let (standard, coarse) = (
      try OfflineRig.format(44_100, 1),
      try #require(AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 1, interleaved: true))
    )
    let silence = try ConverterTests.sine(standard, frames: 40_000, level: 0)
    func convert(part: Int, room: Int) throws -> [Float] {
      let converter = try #require(AVAudioConverter(from: standard, to: coarse))
      converter.dither = true
      return try ConverterTests.convert(converter, silence, part: part, room: room)[0].map { $0 * 0x1p15 }
    }
    let noise = try convert(part: 1000, room: 512)
    #expect(difference(try convert(part: 77, room: 4096), noise) == nil)
    #expect(Set(noise) == [-1, 0, 1])
    let mean = noise.reduce(0, +) / Float(noise.count)
    #expect(abs(mean) < 0.02)
    // Of triangular noise, rounded, a quarter is not zero: 1/8 on each side. Frames far apart have nothing in common.
    #expect(abs(noise.reduce(0) { $0 + $1 * $1 } / Float(noise.count) - 0.25) < 0.02)
    for distance in [1, 2, 512, 1000] {
      let together = zip(noise, noise[distance...]).reduce(Float(0)) { $0 + $1.0 * $1.1 } / Float(noise.count)
      #expect(abs(together) < 0.01, "\(distance)")
    }
  }
}
