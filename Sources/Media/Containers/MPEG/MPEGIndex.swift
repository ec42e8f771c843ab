/// Where packets of MPEG audio begin.
typealias MPEGIndex = PacketIndex<MPEGPoint>

/// A place in a stream of MPEG audio, just before a packet.
struct MPEGPoint: IndexedPoint, Hashable {
  var position: Int64
  var packet: Int64
  var frame: Int64
  /// What of a frame is left over behind packets of another sample rate, in ticks: see ``MPEGOutline``.
  var rest: Int64 = 0
}

extension MPEGIndex {
  /// Points stand at multiples of this many packets. The synthesis window of the decoder turns by a fixed step with each
  /// packet and is back where it was after 8 of any layer, so that decoding begun at such a point rounds like decoding
  /// from the start.
  static var alignment: Int64 { 8 }
}
