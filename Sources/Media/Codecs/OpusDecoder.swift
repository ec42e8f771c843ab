package import AudioModel
internal import COpus

/// Decodes Opus by libopus, any number of streams and channels, with the header's gain applied. Nothing is trimmed.
///
/// The configuration in the facts is the "OpusHead" packet of RFC 7845.
package final class OpusDecoder: AudioDecoder {
  package let format: PCMFormat
  package let name = "libopus"
  private let decoder: OpaquePointer
  private let interleaved: UnsafeMutablePointer<Float>

  /// Makes a decoder for a stream. Without a header, mono or stereo is what the facts say.
  package init(_ facts: StreamFacts) throws(AudioError) {
    let channels = facts.format.channels
    var head = OpusHead(facts.decoderConfiguration)
    if head == nil && facts.decoderConfiguration.isEmpty && channels <= 2 {
      head = OpusHead(Array("OpusHead".utf8) + [1, UInt8(channels)] + [UInt8](repeating: 0, count: 9))
    }
    guard let head, let layout = ChannelLayout(count: head.channels), head.family != 3 else {
      throw AudioError(.unsupportedCodec, "The header of the Opus stream is broken or of an unknown kind")
    }
    format = PCMFormat(sampleRate: OpusHead.rate, layout: layout)
    let order = head.family == 1 ? XiphChannels.order(head.channels) : Array(0..<head.channels)
    var status: CInt = 0
    let decoder = opus_multistream_decoder_create(
      CInt(OpusHead.rate.hertz), CInt(head.channels), CInt(head.streams), CInt(head.coupled),
      order.map { head.mapping[$0] }, &status)
    guard let decoder else {
      throw AudioError(.unsupportedCodec, "libopus refuses this stream", detail: Int(status))
    }
    self.decoder = decoder
    _ = martlet_opus_set_gain(decoder, CInt(head.gain))
    interleaved = .allocate(capacity: OpusHead.longestPacket * head.channels)
  }

  deinit {
    opus_multistream_decoder_destroy(decoder)
    interleaved.deallocate()
  }

  package func decode(
    _ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock
  ) throws(AudioError) -> DecodeResult {
    guard let base = bytes.baseAddress, bytes.count <= Int(CInt.max) else { throw Self.damage(0) }
    let count = opus_multistream_decode_float(
      decoder, base.assumingMemoryBound(to: UInt8.self), CInt(bytes.count), interleaved,
      CInt(OpusHead.longestPacket), 0)
    guard count > 0 else { throw Self.damage(Int(count)) }
    let frames = Int(count)
    let channels = format.channels
    output.reserve(frames)
    for channel in 0..<channels {
      let plane = output.plane(channel) + output.frameCount
      let source = interleaved + channel
      for frame in 0..<frames { plane[frame] = source[frame &* channels] }
    }
    output.advance(frames)
    return .decoded
  }

  package func finish(into output: PCMBlock) {}

  package func reset() { _ = martlet_opus_reset(decoder) }

  private static func damage(_ status: Int) -> AudioError {
    AudioError(.damagedPacket, "A packet of Opus can't be decoded", recovery: .conceal, detail: status)
  }
}
