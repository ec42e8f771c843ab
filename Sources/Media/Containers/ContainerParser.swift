public import AudioModel

/// Reads one container format, without doing any input itself.
///
/// A parser is a value. Its driver owns the bytes in a ``ByteWindow`` and calls ``next(in:)`` again and again; each
/// answer is a fact, a packet, or a wish for bytes. The same parser so serves bytes pushed from a network, a file
/// pulled at will, and any chunking down to single bytes. Every number that comes from the bytes is a limit to check,
/// never an amount to allocate.
public protocol ContainerParser {
  /// Takes the next step.
  /// - Parameter window: The bytes at hand. The parser looks only at positions inside it, and asks for more by
  ///   ``ParserStep/need(_:)``.
  /// - Returns: ``ParserStep/facts(_:)`` once before the first packet (and again when they got better), packets in
  ///   order, at last ``ParserStep/end``, and that for good until ``seek(to:sourceIsCheap:)``.
  /// - Throws: Codes 3xxx when the container can't be read on.
  mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep

  /// Prepares to go on elsewhere.
  /// - Parameters:
  ///   - frame: Target on the trimmed timeline, not negative.
  ///   - sourceIsCheap: Jumping and reading cost nothing (a file), so that an exact answer may read much.
  /// - Returns: Where packets begin now; the first one is marked discontinuous and starts at or before the target, as
  ///   far before as the decoder needs to get going.
  mutating func seek(to frame: Int64, sourceIsCheap: Bool) -> ParserSeek
}

/// What a parser answers to a step.
public enum ParserStep: Hashable, Sendable {
  /// Bytes are wanted; the step is repeated when they are in the window.
  case need(ByteRequest)
  /// What the stream is; replaces earlier facts. Rate and channels stay those of the first facts for good, the timeline
  /// counts in them; codec and decoder configuration may change before a packet that says so, see
  /// ``AudioModel/Packet/startsNewCoding``.
  case facts(StreamFacts)
  /// A packet whose bytes lie in the window.
  case packet(Packet)
  /// A packet whose bytes lie in several pieces, or begin in the middle of one, put together; at most
  /// ``ByteRequest/limit``. Its position is that of the first piece.
  case assembled(Packet, [UInt8])
  /// Nothing follows.
  case end
}

/// A wish for bytes. Everything before ``position`` may be dropped from the window.
public struct ByteRequest: Hashable, Sendable {
  /// The most that a parser may want in the window at a time: 16 MiB.
  public static let limit = 16 << 20
  /// First byte wanted, anywhere in the source: behind the window it means reading or jumping on, before it jumping
  /// back (only where the source can).
  public var position: Int64
  /// How many bytes at least, 1…``limit``. Fewer may be there when the source ends: then ``ByteWindow/isEnd`` is true.
  public var count: Int
  /// Makes a wish.
  public init(position: Int64, count: Int) {
    self.position = position
    self.count = count
  }
}

/// What a parser answers to a seek.
public enum ParserSeek: Hashable, Sendable {
  /// Packets go on near there. `isExact` tells whether frame positions of packets from here on are certain.
  case at(position: Int64, isExact: Bool)
  /// Impossible.
  case impossible
}
