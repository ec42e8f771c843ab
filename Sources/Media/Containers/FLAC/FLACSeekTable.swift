/// A seek table: hints where frames begin. Source: RFC 9639 §8.5.
struct FLACSeekTable {
  struct Point: Hashable {
    /// Number of the first sample of a frame.
    var sample: Int64
    /// Bytes from the first frame.
    var offset: Int64
  }

  static let pointSize = 18
  /// Most points that are kept: 64 KiB. Of a longer table some are passed over.
  static let capacity = 4096

  private(set) var points: [Point] = []
  var isEmpty: Bool { points.isEmpty }

  /// Reads points from a position on, as far as the window goes.
  /// - Returns: Where to go on, or `nil` at the end of the table.
  mutating func read(_ window: ByteWindow, at position: Int64, body: Int64, size: Int64) -> Int64? {
    let count = size / Int64(Self.pointSize)
    let stride = max(1, (count + Int64(Self.capacity) - 1) / Int64(Self.capacity))
    var at = position
    while at + Int64(Self.pointSize) <= body + size {
      guard let sample = window.bigEndian(at, size: 8), let offset = window.bigEndian(at + 8, size: 8) else {
        return window.isEnd && at >= window.start ? nil : at
      }
      // Placeholders have all ones; points must rise.
      if sample < 1 << 40, offset < 1 << 56, Int64(sample) > points.last?.sample ?? -1,
        Int64(offset) > points.last?.offset ?? -1
      {
        points.append(Point(sample: Int64(sample), offset: Int64(offset)))
      }
      at += Int64(Self.pointSize) * stride
    }
    return nil
  }

  /// The points around a sample.
  func around(_ sample: Int64) -> (below: Point?, above: Point?) {
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if points[middle].sample <= sample { low = middle + 1 } else { high = middle }
    }
    return (low > 0 ? points[low - 1] : nil, low < points.count ? points[low] : nil)
  }

  /// About where a frame of the timeline is, and not behind it by much: between the points around it.
  func position(of frame: Int64, _ outline: FLACOutline) -> Int64? {
    let sample = frame.addingSaturating(outline.timeline.anchor.sample)
    let (below, above) = around(sample)
    guard let below else { return nil }
    var offset = below.offset
    let ending = outline.stated.flatMap { stated in
      outline.audioEnd.map {
        Point(sample: stated + outline.timeline.anchor.sample, offset: $0 - outline.position)
      }
    }
    if let above = above ?? ending, above.sample > below.sample, above.offset > below.offset {
      let part = min(1, Double(sample - below.sample) / Double(above.sample - below.sample))
      offset += max(0, Int64(part * Double(above.offset - below.offset)) - FLACSearch.margin)
    }
    return outline.position.addingSaturating(offset)
  }
}
