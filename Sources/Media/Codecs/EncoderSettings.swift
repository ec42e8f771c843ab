public import AudioModel

/// What an encoder is asked to make. What does not concern a codec is ignored by it.
public struct EncoderSettings: Hashable, Sendable {
  /// PCM: how samples are stored. Lossless codecs: their depth, of which ``AudioModel/SampleCoding/bits`` counts; 24 bits
  /// unless said, 16…24 for ALAC, 4…32 for FLAC.
  public var sampleCoding: SampleCoding?
  /// Adds triangular dither of one step, the same in every run, before rounding to integers.
  public var hasDither = false
  /// Lossy codecs: bits per second for all channels together. `nil` takes the codec's usual one for the channels, or what
  /// ``quality`` says.
  public var bitRate: Int?
  /// Lossy codecs that can aim for quality instead of size (Vorbis, MP3): 0 (smallest) … 1 (best). Counts where ``bitRate``
  /// is `nil`.
  public var quality: Double?
  /// Every packet takes the same share of the bits, where the codec can (MP3, Opus).
  public var isConstantBitRate = false
  /// How hard the encoder tries, 0 (fast) … 1 (small); `nil` for the codec's usual effort.
  public var effort: Double?
  /// Rate of the sound before it was converted for the codec, for headers that tell it (Opus).
  public var originalRate: SampleRate?

  /// Makes settings with everything as usual.
  public init() {}
}
