package import AudioModel

/// Stores Float32 as linear PCM: floats bit by bit (binary64 exactly), integers rounded to nearest and clipped at full
/// scale. Samples are interleaved; a packet is as many frames as were given.
package final class PCMEncoder: AudioEncoder {
  package let format: PCMFormat
  package let codec = Codec.pcm
  package let name = "pcm"
  package let framesPerPacket = 1
  package var maximumPacketBytes: Int { frameBytes }
  package let delay = 0
  package let padding = 0
  package let decoderConfiguration: [UInt8] = []
  package var sampleCoding: SampleCoding? { coding }
  package var bitRate: Int? { frameBytes * 8 * format.sampleRate.hertz }

  private let coding: SampleCoding
  private let frameBytes: Int
  private let hasDither: Bool
  private var quantizer: AudioQuantizer

  /// Makes an encoder; Float32, little end first, unless the settings say otherwise.
  /// - Throws: 4006 for integers of more than 32 bits or in bytes that do not fit, and floats of other widths than 32
  ///   and 64 bits.
  package init(_ format: PCMFormat, _ settings: EncoderSettings) throws(AudioError) {
    let coding = settings.sampleCoding ?? SampleCoding(kind: .float, bits: 32, bytes: 4)
    let isFloat = coding.kind == .float
    guard
      isFloat
        ? coding.bits == coding.bytes * 8 && (coding.bytes == 4 || coding.bytes == 8)
        : (1...4).contains(coding.bytes) && (1...coding.bytes * 8).contains(coding.bits) && !coding.isRightJustified
    else {
      throw AudioError(
        .encodingUnsupported, "PCM can't be stored as \(isFloat ? "floats" : "integers") of \(coding.bits) bits")
    }
    self.format = format
    self.coding = coding
    frameBytes = coding.bytes * format.channels
    hasDither = settings.hasDither && !isFloat
    quantizer = AudioQuantizer(bits: isFloat ? 32 : coding.bits, hasDither: hasDither)
  }

  package func encode(
    _ input: PCMBlock, from start: Int, count: Int, into output: EncodedPackets
  ) throws(AudioError) {
    precondition(input.channels == format.channels && start >= 0 && count >= 0 && start + count <= input.frameCount)
    guard count > 0 else { return }
    output.append(byteCount: count * frameBytes, frameCount: count) { bytes in
      guard let base = bytes.baseAddress else { return }
      // Frame by frame, so that dither is drawn in the order in which samples stand: cutting the sound into other blocks
      // changes no bit.
      if hasDither {
        for frame in 0..<count {
          for channel in 0..<format.channels {
            let target = base + frame * frameBytes + channel * coding.bytes
            store(quantizer.integer(input.plane(channel)[start + frame]), to: target)
          }
        }
      } else {
        for channel in 0..<format.channels {
          convert(input.plane(channel) + start, to: base + channel * coding.bytes, frames: count)
        }
      }
    }
  }

  package func finish(into output: EncodedPackets) {}
  package func reset() { quantizer = AudioQuantizer(bits: quantizer.bits, hasDither: hasDither) }

  private func convert(_ source: UnsafePointer<Float>, to target: UnsafeMutableRawPointer, frames: Int) {
    let isBig = coding.isBigEndian
    switch (coding.kind, coding.bytes) {
    case (.float, 4):
      each(source, target, frames) { value, at in
        let bits = value.bitPattern
        at.storeBytes(of: isBig ? bits.bigEndian : bits.littleEndian, as: UInt32.self)
      }
    case (.float, _):
      each(source, target, frames) { value, at in
        let bits = Double(value).bitPattern
        at.storeBytes(of: isBig ? bits.bigEndian : bits.littleEndian, as: UInt64.self)
      }
    case (.signed, 2) where !isBig && coding.bits == 16:
      each(source, target, frames) { value, at in
        at.storeBytes(of: Int16(truncatingIfNeeded: quantizer.integer(value)).littleEndian, as: Int16.self)
      }
    default:
      each(source, target, frames) { value, at in store(quantizer.integer(value), to: at) }
    }
  }

  /// Stores an integer left-justified in its bytes.
  @inline(__always)
  private func store(_ number: Int32, to target: UnsafeMutableRawPointer) {
    let bytes = coding.bytes
    var value = UInt32(bitPattern: number) << UInt32(8 * bytes - coding.bits)
    if coding.kind == .unsigned { value ^= 1 << UInt32(8 * bytes - 1) }
    for index in 0..<bytes {
      let shift = UInt32(8 * (coding.isBigEndian ? bytes - 1 - index : index))
      target.storeBytes(of: UInt8(truncatingIfNeeded: value >> shift), toByteOffset: index, as: UInt8.self)
    }
  }

  @inline(__always)
  private func each(
    _ source: UnsafePointer<Float>, _ target: UnsafeMutableRawPointer, _ frames: Int,
    _ body: (Float, UnsafeMutableRawPointer) -> Void
  ) {
    for frame in 0..<frames { body(source[frame], target + frame &* frameBytes) }
  }
}
