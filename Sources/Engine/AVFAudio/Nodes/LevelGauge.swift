internal import AudioModel
internal import DSP
internal import Foundation
internal import Platform
internal import Transforms

/// The levels of a stream: one thread measures, any reads. What is shown changes when it is asked to.
final class LevelGauge: Sendable {
  /// What a channel is shown with, in decibels of full scale.
  struct Shown: Sendable {
    var peak = LevelGauge.silence
    var average = LevelGauge.silence
    var truePeak = LevelGauge.silence
  }

  /// Loudness as a whole; `nil` where there is none.
  struct Loudness: Sendable {
    var momentary: Double?
    var shortTerm: Double?
    var integrated: Double?
    var range: Double?
  }

  // Owned by the lock around them.
  private struct Meters: @unchecked Sendable {
    var levels: LevelMeter
    var loudness: LoudnessMeter?
    var shown: [Shown]
    /// The greatest true peak that was shown.
    var highest = LevelGauge.silence
  }

  /// What silence counts as, in decibels of full scale.
  static let silence: Float = -160

  private let measuresTruePeak: Bool
  private let measuresLoudness: Bool
  private let meters: Monitor<Meters>

  /// Makes a gauge of nothing yet.
  init(channels: Int, measuresTruePeak: Bool = false, measuresLoudness: Bool = false) {
    self.measuresTruePeak = measuresTruePeak
    self.measuresLoudness = measuresLoudness
    meters = Monitor(
      Meters(
        levels: LevelMeter(channels: channels, measuresTruePeak: measuresTruePeak),
        shown: Array(repeating: Shown(), count: channels)))
  }

  /// Begins anew, for sound of a format.
  func adopt(_ format: PCMFormat) {
    let fresh = Meters(
      levels: LevelMeter(channels: format.channels, measuresTruePeak: measuresTruePeak),
      loudness: measuresLoudness ? LoudnessMeter(format: format) : nil,
      shown: Array(repeating: Shown(), count: format.channels))
    meters.withLock { $0 = fresh }
  }

  /// Adds a buffer of Float32, one plane per channel.
  func measure(_ buffer: AVAudioPCMBuffer) {
    guard let planes = buffer.floatChannelData, !buffer.format.isInterleaved else { return }
    // Planes of a buffer of one channel have no distance.
    let channels = Int(buffer.format.channelCount)
    let stride = channels > 1 ? planes[1] - planes[0] : 0
    add(planes[0], stride: stride, channels: channels, frames: Int(buffer.frameLength))
  }

  /// Adds frames of a block.
  func measure(_ block: PCMBlock, _ range: Range<Int>? = nil) {
    let range = range ?? 0..<block.frameCount
    add(block.plane(0) + range.lowerBound, stride: block.capacity, channels: block.channels, frames: range.count)
  }

  private func add(_ planes: UnsafePointer<Float>, stride: Int, channels: Int, frames: Int) {
    guard frames > 0 else { return }
    meters.withLock { meters in
      meters.levels.measure(planes, stride: stride, channels: channels, frames: frames)
      guard let loudness = meters.loudness, loudness.format.channels == channels else { return }
      loudness.add(planes, stride: stride, frames: frames)
    }
  }

  /// Shows what was measured since the last call; what it showed before where nothing was.
  func update() {
    meters.withLock { meters in
      for channel in meters.shown.indices {
        let level = meters.levels.take(channel)
        guard level.frames > 0 else { continue }
        let truePeak = Self.decibels(Double(level.truePeak))
        meters.shown[channel] = Shown(
          peak: Self.decibels(Double(level.peak)), average: Self.decibels(Double(level.meanSquare).squareRoot()),
          truePeak: truePeak)
        meters.highest = max(meters.highest, truePeak)
      }
    }
  }

  /// Shows silence until something new is measured.
  func clear() {
    meters.withLock { meters in
      for channel in meters.shown.indices { _ = meters.levels.take(channel) }
      meters.shown = Array(repeating: Shown(), count: meters.shown.count)
    }
  }

  /// Number of channels.
  var channels: Int { meters.withLock { $0.shown.count } }

  /// The greatest true peak that was shown so far.
  var highestTruePeak: Float { meters.withLock { $0.highest } }

  /// What a channel is shown with; silence for a channel that there is not.
  func shown(_ channel: Int) -> Shown {
    meters.withLock { $0.shown.indices.contains(channel) ? $0.shown[channel] : Shown() }
  }

  /// - Returns: Decibels of full scale, −160…; −160 for a channel that there is not.
  func peak(_ channel: Int) -> Float { shown(channel).peak }

  /// - Returns: The root of the mean square in decibels of full scale, −160…; −160 for a channel that there is not.
  func average(_ channel: Int) -> Float { shown(channel).average }

  /// Loudness up to now.
  var loudness: Loudness {
    meters.withLock { meters in
      guard let loudness = meters.loudness else { return Loudness() }
      return Loudness(
        momentary: loudness.momentary, shortTerm: loudness.shortTerm, integrated: loudness.integrated,
        range: loudness.range)
    }
  }

  private static func decibels(_ amplitude: Double) -> Float {
    amplitude > 0 ? max(silence, Float(20 * log10(amplitude))) : silence
  }
}
