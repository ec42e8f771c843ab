package import AudioModel
package import ByteSource
internal import CFFmpeg
package import Codecs
internal import Containers

/// Reads the packets of containers that have no parser of ours, by libavformat: one audio stream, bytes from the
/// ``ByteSource`` only.
///
/// Packets come with frame positions on the trimmed timeline; ``FFmpegOpening`` says how they are found.
package final class FFmpegDemuxer: PacketReader {
  package private(set) var facts: StreamFacts

  /// Packets to look through for one that says where it is.
  private static let seekLookahead = 2_000

  private let functions: UnsafePointer<CFFmpegTable>
  private let input: FormatInput
  private let stream: Int
  private let shared: SharedPacket
  private let seeking: SourceFacts.Seeking
  private var queue: PacketQueue
  private let timeline: PacketTimeline
  private let opening: FFmpegOpening
  private var isFirst = true
  private var isAtStart = true
  private var nextFrame: Int64
  private var lastPosition: Int64 = 0

  /// Opens a source.
  /// - Parameters:
  ///   - source: Open, and standing behind `head`.
  ///   - sourceFacts: What it said when it was opened.
  ///   - head: Bytes that were read already, from position `headStart` on.
  ///   - start: Where the container begins.
  ///   - name: The container's name where known: `mp4`, `flac`, …
  /// - Throws: What the source throws; 3xxx for what is no audio; 4001 without a decoder; 4003 without FFmpeg.
  package init(
    source: any ByteSource, sourceFacts: SourceFacts, head: [UInt8], headStart: Int64, start: Int64, name: String?
  ) throws(AudioError) {
    functions = try FFmpegLibraries.functions()
    seeking = sourceFacts.isLive ? .none : sourceFacts.seeking
    let begin = Int(clamping: start - headStart)
    let visible = begin >= 0 && begin < head.count ? Array(head[begin...]) : []
    let (format, demuxer) = try FFmpegProbe.choose(functions, head: visible, name: name, facts: sourceFacts)
    let io = try SourceIO(
      functions, source: source, facts: sourceFacts, head: head, headStart: headStart, start: start)
    if let failure = io.failure { throw failure }
    input = try FormatInput(functions, io: io, demuxer: demuxer)
    shared = try SharedPacket(functions)
    stream = try input.audioStream(shared)
    for index in 0..<input.streamCount where index != stream { input.stream(index)?.pointee.discard = AVDISCARD_ALL }
    queue = PacketQueue(functions)
    if format.isRaw && input.streamCount == 1 { try input.findStreamInfo() }
    opening = try FFmpegOpening(
      input: input, stream: stream, format: format, queue: queue, shared: shared, head: visible,
      seeking: seeking)
    timeline = opening.timeline
    facts = opening.facts
    nextFrame = timeline.firstFrame
  }

  /// Makes the decoder for the stream. It reads the packets in place; use it with this demuxer only.
  package func makeDecoder() throws(AudioError) -> any AudioDecoder {
    guard let parameters = input.stream(stream)?.pointee.codecpar else {
      throw AudioError(.noAudio, "There is no audio in the file")
    }
    return try FFmpegDecoder(functions, parameters: parameters, format: facts.format, shared: shared)
  }

  package func nextPacket() throws(AudioError) -> Packet? {
    guard try read() else { return nil }
    let raw = shared.pointer.pointee
    if raw.pos >= 0 { lastPosition = raw.pos }
    var count = raw.duration > 0 ? timeline.frames(raw.duration) : 0
    if timeline.packetFrames > 0 && !timeline.isExact { count = timeline.packetFrames }
    // Vorbis's first packet only sets up the overlap for the second.
    if isFirst && !isAtStart && raw.pts != CFFMPEG_NO_TIMESTAMP { nextFrame = timeline.frame(raw.pts) }
    let isSilent = isFirst && opening.isVorbis
    var packet = Packet(
      position: lastPosition, byteCount: Int(raw.size), frame: nextFrame,
      frameCount: isSilent ? 0 : Int(clamping: max(count, 0)), isDiscontinuous: isFirst)
    nextFrame &+= isSilent && isAtStart ? 0 : max(count, 0)
    // A known duration says it all; what the first packet discards lies before frame 0.
    if facts.duration?.isExact != true { packet.discard = shared.discard(functions) }
    if isFirst { packet.discard.atStart = 0 }
    isFirst = false
    return packet
  }

  package func withPacketBytes(
    _ body: (UnsafeRawBufferPointer) throws(AudioError) -> Void
  ) throws(AudioError) {
    let raw = shared.pointer.pointee
    try body(UnsafeRawBufferPointer(start: raw.data, count: raw.data == nil ? 0 : Int(raw.size)))
  }

  package func seek(to frame: Int64) throws(AudioError) -> Bool {
    guard facts.seekability != .no else { throw AudioError(.notSeekable, "The input can't be sought") }
    input.io.forgetInterruption()
    let target = max(frame, 0)
    if !timeline.isTrusted && seeking == .cheap { return try seekToStart() }
    let latest = target - Int64(facts.seekPreroll)
    var aim = latest
    for _ in 0..<6 {
      guard aim > timeline.firstFrame else { break }
      if try seek(timestamp: timeline.timestamp(aim)), let found = try skipToKnownPacket() {
        if timeline.frame(found) <= latest { return timeline.isTrusted }
      }
      aim -= (target - aim) + Int64(timeline.rate)
    }
    return try seekToStart()
  }

  // MARK: Seeking

  private func seek(timestamp: Int64) throws(AudioError) -> Bool {
    queue.removeAll()
    isFirst = true
    isAtStart = false
    return try input.seek(stream: stream, timestamp: timestamp)
  }

  private func seekToStart() throws(AudioError) -> Bool {
    guard try seek(timestamp: timeline.firstTimestamp) else {
      throw AudioError(.notSeekable, "The input can't be sought")
    }
    guard let first = try queue.peek(input, stream: stream, shared) else { return true }
    isAtStart = first.pointee.pos == opening.firstPosition || first.pointee.pts == timeline.firstTimestamp
    nextFrame = timeline.firstFrame
    return isAtStart || timeline.isTrusted
  }

  /// Reads on to the first packet that says where it is, and leaves it as the next one.
  /// - Returns: Its timestamp, `nil` at the end.
  private func skipToKnownPacket() throws(AudioError) -> Int64? {
    for _ in 0..<Self.seekLookahead {
      guard let packet = try queue.peek(input, stream: stream, shared) else { return nil }
      if packet.pointee.pts != CFFMPEG_NO_TIMESTAMP { return packet.pointee.pts }
      queue.removeAll()
    }
    return nil
  }

  private func read() throws(AudioError) -> Bool {
    if queue.pop(into: shared) { return true }
    while try input.read(shared.pointer) {
      if Int(shared.pointer.pointee.stream_index) == stream && shared.pointer.pointee.size > 0 { return true }
    }
    return false
  }
}

extension SharedPacket {
  /// Frames of the packet's sound that the container says are not to be heard.
  func discard(_ functions: UnsafePointer<CFFmpegTable>) -> PacketDiscard {
    var size = 0
    guard let data = functions.pointee.av_packet_get_side_data(pointer, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 10
    else { return PacketDiscard() }
    func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(data[offset + $1]) << (8 * $1) } }
    return PacketDiscard(atStart: number(0), atEnd: number(4))
  }
}
