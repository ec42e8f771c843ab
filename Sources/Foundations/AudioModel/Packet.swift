/// One packet of a stream: where its bytes are and which frames it decodes to.
public struct Packet: Hashable, Sendable {
  /// First byte, counted from the start of the source.
  public var position: Int64
  /// Number of bytes.
  public var byteCount: Int
  /// The first frame that the packet decodes to, on the *trimmed* timeline: frame 0 is the first one heard, and what
  /// comes of encoder delay and decoder delay is negative.
  public var frame: Int64
  /// Number of frames it decodes to, before trimming. 0 where only the decoder knows.
  public var frameCount: Int
  /// The packet does not follow the one before: after a seek or a gap, decoder state is to be reset.
  public var isDiscontinuous: Bool

  /// Makes a packet.
  public init(position: Int64, byteCount: Int, frame: Int64, frameCount: Int, isDiscontinuous: Bool = false) {
    self.position = position
    self.byteCount = byteCount
    self.frame = frame
    self.frameCount = frameCount
    self.isDiscontinuous = isDiscontinuous
  }
}
