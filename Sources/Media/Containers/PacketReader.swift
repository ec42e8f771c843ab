public import AudioModel

/// A stream of packets that does its own input: what ``Media`` reads from, whether one of our parsers or a foreign
/// demuxer stands behind it. Belongs to one worker thread at a time.
public protocol PacketReader: AnyObject {
  /// What the stream is. May get better while packets are read.
  var facts: StreamFacts { get }
  /// The next packet, `nil` at the end. Its bytes are readable by ``withPacketBytes(_:)`` until the next call.
  func nextPacket() throws(AudioError) -> Packet?
  /// Frames at both ends of what the last packet decodes to that are not to be heard, where only the packet says so:
  /// neither its frame position nor the duration in ``facts``. None unless implemented.
  var discard: PacketDiscard { get }
  /// Gives `body` the bytes of the packet that ``nextPacket()`` returned last.
  func withPacketBytes(_ body: (UnsafeRawBufferPointer) throws(AudioError) -> Void) throws(AudioError)
  /// Goes on with packets at or before `frame` (on the trimmed timeline), early enough for the decoder.
  /// - Returns: Whether frame positions of packets are certain from here on.
  func seek(to frame: Int64) throws(AudioError) -> Bool
}

extension PacketReader {
  /// Nothing is discarded.
  public var discard: PacketDiscard { PacketDiscard() }
}

/// Frames of a packet's sound that are not to be heard.
public struct PacketDiscard: Hashable, Sendable {
  /// How many at the beginning.
  public var atStart = 0
  /// How many at the end.
  public var atEnd = 0
  /// Makes one; nothing is discarded unless said.
  public init(atStart: Int = 0, atEnd: Int = 0) {
    self.atStart = atStart
    self.atEnd = atEnd
  }
}
