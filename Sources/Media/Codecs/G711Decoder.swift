package import AudioModel

/// Turns A-law and µ-law into Float32, by the tables of ITU-T G.711: 13 and 14 bits, scaled so that full scale of the
/// 16-bit range is 1.
package final class G711Decoder: AudioDecoder {
  package let format: PCMFormat
  package let name = "g711"
  private let table: [Float]

  /// Makes a decoder for a stream.
  package init(_ facts: StreamFacts) throws(AudioError) {
    switch facts.codec {
    case .alaw: table = Self.alaw
    case .mulaw: table = Self.mulaw
    default: throw AudioError(.unsupportedCodec, "The stream is neither A-law nor µ-law")
    }
    format = facts.format
  }

  package func decode(
    _ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock
  ) throws(AudioError) -> DecodeResult {
    let channels = format.channels
    let frames = bytes.count / channels
    output.reserve(frames)
    table.withUnsafeBufferPointer { table in
      for channel in 0..<channels {
        let target = output.plane(channel) + output.frameCount
        for frame in 0..<frames { target[frame] = table[Int(bytes[frame * channels + channel])] }
      }
    }
    output.advance(frames)
    return .decoded
  }

  package func finish(into output: PCMBlock) {}
  package func reset() {}

  /// Even bits are inverted; sign, 3 bits segment, 4 bits within it. Segment 0 is linear.
  private static let alaw = (0..<256).map { code -> Float in
    let bits = code ^ 0x55
    let segment = bits >> 4 & 7
    let step = ((bits & 0xF) << 4) + 8
    let magnitude = segment == 0 ? step : (step + 0x100) << (segment - 1)
    return Float(bits & 0x80 != 0 ? magnitude : -magnitude) * 0x1p-15
  }

  /// All bits are inverted; a bias of 33 (of 14 bits) makes every segment twice as wide as the one below.
  private static let mulaw = (0..<256).map { code -> Float in
    let bits = ~code & 0xFF
    let magnitude = ((((bits & 0xF) << 3) + 0x84) << (bits >> 4 & 7)) - 0x84
    return Float(bits & 0x80 != 0 ? -magnitude : magnitude) * 0x1p-15
  }
}
