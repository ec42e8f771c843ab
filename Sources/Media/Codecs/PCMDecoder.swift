package import AudioModel

/// Turns linear PCM of every ``AudioModel/SampleCoding`` into Float32.
///
/// Integers of n bits are scaled by 2^−(n−1), exactly up to 24 bits; wider ones and binary64 are rounded to the nearest
/// Float32. Float32 passes bit by bit, whatever its value.
package final class PCMDecoder: AudioDecoder {
  package let format: PCMFormat
  package let name = "pcm"
  private let coding: SampleCoding
  private let frameBytes: Int

  /// Makes a decoder for a stream.
  package init(_ facts: StreamFacts) throws(AudioError) {
    guard facts.codec == .pcm, let coding = facts.sampleCoding, (1...8).contains(coding.bytes),
      (1...64).contains(coding.bits), coding.kind != .float || coding.bytes == 4 || coding.bytes == 8
    else { throw AudioError(.unsupportedCodec, "The samples are in a form that is not supported") }
    format = facts.format
    self.coding = coding
    frameBytes = coding.bytes * format.channels
  }

  package func decode(
    _ bytes: UnsafeRawBufferPointer, packet: Packet, into output: PCMBlock
  ) throws(AudioError) -> DecodeResult {
    let frames = bytes.count / frameBytes
    guard frames > 0, let base = bytes.baseAddress else { return .decoded }
    output.reserve(frames)
    for channel in 0..<format.channels {
      convert(
        base + channel * coding.bytes, to: output.plane(channel) + output.frameCount, frames: frames)
    }
    output.advance(frames)
    return .decoded
  }

  package func finish(into output: PCMBlock) {}
  package func reset() {}

  private func convert(_ source: UnsafeRawPointer, to target: UnsafeMutablePointer<Float>, frames: Int) {
    let isBig = coding.isBigEndian
    switch (coding.kind, coding.bytes) {
    case (.signed, _) where coding.isRightJustified, (.unsigned, _) where coding.isRightJustified:
      gather(source, target, frames, shift: 64 - coding.bits)
    case (.float, 4):
      each(source, target, frames) { at in
        let bits = at.loadUnaligned(as: UInt32.self)
        return Float(bitPattern: isBig ? bits.byteSwapped : bits)
      }
    case (.float, _):
      each(source, target, frames) { at in
        let bits = at.loadUnaligned(as: UInt64.self)
        return Float(Double(bitPattern: isBig ? bits.byteSwapped : bits))
      }
    case (.unsigned, 1):
      each(source, target, frames) { at in Float(Int32(at.load(as: UInt8.self)) - 128) * 0x1p-7 }
    case (.signed, 1):
      each(source, target, frames) { at in Float(Int32(at.load(as: Int8.self))) * 0x1p-7 }
    case (.signed, 2) where !isBig:
      each(source, target, frames) { at in Float(Int32(at.loadUnaligned(as: Int16.self))) * 0x1p-15 }
    case (.signed, 4) where !isBig:
      each(source, target, frames) { at in Float(at.loadUnaligned(as: Int32.self)) * 0x1p-31 }
    case (.signed, 3) where !isBig:
      each(source, target, frames) { at in
        let low = Int32(at.loadUnaligned(as: UInt16.self))
        let high = Int32(at.load(fromByteOffset: 2, as: Int8.self))
        return Float(high << 16 | low) * 0x1p-23
      }
    default:
      // Rare widths and byte orders.
      gather(source, target, frames, shift: 64 - 8 * coding.bytes)
    }
  }

  /// Converts one channel of whatever integers, gathered into the top of 64 bits.
  private func gather(_ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>, _ frames: Int, shift: Int) {
    let isBig = coding.isBigEndian
    let bytes = coding.bytes
    let flip: UInt64 = coding.kind == .unsigned ? 1 << 63 : 0
    each(source, target, frames) { at in
      var value: UInt64 = 0
      for index in 0..<bytes {
        value = value << 8 | UInt64(at.load(fromByteOffset: isBig ? index : bytes - 1 - index, as: UInt8.self))
      }
      value = value << UInt64(shift) ^ flip
      return Float(Int64(bitPattern: value)) * 0x1p-63
    }
  }

  /// Converts one channel.
  @inline(__always)
  private func each(
    _ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<Float>, _ frames: Int,
    _ sample: (UnsafeRawPointer) -> Float
  ) {
    let stride = frameBytes
    for frame in 0..<frames { target[frame] = sample(source + frame * stride) }
  }
}
