public import AudioModel

extension DecoderRegistration {
  /// The decoders that are Martlet's own or have a library of their own. One line here is all that a new one takes.
  public static let builtIn: [DecoderRegistration] = [
    DecoderRegistration(
      name: "pcm", codecs: [.pcm], tier: .preferred,
      reason: "exact for samples of up to 24 bits, and needs no library"
    ) { facts throws(AudioError) in
      try PCMDecoder(facts)
    },
    DecoderRegistration(
      name: "g711", codecs: [.alaw, .mulaw], tier: .preferred,
      reason: "a table says it all, and needs no library"
    ) { facts throws(AudioError) in
      try G711Decoder(facts)
    },
    DecoderRegistration(
      name: "libmpg123", codecs: [.mp3, .mp2, .mp1], tier: .preferred,
      reason: "made for MPEG audio, small and quick to load"
    ) { facts throws(AudioError) in
      try MPG123Decoder(facts)
    },
    DecoderRegistration(
      name: "libFLAC", codecs: [.flac], tier: .preferred,
      reason: "the reference decoder, small and quick to load"
    ) { facts throws(AudioError) in
      try FLACDecoder(facts)
    },
    DecoderRegistration(
      name: "libvorbis", codecs: [.vorbis], tier: .preferred,
      reason: "the reference decoder, small and quick to load"
    ) { facts throws(AudioError) in
      try VorbisDecoder(facts)
    },
    DecoderRegistration(
      name: "libopus", codecs: [.opus], tier: .preferred,
      reason: "the reference decoder, small and quick to load"
    ) { facts throws(AudioError) in
      try OpusDecoder(facts)
    },
  ]
}

/// Decides who decodes what.
public struct DecoderTable: Sendable {
  /// The lines, in the order they were given.
  public let registrations: [DecoderRegistration]

  /// Makes a table.
  public init(_ registrations: [DecoderRegistration]) { self.registrations = registrations }

  /// Who can decode a codec, best tier first, and in one tier the first given.
  public func candidates(for codec: Codec) -> [DecoderRegistration] {
    DecoderRegistration.Tier.allCases.flatMap { tier in
      registrations.filter { $0.tier == tier && $0.codecs.contains(codec) }
    }
  }

  /// Makes the best decoder for a stream; where one refuses, the next is tried.
  /// - Throws: ``AudioModel/AudioError/Code/unsupportedCodec`` when there is none, else the first one's refusal.
  public func makeDecoder(for facts: StreamFacts) throws(AudioError) -> any AudioDecoder {
    var refusal: AudioError?
    for candidate in candidates(for: facts.codec) {
      do { return try candidate.make(facts) } catch { refusal = refusal ?? error }
    }
    throw refusal ?? AudioError(.unsupportedCodec, "There is no decoder for \(facts.codec)")
  }
}
