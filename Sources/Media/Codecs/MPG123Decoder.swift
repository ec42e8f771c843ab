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
  /// After a seek: bytes of main data that the library has got since, while they may not be enough.
  private var reservoir: Int?
  private var muted: [UInt8] = []

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
    if isFresh { reservoir = packet.frame > 0 && header.layer == 3 ? 0 : nil }
    isFresh = false
    let start = output.frameCount
    output.reserve(packet.frameCount)
    if header.isDamaged(bytes) {
      // Left to itself the library would decode noise of it.
      mute(bytes, header, mainDataBegin: header.mainDataBegin(bytes))
      if muted.withUnsafeBytes({ feed($0) }) { drain(into: output, limit: start + packet.frameCount) }
      output.truncate(to: start)
      output.appendSilence(packet.frameCount)
      throw AudioError(.damagedPacket, "A packet of MPEG audio is damaged", recovery: .conceal)
    }
    if feed(bytes, header) { drain(into: output, limit: start + packet.frameCount) }
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

  /// Gives the library a packet.
  ///
  /// After a seek, packets whose main data begins in what was never fed are given with empty side information: they
  /// decode to silence in the regular way and leave their bytes to the packets behind them. Left to itself the library
  /// would skip some of them, its synthesis window would be out of step, and all that follows would round otherwise.
  private func feed(_ bytes: UnsafeRawBufferPointer, _ header: FrameHeader) -> Bool {
    let side = header.sideInfoStart
    guard let have = reservoir, bytes.count >= side + header.sideInfoBytes else { return feed(bytes) }
    let sum = have + bytes.count - side - header.sideInfoBytes
    reservoir = sum < 511 ? sum : nil
    guard header.mainDataBegin(bytes) > have else { return feed(bytes) }
    // The library carries on as much of the reservoir as a packet points back to.
    mute(bytes, header, mainDataBegin: have)
    return muted.withUnsafeBytes { feed($0) }
  }

  private func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
    mpg123_feed(handle, bytes.baseAddress, bytes.count) == MPG123_OK.rawValue
  }

  /// Puts a packet into ``muted`` that decodes to silence and points as far back as stated.
  private func mute(_ bytes: UnsafeRawBufferPointer, _ header: FrameHeader, mainDataBegin: Int) {
    let side = header.sideInfoStart
    muted.removeAll(keepingCapacity: true)
    muted.append(contentsOf: bytes)
    for index in side..<side + header.sideInfoBytes { muted[index] = 0 }
    if header.isMPEG1 {
      muted[side] = UInt8(truncatingIfNeeded: mainDataBegin >> 1)
      muted[side + 1] = UInt8(truncatingIfNeeded: mainDataBegin << 7)
    } else {
      muted[side] = UInt8(min(mainDataBegin, 255))
    }
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
    var isMPEG1: Bool
    var hasCRC: Bool
    var layer: Int
    /// Bytes of layer III's side information.
    var sideInfoBytes: Int { isMPEG1 ? (format.channels == 1 ? 17 : 32) : (format.channels == 1 ? 9 : 17) }
    /// Bytes before it.
    var sideInfoStart: Int { Self.size + (hasCRC ? 2 : 0) }
    /// Bytes of padding.
    var padding: Int

    init?(_ bytes: UnsafeRawBufferPointer) {
      guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0, bytes[2] >> 2 & 3 != 3 else { return nil }
      let base = [44_100, 48_000, 32_000][Int(bytes[2] >> 2 & 3)]
      let version = bytes[1] >> 3 & 3
      guard let rate = SampleRate(hertz: version == 3 ? base : version == 2 ? base / 2 : base / 4) else { return nil }
      format = PCMFormat(sampleRate: rate, layout: bytes[3] >> 6 == 3 ? .mono : .stereo)
      isMPEG1 = version == 3
      hasCRC = bytes[1] & 1 == 0
      layer = 4 - Int(bytes[1] >> 1 & 3)
      isFreeFormat = bytes[2] >> 4 == 0
      padding = Int(bytes[2] >> 1 & 1) * (bytes[1] >> 1 & 3 == 3 ? 4 : 1)
    }

    /// Layer III: how many bytes back the packet's main data begins.
    func mainDataBegin(_ bytes: UnsafeRawBufferPointer) -> Int {
      let side = sideInfoStart
      return isMPEG1 ? Int(bytes[side]) << 1 | Int(bytes[side + 1]) >> 7 : Int(bytes[side])
    }

    /// Whether layer III's side information can't be right: more big values than a granule has samples. Source:
    /// ISO/IEC 11172-3 §2.4.1.7, §2.4.2.7; ISO/IEC 13818-3 §2.4.1.7.
    func isDamaged(_ bytes: UnsafeRawBufferPointer) -> Bool {
      guard layer == 3, bytes.count >= sideInfoStart + sideInfoBytes else { return false }
      let channels = format.channels
      let first = isMPEG1 ? (channels == 1 ? 18 : 20) : (channels == 1 ? 9 : 10)
      return (0..<(isMPEG1 ? 2 : 1) * channels).contains { granule in
        // Big values come in pairs, in nine bits behind the length in twelve.
        let bit = first + granule * (isMPEG1 ? 59 : 63) + 12
        let word = (0..<3).reduce(0) { sum, byte in
          let at = sideInfoStart + bit / 8 + byte
          return sum << 8 | (at < bytes.count ? Int(bytes[at]) : 0)
        }
        return word >> (15 - bit % 8) & 0x1FF > 288
      }
    }
  }
}
