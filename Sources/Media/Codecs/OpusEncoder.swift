package import AudioModel
internal import COpus

/// Encodes Opus by libopus: 48 kHz, packets of 20 ms, for music and speech.
///
/// One and two channels are a stream without surround; 3…8 in Vorbis's layouts are surround (mapping family 1, RFC 7845
/// §5.1.1.2), more are channels without loudspeakers (family 255).
package final class OpusEncoder: AudioEncoder {
  package let format: PCMFormat
  package let codec = Codec.opus
  package let name = "libopus"
  package let framesPerPacket = 960
  package let delay: Int
  package private(set) var padding = 0
  package let decoderConfiguration: [UInt8]
  package let sampleCoding: SampleCoding? = nil
  package let bitRate: Int?
  package let maximumPacketBytes: Int

  private let encoder: OpaquePointer
  private let order: [Int]
  /// A packet's frames, interleaved in the codec's order, of which `filled` are there.
  private let interleaved: UnsafeMutablePointer<Float>
  private let packet: UnsafeMutablePointer<UInt8>
  private var filled = 0
  private var framesIn = 0
  private var framesOut = 0

  /// Bits per second for each channel, unless asked for otherwise: nobody hears a difference.
  private static let usualBitRate = 64_000

  /// Makes an encoder.
  package init(_ format: PCMFormat, _ settings: EncoderSettings) throws(AudioError) {
    let channels = format.channels
    let family = channels <= 2 ? 0 : channels <= 8 ? 1 : 255
    guard format.sampleRate == OpusHead.rate, family != 1 || XiphChannels.has(format.layout) else {
      throw AudioError(.encodingUnsupported, "Opus can't hold \(format)")
    }
    var streams: CInt = 0
    var coupled: CInt = 0
    var mapping = [UInt8](repeating: 0, count: channels)
    var status: CInt = 0
    let encoder = opus_multistream_surround_encoder_create(
      CInt(OpusHead.rate.hertz), CInt(channels), CInt(family), &streams, &coupled, &mapping,
      CInt(OPUS_APPLICATION_AUDIO), &status)
    guard let encoder else {
      throw AudioError(.encodingUnsupported, "libopus refuses \(format)", detail: Int(status))
    }
    self.encoder = encoder
    self.format = format
    order = family == 1 ? XiphChannels.order(channels) : Array(0..<channels)
    let rate = settings.bitRate ?? Self.usualBitRate * channels
    var lookahead: opus_int32 = 0
    let effort = (min(max(settings.effort ?? 1, 0), 1) * 10).rounded()
    status = martlet_opus_encoder_set(
      encoder, opus_int32(clamping: rate), settings.isConstantBitRate ? 0 : 1, opus_int32(effort), &lookahead)
    guard status == OPUS_OK, lookahead >= 0 else {
      opus_multistream_encoder_destroy(encoder)
      throw AudioError(
        .encodingUnsupported, "Opus can't be encoded at \(rate / 1000) kbit/s", detail: Int(status))
    }
    bitRate = rate
    delay = Int(lookahead)
    // A stream's packet has at most 1275 bytes, and all but the last tell their length in two more.
    maximumPacketBytes = 1277 * Int(streams)
    decoderConfiguration =
      OpusHead(
        channels: channels, preSkip: delay, inputRate: (settings.originalRate ?? format.sampleRate).hertz,
        family: UInt8(family), streams: Int(streams), coupled: Int(coupled), mapping: mapping
      ).bytes
    interleaved = .allocate(capacity: framesPerPacket * channels)
    packet = .allocate(capacity: maximumPacketBytes)
  }

  deinit {
    opus_multistream_encoder_destroy(encoder)
    interleaved.deallocate()
    packet.deallocate()
  }

  package func encode(
    _ input: PCMBlock, from start: Int, count: Int, into output: EncodedPackets
  ) throws(AudioError) {
    precondition(input.channels == format.channels && start >= 0 && count >= 0 && start + count <= input.frameCount)
    var done = 0
    while done < count {
      let part = min(framesPerPacket - filled, count - done)
      for channel in 0..<format.channels {
        let source = input.plane(channel) + start + done
        let target = interleaved + filled * format.channels + order[channel]
        for frame in 0..<part { target[frame &* format.channels] = source[frame] }
      }
      done += part
      filled += part
      framesIn += part
      if filled == framesPerPacket { try encodePacket(into: output) }
    }
  }

  package func finish(into output: EncodedPackets) throws(AudioError) {
    guard framesIn > 0 else { return }
    while framesOut < framesIn + delay {
      let silent = framesPerPacket - filled
      (interleaved + filled * format.channels).update(repeating: 0, count: silent * format.channels)
      filled = framesPerPacket
      try encodePacket(into: output)
    }
    padding = framesOut - framesIn - delay
  }

  package func reset() {
    _ = martlet_opus_encoder_reset(encoder)
    (filled, framesIn, framesOut, padding) = (0, 0, 0, 0)
  }

  private func encodePacket(into output: EncodedPackets) throws(AudioError) {
    let status = opus_multistream_encode_float(
      encoder, interleaved, CInt(framesPerPacket), packet, opus_int32(maximumPacketBytes))
    guard status > 0 else { throw AudioError(.encoderFailed, "libopus failed", detail: Int(status)) }
    output.append(UnsafeRawBufferPointer(start: packet, count: Int(status)), frameCount: framesPerPacket)
    filled = 0
    framesOut += framesPerPacket
  }
}
