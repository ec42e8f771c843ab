/// How time is stretched and pitch shifted.
public enum StretchAlgorithm: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  /// Speech or music, decided by what is heard, again and again.
  case automatic
  /// For voices: pieces of the signal are left out or repeated, period by period.
  case speech
  /// For music: the spectrum is stretched.
  case music
  /// As a tape or a record would: the pitch goes with the rate.
  case varispeed
}
