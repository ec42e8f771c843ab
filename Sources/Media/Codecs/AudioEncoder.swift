public import AudioModel

/// Turns PCM into packets of one codec.
///
/// Belongs to one thread at a time. Order of calls: ``encode(_:from:count:into:)`` any number of times, ``finish(into:)``
/// once, then ``reset()`` before another stream.
///
/// Timeline: what the packets decode to, a decoder's own delay included, is ``delay`` frames that nobody gave, then every
/// frame given, then ``padding`` frames. A container that says so makes the trip there and back exact.
public protocol AudioEncoder: AnyObject {
  /// Rate and channels of what it takes; does not change.
  var format: PCMFormat { get }
  /// What it makes; does not change.
  var codec: Codec { get }
  /// Name of the encoder: `libFLAC`, `libavcodec`, `pcm`.
  var name: String { get }
  /// Frames that every packet but the last decodes to; 0 where packets differ (Vorbis), 1 for PCM, whose packets are runs of
  /// as many as are at hand.
  var framesPerPacket: Int { get }
  /// The most bytes that a packet takes; for PCM, that a frame takes.
  var maximumPacketBytes: Int { get }
  /// Frames that the packets decode to before the first one given.
  var delay: Int { get }
  /// Frames that the packets decode to behind the last one given. Known after ``finish(into:)``, 0 before.
  var padding: Int { get }
  /// Set-up bytes for the decoder, in the form that ``AudioModel/StreamFacts/decoderConfiguration`` has for the codec.
  /// FLAC's are complete (lengths, checksum) after ``finish(into:)`` only.
  var decoderConfiguration: [UInt8] { get }
  /// How samples lie in the packets (PCM), or how deep they are (lossless codecs); `nil` for all else.
  var sampleCoding: SampleCoding? { get }
  /// Bits per second that it aims for or always takes; `nil` where the sound decides (lossless, or by quality).
  var bitRate: Int? { get }

  /// Encodes frames `start` ..< `start + count` of a block with ``format``'s channels, and adds the packets that became
  /// complete.
  /// - Throws: 4xxx where the encoder fails for good.
  func encode(_ input: PCMBlock, from start: Int, count: Int, into output: EncodedPackets) throws(AudioError)

  /// Adds what is still to come. Nothing may be encoded after it until ``reset()``.
  /// - Throws: 4xxx where the encoder fails for good.
  func finish(into output: EncodedPackets) throws(AudioError)

  /// Forgets everything, to encode another stream with the same settings.
  /// - Throws: 4xxx where the encoder can't be set up anew.
  func reset() throws(AudioError)
}

extension AudioEncoder {
  /// Encodes all frames of a block.
  public func encode(_ input: PCMBlock, into output: EncodedPackets) throws(AudioError) {
    try encode(input, from: 0, count: input.frameCount, into: output)
  }
}

/// Packets that an encoder made, in order, in one piece of memory that is reused from call to call.
public final class EncodedPackets {
  /// One packet.
  public struct Entry: Hashable, Sendable {
    /// Where it stands in ``EncodedPackets/bytes``.
    public var range: Range<Int>
    /// Frames that it decodes to, before trimming.
    public var frameCount: Int
  }

  /// The packets' bytes, one behind the other.
  public private(set) var bytes: [UInt8] = []
  /// The packets, in order.
  public private(set) var entries: [Entry] = []

  /// Makes an empty collection.
  public init() {}

  /// Frames that all packets decode to.
  public var frameCount: Int { entries.reduce(0) { $0 + $1.frameCount } }

  /// Empties it; keeps its memory.
  public func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }

  /// Adds a packet.
  public func append(_ packet: UnsafeRawBufferPointer, frameCount: Int) {
    let start = bytes.count
    bytes.append(contentsOf: packet)
    entries.append(Entry(range: start..<bytes.count, frameCount: frameCount))
  }

  /// Adds a packet of `byteCount` bytes that `body` fills.
  package func append(byteCount: Int, frameCount: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: byteCount))
    bytes.withUnsafeMutableBytes { body(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    entries.append(Entry(range: start..<bytes.count, frameCount: frameCount))
  }

  /// Calls `body` with each packet, in order; the bytes are valid during the call.
  public func forEach(
    _ body: (UnsafeRawBufferPointer, _ frameCount: Int) throws(AudioError) -> Void
  ) throws(AudioError) {
    try bytes.withUnsafeBufferPointer { all throws(AudioError) in
      for entry in entries {
        try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[entry.range])), entry.frameCount)
      }
    }
  }
}
