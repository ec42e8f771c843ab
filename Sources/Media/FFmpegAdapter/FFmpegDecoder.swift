package import AudioModel
internal import CFFmpeg
package import Codecs

/// Decodes by libavcodec: audio decoders from a list of allowed ones, one thread, nothing trimmed (the reader trims, to
/// the frame).
package final class FFmpegDecoder: AudioDecoder {
  package private(set) var format: PCMFormat
  package let name = "libavcodec"

  /// Frames that the decoder itself says are not to be heard, at the beginning of the first packet's sound.
  private(set) var initialDelay = 0

  private let functions: UnsafePointer<CFFmpegTable>
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  /// The packet of the demuxer, which has the padding that libavcodec wants, and its side data.
  private let shared: SharedPacket?
  /// `frame` holds sound in a format that the caller does not know of yet.
  private var isFramePending = false
  /// The decoder was given something since it was opened.
  private var isUsed = false
  private var parameters: UnsafeMutablePointer<AVCodecParameters>?
  private var padded: [UInt8] = []

  /// Makes a decoder for a stream whose facts are all that is known of it.
  package convenience init(_ facts: StreamFacts) throws(AudioError) {
    let functions = try FFmpegLibraries.functions()
    guard let descriptor = functions.pointee.avcodec_descriptor_get_by_name(facts.codec.rawValue) else {
      throw Self.unsupported(facts.codec)
    }
    var parameters = functions.pointee.avcodec_parameters_alloc()
    defer { functions.pointee.avcodec_parameters_free(&parameters) }
    guard let parameters else { throw Self.outOfMemory }
    parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
    parameters.pointee.codec_id = descriptor.pointee.id
    parameters.pointee.sample_rate = Int32(facts.format.sampleRate.hertz)
    functions.pointee.av_channel_layout_default(&parameters.pointee.ch_layout, Int32(facts.format.channels))
    if let coding = facts.sampleCoding {
      parameters.pointee.bits_per_coded_sample = Int32(coding.bits)
      parameters.pointee.bits_per_raw_sample = Int32(coding.bits)
    }
    // The usual width; the others have no name of their own.
    if facts.codec.rawValue.hasPrefix("adpcm") { parameters.pointee.bits_per_coded_sample = 4 }
    let configuration = facts.decoderConfiguration
    if !configuration.isEmpty {
      guard let bytes = functions.pointee.av_mallocz(configuration.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
        throw Self.outOfMemory
      }
      configuration.withUnsafeBytes { bytes.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
      parameters.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
      parameters.pointee.extradata_size = Int32(configuration.count)
    }
    try self.init(functions, parameters: parameters, format: facts.format, shared: nil)
  }

  init(
    _ functions: UnsafePointer<CFFmpegTable>, parameters: UnsafePointer<AVCodecParameters>, format: PCMFormat?,
    shared: SharedPacket?
  ) throws(AudioError) {
    self.functions = functions
    self.shared = shared
    self.format = format ?? PCMFormat(sampleRate: .studio, layout: .stereo)
    frame = functions.pointee.av_frame_alloc()
    packet = functions.pointee.av_packet_alloc()
    self.parameters = functions.pointee.avcodec_parameters_alloc()
    guard frame != nil, packet != nil, let copy = self.parameters,
      functions.pointee.avcodec_parameters_copy(copy, parameters) >= 0
    else { throw Self.outOfMemory }
    try openContext()
  }

  deinit {
    functions.pointee.av_packet_free(&packet)
    functions.pointee.av_frame_free(&frame)
    functions.pointee.avcodec_free_context(&context)
    functions.pointee.avcodec_parameters_free(&parameters)
  }

  private func openContext() throws(AudioError) {
    functions.pointee.avcodec_free_context(&context)
    guard let parameters else { throw Self.outOfMemory }
    let id = parameters.pointee.codec_id
    guard FFmpegCodecs.isAllowed(id), let codec = functions.pointee.avcodec_find_decoder(id),
      codec.pointee.type == AVMEDIA_TYPE_AUDIO
    else { throw Self.unsupported(FFmpegCodecs.codec(id, functions)) }
    context = functions.pointee.avcodec_alloc_context3(codec)
    guard let context, functions.pointee.avcodec_parameters_to_context(context, parameters) >= 0 else {
      throw Self.outOfMemory
    }
    context.pointee.thread_count = 1
    context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
    let status = functions.pointee.avcodec_open2(context, codec, nil)
    guard status >= 0 else {
      throw AudioError(
        .unsupportedCodec, "The decoder refuses this stream (\(FFmpegCodecs.codec(id, functions)))",
        detail: Int(status))
    }
  }

  package func decode(
    _ bytes: UnsafeRawBufferPointer, packet facts: Packet, into output: PCMBlock
  ) throws(AudioError) -> DecodeResult {
    if !isFramePending { try send(bytes) }
    return try receive(into: output)
  }

  package func finish(into output: PCMBlock) throws(AudioError) {
    guard context != nil else { return }
    isUsed = true
    if !isFramePending { _ = functions.pointee.avcodec_send_packet(context, nil) }
    // What a decoder holds back has the format of what it gave; frames of another one have no packet to come with.
    if try receive(into: output) == .formatChanged { isFramePending = false }
  }

  package func reset() {
    isFramePending = false
    guard isUsed else { return }
    isUsed = false
    // A flush leaves more behind than it should: AAC's last window, the packets that Musepack means to swallow. A fresh
    // decoder costs less than a packet.
    do throws(AudioError) {
      try openContext()
    } catch {
      // The next packet finds no decoder and says so.
      functions.pointee.avcodec_free_context(&context)
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) throws(AudioError) {
    guard context != nil else { throw Self.outOfMemory }
    isUsed = true
    let status: Int32
    if let shared, let data = shared.pointer.pointee.data, UnsafeRawPointer(data) == bytes.baseAddress {
      status = functions.pointee.avcodec_send_packet(context, shared.pointer)
    } else {
      let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
      guard let packet, !bytes.isEmpty, bytes.count <= Int(Int32.max) - padding else {
        throw AudioError(.damagedPacket, "A packet is empty", recovery: .conceal)
      }
      padded.removeAll(keepingCapacity: true)
      padded.append(contentsOf: bytes)
      padded.append(contentsOf: repeatElement(0, count: padding))
      status = padded.withUnsafeMutableBufferPointer { buffer in
        packet.pointee.data = buffer.baseAddress
        packet.pointee.size = Int32(bytes.count)
        defer {
          packet.pointee.data = nil
          packet.pointee.size = 0
        }
        return functions.pointee.avcodec_send_packet(context, packet)
      }
    }
    if status < 0 { throw Self.damage(status) }
  }

  /// Takes every frame that is ready.
  private func receive(into output: PCMBlock) throws(AudioError) -> DecodeResult {
    guard let frame else { throw Self.outOfMemory }
    let before = output.frameCount
    while true {
      if !isFramePending {
        let status = functions.pointee.avcodec_receive_frame(context, frame)
        if status == CFFMPEG_TRY_AGAIN || status == CFFMPEG_END_OF_FILE { return .decoded }
        // A packet with something useless at its end still has what came before.
        if status < 0 && output.frameCount > before { return .decoded }
        if status < 0 { throw Self.damage(status) }
      }
      guard frame.pointee.nb_samples > 0, let found = Self.format(of: frame.pointee) else {
        isFramePending = false
        functions.pointee.av_frame_unref(frame)
        throw AudioError(.damagedPacket, "A packet decodes to an impossible format", recovery: .conceal)
      }
      if found != format {
        format = found
        isFramePending = true
        return .formatChanged
      }
      isFramePending = false
      if before == 0 && output.frameCount == 0 { initialDelay = delay(of: frame) }
      defer { functions.pointee.av_frame_unref(frame) }
      guard output.channels == found.channels else {
        throw AudioError(.decoderFailed, "The decoder's output has another number of channels")
      }
      try append(frame.pointee, to: output)
    }
  }

  private func append(_ frame: AVFrame, to output: PCMBlock) throws(AudioError) {
    let count = Int(frame.nb_samples)
    guard let data = frame.extended_data else { throw Self.damage(0) }
    output.reserve(count)
    for channel in 0..<output.channels {
      guard
        SampleConversion.convert(
          data, format: AVSampleFormat(rawValue: frame.format), channel: channel, channels: output.channels,
          count: count, to: output.plane(channel) + output.frameCount)
      else { throw AudioError(.unsupportedCodec, "The decoder gives samples of an unknown kind") }
    }
    output.advance(count)
  }

  /// What the decoder wants skipped of a frame.
  private func delay(of frame: UnsafePointer<AVFrame>) -> Int {
    guard let side = functions.pointee.av_frame_get_side_data(frame, AV_FRAME_DATA_SKIP_SAMPLES),
      side.pointee.size >= 4, let bytes = side.pointee.data
    else { return 0 }
    return (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
  }

  /// Rate and channels of a decoded frame; `nil` where they are impossible.
  private static func format(of frame: AVFrame) -> PCMFormat? {
    guard let rate = SampleRate(hertz: Int(frame.sample_rate)), let layout = layout(of: frame.ch_layout) else {
      return nil
    }
    return PCMFormat(sampleRate: rate, layout: layout)
  }

  /// Our form of a layout. The lower bits of libavutil's positions are those of `dwChannelMask`.
  static func layout(of layout: AVChannelLayout) -> ChannelLayout? {
    let mask = layout.order == AV_CHANNEL_ORDER_NATIVE ? UInt32(exactly: layout.u.mask) ?? 0 : 0
    return ChannelLayout(count: Int(layout.nb_channels), mask: mask)
  }

  private static func damage(_ status: Int32) -> AudioError {
    if status == CFFMPEG_NO_MEMORY { return outOfMemory }
    return AudioError(.damagedPacket, "A packet can't be decoded", recovery: .conceal, detail: Int(status))
  }

  private static var outOfMemory: AudioError {
    AudioError(.decoderFailed, "There is not enough memory for the decoder")
  }

  private static func unsupported(_ codec: Codec) -> AudioError {
    AudioError(.unsupportedCodec, "There is no decoder for \(codec)")
  }
}

/// The packet that a demuxer fills and its decoder reads, so that bytes need not be copied between them.
final class SharedPacket {
  let pointer: UnsafeMutablePointer<AVPacket>
  private let functions: UnsafePointer<CFFmpegTable>

  init(_ functions: UnsafePointer<CFFmpegTable>) throws(AudioError) {
    guard let pointer = functions.pointee.av_packet_alloc() else {
      throw AudioError(.decoderFailed, "There is not enough memory for a packet")
    }
    self.pointer = pointer
    self.functions = functions
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = pointer
    functions.pointee.av_packet_free(&packet)
  }
}
