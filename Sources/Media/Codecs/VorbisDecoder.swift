package import AudioModel
internal import CVorbis

/// Decodes Vorbis by libvorbis. Nothing is trimmed: the first packet after the start or a reset gives no sound, each
/// other one a quarter of its and its predecessor's blocks.
///
/// The configuration in the facts is the three header packets, joined as ``AudioModel/XiphHeaders`` says.
package final class VorbisDecoder: AudioDecoder {
  package let format: PCMFormat
  package let name = "libvorbis"
  private let state: UnsafeMutablePointer<State>
  private let order: [Int]
  private var packetNumber: Int64 = 0
  /// The packet before was damaged: the library's overlap is not that of the next one.
  private var isDamaged = false

  /// What the library keeps, at an address that does not change.
  private struct State {
    var info = vorbis_info()
    var comment = vorbis_comment()
    var synthesis = vorbis_dsp_state()
    var block = vorbis_block()
  }

  /// Makes a decoder for a stream.
  package init(_ facts: StreamFacts) throws(AudioError) {
    guard let headers = XiphHeaders.split(facts.decoderConfiguration), headers.count == 3 else {
      throw AudioError(.unsupportedCodec, "The headers of the Vorbis stream are missing")
    }
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    vorbis_info_init(&state.pointee.info)
    vorbis_comment_init(&state.pointee.comment)
    var status: CInt = 0
    for (number, header) in headers.enumerated() where status == 0 {
      status = Self.withPacket(header, number: Int64(number)) { [state] packet in
        vorbis_synthesis_headerin(&state.pointee.info, &state.pointee.comment, packet)
      }
    }
    let rate = SampleRate(hertz: state.pointee.info.rate)
    let layout = ChannelLayout(count: Int(state.pointee.info.channels))
    let isReady = status == 0 && vorbis_synthesis_init(&state.pointee.synthesis, &state.pointee.info) == 0
    guard isReady, let rate, let layout else {
      if isReady { vorbis_dsp_clear(&state.pointee.synthesis) }
      vorbis_comment_clear(&state.pointee.comment)
      vorbis_info_clear(&state.pointee.info)
      state.deallocate()
      throw AudioError(.unsupportedCodec, "libvorbis refuses this stream", detail: Int(status))
    }
    vorbis_block_init(&state.pointee.synthesis, &state.pointee.block)
    format = PCMFormat(sampleRate: rate, layout: layout)
    order = XiphChannels.order(layout.count)
  }

  deinit {
    vorbis_block_clear(&state.pointee.block)
    vorbis_dsp_clear(&state.pointee.synthesis)
    vorbis_comment_clear(&state.pointee.comment)
    vorbis_info_clear(&state.pointee.info)
    state.deallocate()
  }

  package func decode(
    _ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock
  ) throws(AudioError) -> DecodeResult {
    let begin = output.frameCount
    var status = Self.withPacket(bytes, number: packetNumber) { [state] in
      vorbis_synthesis(&state.pointee.block, $0)
    }
    packetNumber &+= 1
    if status == 0 { status = vorbis_synthesis_blockin(&state.pointee.synthesis, &state.pointee.block) }
    guard status == 0 else {
      isDamaged = true
      throw AudioError(.damagedPacket, "A packet of Vorbis can't be decoded", recovery: .conceal, detail: Int(status))
    }
    drain(into: output)
    if isDamaged {
      isDamaged = false
      // The container knows better how much the packet is worth than a library that has not seen its predecessor.
      output.truncate(to: begin + min(output.frameCount - begin, packet.frameCount))
      output.appendSilence(begin + packet.frameCount - output.frameCount)
    }
    return .decoded
  }

  package func finish(into output: PCMBlock) {}

  package func reset() {
    vorbis_synthesis_restart(&state.pointee.synthesis)
    isDamaged = false
  }

  private func drain(into output: PCMBlock) {
    var planes: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>?
    while case let count = Int(vorbis_synthesis_pcmout(&state.pointee.synthesis, &planes)), count > 0, let planes {
      output.reserve(count)
      for (channel, source) in order.enumerated() {
        guard let plane = planes[source] else { continue }
        (output.plane(channel) + output.frameCount).update(from: plane, count: count)
      }
      output.advance(count)
      vorbis_synthesis_read(&state.pointee.synthesis, CInt(count))
    }
  }

  private static func withPacket<Result>(
    _ bytes: [UInt8], number: Int64, _ body: (UnsafeMutablePointer<ogg_packet>) -> Result
  ) -> Result {
    bytes.withUnsafeBytes { withPacket($0, number: number, body) }
  }

  /// Gives `body` a packet that says nothing of its position, so that the library trims nothing.
  private static func withPacket<Result>(
    _ bytes: UnsafeRawBufferPointer, number: Int64, _ body: (UnsafeMutablePointer<ogg_packet>) -> Result
  ) -> Result {
    var packet = ogg_packet()
    // The library only reads.
    packet.packet = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    packet.bytes = bytes.count
    packet.b_o_s = number == 0 ? 1 : 0
    packet.granulepos = -1
    packet.packetno = number
    return body(&packet)
  }
}
