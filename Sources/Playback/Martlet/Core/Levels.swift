internal import AudioModel
internal import Glibc

/// The amplitude of a level; exactly 1 for 0 dB, so that samples pass unchanged.
func amplitude(_ level: Decibels) -> Float {
  if level.value == 0 { return 1 }
  return level.value == -.infinity ? 0 : Float(pow(10, level.value / 20))
}

/// The level of an amplitude in dBFS, not below −120 and never infinite.
func decibels(_ amplitude: Float) -> Double {
  guard amplitude.isFinite, amplitude > 0 else { return Decibels.floor.value }
  return max(Decibels.floor.value, 20 * log10(Double(amplitude)))
}
