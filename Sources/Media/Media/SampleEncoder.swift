internal import AudioModel

/// Float32 to the bytes of a WAV file: Float32 bit by bit; integers rounded to nearest (halves to even), clipped at full
/// scale, not-a-number as 0.
struct SampleEncoder {
  let sample: WAVHeader.Sample
  /// Triangular noise of two LSB peak to peak is added before rounding.
  let hasDither: Bool
  private var random: UInt32 = 0x9E37_79B9

  init(_ sample: WAVHeader.Sample, hasDither: Bool) {
    self.sample = sample
    self.hasDither = hasDither && sample != .f32
  }

  /// The bytes are those of the samples as they stand in memory.
  var isIdentity: Bool { sample == .f32 && 1.littleEndian == 1 }

  /// Writes samples, in the order in which they stand, to `output`, which has room for them.
  mutating func encode(_ samples: UnsafeBufferPointer<Float>, to output: UnsafeMutableRawBufferPointer) {
    precondition(output.count >= samples.count * sample.bytes)
    guard var target = output.baseAddress else { return }
    switch sample {
    case .f32:
      for value in samples {
        target.storeBytes(of: value.bitPattern.littleEndian, as: UInt32.self)
        target += 4
      }
    case .s16:
      for value in samples {
        target.storeBytes(of: Int16(truncatingIfNeeded: quantize(value, scale: 0x1p15)).littleEndian, as: Int16.self)
        target += 2
      }
    case .s24:
      for value in samples {
        let number = quantize(value, scale: 0x1p23)
        target.storeBytes(of: UInt16(truncatingIfNeeded: number).littleEndian, as: UInt16.self)
        target.storeBytes(of: UInt8(truncatingIfNeeded: number >> 16), toByteOffset: 2, as: UInt8.self)
        target += 3
      }
    }
  }

  private mutating func quantize(_ value: Float, scale: Double) -> Int32 {
    var scaled = Double(value) * scale
    if hasDither { scaled += noise() - noise() }
    let rounded = scaled.rounded(.toNearestOrEven)
    if rounded >= scale { return Int32(scale) - 1 }
    if rounded > -scale { return Int32(rounded) }
    return rounded.isNaN ? 0 : Int32(-scale)
  }

  /// Even noise in 0..<1, the same in every run (xorshift, Marsaglia 2003).
  private mutating func noise() -> Double {
    random ^= random << 13
    random ^= random >> 17
    random ^= random << 5
    return Double(random) * 0x1p-32
  }
}
