package import AudioModel
internal import CFFmpeg
package import Codecs

/// Encodes by libavcodec: AAC, Apple Lossless, MP3 (LAME) and Vorbis (libvorbis), one thread.
package final class FFmpegEncoder: AudioEncoder {
  package let format: PCMFormat
  package let codec: Codec
  package let name = "libavcodec"
  package private(set) var framesPerPacket = 0
  package private(set) var delay = 0
  package private(set) var padding = 0
  package private(set) var decoderConfiguration: [UInt8] = []
  package let sampleCoding: SampleCoding?
  package let bitRate: Int?

  private let functions: UnsafePointer<CFFmpegTable>
  private let kind: FFmpegEncoderKind
  private let quality: Double?
  private let hasDither: Bool
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  /// Frames that go to the encoder at a time, of which `filled` are in ``frame``.
  private var blockFrames = 0
  private var filled = 0
  private var framesIn: Int64 = 0
  private var framesOut: Int64 = 0
  private var quantizer: AudioQuantizer?
  /// Vorbis: what its packets' lengths follow from, and the block before.
  private var setup: VorbisSetup?
  private var lastBlock: Int?

  /// Makes an encoder.
  /// - Throws: 4005 where the libraries, or the encoder in them, are missing; 4006 where it can't do this.
  package init(_ codec: Codec, format: PCMFormat, settings: EncoderSettings) throws(AudioError) {
    guard let kind = FFmpegEncoderKind.of(codec) else {
      throw AudioError(.encoderUnavailable, "There is no encoder for \(codec)")
    }
    functions = try FFmpegLibraries.functions()
    self.kind = kind
    self.codec = codec
    self.format = format
    hasDither = settings.hasDither
    if kind.isLossless {
      let bits = settings.sampleCoding?.bits ?? 24
      guard settings.sampleCoding?.kind != .float, bits == 16 || bits == 24 else {
        throw AudioError(.encodingUnsupported, "\(kind.title) stores integers of 16 or 24 bits")
      }
      sampleCoding = SampleCoding(kind: .signed, bits: bits, bytes: bits / 8)
      (quality, bitRate) = (nil, nil)
    } else {
      sampleCoding = nil
      let wanted = settings.quality ?? kind.usualQuality
      quality = settings.bitRate == nil && kind.hasQuality ? wanted.map { min(max($0, 0), 1) } : nil
      bitRate = quality == nil ? settings.bitRate ?? kind.usualBitRate(format) : nil
    }
    try open()
  }

  deinit {
    functions.pointee.av_packet_free(&packet)
    functions.pointee.av_frame_free(&frame)
    functions.pointee.avcodec_free_context(&context)
  }

  /// AAC has at most 6144 bits for a channel, MPEG audio frames end at 2881 bytes; Apple Lossless can always fall back to
  /// the samples as they are, and Vorbis has no limit, but never needs more than that.
  package var maximumPacketBytes: Int {
    switch codec {
    case .aac: 768 * format.channels + 16
    case .mp3: 2_881
    default: format.channels * (max(framesPerPacket, 8_192) * 4 + 64) + 64
    }
  }

  private func open() throws(AudioError) {
    functions.pointee.avcodec_free_context(&context)
    functions.pointee.av_frame_free(&frame)
    functions.pointee.av_packet_free(&packet)
    guard let encoder = functions.pointee.avcodec_find_encoder_by_name(kind.name) else {
      throw AudioError(.encoderUnavailable, "This FFmpeg has no encoder for \(kind.title)")
    }
    context = functions.pointee.avcodec_alloc_context3(encoder)
    frame = functions.pointee.av_frame_alloc()
    packet = functions.pointee.av_packet_alloc()
    guard let context, let frame, packet != nil else { throw Self.outOfMemory }
    context.pointee.thread_count = 1
    context.pointee.sample_rate = Int32(format.sampleRate.hertz)
    context.pointee.time_base = AVRational(num: 1, den: Int32(format.sampleRate.hertz))
    context.pointee.sample_fmt = sampleFormat
    context.pointee.bits_per_raw_sample = Int32(sampleCoding?.bits ?? 0)
    context.pointee.flags |= CFFMPEG_GLOBAL_HEADER
    if let quality {
      context.pointee.flags |= CFFMPEG_BY_QUALITY
      context.pointee.global_quality = Int32(Double(CFFMPEG_QUALITY_STEP) * kind.scale(quality))
    } else if let bitRate {
      context.pointee.bit_rate = Int64(bitRate)
    }
    let mask = kind.mask(format.layout)
    guard functions.pointee.av_channel_layout_from_mask(&context.pointee.ch_layout, UInt64(mask)) >= 0 else {
      throw AudioError(.encodingUnsupported, "\(kind.title) can't hold \(format.layout)")
    }
    let status = functions.pointee.avcodec_open2(context, encoder, nil)
    guard status >= 0 else {
      let rate = bitRate.map { " at \($0 / 1000) kbit/s" } ?? ""
      throw AudioError(.encodingUnsupported, "\(kind.title) can't hold \(format)\(rate)", detail: Int(status))
    }
    if let bytes = context.pointee.extradata, context.pointee.extradata_size > 0 {
      decoderConfiguration = Array(UnsafeBufferPointer(start: bytes, count: Int(context.pointee.extradata_size)))
    }
    blockFrames = max(Int(context.pointee.frame_size), 1)
    framesPerPacket = codec == .vorbis ? 0 : blockFrames
    delay = codec == .vorbis ? 0 : Int(context.pointee.initial_padding)
    (padding, filled, framesIn, framesOut) = (0, 0, 0, 0)
    quantizer = sampleCoding.map { AudioQuantizer(bits: $0.bits, hasDither: hasDither) }
    try readSetup()
    frame.pointee.nb_samples = Int32(blockFrames)
    frame.pointee.format = sampleFormat.rawValue
    frame.pointee.sample_rate = context.pointee.sample_rate
    guard functions.pointee.av_channel_layout_copy(&frame.pointee.ch_layout, &context.pointee.ch_layout) >= 0,
      functions.pointee.av_frame_get_buffer(frame, 0) >= 0
    else { throw Self.outOfMemory }
  }

  /// Puts Vorbis's headers into the form that our containers want, and reads how long its blocks are.
  private func readSetup() throws(AudioError) {
    guard codec == .vorbis else { return }
    lastBlock = nil
    guard let headers = XiphHeaders.split(decoderConfiguration), headers.count == 3,
      var setup = VorbisSetup(identification: headers[0]), setup.takeModes(setup: headers[2])
    else { throw AudioError(.encoderFailed, "libvorbis gave headers that can't be read") }
    self.setup = setup
  }

  private var sampleFormat: AVSampleFormat {
    guard let sampleCoding else { return AV_SAMPLE_FMT_FLTP }
    return sampleCoding.bits == 16 ? AV_SAMPLE_FMT_S16P : AV_SAMPLE_FMT_S32P
  }

  package func encode(
    _ input: PCMBlock, from start: Int, count: Int, into output: EncodedPackets
  ) throws(AudioError) {
    precondition(input.channels == format.channels && start >= 0 && count >= 0 && start + count <= input.frameCount)
    var done = 0
    while done < count {
      let part = min(blockFrames - filled, count - done)
      try fill(input, from: start + done, count: part)
      done += part
      filled += part
      framesIn += Int64(part)
      if filled == blockFrames { try send(into: output) }
    }
  }

  package func finish(into output: EncodedPackets) throws(AudioError) {
    if filled > 0 { try send(into: output) }
    let status = functions.pointee.avcodec_send_frame(context, nil)
    guard status >= 0 || status == CFFMPEG_END_OF_FILE else { throw Self.failure(status) }
    try receive(into: output)
    padding = Int(max(framesOut - Int64(delay) - framesIn, 0))
    guard framesOut - Int64(delay) >= framesIn || framesIn == 0 else {
      throw AudioError(.encoderFailed, "The encoder for \(kind.title) dropped the end of the sound")
    }
  }

  package func reset() throws(AudioError) { try open() }

  /// Copies frames behind those in ``frame``.
  private func fill(_ input: PCMBlock, from start: Int, count: Int) throws(AudioError) {
    guard let frame, functions.pointee.av_frame_make_writable(frame) >= 0, let planes = frame.pointee.extended_data
    else { throw Self.outOfMemory }
    guard var quantizer, let bits = sampleCoding?.bits else {
      for channel in 0..<format.channels {
        guard let plane = planes[channel] else { throw Self.outOfMemory }
        (UnsafeMutableRawPointer(plane).assumingMemoryBound(to: Float.self) + filled).update(
          from: input.plane(channel) + start, count: count)
      }
      return
    }
    for index in 0..<count {
      for channel in 0..<format.channels {
        guard let plane = planes[channel] else { throw Self.outOfMemory }
        let number = quantizer.integer(input.plane(channel)[start + index])
        let target = UnsafeMutableRawPointer(plane)
        if bits == 16 {
          target.storeBytes(of: Int16(truncatingIfNeeded: number), toByteOffset: (filled + index) * 2, as: Int16.self)
        } else {
          target.storeBytes(of: number << 8, toByteOffset: (filled + index) * 4, as: Int32.self)
        }
      }
    }
    self.quantizer = quantizer
  }

  private func send(into output: EncodedPackets) throws(AudioError) {
    guard let frame else { throw Self.outOfMemory }
    frame.pointee.nb_samples = Int32(filled)
    frame.pointee.pts = framesIn - Int64(filled)
    let status = functions.pointee.avcodec_send_frame(context, frame)
    guard status >= 0 else { throw Self.failure(status) }
    // What is lossless has no delay: a packet comes of each frame at once, and is as long.
    let frames = filled
    filled = 0
    frame.pointee.nb_samples = Int32(blockFrames)
    try receive(into: output, frames: kind.isLossless ? frames : nil)
  }

  private func receive(into output: EncodedPackets, frames: Int? = nil) throws(AudioError) {
    guard let packet else { throw Self.outOfMemory }
    while true {
      let status = functions.pointee.avcodec_receive_packet(context, packet)
      if status == CFFMPEG_TRY_AGAIN || status == CFFMPEG_END_OF_FILE { return }
      guard status >= 0 else { throw Self.failure(status) }
      defer { functions.pointee.av_packet_unref(packet) }
      guard let data = packet.pointee.data, packet.pointee.size > 0 else { continue }
      let bytes = UnsafeRawBufferPointer(start: data, count: Int(packet.pointee.size))
      let length = setup != nil ? vorbisFrames(bytes[0]) : frames ?? framesPerPacket
      output.append(bytes, frameCount: length)
      framesOut += Int64(length)
    }
  }

  /// Frames that a packet of Vorbis gives: a quarter of its block and of the one before; of the first, none.
  private func vorbisFrames(_ first: UInt8) -> Int {
    guard let block = setup?.block(first) else { return 0 }
    defer { lastBlock = block }
    return lastBlock.map { $0 / 4 + block / 4 } ?? 0
  }

  private static func failure(_ status: Int32) -> AudioError {
    status == CFFMPEG_NO_MEMORY
      ? outOfMemory : AudioError(.encoderFailed, "The encoder failed", detail: Int(status))
  }

  private static var outOfMemory: AudioError {
    AudioError(.encoderFailed, "There is not enough memory for the encoder")
  }
}
