import AudioModel

/// What is known of a FLAC stream as a whole, and the facts that follow.
struct FLACOutline {
  /// The end of the sound, by a look at the last bytes or by reading up to there.
  struct Ending: Hashable {
    /// Where the last frame that is whole ends, on the timeline.
    var frame: Int64
    /// Behind that, part of another one, or of something else, of so many frames.
    var cut: Int64
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
    guard let stated else { return tail.cut > 0 }
    return stated < tail.frame || (tail.cut == 0 && stated != tail.frame) || tail.frame <= 0
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

  /// The source ends before the last frame that is stated.
  var isTruncated: Bool {
    guard let stated, let end = finished ?? (isUncertain ? nil : tail) else { return false }
    return stated > end.frame + (end.cut > 0 && stated <= end.frame + end.cut ? end.cut : 0)
  }

  /// How long it plays.
  var duration: MediaDuration? {
    if let end = finished ?? (isUncertain ? nil : tail) {
      guard let stated, stated > end.frame else {
        return end.cut == 0 || stated == end.frame
          ? MediaDuration(frames: end.frame, isExact: true)
          : MediaDuration(frames: end.frame, isExact: false, errorSeconds: timeline.rate.seconds(end.cut))
      }
      // All but some bytes behind it is there, or it broke off.
      guard isTruncated else { return MediaDuration(frames: stated, isExact: true) }
      return MediaDuration(frames: stated, isExact: false, errorSeconds: timeline.rate.seconds(stated - end.frame))
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
