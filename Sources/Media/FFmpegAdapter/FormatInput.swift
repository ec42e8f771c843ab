internal import AudioModel
internal import CFFmpeg

/// An opened input of libavformat: owns the context, and turns its failures into the source's own.
final class FormatInput {
  let functions: UnsafePointer<CFFmpegTable>
  let io: SourceIO
  let context: UnsafeMutablePointer<AVFormatContext>

  /// Bytes that a demuxer may read in search of its streams (MPEG-TS reads so far, others stop at their headers).
  private static let probeLimit: Int64 = 2 << 20

  init(
    _ functions: UnsafePointer<CFFmpegTable>, io: SourceIO, demuxer: UnsafePointer<AVInputFormat>
  ) throws(AudioError) {
    self.functions = functions
    self.io = io
    let made = functions.pointee.avformat_alloc_context()
    guard let made else { throw AudioError(.decoderFailed, "There is not enough memory to open the file") }
    made.pointee.pb = io.context
    made.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    made.pointee.probesize = Self.probeLimit
    made.pointee.skip_estimate_duration_from_pts = 1
    // A file that names other files gets none of them, by whatever protocol.
    made.pointee.protocol_whitelist = functions.pointee.av_strdup("none")
    made.pointee.io_open = { _, _, _, _, _ in CFFMPEG_NOT_PERMITTED }
    var opened: UnsafeMutablePointer<AVFormatContext>? = made
    let status = functions.pointee.avformat_open_input(&opened, "", demuxer, nil)
    guard status >= 0, let opened else {
      if let failure = io.failure { throw failure }
      throw AudioError(.malformed, "The file is broken, or not what it seems to be", detail: Int(status))
    }
    context = opened
  }

  deinit {
    var context: UnsafeMutablePointer<AVFormatContext>? = context
    functions.pointee.avformat_close_input(&context)
  }

  var streamCount: Int { Int(context.pointee.nb_streams) }
  func stream(_ index: Int) -> UnsafeMutablePointer<AVStream>? { context.pointee.streams?[index] }

  /// Lets libavformat decode the first packets: bare streams get timestamps in no other way. Their one stream is audio,
  /// and its decoder is an allowed one.
  func findStreamInfo() throws(AudioError) {
    _ = functions.pointee.avformat_find_stream_info(context, nil)
    if let failure = io.failure { throw failure }
  }

  /// Reads the next packet of any stream. What breaks inside the file counts as its end.
  func read(_ packet: UnsafeMutablePointer<AVPacket>) throws(AudioError) -> Bool {
    functions.pointee.av_packet_unref(packet)
    var attempts = 0
    while true {
      let status = functions.pointee.av_read_frame(context, packet)
      if status >= 0 { return true }
      if let failure = io.failure { throw failure }
      attempts += 1
      guard status == CFFMPEG_TRY_AGAIN && attempts < 1_000 else { return false }
    }
  }

  /// Goes to the last key packet at or before `timestamp`.
  func seek(stream: Int, timestamp: Int64) throws(AudioError) -> Bool {
    let status = functions.pointee.av_seek_frame(context, Int32(stream), timestamp, AVSEEK_FLAG_BACKWARD)
    if let failure = io.failure { throw failure }
    return status >= 0
  }

  /// Finds the stream to play: the one marked as default, or else the first, of those that can be decoded. Formats that
  /// list their streams only as they go are read on for them.
  func audioStream(_ packet: SharedPacket) throws(AudioError) -> Int {
    var budget = 2_048
    while true {
      if let found = chooseStream() { return found }
      guard context.pointee.ctx_flags & AVFMTCTX_NOHEADER != 0, budget > 0, try read(packet.pointer) else { break }
      budget -= 1
    }
    for index in 0..<streamCount {
      guard let parameters = stream(index)?.pointee.codecpar, parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO
      else {
        continue
      }
      throw AudioError(
        .unsupportedCodec, "There is no decoder for \(FFmpegCodecs.codec(parameters.pointee.codec_id, functions))")
    }
    throw AudioError(.noAudio, "There is no audio in the file")
  }

  private func chooseStream() -> Int? {
    var first: Int?
    for index in 0..<streamCount {
      guard let stream = stream(index), let parameters = stream.pointee.codecpar,
        parameters.pointee.codec_type == AVMEDIA_TYPE_AUDIO, FFmpegCodecs.isAllowed(parameters.pointee.codec_id)
      else { continue }
      if stream.pointee.disposition & AV_DISPOSITION_DEFAULT != 0 { return index }
      if first == nil { first = index }
    }
    return first
  }
}
