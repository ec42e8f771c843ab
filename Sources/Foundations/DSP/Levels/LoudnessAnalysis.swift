package import AudioModel
internal import Glibc
internal import Transforms

/// Measures a whole programme, block by block.
///
/// Memory does not grow with the programme. For one thread at a time.
package final class LoudnessAnalysis {
  /// Format of the programme.
  package var format: PCMFormat { loudness.format }
  private let loudness: LoudnessMeter
  private let peaks: TruePeakMeter

  /// Makes an analysis.
  /// - Parameters:
  ///   - format: Format of the programme.
  ///   - isDualMono: Counts the one channel of a mono programme twice, as it sounds from two loudspeakers.
  package init(format: PCMFormat, isDualMono: Bool = false) {
    loudness = LoudnessMeter(format: format, isDualMono: isDualMono)
    peaks = TruePeakMeter(channels: format.channels)
  }

  /// Adds frames of the programme.
  /// - Parameters:
  ///   - block: Of the format's number of channels.
  ///   - range: Frames of it.
  package func add(_ block: PCMBlock, _ range: Range<Int>) {
    loudness.add(block, range)
    guard !range.isEmpty else { return }
    peaks.measure(
      block.plane(0) + range.lowerBound, stride: block.capacity, channels: block.channels, frames: range.count)
  }

  /// Ends the programme, and tells what it was.
  package func finish() -> LoudnessMeasurement {
    peaks.finish()
    let peak = (0..<format.channels).map { peaks.peak($0) }.max() ?? 0
    return LoudnessMeasurement(
      integrated: loudness.integrated, range: loudness.range,
      truePeak: peak > 0 ? Decibels(20 * log10(Double(peak))) : .silence)
  }

  /// Integrated loudness of several programmes as if they were one: that of an album.
  package static func integrated(of programmes: [LoudnessAnalysis]) -> Double? {
    LoudnessMeter.integrated(of: programmes.map(\.loudness))
  }
}
