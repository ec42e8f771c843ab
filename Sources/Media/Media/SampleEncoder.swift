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

  /// Writes `count` frames, interleaved, to `output`, which has room for them.
  mutating func encode(
    _ block: PCMBlock, from start: Int, count: Int, to output: UnsafeMutableRawBufferPointer
  ) {
    let channels = block.channels
    let step = sample.bytes
    precondition(output.count >= count * channels * step)
    guard let base = output.baseAddress else { return }
    for channel in 0..<channels {
      let plane = block.plane(channel) + start
      var target = base + channel * step
      switch sample {
      case .f32:
        for index in 0..<count {
          target.storeBytes(of: plane[index].bitPattern.littleEndian, as: UInt32.self)
          target += channels * step
        }
      case .s16:
        for index in 0..<count {
          let value = quantize(plane[index], scale: 0x1p15)
          target.storeBytes(of: Int16(truncatingIfNeeded: value).littleEndian, as: Int16.self)
          target += channels * step
        }
      case .s24:
        for index in 0..<count {
          let value = quantize(plane[index], scale: 0x1p23)
          target.storeBytes(of: UInt16(truncatingIfNeeded: value).littleEndian, as: UInt16.self)
          target.storeBytes(of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: 2, as: UInt8.self)
          target += channels * step
        }
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
