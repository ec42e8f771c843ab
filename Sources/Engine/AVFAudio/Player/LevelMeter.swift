internal import AudioModel
internal import DSP
internal import Foundation
internal import Platform

/// The levels of a stream of buffers: one thread measures, any reads.
final class LevelMeter: Sendable {
  private struct Channel {
    /// The greatest magnitude since the levels were last taken.
    var peak: Float = 0
    var squares = 0.0
    var frames = 0
    /// As they were last taken, in decibels.
    var shownPeak = LevelMeter.silence
    var shownAverage = LevelMeter.silence
  }

  /// What silence counts as, in decibels of full scale.
  static let silence: Float = -160

  private let channels: Monitor<[Channel]>

  init(channels: Int) { self.channels = Monitor(Array(repeating: Channel(), count: channels)) }

  /// Adds a buffer of Float32, one plane per channel.
  func measure(_ buffer: AVAudioPCMBuffer) {
    guard let planes = buffer.floatChannelData, !buffer.format.isInterleaved else { return }
    measure(Int(buffer.format.channelCount), frames: Int(buffer.frameLength)) { UnsafePointer(planes[$0]) }
  }

  /// Adds frames of a block.
  func measure(_ block: PCMBlock, _ range: Range<Int>) {
    measure(block.channels, frames: range.count) { UnsafePointer(block.plane($0) + range.lowerBound) }
  }

  private func measure(_ count: Int, frames: Int, plane: (Int) -> UnsafePointer<Float>) {
    guard frames > 0 else { return }
    channels.withLock { channels in
      for index in 0..<min(channels.count, count) {
        let meter = Meter(plane(index), count: frames)
        channels[index].peak = max(channels[index].peak, meter.peak)
        channels[index].squares += Double(meter.meanSquare) * Double(frames)
        channels[index].frames += frames
      }
    }
  }

  /// Shows what was measured since the last call; what it showed before where nothing was.
  func update() {
    channels.withLock { channels in
      for index in channels.indices where channels[index].frames > 0 {
        let mean = channels[index].squares / Double(channels[index].frames)
        channels[index].shownPeak = Self.decibels(Double(channels[index].peak))
        channels[index].shownAverage = Self.decibels(mean.squareRoot())
        channels[index].peak = 0
        channels[index].squares = 0
        channels[index].frames = 0
      }
    }
  }

  /// Shows silence until something new is measured.
  func clear() { channels.withLock { $0 = Array(repeating: Channel(), count: $0.count) } }

  /// - Returns: Decibels of full scale, −160…; −160 for a channel that there is not.
  func peak(_ channel: Int) -> Float {
    channels.withLock { $0.indices.contains(channel) ? $0[channel].shownPeak : Self.silence }
  }

  /// - Returns: The root of the mean square in decibels of full scale, −160…; −160 for a channel that there is not.
  func average(_ channel: Int) -> Float {
    channels.withLock { $0.indices.contains(channel) ? $0[channel].shownAverage : Self.silence }
  }

  private static func decibels(_ amplitude: Double) -> Float {
    amplitude > 0 ? max(silence, Float(20 * log10(amplitude))) : silence
  }
}
