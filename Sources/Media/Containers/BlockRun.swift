import AudioModel

/// Sound in blocks of one size that lie one behind the other: frames of PCM, blocks of ADPCM, packets of one size.
struct BlockRun {
  /// Position of the first block.
  let start: Int64
  /// Bytes and PCM frames of a block, at least 1.
  let blockBytes: Int, blockFrames: Int
  /// Bytes that the container states; `nil` where the writer did not know.
  var stated: Int64?
  /// PCM frames to be heard that the container states; what is there may be less.
  var statedFrames: Int64?
  /// The first block's first frame on the trimmed timeline; negative where an encoder put some in front.
  var first: Int64 = 0
  /// Frames to decode and throw away before a seek's target.
  var preroll = 0
  /// Blocks of a packet.
  private let packetBlocks: Int

  private var next: Int64 = 0
  private var isDiscontinuous = true

  /// Most frames and bytes of a packet of several blocks.
  private static let packetFrames = 4096, packetBytes = 64 << 10
  /// Blocks beyond this are nonsense; positions and frames of those within can't overflow.
  private static let blockLimit: Int64 = 1 << 40

  /// Makes a run.
  /// - Parameter areJoined: Several blocks may be one packet; otherwise each is one of its own.
  init(start: Int64, blockBytes: Int, blockFrames: Int, areJoined: Bool, stated: Int64?) {
    self.start = start
    self.blockBytes = blockBytes
    self.blockFrames = blockFrames
    self.stated = stated
    packetBlocks = areJoined ? max(1, min(Self.packetFrames / blockFrames, Self.packetBytes / blockBytes)) : 1
  }

  /// Position behind the sound as far as it is known.
  /// - Parameter length: Of the source, as far as known.
  func end(_ length: Int64?) -> Int64? {
    let end = stated.map { start.addingSaturating(max($0, 0)) }
    guard let length else { return end }
    return max(start, min(end ?? .max, length))
  }

  /// The source ends before the stated sound does.
  func isCut(_ length: Int64?) -> Bool {
    guard let stated, let length else { return false }
    return start.addingSaturating(stated) > length
  }

  /// Frames that are there as far as it is known.
  func frames(_ length: Int64?) -> Int64? {
    guard let end = end(length) else { return statedFrames }
    let whole = max(min((end - start) / Int64(blockBytes), Self.blockLimit) * Int64(blockFrames) + first, 0)
    return statedFrames.map { min($0, whole) } ?? whole
  }

  /// Bits per second at a sample rate.
  func bitRate(_ rate: SampleRate) -> Int? {
    Int(exactly: (Double(blockBytes) * 8 * Double(rate.hertz) / Double(blockFrames)).rounded())
  }

  /// The next packet, or a wish for its bytes; `nil` at the end.
  mutating func step(_ window: ByteWindow, length: Int64?) -> ParserStep? {
    var count = Int64(packetBlocks)
    if let frames = frames(length) {
      count = min(count, (frames - first + Int64(blockFrames) - 1) / Int64(blockFrames) - next)
    }
    guard count > 0, next < Self.blockLimit else { return nil }
    let position = start.addingSaturating(next * Int64(blockBytes))
    let wanted = Int(count) * blockBytes
    if !window.contains(position, count: wanted) {
      guard window.isEnd && position >= window.start else {
        return .need(ByteRequest(position: position, count: wanted))
      }
      count = Int64(window.available(position, limit: wanted) / blockBytes)
      guard count > 0 else { return nil }
    }
    let packet = Packet(
      position: position, byteCount: Int(count) * blockBytes, frame: next * Int64(blockFrames) + first,
      frameCount: Int(count) * blockFrames, isDiscontinuous: isDiscontinuous)
    next += count
    isDiscontinuous = false
    return .packet(packet)
  }

  /// Goes to the block with a frame, or as far before it as the decoder needs.
  /// - Returns: Its position.
  mutating func seek(to frame: Int64, length: Int64?) -> Int64 {
    let target = max(min(frame, frames(length) ?? .max >> 1) - first - Int64(preroll), 0)
    next = min(target / Int64(blockFrames), Self.blockLimit)
    isDiscontinuous = true
    return start.addingSaturating(next * Int64(blockBytes))
  }
}
