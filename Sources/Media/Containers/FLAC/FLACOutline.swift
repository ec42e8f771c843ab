import AudioModel

/// What is known of a FLAC stream as a whole, and the facts that follow.
struct FLACOutline {
  /// The end of the sound, by a look at the last bytes or by reading up to there.
  struct Ending: Hashable {
    /// Where the last frame ends that is surely whole, on the timeline.
    var frame: Int64
    /// Length of one behind it, which something else follows or which is cut off; 0 where there is none.
    var rest: Int64
    /// The rest is cut off.
    var isCut: Bool

    init(place: Int64, length: Int64, _ frame: FLACFrameScan.Frame) {
      self.frame = frame.isWhole ? place + length : place
      rest = frame.isWhole ? 0 : length
      isCut = !frame.mayBeWhole
    }
  }

  /// The first frame.
  let header: FLACFrameHeader
  /// Where it is.
  let position: Int64
  let timeline: FLACTimeline
  let info: FLACStreamInfo?
  /// Where frames end at the latest.
  var audioEnd: Int64?
  /// What the last bytes tell; `nil` where they were not looked at or fit not to the first.
  var tail: Ending?
  /// What reading from the first frame to the last told.
  var finished: Ending?
  /// A frame was met that reaches beyond the stated number.
  var reachedFrame: Int64 = 0
  /// Frames that were read, and their bytes, for an estimate.
  private var read: (frames: Int64, bytes: Int64) = (0, 0)

  init(header: FLACFrameHeader, position: Int64, info: FLACStreamInfo?, audioEnd: Int64?) {
    self.header = header
    self.position = position
    self.info = info
    self.audioEnd = audioEnd
    timeline = FLACTimeline(header, info: info)
  }

  /// Frames by STREAMINFO, less those that were cut off in front; `nil` where it says none.
  var stated: Int64? {
    guard let info, info.totalSamples > timeline.anchor.sample else { return nil }
    return info.totalSamples - timeline.anchor.sample
  }

  /// Whether the end that was looked at leaves the length open.
  var isUncertain: Bool {
    guard let tail else { return true }
    guard let stated else { return tail.rest > 0 }
    return stated < tail.frame || (tail.rest == 0 && stated != tail.frame)
  }

  /// Notes how far was read without a gap: so many frames, up to a place.
  mutating func note(frames: Int64, end: Int64) { read = (frames, end - position) }

  /// Whether a frame is of the same kind as the first, so that its number may be compared.
  func isAlike(_ other: FLACFrameHeader) -> Bool {
    other.isVariable == header.isVariable && other.channels == header.channels && other.bits == header.bits
      && FLACTimeline.rate(other, info) == timeline.rate
  }

  /// Bytes of a frame of the timeline, on average.
  var density: Double {
    if let frames = duration?.frames, frames > 0, let audioEnd, audioEnd > position {
      return Double(audioEnd - position) / Double(frames)
    }
    // Without a better word, half of what the samples take.
    return read.frames > 0
      ? Double(read.bytes) / Double(read.frames) : Double(header.channels * (header.bits ?? info?.bits ?? 16)) / 16
  }

  /// The end, where it is known for sure.
  private var ending: Ending? { finished ?? (isUncertain ? nil : tail) }

  /// The source ends before the last frame that is stated, or in the midst of one.
  var isTruncated: Bool {
    guard let end = ending else { return false }
    guard let stated else { return end.isCut }
    return stated > end.frame + (end.isCut ? 0 : end.rest)
  }

  /// How long it plays, or would if it were not broken off.
  var duration: MediaDuration? {
    if let end = ending {
      let most = end.frame + (end.isCut ? 0 : end.rest)
      guard let stated, stated > end.frame else {
        let isExact = end.frame == most || stated == end.frame
        return MediaDuration(
          frames: stated == nil ? most : end.frame, isExact: isExact, errorSeconds: timeline.rate.seconds(end.rest))
      }
      return MediaDuration(
        frames: stated, isExact: stated <= most, errorSeconds: timeline.rate.seconds(stated - end.frame))
    }
    if let stated {
      guard reachedFrame > stated || (tail != nil && isUncertain) else {
        return MediaDuration(frames: stated, isExact: true)
      }
      return MediaDuration(frames: max(stated, reachedFrame), isExact: false)
    }
    if let tail { return MediaDuration(frames: tail.frame, isExact: false) }
    guard let audioEnd, read.frames > 0, read.bytes > 0, audioEnd > position else { return nil }
    let frames = Double(read.frames) * (Double(audioEnd - position) / Double(read.bytes))
    let unread = max(0, frames - Double(read.frames))
    guard frames < 1e15 else { return nil }
    // The rest may well be half as dense, or twice.
    return MediaDuration(
      frames: Int64(frames), isExact: false, errorSeconds: unread / 2 / Double(timeline.rate.hertz))
  }

  /// The facts, without tags.
  var facts: StreamFacts {
    let mask = ChannelLayout(count: header.channels) ?? .stereo
    var facts = StreamFacts(
      container: "flac", codec: .flac, format: PCMFormat(sampleRate: timeline.rate, layout: mask))
    let bits = header.bits ?? info?.bits ?? 16
    facts.sampleCoding = SampleCoding(kind: .signed, bits: bits, bytes: (bits + 7) / 8)
    facts.decoderConfiguration = (info ?? FLACStreamInfo(header)).bytes
    facts.duration = duration
    facts.isTruncated = isTruncated
    if let frames = duration?.frames, frames > 0, let audioEnd, audioEnd > position, !isTruncated {
      let rate = Double(audioEnd - position) * 8 * Double(timeline.rate.hertz) / Double(frames)
      facts.bitRate = rate < 1e9 ? Int(rate) : nil
    }
    return facts
  }
}
