import AudioModel

/// What parsers know of sound whose rate is not the timeline's: whoever decodes converts each stretch of one kind by
/// itself, up to the first frame of the timeline that is not within it.
enum RateConversion {
  /// Frames of the lower rate that a converter takes to come to itself; its filter is a fifth as long.
  private static let settling: Int64 = 512

  /// Frames of the timeline that are to be decoded before a seek's target.
  static func margin(from own: SampleRate, to timeline: SampleRate) -> Int64 {
    own == timeline ? 0 : settling * Int64(max(1, (timeline.hertz + own.hertz - 1) / own.hertz))
  }
}
