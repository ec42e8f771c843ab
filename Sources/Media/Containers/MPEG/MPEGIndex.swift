/// Where packets of a stream begin: remembered sparsely as they pass, in bounded memory.
struct MPEGIndex {
  /// A place in the stream, just before a packet.
  struct Point: Hashable {
    var position: Int64
    /// Packets before it.
    var packet: Int64
    /// First PCM frame of the packet, on the trimmed timeline.
    var frame: Int64
  }

  /// Most points: 192 KiB. When they are reached, every other one goes.
  static let capacity = 8192
  /// Points stand at multiples of this many packets. The synthesis window of the decoder turns by a fixed step with each
  /// packet and is back where it was after 8 of any layer, so that decoding begun at such a point rounds like decoding
  /// from the start.
  static let alignment: Int64 = 8

  private(set) var points: [Point] = []
  private var stride = alignment

  /// Remembers a point if its turn has come. Points must come in order.
  mutating func add(_ point: Point) {
    guard point.packet % stride == 0, point.packet > points.last?.packet ?? -1 else { return }
    if points.count == Self.capacity {
      stride *= 2
      points.removeAll { $0.packet % stride != 0 }
      guard point.packet % stride == 0 else { return }
    }
    points.append(point)
  }

  /// The last point at or before a frame; the first one if all are behind it.
  func point(before frame: Int64) -> Point? {
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if points[middle].frame <= frame { low = middle + 1 } else { high = middle }
    }
    return points.isEmpty ? nil : points[max(low - 1, 0)]
  }
}
