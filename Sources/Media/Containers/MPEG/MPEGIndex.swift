import AudioModel

/// Where packets of MPEG audio begin.
typealias MPEGIndex = PacketIndex<MPEGPoint>

/// A place in a stream of MPEG audio, just before a packet.
struct MPEGPoint: IndexedPoint, Hashable {
  var position: Int64
  var packet: Int64
  var frame: Int64
  /// Where sound of another rate than the stream's first is converted: what it is, and how far behind ``frame`` the
  /// packet begins, in ticks. See ``MPEGOutline``.
  var converted: PCMFormat?
  var rest: Int64 = 0
  /// The first frame that is not before it.
  var end: Int64 { rest > 0 ? frame + 1 : frame }
}

extension MPEGIndex {
  /// Points stand at multiples of this many packets. The synthesis window of the decoder turns by a fixed step with each
  /// packet and is back where it was after 8 of any layer, so that decoding begun at such a point rounds like decoding
  /// from the start.
  static var alignment: Int64 { 8 }
}
