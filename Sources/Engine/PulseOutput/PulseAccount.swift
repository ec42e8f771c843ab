internal import AudioOutput

/// How many frames went where. All counts are frames.
struct PulseAccount {
  /// Rendered since the start, less what was taken back.
  private(set) var rendered: Int64 = 0
  /// Told as heard at most so far: the position never runs backwards.
  private(set) var heard: Int64 = 0
  /// Of `rendered`, what was written to the present stream.
  private(set) var inStream: Int64 = 0
  /// How far the next write goes back in the server's buffer.
  private(set) var seek: Int64 = 0
  /// What lies in the server's buffer beyond the write position since the last withdrawal.
  private(set) var uncovered: Int64 = 0
  /// Silence of our own, written in place of withdrawn frames, and the frames written after it.
  private(set) var padding: Int64 = 0
  private(set) var afterPadding: Int64 = 0

  mutating func beginStream() {
    inStream = 0
    seek = 0
    uncovered = 0
    padding = 0
    afterPadding = 0
  }

  mutating func wrote(_ frames: Int) {
    rendered += Int64(frames)
    inStream += Int64(frames)
    afterPadding += Int64(frames)
    uncovered = max(0, uncovered - Int64(frames))
  }

  mutating func wrotePadding(_ frames: Int) {
    padding = Int64(frames)
    afterPadding = 0
    uncovered = 0
  }

  mutating func takeSeek() -> Int64 {
    defer { seek = 0 }
    return seek
  }

  /// Of `frames` at the end of the server's buffer, those that the source rendered.
  func renderedFrames(inLast frames: Int64) -> Int64 {
    if padding > 0, afterPadding > 0 { return max(0, min(frames, afterPadding, rendered - heard)) }
    return max(0, min(frames - padding, inStream, rendered - heard))
  }

  /// Takes back the last `frames`, and the padding where nothing was written after it.
  mutating func withdrew(_ frames: Int64) {
    let silence = afterPadding > 0 ? 0 : padding
    rendered -= frames
    inStream -= frames
    seek += frames + silence
    uncovered += frames + silence
    if silence > 0 { padding = 0 }
    afterPadding = max(0, afterPadding - frames)
  }

  /// Of the frames in the stream, those that were not heard yet.
  var unheard: Int64 { min(inStream, rendered - heard) }

  /// So many more were heard.
  mutating func elapsed(_ frames: Int64) { heard = min(rendered, heard + max(0, frames)) }

  /// Takes back what a stream that is gone did not play.
  mutating func lost(_ frames: Int64) { rendered -= frames }

  mutating func drained() { heard = rendered }

  /// - Parameter latency: From the end of the server's buffer to the ear; `nil` if it is not known.
  mutating func timing(latency: Int64?) -> OutputTiming {
    var pending = latency.map { max(0, $0 - seek) } ?? inStream
    if padding > 0, pending > afterPadding { pending = max(afterPadding, pending - padding) }
    heard = min(rendered, max(heard, rendered - pending))
    return OutputTiming(rendered: rendered, pending: rendered - heard)
  }
}
