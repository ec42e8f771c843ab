package import AudioModel
internal import CMPG123

/// Decodes MPEG audio of layers I…III by libmpg123.
///
/// The container parser has found the frames already: the library gets them one by one and may neither look ahead, nor
/// resynchronise, nor trim. Every packet gives exactly the frames that it declares; what the library can't decode, such as
/// a frame whose reservoir of bits was lost by a seek, becomes silence.
package final class MPG123Decoder: AudioDecoder {
  package private(set) var format: PCMFormat
  package let name = "libmpg123"
  private let handle: OpaquePointer
  /// Whether the library was given anything since it was opened.
  private var isFresh = true
  /// For free format: the frame size that the library was opened with, header and padding not counted.
  private var freeBytes = -1

  /// Makes a decoder for a stream.
  package init(_ facts: StreamFacts) throws(AudioError) {
    var status: CInt = 0
    guard mpg123_init() == MPG123_OK.rawValue, let handle = mpg123_new(nil, &status) else {
      throw AudioError(.decoderUnavailable, "libmpg123 can't be set up", detail: Int(status))
    }
    self.handle = handle
    format = facts.format
    let flags =
      MPG123_QUIET.rawValue | MPG123_FORCE_FLOAT.rawValue | MPG123_SKIP_ID3V2.rawValue
      | MPG123_IGNORE_INFOFRAME.rawValue | MPG123_IGNORE_STREAMLENGTH.rawValue | MPG123_NO_READAHEAD.rawValue
    mpg123_param2(handle, CInt(MPG123_FLAGS.rawValue), CLong(flags), 0)
    mpg123_param2(handle, CInt(MPG123_INDEX_SIZE.rawValue), 0, 0)
    guard mpg123_open_feed(handle) == MPG123_OK.rawValue else {
      mpg123_delete(handle)
      throw AudioError(.decoderUnavailable, "libmpg123 can't be opened")
    }
  }

  deinit { mpg123_delete(handle) }

  package func decode(
    _ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock
  ) throws(AudioError) -> DecodeResult {
    guard let header = FrameHeader(bytes) else {
      output.appendSilence(packet.frameCount)
      throw AudioError(.damagedPacket, "A packet of MPEG audio has no header", recovery: .conceal)
    }
    guard header.format == format else {
      format = header.format
      return .formatChanged
    }
    if header.isFreeFormat && freeBytes != bytes.count - header.padding - FrameHeader.size {
      freeBytes = bytes.count - header.padding - FrameHeader.size
      mpg123_param2(handle, CInt(MPG123_FREEFORMAT_SIZE.rawValue), CLong(freeBytes), 0)
      reopen()
    }
    isFresh = false
    let start = output.frameCount
    output.reserve(packet.frameCount)
    if mpg123_feed(handle, bytes.baseAddress, bytes.count) == MPG123_OK.rawValue {
      drain(into: output, limit: start + packet.frameCount)
    }
    if output.frameCount == start {
      // The library lost its footing; what it keeps would be taken for the front of the next packet.
      reset()
    }
    output.appendSilence(start + packet.frameCount - output.frameCount)
    return .decoded
  }

  package func finish(into output: PCMBlock) {}

  package func reset() {
    if !isFresh { reopen() }
  }

  private func reopen() {
    mpg123_close(handle)
    mpg123_open_feed(handle)
    isFresh = true
  }

  /// Takes what the library has decoded.
  private func drain(into output: PCMBlock, limit: Int) {
    while true {
      var number: off_t = 0
      var audio: UnsafeMutablePointer<UInt8>?
      var count = 0
      let status = mpg123_decode_frame(handle, &number, &audio, &count)
      if status == MPG123_NEW_FORMAT.rawValue { continue }
      let frames = min(count / (4 * format.channels), limit - output.frameCount)
      if let audio, frames > 0 {
        deinterleave(UnsafeRawPointer(audio).assumingMemoryBound(to: Float.self), frames, into: output)
      }
      if status != MPG123_OK.rawValue { return }
    }
  }

  private func deinterleave(_ source: UnsafePointer<Float>, _ frames: Int, into output: PCMBlock) {
    let left = output.plane(0) + output.frameCount
    if format.channels == 1 {
      left.update(from: source, count: frames)
    } else {
      let right = output.plane(1) + output.frameCount
      for frame in 0..<frames {
        left[frame] = source[2 * frame]
        right[frame] = source[2 * frame + 1]
      }
    }
    output.advance(frames)
  }
}

extension MPG123Decoder {
  /// As much of a frame's header as the decoder must know before the library does.
  private struct FrameHeader {
    static let size = 4
    var format: PCMFormat
    var isFreeFormat: Bool
    /// Bytes of padding.
    var padding: Int

    init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0, bytes[2] >> 2 & 3 != 3 else { return nil }
      let base = [44_100, 48_000, 32_000][Int(bytes[2] >> 2 & 3)]
      let version = bytes[1] >> 3 & 3
      guard let rate = SampleRate(hertz: version == 3 ? base : version == 2 ? base / 2 : base / 4) else { return nil }
      format = PCMFormat(sampleRate: rate, layout: bytes[3] >> 6 == 3 ? .mono : .stereo)
      isFreeFormat = bytes[2] >> 4 == 0
      padding = Int(bytes[2] >> 1 & 1) * (bytes[1] >> 1 & 3 == 3 ? 4 : 1)
    }
  }
}
