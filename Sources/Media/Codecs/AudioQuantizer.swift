/// Float32 to integers: scaled by 2^(bits−1), rounded to nearest (halves to even), clipped at full scale, not-a-number as 0.
/// The inverse of what decoders do, so that integers of at most 24 bits come back as they were.
package struct AudioQuantizer {
  /// Depth of the integers, 1…32.
  package let bits: Int
  /// Triangular noise of two steps peak to peak is added before rounding.
  package let hasDither: Bool
  private let scale: Double
  private var random: UInt32 = 0x9E37_79B9

  package init(bits: Int, hasDither: Bool) {
    precondition((1...32).contains(bits))
    self.bits = bits
    self.hasDither = hasDither
    scale = Double(UInt64(1) << UInt64(bits - 1))
  }

  /// The integer for a sample.
  @inline(__always)
  package mutating func integer(_ value: Float) -> Int32 {
    var scaled = Double(value) * scale
    if hasDither { scaled += noise() - noise() }
    let rounded = scaled.rounded(.toNearestOrEven)
    if rounded >= scale { return Int32(truncatingIfNeeded: Int64(scale) - 1) }
    if rounded > -scale { return Int32(rounded) }
    return rounded.isNaN ? 0 : Int32(truncatingIfNeeded: -Int64(scale))
  }

  /// Even noise in 0..<1, the same in every run (xorshift, Marsaglia 2003).
  private mutating func noise() -> Double {
    random ^= random << 13
    random ^= random >> 17
    random ^= random << 5
    return Double(random) * 0x1p-32
  }
}
