public import AudioModel

/// An encoder as the registry knows it: one line of the table that decides who encodes what.
public struct EncoderRegistration: Sendable {
  /// Name: `libFLAC`, `libavcodec`, `pcm`.
  public var name: String
  /// What it makes.
  public var codec: Codec
  /// The rates that it takes, in hertz, ascending; empty for every one within ``rateRange``.
  public var rates: [Int]
  /// The rates that it takes where they are not listed.
  public var rateRange: ClosedRange<Int>
  /// The numbers of channels that it takes. Not every layout of such a number need be among them.
  public var channels: ClosedRange<Int>
  /// Bits per second that it may be asked for, per channel; `nil` where the rate can't be chosen.
  public var bitRates: ClosedRange<Int>?
  /// Makes an encoder. Throws 4005 where its library is missing, 4006 where it can't do this.
  public var make: @Sendable (PCMFormat, EncoderSettings) throws(AudioError) -> any AudioEncoder

  /// Makes a registration.
  public init(
    name: String, codec: Codec, rates: [Int] = [], rateRange: ClosedRange<Int> = SampleRate.accepted,
    channels: ClosedRange<Int>, bitRates: ClosedRange<Int>? = nil,
    make: @escaping @Sendable (PCMFormat, EncoderSettings) throws(AudioError) -> any AudioEncoder
  ) {
    self.name = name
    self.codec = codec
    self.rates = rates
    self.rateRange = rateRange
    self.channels = channels
    self.bitRates = bitRates
    self.make = make
  }

  /// Whether it takes a rate.
  public func accepts(_ rate: SampleRate) -> Bool {
    rates.isEmpty ? rateRange.contains(rate.hertz) : rates.contains(rate.hertz)
  }

  /// The rate to convert to before encoding: the same where it is taken, else the next higher one, else the highest.
  public func nearest(to rate: SampleRate) -> SampleRate {
    if accepts(rate) { return rate }
    let hertz =
      rates.isEmpty
      ? min(max(rate.hertz, rateRange.lowerBound), rateRange.upperBound)
      : rates.first { $0 >= rate.hertz } ?? rates[rates.count - 1]
    return SampleRate(hertz: hertz) ?? rate
  }
}

/// Decides who encodes what.
public struct EncoderTable: Sendable {
  /// The lines; of several for a codec, the first counts.
  public let registrations: [EncoderRegistration]

  /// Makes a table.
  public init(_ registrations: [EncoderRegistration]) { self.registrations = registrations }

  /// Who encodes a codec; `nil` where nobody does.
  public func registration(for codec: Codec) -> EncoderRegistration? { registrations.first { $0.codec == codec } }

  /// Makes an encoder.
  /// - Throws: 4005 where there is none or its library is missing, 4006 where it can't do this.
  public func makeEncoder(
    _ codec: Codec, format: PCMFormat, settings: EncoderSettings = EncoderSettings()
  ) throws(AudioError) -> any AudioEncoder {
    guard let registration = registration(for: codec) else {
      throw AudioError(.encoderUnavailable, "There is no encoder for \(codec)")
    }
    guard registration.accepts(format.sampleRate) else {
      throw AudioError(.encodingUnsupported, "\(codec) can't be encoded at \(format.sampleRate)")
    }
    guard registration.channels.contains(format.channels) else {
      throw AudioError(
        .encodingUnsupported,
        "\(codec) takes at most \(registration.channels.upperBound) channels, not \(format.channels)")
    }
    return try registration.make(format, settings)
  }
}

extension EncoderRegistration {
  /// The encoders that are Martlet's own or have a library of their own.
  public static let builtIn: [EncoderRegistration] = [
    EncoderRegistration(name: "pcm", codec: .pcm, channels: ChannelLayout.accepted) {
      format, settings throws(AudioError) in try PCMEncoder(format, settings)
    },
    // The rate's field has 20 bits, of which the library takes what its own frames can say.
    EncoderRegistration(name: "libFLAC", codec: .flac, rateRange: 1...655_350, channels: 1...8) {
      format, settings throws(AudioError) in try FLACEncoder(format, settings)
    },
    EncoderRegistration(
      name: "libopus", codec: .opus, rates: [48_000], channels: 1...64, bitRates: 6_000...256_000
    ) { format, settings throws(AudioError) in try OpusEncoder(format, settings) },
  ]
}
