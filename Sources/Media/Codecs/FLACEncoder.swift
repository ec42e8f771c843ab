package import AudioModel
internal import CFLAC

/// Encodes FLAC by libFLAC: integers of 4…32 bits, rounded to nearest, 1…8 channels. A packet is a frame of FLAC.
package final class FLACEncoder: AudioEncoder {
  package let format: PCMFormat
  package let codec = Codec.flac
  package let name = "libFLAC"
  package let framesPerPacket = 4096
  package let delay = 0
  package let padding = 0
  package let bitRate: Int? = nil
  package var sampleCoding: SampleCoding? {
    SampleCoding(kind: .signed, bits: quantizer.bits, bytes: (quantizer.bits + 7) / 8)
  }
  /// STREAMINFO (RFC 9639 §8.2).
  package private(set) var decoderConfiguration: [UInt8] = []

  private let handle: UnsafeMutablePointer<FLAC__StreamEncoder>
  private let level: UInt32
  private let hasDither: Bool
  private var quantizer: AudioQuantizer
  private var isOpen = false
  private var frames: UInt64 = 0
  /// Where the library's frames go, during a call.
  private var output: EncodedPackets?
  /// Samples on their way to the library, a plane for each channel.
  private let planes: UnsafeMutablePointer<Int32>

  private static let blockFrames = 4096
  /// Bytes of STREAMINFO.
  private static let infoSize = 34

  /// Makes an encoder; 24 bits unless the settings say otherwise.
  package init(_ format: PCMFormat, _ settings: EncoderSettings) throws(AudioError) {
    let bits = settings.sampleCoding?.bits ?? 24
    guard settings.sampleCoding?.kind != .float, (4...32).contains(bits) else {
      throw AudioError(.encodingUnsupported, "FLAC stores integers of 4 to 32 bits")
    }
    guard let handle = FLAC__stream_encoder_new() else {
      throw AudioError(.encoderUnavailable, "libFLAC can't be set up")
    }
    self.handle = handle
    self.format = format
    level = UInt32((min(max(settings.effort ?? 0.625, 0), 1) * 8).rounded())
    hasDither = settings.hasDither
    quantizer = AudioQuantizer(bits: bits, hasDither: hasDither)
    planes = .allocate(capacity: Self.blockFrames * format.channels)
    try open()
  }

  deinit {
    FLAC__stream_encoder_delete(handle)
    planes.deallocate()
  }

  /// The largest frame: samples as they are, and headers.
  package var maximumPacketBytes: Int {
    64 + format.channels * (8 + (framesPerPacket * (quantizer.bits + 1) + 7) / 8)
  }

  private func open() throws(AudioError) {
    FLAC__stream_encoder_set_channels(handle, UInt32(format.channels))
    FLAC__stream_encoder_set_bits_per_sample(handle, UInt32(quantizer.bits))
    FLAC__stream_encoder_set_sample_rate(handle, UInt32(format.sampleRate.hertz))
    FLAC__stream_encoder_set_compression_level(handle, level)
    FLAC__stream_encoder_set_blocksize(handle, UInt32(Self.blockFrames))
    // The subset leaves rates out that a frame's header has no room for; the stream's header has.
    FLAC__stream_encoder_set_streamable_subset(handle, 0)
    decoderConfiguration = []
    frames = 0
    let status = FLAC__stream_encoder_init_stream(
      handle,
      { _, bytes, count, samples, _, client in
        FLACEncoder.of(client).take(UnsafeRawBufferPointer(start: bytes, count: count), frames: Int(samples))
        return FLAC__STREAM_ENCODER_WRITE_STATUS_OK
      },
      nil, nil,
      { _, metadata, client in
        guard let metadata else { return }
        FLACEncoder.of(client).complete(metadata.pointee.data.stream_info)
      },
      Unmanaged.passUnretained(self).toOpaque())
    guard status == FLAC__STREAM_ENCODER_INIT_STATUS_OK else {
      throw AudioError(
        .encodingUnsupported, "FLAC can't hold \(format) with \(quantizer.bits) bits", detail: Int(status.rawValue))
    }
    isOpen = true
  }

  package func encode(
    _ input: PCMBlock, from start: Int, count: Int, into output: EncodedPackets
  ) throws(AudioError) {
    precondition(input.channels == format.channels && start >= 0 && count >= 0 && start + count <= input.frameCount)
    precondition(isOpen, "an encoder that has finished is reset before it goes on")
    self.output = output
    defer { self.output = nil }
    var done = 0
    while done < count {
      let part = min(Self.blockFrames, count - done)
      // Frame by frame where dither is drawn, so that other blocks give the same bits.
      if hasDither {
        for frame in 0..<part {
          for channel in 0..<format.channels {
            planes[channel * Self.blockFrames + frame] =
              quantizer.integer(input.plane(channel)[start + done + frame])
          }
        }
      } else {
        for channel in 0..<format.channels {
          let source = input.plane(channel) + start + done
          let target = planes + channel * Self.blockFrames
          for frame in 0..<part { target[frame] = quantizer.integer(source[frame]) }
        }
      }
      let pointers = (0..<format.channels).map { UnsafePointer(planes + $0 * Self.blockFrames) as UnsafePointer? }
      guard FLAC__stream_encoder_process(handle, pointers, UInt32(part)) != 0 else { throw failure }
      done += part
      frames += UInt64(part)
    }
  }

  package func finish(into output: EncodedPackets) throws(AudioError) {
    guard isOpen else { return }
    self.output = output
    defer { self.output = nil }
    isOpen = false
    guard FLAC__stream_encoder_finish(handle) != 0 else { throw failure }
  }

  package func reset() throws(AudioError) {
    if isOpen { FLAC__stream_encoder_finish(handle) }
    isOpen = false
    quantizer = AudioQuantizer(bits: quantizer.bits, hasDither: hasDither)
    try open()
  }

  private var failure: AudioError {
    AudioError(
      .encoderFailed, "libFLAC failed", detail: Int(FLAC__stream_encoder_get_state(handle).rawValue))
  }

  // MARK: The library's calls

  private static func of(_ client: UnsafeMutableRawPointer?) -> FLACEncoder {
    guard let client else { preconditionFailure("libFLAC forgot whom it works for") }
    return Unmanaged<FLACEncoder>.fromOpaque(client).takeUnretainedValue()
  }

  /// Takes a frame, or a piece of the header: the stream's mark, STREAMINFO, a comment.
  private func take(_ bytes: UnsafeRawBufferPointer, frames: Int) {
    if frames > 0 {
      output?.append(bytes, frameCount: frames)
    } else if bytes.count == Self.infoSize + 4, bytes[0] & 0x7F == 0 {
      decoderConfiguration = Array(bytes[4...])
    }
  }

  /// Puts into STREAMINFO what is known at the end.
  private func complete(_ info: FLAC__StreamMetadata_StreamInfo) {
    guard decoderConfiguration.count == Self.infoSize else { return }
    func put(_ value: UInt64, at: Int, _ size: Int) {
      for index in 0..<size {
        decoderConfiguration[at + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (size - 1 - index)))
      }
    }
    put(UInt64(info.min_framesize), at: 4, 3)
    put(UInt64(info.max_framesize), at: 7, 3)
    // Rate, channels and depth stand above the 36 bits of the length; 0 means that it is not known.
    let packed = decoderConfiguration[10..<18].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let limit: UInt64 = 1 << 36
    put(packed & ~(limit - 1) | (frames < limit ? frames : 0), at: 10, 8)
    withUnsafeBytes(of: info.md5sum) { sum in
      for index in 0..<16 { decoderConfiguration[18 + index] = sum[index] }
    }
  }
}
