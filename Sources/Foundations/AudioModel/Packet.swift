/// One packet of a stream: where its bytes are and which frames it decodes to.
public struct Packet: Hashable, Sendable {
  /// First byte, counted from the start of the source.
  public var position: Int64
  /// Number of bytes.
  public var byteCount: Int
  /// The first frame that the packet decodes to, on the *trimmed* timeline: frame 0 is the first one heard, and what
  /// comes of encoder delay and decoder delay is negative.
  public var frame: Int64
  /// How far behind ``frame`` its sound begins, 0..<1 of a frame: above 0 only where the sound has another rate than the
  /// timeline and is converted.
  public var fraction = 0.0
  /// Number of frames it decodes to, before trimming, at the decoder's rate. 0 where only the decoder knows.
  public var frameCount: Int
  /// The packet does not follow the one before: after a seek or a gap, decoder state is to be reset.
  public var isDiscontinuous: Bool
  /// Codec or decoder configuration in the facts are others than those of the packet before: a chain of streams goes on
  /// with its next link, and with a new decoder.
  public var startsNewCoding = false
  /// Frames of what it decodes to that are not to be heard, where neither `frame` nor the duration in the facts says it:
  /// at the borders between the links of a chain. Counted at the decoder's rate.
  public var discard = PacketDiscard()

  /// Makes a packet.
  public init(position: Int64, byteCount: Int, frame: Int64, frameCount: Int, isDiscontinuous: Bool = false) {
    self.position = position
    self.byteCount = byteCount
    self.frame = frame
    self.frameCount = frameCount
    self.isDiscontinuous = isDiscontinuous
  }
}

/// Frames of a packet's sound that are not to be heard.
public struct PacketDiscard: Hashable, Sendable {
  /// How many from the packet's first frame on; they may reach into the packets that follow.
  public var atStart: Int
  /// How many at the end of the packet.
  public var atEnd: Int
  /// Makes one; nothing is discarded unless said.
  public init(atStart: Int = 0, atEnd: Int = 0) {
    self.atStart = atStart
    self.atEnd = atEnd
  }
}
