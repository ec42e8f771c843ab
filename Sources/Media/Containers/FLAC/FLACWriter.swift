import AudioModel

/// Writes FLAC: STREAMINFO, a seek table, comments, pictures, some room for more, and the frames. What can't be replaced
/// gets no seek table, and a STREAMINFO that leaves length and checksum open. Source: RFC 9639 §8.
struct FLACWriter: ContainerWriter {
  private let stream: WrittenStream
  private var soundStart: Int64 = 0
  private var frames: Int64 = 0
  private var points = SeekPoints(limit: Self.pointLimit)

  private static let infoSize = 34, pointSize = 18
  /// Seek points: one for every two seconds of a long song.
  private static let pointLimit = 128
  /// Room for a tag editor.
  private static let room = 4096

  init(_ stream: WrittenStream) throws(AudioError) {
    guard stream.codec == .flac, stream.decoderConfiguration.count == Self.infoSize else {
      throw AudioError(.encodingUnsupported, "A FLAC file can't hold \(stream.codec)")
    }
    self.stream = stream
  }

  mutating func begin(_ output: any ContainerOutput) throws(AudioError) {
    var file = ByteBuilder()
    file.text("fLaC")
    add(0, stream.decoderConfiguration, to: &file)
    if output.isReplaceable { add(3, [UInt8](repeating: 0, count: Self.pointLimit * Self.pointSize), to: &file) }
    var tags = stream.tags
    let layout = stream.format.layout
    if layout.mask != ChannelLayout(count: layout.count)?.mask {
      tags.append(Tag("waveformatextensible_channel_mask", "0x" + String(layout.mask, radix: 16, uppercase: true)))
    }
    add(4, VorbisCommentWriter.comments(tags), to: &file)
    for picture in stream.pictures where picture.bytes.count < 16_000_000 {
      add(6, VorbisCommentWriter.picture(picture), to: &file)
    }
    add(1, [UInt8](repeating: 0, count: Self.room), isLast: true, to: &file)
    soundStart = Int64(file.bytes.count)
    try output.append(file.bytes)
  }

  mutating func write(
    _ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput
  ) throws(AudioError) {
    points.add(SeekPoints.Point(frame: self.frames, position: output.position - soundStart, count: frames))
    self.frames += Int64(frames)
    try output.append(packet)
  }

  mutating func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError) {
    guard output.isReplaceable else { return }
    var head = ByteBuilder()
    add(0, ending.decoderConfiguration, to: &head)
    let table = ByteBuilder.make { body in
      for point in points.points {
        body.big(point.frame, 8)
        body.big(point.position, 8)
        body.big(point.count, 2)
      }
      // What is left over holds the place.
      for _ in points.points.count..<Self.pointLimit {
        body.big(-1, 8)
        body.zeros(10)
      }
    }
    add(3, table, to: &head)
    try output.replace(at: 4, with: head.bytes)
  }

  private func add(_ type: Int, _ body: [UInt8], isLast: Bool = false, to file: inout ByteBuilder) {
    file.big(type | (isLast ? 0x80 : 0), 1)
    file.big(body.count, 3)
    file.add(body)
  }
}

/// Places in a stream, evenly spread and of bounded number, however long it gets: when there are too many, every other
/// one goes, and so does every other one of those that come.
struct SeekPoints {
  /// A place.
  struct Point: Hashable {
    /// The packet's first frame.
    var frame: Int64
    /// The packet's first byte.
    var position: Int64
    /// The packet's frames.
    var count: Int
  }

  /// Those that are kept.
  private(set) var points: [Point] = []
  private let limit: Int
  private var stride = 1
  private var toSkip = 0

  init(limit: Int) { self.limit = limit }

  /// Offers the place of the next packet.
  mutating func add(_ point: Point) {
    if toSkip > 0 {
      toSkip -= 1
      return
    }
    if points.count == limit {
      points = points.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      stride *= 2
      // An odd limit ends with a place that stays, from which the new distance counts.
      if limit % 2 == 1 {
        toSkip = stride / 2 - 1
        return
      }
    }
    points.append(point)
    toSkip = stride - 1
  }
}
