import AudioModel

/// Gives the packets that a track's tables list.
struct MP4TrackReader {
  /// Most frames and bytes of a packet of PCM.
  static let packetFrames = 4_096, packetBytes = 64 << 10

  let tables: MP4SampleTables
  let entry: MP4SampleEntry
  let timeline: MP4Timeline
  /// Frames that all samples decode to, counted from the first's first.
  private let media: Int64
  /// Where the file begins that positions are counted from.
  let origin: Int64
  /// Samples to decode in front of a seek's target at least.
  private let rollSamples: Int64
  private var cursor: MP4SampleCursor
  /// Bytes of the cursor's sample that were given already: long samples of PCM are given in pieces.
  private var inSample: Int64 = 0
  private var isDiscontinuous = true
  private var account = MP4Account()

  /// - Parameter tables: Ready for reading.
  init(
    _ tables: MP4SampleTables, entry: MP4SampleEntry, timeline: MP4Timeline, origin: Int64, rollSamples: Int,
    media: Int64
  ) {
    self.media = media
    self.tables = tables
    self.entry = entry
    self.timeline = timeline
    self.origin = origin
    self.rollSamples = Int64(rollSamples)
    cursor = tables.cursor(at: 0)
    // An edit list may begin far behind the first sample.
    if timeline.start > 0 { cursor = tables.cursor(at: sample(before: 0)) }
  }

  /// There is no sample, though it is said how long they play.
  var isEmpty: Bool { tables.count == 0 && media > 0 }

  /// Frames of the trimmed timeline that the tables reach to.
  var tableFrames: Int64 { media - timeline.start }

  /// Frames that an encoder put behind the last one; `nil` where it may as well be a cut.
  var padding: Int? {
    guard timeline.packetFrames > 0, let end = timeline.end else { return nil }
    let behind = min(tables.count, MP4Timeline.limit / timeline.packetFrames) * timeline.packetFrames - end
    return behind >= 0 && behind < 1 << 13 && timeline.start > 0 ? Int(behind) : nil
  }

  /// Bits per second on average.
  var bitRate: Int? {
    let seconds = Double(media) / Double(timeline.rate)
    guard seconds > 0 else { return nil }
    return Int(exactly: (Double(tables.sizeSum) * 8 / seconds).rounded())
  }

  /// Where the next packet is.
  var position: Int64 { origin.addingSaturating(cursor.position) }

  /// Behind the last sample's bytes.
  var end: Int64 {
    guard tables.count > 0 else { return origin }
    let last = tables.cursor(at: tables.count - 1)
    return origin.addingSaturating(last.position).addingSaturating(Int64(tables.size(last.sample)))
  }

  /// The next packet.
  /// - Returns: A packet, a wish, or `nil` at the end.
  /// - Throws: ``AudioModel/AudioError/Code/malformed`` where the file ends before any sound.
  mutating func next(in window: ByteWindow) throws(AudioError) -> ParserStep? {
    if isEmpty { throw Self.soundless }
    while cursor.sample < tables.count {
      let frame = frame(of: cursor)
      if let end = timeline.end, frame >= end - timeline.start { return nil }
      var (samples, bytes) = piece()
      let position = position
      if bytes > 0 && bytes <= ByteRequest.limit {
        switch account.grant(position, &bytes, block: entry.isPCM ? entry.blockBytes : 0, window) {
        case .need(let request): return .need(request)
        case .end:
          guard !account.isEmpty || cursor.sample > 0 else {
            throw Self.soundless
          }
          return nil
        case .granted: break
        }
        let packet = Packet(
          position: position, byteCount: bytes, frame: frame, frameCount: frameCount(bytes),
          isDiscontinuous: isDiscontinuous)
        isDiscontinuous = false
        advance(samples: samples, bytes: bytes)
        return .packet(packet)
      }
      samples = max(samples, 1)
      advance(samples: samples, bytes: Int(clamping: Int64(tables.size(cursor.sample)) - inSample))
    }
    return nil
  }

  private static var soundless: AudioError { AudioError(.malformed, "The file ends before its sound begins") }

  /// Goes to a frame of the trimmed timeline, as far before it as decoding needs.
  mutating func seek(to frame: Int64) {
    let last = timeline.end.map { max(0, $0 - timeline.start - 1) } ?? .max
    cursor = tables.cursor(at: sample(before: min(frame, last)))
    inSample = 0
    if entry.isPCM && tables.count > 0 {
      // Samples of PCM may be long; within one, every frame is as good a place to begin as any.
      let skipped = max(0, min(frame, last) - self.frame(of: cursor)) / Int64(entry.blockFrames)
      inSample = min(skipped, MP4Timeline.limit >> 20) * Int64(entry.blockBytes)
      if inSample >= Int64(tables.size(cursor.sample)) { inSample = 0 }
      cursor.position = cursor.position.addingSaturating(inSample)
    }
    isDiscontinuous = true
    account = MP4Account()
  }

  /// Frames to decode before a seek's target.
  var preroll: Int64 { max(Int64(entry.preroll), rollSamples * timeline.packetFrames) }

  /// The sample to begin with for a frame.
  private func sample(before frame: Int64) -> Int64 {
    let target = max(0, min(frame, MP4Timeline.limit) + timeline.start - preroll)
    let sample =
      timeline.packetFrames > 0
      ? min(target / timeline.packetFrames, max(tables.count - 1, 0)) : tables.sample(at: timeline.ticks(target))
    return tables.sync(before: sample)
  }

  private func frame(of cursor: MP4SampleCursor) -> Int64 {
    guard timeline.packetFrames == 0 else {
      return min(cursor.sample, MP4Timeline.limit / timeline.packetFrames) * timeline.packetFrames - timeline.start
    }
    let inside = inSample > 0 ? inSample / Int64(max(entry.blockBytes, 1)) * Int64(entry.blockFrames) : 0
    return timeline.frames(cursor.time) - timeline.start + inside
  }

  private func frameCount(_ bytes: Int) -> Int {
    if entry.blockBytes > 0 { return bytes / entry.blockBytes * entry.blockFrames }
    if timeline.packetFrames > 0 { return Int(timeline.packetFrames) }
    var following = cursor
    tables.advance(&following, samples: 1, bytes: 0)
    let end = following.sample < tables.count ? following.time : tables.ticks
    return Int(max(0, min(timeline.frames(end) - timeline.frames(cursor.time), 1 << 20)))
  }

  /// What goes into the next packet: a sample, several small ones of PCM, or a part of a long one.
  private func piece() -> (samples: Int64, bytes: Int) {
    let size = tables.size(cursor.sample)
    guard entry.blockBytes > 0 else { return (1, size) }
    let block = entry.blockBytes
    let frames = entry.isPCM ? max(1, min(Self.packetFrames, Self.packetBytes / block)) : 1
    let limit = frames * block
    let left = Int(clamping: Int64(size) - inSample)
    if left > limit { return (0, limit) }
    guard left == size, size > 0, entry.isPCM else { return (1, left / block * block) }
    let room = tables.left(inChunkOf: cursor)
    if tables.constantSize > 0 {
      let samples = min(room, Int64(max(1, limit / size)))
      return (samples, Int(samples) * size / block * block)
    }
    var samples: Int64 = 1
    var bytes = size
    while samples < room {
      let more = tables.size(cursor.sample + samples)
      guard bytes + more <= limit else { break }
      bytes += more
      samples += 1
    }
    return (samples, bytes / block * block)
  }

  private mutating func advance(samples: Int64, bytes: Int) {
    if samples == 0 {
      inSample += Int64(bytes)
      cursor.position = cursor.position.addingSaturating(Int64(bytes))
      return
    }
    // Positions in a chunk follow from the sizes, whatever was given of them.
    var whole: Int64 = 0
    if tables.constantSize > 0 {
      whole = samples * Int64(tables.constantSize)
    } else {
      for index in 0..<samples { whole += Int64(tables.size(cursor.sample + index)) }
    }
    tables.advance(&cursor, samples: samples, bytes: whole - inSample)
    inSample = 0
  }
}

/// Keeps account of the bytes that packets are made of: none may be given again and again, or a small file would never
/// end.
struct MP4Account {
  enum Answer {
    case need(ByteRequest)
    case granted
    case end
  }

  private var given: Int64 = 0
  private var furthest: Int64 = 0

  /// Nothing was granted yet.
  var isEmpty: Bool { given == 0 }

  /// Sees to it that a packet's bytes are in the window.
  /// - Parameters:
  ///   - bytes: How many; fewer where the source ends.
  ///   - block: Bytes that belong together where a part of a packet is as good; 0 where only the whole is.
  mutating func grant(_ position: Int64, _ bytes: inout Int, block: Int, _ window: ByteWindow) -> Answer {
    if let length = window.sourceLength, position >= length { return .end }
    guard window.settles(position, count: bytes) else { return .need(ByteRequest(position: position, count: bytes)) }
    let there = window.available(position, limit: bytes)
    if there < bytes {
      guard block > 0, there >= block else { return .end }
      bytes = there / block * block
    }
    given += Int64(bytes)
    furthest = max(furthest, position.addingSaturating(Int64(bytes)))
    return given <= furthest ? .granted : .end
  }
}
