/// What libavformat does not tell of an MP4 file's times: how long the media of a track is before its edit list, and how
/// coarsely that list counts. Source: ISO/IEC 14496-12 §8.2.2, §8.3.2, §8.4.2.
struct MP4Lengths {
  /// Length of the track's media, in its own ticks.
  private(set) var media: Int64 = 0
  /// Ticks of the movie in a second.
  private(set) var movieTimescale: UInt32 = 0

  private static let boxLimit = 1_024

  /// Looks for a track's boxes; `nil` where they are not found.
  init?(_ io: SourceIO, track: UInt32) {
    guard let length = io.length, let movie = Self.find("moov", io, 0..<length) else { return nil }
    guard let header = Self.find("mvhd", io, movie), let isLong = io.bytes(at: header.lowerBound, count: 1)?.first,
      let scale = io.bytes(at: header.lowerBound + (isLong == 1 ? 20 : 12), count: 4)
    else { return nil }
    movieTimescale = UInt32(truncatingIfNeeded: Self.number(scale))
    var rest = movie
    while let box = Self.find("trak", io, rest) {
      rest = box.upperBound..<max(movie.upperBound, box.upperBound)
      guard let id = Self.trackID(io, box), id == track else { continue }
      guard let media = Self.find("mdia", io, box), let header = Self.find("mdhd", io, media),
        let version = io.bytes(at: header.lowerBound, count: 1)?.first,
        let bytes = io.bytes(at: header.lowerBound + (version == 1 ? 24 : 16), count: version == 1 ? 8 : 4)
      else { return nil }
      self.media = Int64(truncatingIfNeeded: Self.number(bytes))
      guard movieTimescale > 0, self.media > 0, self.media < 1 << 48 else { return nil }
      return
    }
    return nil
  }

  private static func trackID(_ io: SourceIO, _ track: Range<Int64>) -> UInt32? {
    guard let header = find("tkhd", io, track), let version = io.bytes(at: header.lowerBound, count: 1)?.first,
      let bytes = io.bytes(at: header.lowerBound + (version == 1 ? 20 : 12), count: 4)
    else { return nil }
    return UInt32(truncatingIfNeeded: number(bytes))
  }

  /// The body of the first box of a type in a stretch of the file.
  private static func find(_ type: String, _ io: SourceIO, _ range: Range<Int64>) -> Range<Int64>? {
    var offset = range.lowerBound
    for _ in 0..<boxLimit {
      guard range.upperBound - offset >= 8, let head = io.bytes(at: offset, count: 8) else { return nil }
      var size = Int64(truncatingIfNeeded: number(Array(head[..<4])))
      var body: Int64 = 8
      if size == 1 {
        guard let long = io.bytes(at: offset + 8, count: 8) else { return nil }
        size = Int64(bitPattern: number(long))
        body = 16
      } else if size == 0 {
        size = range.upperBound - offset
      }
      guard size >= body, size <= range.upperBound - offset else { return nil }
      if head[4...].elementsEqual(type.utf8) { return offset + body..<offset + size }
      offset += size
    }
    return nil
  }

  private static func number(_ bytes: [UInt8]) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
