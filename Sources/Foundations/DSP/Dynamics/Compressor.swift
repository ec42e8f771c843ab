package import AudioModel
internal import Glibc

/// A compressor: feed-forward, all channels together, in the logarithmic domain.
///
/// The level of a frame is the greatest magnitude of any channel in the last 10 ms, so that tones from 50 Hz on have a level
/// that stands still, and what comes out of them has no ripple. The static curve with its bend, and the branching smooth
/// detector behind it, are those of Giannoulis, Massberg and Reiss, "Digital dynamic range compressor design: a tutorial
/// and analysis", J. Audio Eng. Soc. 60 (2012), equations 4 and 17: the gain's decibels fall with the attack's time
/// constant and rise with the release's.
///
/// Below the bend, and with no makeup gain, sound passes bit for bit. The bits that come out do not depend on how calls are
/// cut. For one thread at a time.
package final class Compressor {
  /// Seconds for which a peak counts.
  package static let hold = 0.01

  /// Number of planes.
  package let channels: Int
  private let rate: Int
  private var curve = Curve(CompressorSettings(), rate: 48_000)
  private var makeup = GainRamp(1)
  private var hasRendered = false
  private var window: SlidingMaximum
  /// How far the gain is lowered, as a binary logarithm.
  private var reduction: Float = 0
  private let gains: UnsafeMutablePointer<Float>

  /// What settings mean for frames of a rate. Levels are binary logarithms of amplitudes.
  private struct Curve: BitwiseCopyable {
    /// Below this amplitude nothing happens.
    var floor: Float
    var threshold: Float
    var knee: Float
    /// 1 − 1 / ratio.
    var slope: Float
    /// What is left of a difference after a frame.
    var attack: Float
    var release: Float
    var makeup: Float

    init(_ settings: CompressorSettings, rate: Int) {
      let settings = settings.clamped
      let unit = 20 * log10(2.0)
      let (threshold, knee) = (settings.threshold.value / unit, settings.knee.value / unit)
      floor = Float(exp2(threshold - knee / 2))
      self.threshold = Float(threshold)
      self.knee = Float(knee)
      slope = Float(1 - 1 / settings.ratio)
      attack = Float(exp(-1 / (settings.attack * Double(rate))))
      release = Float(exp(-1 / (settings.release * Double(rate))))
      makeup = settings.makeup == .unity ? 1 : Float(exp2(settings.makeup.value / unit))
    }
  }

  /// Makes a compressor with the default settings.
  /// - Parameters:
  ///   - rate: Frames a second.
  ///   - channels: 1…64.
  package init(rate: Int, channels: Int) {
    precondition(rate > 0 && channels > 0)
    self.rate = rate
    self.channels = channels
    curve = Curve(CompressorSettings(), rate: rate)
    window = SlidingMaximum(width: max(1, Int((Double(rate) * Self.hold).rounded())))
    gains = .allocate(capacity: 256)
    gains.initialize(repeating: 1, count: 256)
  }

  deinit {
    gains.deallocate()
    window.deallocate()
  }

  // MARK: Real-time

  // A door: C's exponentials, which neither lock nor allocate.
  /// Changes the settings. Threshold, ratio and bend come in by attack and release, the makeup gain over 10 ms.
  @_semantics("no_performance_analysis")
  package func apply(_ settings: CompressorSettings) {
    curve = Curve(settings, rate: rate)
  }

  /// Compresses frames in place.
  /// - Parameter planes: The plane of channel c begins at `planes + c × stride`.
  /// - Returns: The lowest gain that was used, without the makeup gain.
  @_noLocks @_noAllocation
  package func process(_ planes: UnsafeMutablePointer<Float>, stride: Int, frames: Int) -> Float {
    if curve.makeup != makeup.target { makeup.move(to: curve.makeup, over: hasRendered ? rate / 100 : 0) }
    hasRendered = true
    var lowest: Float = 1
    var done = 0
    while done < frames {
      let count = frames &- done < 256 ? frames &- done : 256
      let least = processPiece(planes + done, stride, count)
      if least < lowest { lowest = least }
      done &+= count
    }
    makeup.apply(to: planes, stride: stride, channels: channels, count: frames)
    return lowest
  }

  @_noLocks @_noAllocation
  private func processPiece(_ planes: UnsafeMutablePointer<Float>, _ stride: Int, _ count: Int) -> Float {
    measure(planes, stride, count)
    var lowest: Float = 1
    var index = 0
    while index < count {
      let gain = step(window.push(gains[index]))
      gains[index] = gain
      if gain < lowest { lowest = gain }
      index &+= 1
    }
    guard lowest < 1 else { return 1 }
    var channel = 0
    while channel < channels {
      let plane = planes + channel &* stride
      index = 0
      while index < count {
        plane[index] *= gains[index]
        index &+= 1
      }
      channel &+= 1
    }
    return lowest
  }

  /// Notes the level of each frame that is above the floor, and 0 for others.
  @_noLocks @_noAllocation
  private func measure(_ planes: UnsafeMutablePointer<Float>, _ stride: Int, _ count: Int) {
    gains.update(repeating: 0, count: count)
    let floor = curve.floor
    var channel = 0
    while channel < channels {
      let plane = planes + channel &* stride
      var index = 0
      while index < count {
        let magnitude = plane[index] < 0 ? -plane[index] : plane[index]
        // What is no number or infinite has no level.
        var level = magnitude > floor ? magnitude : 0
        if magnitude == .infinity { level = 0 }
        if level > gains[index] { gains[index] = level }
        index &+= 1
      }
      channel &+= 1
    }
  }

  /// The gain of a frame with this level.
  @inline(__always) @_noLocks @_noAllocation
  private func step(_ level: Float) -> Float {
    let wanted = level > curve.floor ? wantedReduction(binaryLogarithm(level)) : 0
    let rest = wanted > reduction ? curve.attack : curve.release
    reduction = wanted + (reduction - wanted) * rest
    // 0.00006 dB: as good as nothing, and the gain comes to 1.
    if reduction < 1e-5 {
      if wanted == 0 { reduction = 0 }
    }
    return reduction == 0 ? 1 : binaryPower(-reduction)
  }

  /// The static curve: what is to be taken away at a level.
  @inline(__always) @_noLocks @_noAllocation
  private func wantedReduction(_ level: Float) -> Float {
    let over = level - curve.threshold
    if 2 * over >= curve.knee { return slope(over) }
    let into = over + curve.knee / 2
    return into > 0 ? slope(into * into / (2 * curve.knee)) : 0
  }

  @inline(__always) @_noLocks @_noAllocation
  private func slope(_ over: Float) -> Float { over * curve.slope }

  /// Forgets the signal so far.
  @_noLocks @_noAllocation
  package func reset() {
    window.reset()
    reduction = 0
    hasRendered = false
    makeup = GainRamp(curve.makeup)
  }
}
