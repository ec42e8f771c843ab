// Binary logarithm and power for code that runs while sound is rendered, where the C library's may not be called, and that
// gives the same bits everywhere.

/// log₂ of a positive, finite, normal number, within 10⁻⁶.
///
/// The exponent is read off; the rest is the series of the inverse hyperbolic tangent, up to its seventh power.
@_noLocks @_noAllocation
func binaryLogarithm(_ value: Float) -> Float {
  let bits = value.bitPattern
  // The mantissa from √½ to √2, where the series is short.
  let exponent = Int32(truncatingIfNeeded: bits &- 0x3F35_04F3) >> 23
  let mantissa = Float(bitPattern: bits &- UInt32(bitPattern: exponent << 23))
  let t = (mantissa - 1) / (mantissa + 1)
  let square = t * t
  let series = 2.885_390_1 + square * (0.961_796_7 + square * (0.577_078_0 + square * 0.412_198_6))
  return Float(exponent) + t * series
}

/// 2 to the power of −126…126 within 10⁻⁶ of it; powers beyond count as these.
@_noLocks @_noAllocation
func binaryPower(_ exponent: Float) -> Float {
  var limited = exponent < -126 ? -126 : exponent
  if !(limited <= 126) { limited = 126 }
  let whole = Int32(limited < 0 ? limited - 0.5 : limited + 0.5)
  let x = (limited - Float(whole)) * 0.693_147_2
  let series =
    1 + x * (1 + x * (0.5 + x * (0.166_666_67 + x * (0.041_666_67 + x * (0.008_333_334 + x * 0.001_388_889)))))
  return series * Float(bitPattern: UInt32(bitPattern: whole &+ 127) << 23)
}
