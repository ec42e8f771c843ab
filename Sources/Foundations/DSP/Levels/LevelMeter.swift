/// Peak, root of the mean square and, where asked for, true peak of each channel of a signal, from one reading to the next.
///
/// For one thread at a time, not the one that renders.
package final class LevelMeter {
  /// What a channel had since it was read last.
  package struct Level: BitwiseCopyable, Sendable {
    /// The greatest magnitude of a sample; 1 is full scale.
    package var peak: Float = 0
    /// The greatest magnitude between samples, too; 0 where it is not measured.
    package var truePeak: Float = 0
    /// Mean of the squares; its root is the RMS level.
    package var meanSquare: Float = 0
    /// Frames that were measured.
    package var frames = 0

    /// Silence.
    package init() {}
  }

  private struct Sum: BitwiseCopyable {
    var peak: Float = 0
    var squares = 0.0
    var frames = 0
  }

  /// Number of planes.
  package let channels: Int
  private let sums: UnsafeMutablePointer<Sum>
  private let truePeaks: TruePeakMeter?

  /// Makes a meter.
  /// - Parameters:
  ///   - channels: 1…64.
  ///   - measuresTruePeak: Looks between the samples, too, which costs about ten times as much.
  package init(channels: Int, measuresTruePeak: Bool = false) {
    precondition(channels > 0)
    self.channels = channels
    sums = .allocate(capacity: channels)
    sums.initialize(repeating: Sum(), count: channels)
    truePeaks = measuresTruePeak ? TruePeakMeter(channels: channels) : nil
  }

  deinit { sums.deallocate() }

  /// The level of a channel since this was last called for it.
  package func take(_ channel: Int) -> Level {
    precondition(channel >= 0 && channel < channels)
    let sum = sums[channel]
    sums[channel] = Sum()
    var level = Level()
    level.peak = sum.peak
    level.frames = sum.frames
    level.meanSquare = sum.frames > 0 ? Float(sum.squares / Double(sum.frames)) : 0
    if let truePeaks { level.truePeak = truePeaks.take(channel) }
    return level
  }

  /// Measures what is between the last samples, as if silence followed.
  package func finish() { truePeaks?.finish() }

  /// Measures frames.
  /// - Parameters:
  ///   - planes: The plane of channel c begins at `planes + c × stride`.
  ///   - count: Number of planes; those beyond ``channels`` are not measured.
  package func measure(_ planes: UnsafePointer<Float>, stride: Int, channels count: Int, frames: Int) {
    guard frames > 0 else { return }
    for channel in 0..<min(count, channels) {
      let meter = Meter(planes + channel * stride, count: frames)
      if meter.peak > sums[channel].peak { sums[channel].peak = meter.peak }
      // A square that is no number, or infinite, is not counted: it would stay.
      guard meter.meanSquare.isFinite else { continue }
      sums[channel].squares += Double(meter.meanSquare) * Double(frames)
      sums[channel].frames += frames
    }
    truePeaks?.measure(planes, stride: stride, channels: count, frames: frames)
  }
}
