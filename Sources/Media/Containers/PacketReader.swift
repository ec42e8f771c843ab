public import AudioModel

/// A stream of packets that does its own input: what ``Media`` reads from, whether one of our parsers or a foreign
/// demuxer stands behind it. Belongs to one worker thread at a time.
public protocol PacketReader: AnyObject {
  /// What the stream is. May get better while packets are read.
  var facts: StreamFacts { get }
  /// The next packet, `nil` at the end. Its bytes are readable by ``withPacketBytes(_:)`` until the next call.
  func nextPacket() throws(AudioError) -> Packet?
  /// Gives `body` the bytes of the packet that ``nextPacket()`` returned last.
  func withPacketBytes(_ body: (UnsafeRawBufferPointer) throws(AudioError) -> Void) throws(AudioError)
  /// Goes on with packets at or before `frame` (on the trimmed timeline), early enough for the decoder.
  /// - Returns: Whether frame positions of packets are certain from here on.
  func seek(to frame: Int64) throws(AudioError) -> Bool
}
