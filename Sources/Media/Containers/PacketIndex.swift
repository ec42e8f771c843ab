/// A place in a stream, just before a packet, as ``PacketIndex`` remembers it.
protocol IndexedPoint {
  /// Packets before it.
  var packet: Int64 { get }
  /// First PCM frame of the packet, on the trimmed timeline.
  var frame: Int64 { get }
}

/// Where packets of a stream begin: remembered sparsely as they pass, in bounded memory.
struct PacketIndex<Point: IndexedPoint> {
  /// Most points. When they are reached, every other one goes.
  static var capacity: Int { 8192 }

  private(set) var points: [Point] = []
  private var stride: Int64

  /// Makes an empty index whose points stand at multiples of `alignment` packets.
  init(alignment: Int64) { stride = alignment }

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
