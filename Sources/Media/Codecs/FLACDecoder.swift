package import AudioModel
internal import CFLAC

/// Decodes FLAC by libFLAC, a frame at a time.
///
/// Integers of n bits are scaled by 2^−(n−1): exactly up to 24 bits, to the nearest Float32 beyond. A packet gives the
/// frames that its header states, or is damaged as a whole; what follows the frame in a packet is left alone.
package final class FLACDecoder: AudioDecoder {
  package private(set) var format: PCMFormat
  package let name = "libFLAC"
  private let handle: UnsafeMutablePointer<FLAC__StreamDecoder>
  private let facts: StreamFacts

  /// What the library reads of: the packet, during a call.
  private var input = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Where the library's samples go, during a call.
  private var output: PCMBlock?
  private var outputStart = 0
  /// What the library said of the packet.
  private var isDamaged = false
  private var newFormat: PCMFormat?

  /// Makes a decoder for a stream, whose decoder configuration is STREAMINFO (RFC 9639 §8.2) or empty.
  package init(_ facts: StreamFacts) throws(AudioError) {
    guard facts.codec == .flac else { throw AudioError(.unsupportedCodec, "The stream is not FLAC") }
    guard let handle = FLAC__stream_decoder_new() else {
      throw AudioError(.decoderUnavailable, "libFLAC can't be set up")
    }
    self.handle = handle
    self.facts = facts
    format = facts.format
    FLAC__stream_decoder_set_md5_checking(handle, 0)
    FLAC__stream_decoder_set_metadata_ignore_all(handle)
    let status = FLAC__stream_decoder_init_stream(
      handle,
      { _, buffer, count, client in FLACDecoder.of(client).read(into: buffer, count) },
      nil, nil, nil, nil,
      { _, frame, planes, client in FLACDecoder.of(client).write(frame, planes) },
      nil,
      { _, _, client in FLACDecoder.of(client).isDamaged = true },
      Unmanaged.passUnretained(self).toOpaque())
    guard status == FLAC__STREAM_DECODER_INIT_STATUS_OK else {
      throw AudioError(.decoderUnavailable, "libFLAC can't be opened", detail: Int(status.rawValue))
    }
    introduce()
  }

  deinit { FLAC__stream_decoder_delete(handle) }

  /// Gives the library STREAMINFO, which frames may refer to for rate and depth.
  private func introduce() {
    let info = facts.decoderConfiguration
    guard info.count == 34 else { return }
    // A stream's mark, and the head of a block of that kind and size, the last one.
    let head: [UInt8] = Array("fLaC".utf8) + [0x80, 0, 0, 34] + info
    head.withUnsafeBytes { bytes in
      input = bytes
      FLAC__stream_decoder_process_until_end_of_metadata(handle)
      input = UnsafeRawBufferPointer(start: nil, count: 0)
    }
  }

  package func decode(
    _ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock
  ) throws(AudioError) -> DecodeResult {
    // Whatever the packet before left behind goes.
    FLAC__stream_decoder_flush(handle)
    input = bytes
    isDamaged = false
    newFormat = nil
    self.output = output
    outputStart = output.frameCount
    let isRead = FLAC__stream_decoder_process_single(handle) != 0
    self.output = nil
    input = UnsafeRawBufferPointer(start: nil, count: 0)
    if let newFormat {
      format = newFormat
      return .formatChanged
    }
    if !isRead || isDamaged || output.frameCount == outputStart {
      output.truncate(to: outputStart)
      throw AudioError(.damagedPacket, "A frame of FLAC is damaged", recovery: .conceal)
    }
    return .decoded
  }

  package func finish(into output: PCMBlock) {}
  package func reset() {}

  // MARK: The library's calls

  private static func of(_ client: UnsafeMutableRawPointer?) -> FLACDecoder {
    guard let client else { preconditionFailure("libFLAC forgot whom it works for") }
    return Unmanaged<FLACDecoder>.fromOpaque(client).takeUnretainedValue()
  }

  private func read(
    into buffer: UnsafeMutablePointer<FLAC__byte>?, _ count: UnsafeMutablePointer<Int>?
  ) -> FLAC__StreamDecoderReadStatus {
    guard let buffer, let count, count.pointee > 0, let base = input.baseAddress, !input.isEmpty else {
      count?.pointee = 0
      return FLAC__STREAM_DECODER_READ_STATUS_ABORT
    }
    let given = min(count.pointee, input.count)
    UnsafeMutableRawPointer(buffer).copyMemory(from: base, byteCount: given)
    input = UnsafeRawBufferPointer(rebasing: input[given...])
    count.pointee = given
    return FLAC__STREAM_DECODER_READ_STATUS_CONTINUE
  }

  private func write(
    _ frame: UnsafePointer<FLAC__Frame>?, _ planes: UnsafePointer<UnsafePointer<FLAC__int32>?>?
  ) -> FLAC__StreamDecoderWriteStatus {
    guard let header = frame?.pointee.header, let planes, let output, !isDamaged else {
      return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
    }
    let channels = Int(header.channels)
    let rate = SampleRate(hertz: Int(header.sample_rate)) ?? facts.format.sampleRate
    if channels != format.channels || rate != format.sampleRate {
      let layout = channels == facts.format.channels ? facts.format.layout : ChannelLayout(count: channels)
      newFormat = layout.map { PCMFormat(sampleRate: rate, layout: $0) }
      return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT
    }
    // Silence for frames that the library misses may come first: the packet's own are the last.
    output.truncate(to: outputStart)
    let frames = Int(header.blocksize)
    let scale = Float(sign: .plus, exponent: 1 - Int(header.bits_per_sample), significand: 1)
    output.reserve(frames)
    for channel in 0..<channels {
      guard let source = planes[channel] else { return FLAC__STREAM_DECODER_WRITE_STATUS_ABORT }
      let target = output.plane(channel) + outputStart
      for index in 0..<frames { target[index] = Float(source[index]) * scale }
    }
    output.advance(frames)
    return FLAC__STREAM_DECODER_WRITE_STATUS_CONTINUE
  }
}
