public import AudioModel

/// Turns packets of one codec into PCM.
///
/// Belongs to one worker thread at a time. Order of calls: ``decode(_:packet:into:)`` for every packet, ``finish(into:)``
/// once after the last, ``reset()`` before going on elsewhere (also after `finish`).
public protocol AudioDecoder: AnyObject {
  /// Rate and channels of what it gives. May change with a packet; then the call that would mix both formats returns
  /// before it adds anything, see ``DecodeResult/formatChanged``.
  var format: PCMFormat { get }

  /// Name of the decoder as `martlet formats` prints it: `libmpg123`, `libavcodec`, `pcm`.
  var name: String { get }

  /// Decodes one packet and appends what comes of it.
  /// - Parameters:
  ///   - bytes: The packet; valid during the call only.
  ///   - packet: Its facts.
  ///   - output: Gets the frames behind those it has. Its channels are those of ``format``.
  /// - Returns: Whether all is well, or `output` is to be emptied and reshaped and the same packet given again.
  /// - Throws: ``AudioError/Code/damagedPacket`` when only this packet is lost; other 4xxx when all is.
  func decode(_ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock) throws(AudioError)
    -> DecodeResult

  /// Appends what the decoder still holds after the last packet.
  func finish(into output: PCMBlock) throws(AudioError)

  /// Forgets everything heard so far.
  func reset()
}

/// How a call of a decoder ended.
public enum DecodeResult: Hashable, Sendable {
  /// The packet was used up.
  case decoded
  /// ``AudioDecoder/format`` is another one now and nothing was appended: take what is in the output, reshape it, and
  /// call again with the same packet.
  case formatChanged
}

/// A decoder as the registry knows it: one line of the table that decides who decodes what.
public struct DecoderRegistration: Sendable {
  /// Which of several is taken.
  public enum Tier: Int, Comparable, CaseIterable, Sendable {
    /// The best for its codec.
    case preferred
    /// Good; taken where no better one is there.
    case standard
    /// Last choice.
    case fallback
    /// The better tier is the smaller one.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// What the tier amounts to where nobody says more.
    fileprivate var reason: String {
      switch self {
      case .preferred: "the best for its codec"
      case .standard: "good, and there is no better one"
      case .fallback: "there is no other"
      }
    }
  }

  /// Name as `martlet formats` prints it.
  public var name: String
  /// What it decodes.
  public var codecs: [Codec]
  /// Its rank.
  public var tier: Tier
  /// Why it is the one for these codecs, in a few words that `martlet formats` prints.
  public var reason: String
  /// Makes a decoder for a stream. Throws 4003 where its library is missing, 4001 where it can't do this stream.
  public var make: @Sendable (StreamFacts) throws(AudioError) -> any AudioDecoder

  /// Makes a registration; the reason is by default what its tier says.
  public init(
    name: String, codecs: [Codec], tier: Tier, reason: String? = nil,
    make: @escaping @Sendable (StreamFacts) throws(AudioError) -> any AudioDecoder
  ) {
    self.name = name
    self.codecs = codecs
    self.tier = tier
    self.reason = reason ?? tier.reason
    self.make = make
  }
}
