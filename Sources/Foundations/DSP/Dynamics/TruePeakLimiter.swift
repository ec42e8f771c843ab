/// Keeps a signal's true peaks below a ceiling, by looking ahead.
///
/// What stays 0.01 dB below the ceiling comes out bit for bit, ``latency`` frames later: the gain is exactly 1. A peak above
/// it lowers all channels together, on a smooth curve of 3 ms that is down when the peak comes. Afterwards the excess, by
/// which the signal would pass the ceiling, falls with a time constant of 50 ms towards its own mean, which rises with
/// 400 ms and falls with 1 s: a single peak is all but forgotten within 0.3 s, and where the limiter works all the time, the
/// gain stands rather than pumps.
///
/// Peaks are found by ``TruePeakInterpolator``. What is limited comes out 0.25 dB below the ceiling, and lower where much of
/// the signal lies near half the sample rate, since meters read that differently: no usual one, BS.1770's own among them,
/// reads it above the ceiling. What need not be limited passes as it is, even if a meter that reads too high (that of
/// BS.1770's Annex 2 does, by up to 0.22 dB) would have it otherwise; noise near half the sample rate counts as a little
/// higher than it reads. Samples that are no numbers count as 0, and those beyond ±2²⁰ as ±2²⁰.
///
/// The bits that come out do not depend on how calls are cut. For one thread at a time.
package final class TruePeakLimiter {
  /// Seconds in which the gain goes down.
  package static let attack = 0.003
  /// Time constant in seconds of the gain's return.
  package static let release = 0.05
  /// Time constants in seconds of what is remembered of the past.
  package static let memoryRise = 0.4, memoryFall = 1.0
  // Taken away from what is limited: 0.25 dB, a little more than the filter of BS.1770's Annex 2 reads too high.
  private let caution: Float = 0.97163
  // Where limiting begins: 0.005 dB below the ceiling, for the error of the interpolation.
  private let threshold: Float = 0.99942

  /// Number of planes.
  package let channels: Int
  /// Frames by which the sound comes out later than it went in: 4.1 ms at 48 kHz.
  package let latency: Int

  private let interpolator = TruePeakInterpolator()
  private var gain: LimiterGain
  // Per channel: the past, as much as is needed of it, and behind it what a call brings, a piece at a time.
  private let samples: UnsafeMutablePointer<Float>
  private let past: Int
  private let lookAhead = TruePeakInterpolator.lookAhead
  private let stride: Int
  // Peaks of the channel that is looked at, the greatest of all, and gains.
  private let peaks: UnsafeMutablePointer<Float>
  private let highest: UnsafeMutablePointer<Float>
  private let gains: UnsafeMutablePointer<Float>

  /// Makes a limiter.
  /// - Parameters:
  ///   - rate: Frames a second.
  ///   - channels: 1…64.
  package init(rate: Int, channels: Int) {
    precondition(rate > 0 && channels > 0)
    self.channels = channels
    let limit = TruePeakInterpolator.limit
    let margin = TruePeakInterpolator.margin
    gain = LimiterGain(rate: rate)
    latency = Self.latency(rate: rate)
    past = max(latency, TruePeakInterpolator.lookAhead + margin)
    stride = past + limit + margin
    samples = .allocate(capacity: channels * stride)
    samples.initialize(repeating: 0, count: channels * stride)
    peaks = .allocate(capacity: 3 * limit)
    peaks.initialize(repeating: 0, count: 3 * limit)
    highest = peaks + limit
    gains = highest + limit
  }

  deinit {
    samples.deallocate()
    peaks.deallocate()
    gain.deallocate()
  }

  /// ``latency`` at a rate.
  package static func latency(rate: Int) -> Int {
    let half = max(1, Int((Double(rate) * attack / 2).rounded()))
    return TruePeakInterpolator.lookAhead + 2 * half - 1
  }

  // MARK: Real-time

  /// Limits frames in place.
  /// - Parameters:
  ///   - planes: The plane of channel c begins at `planes + c × stride`.
  ///   - ceiling: The highest true peak, as an amplitude; above 0.
  /// - Returns: The lowest gain that was used.
  @_noLocks @_noAllocation
  package func process(
    _ planes: UnsafeMutablePointer<Float>, stride: Int, frames: Int, ceiling: Float
  ) -> Float {
    var lowest: Float = 1
    var done = 0
    while done < frames {
      let count = frames &- done < 256 ? frames &- done : 256
      let least = processPiece(planes + done, stride, count, ceiling)
      if least < lowest { lowest = least }
      done &+= count
    }
    return lowest
  }

  @_noLocks @_noAllocation
  private func processPiece(
    _ planes: UnsafeMutablePointer<Float>, _ planeStride: Int, _ count: Int, _ ceiling: Float
  ) -> Float {
    var isNear = false
    var channel = 0
    while channel < channels {
      let room = samples + channel &* stride
      take(planes + channel &* planeStride, into: room + past, count: count)
      let start = room + past - lookAhead
      if interpolator.measure(start, count: count, gate: ceiling * threshold, into: peaks) {
        interpolator.widen(start, count: count, gate: ceiling * threshold, peaks: peaks)
        if isNear { raise(count) } else { adopt(count) }
        isNear = true
      }
      channel &+= 1
    }
    let isActive = isNear ? true : !gain.isIdle
    let lowest = isActive ? follow(isNear, ceiling, count) : 1
    give(planes, planeStride, count, isScaled: lowest < 1)
    return lowest
  }

  /// Copies samples, those that are no numbers as 0.
  @_noLocks @_noAllocation
  private func take(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      var value = source[index]
      let magnitude = value < 0 ? -value : value
      if magnitude > 0x1p20 { value = value < 0 ? -0x1p20 : 0x1p20 }
      target[index] = magnitude < .infinity ? value : 0
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func adopt(_ count: Int) {
    var index = 0
    while index < count {
      highest[index] = peaks[index]
      index &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func raise(_ count: Int) {
    var index = 0
    while index < count {
      if peaks[index] > highest[index] { highest[index] = peaks[index] }
      index &+= 1
    }
  }

  /// Computes the gains of a piece.
  @_noLocks @_noAllocation
  private func follow(_ isNear: Bool, _ ceiling: Float, _ count: Int) -> Float {
    let threshold = ceiling * threshold
    let factor = 1 / (ceiling * caution)
    var lowest: Float = 1
    var index = 0
    while index < count {
      var excess: Float = 0
      if isNear {
        if highest[index] > threshold { excess = highest[index] * factor - 1 }
      }
      let amplitude = gain.step(excess)
      gains[index] = amplitude
      if amplitude < lowest { lowest = amplitude }
      index &+= 1
    }
    return lowest
  }

  /// Writes what comes out, and moves the past on.
  @_noLocks @_noAllocation
  private func give(_ planes: UnsafeMutablePointer<Float>, _ planeStride: Int, _ count: Int, isScaled: Bool) {
    var channel = 0
    while channel < channels {
      let room = samples + channel &* stride
      let source = room + past - latency
      let target = planes + channel &* planeStride
      var index = 0
      if isScaled {
        while index < count {
          target[index] = source[index] * gains[index]
          index &+= 1
        }
      } else {
        while index < count {
          target[index] = source[index]
          index &+= 1
        }
      }
      index = 0
      while index < past {
        room[index] = room[index &+ count]
        index &+= 1
      }
      channel &+= 1
    }
  }

  /// Delays frames in place, and lets the gain come back to 1, which takes up to 0.3 s.
  @_noLocks @_noAllocation
  package func pass(_ planes: UnsafeMutablePointer<Float>, stride: Int, frames: Int) -> Float {
    gain.relax()
    // Nothing is as high as this.
    return process(planes, stride: stride, frames: frames, ceiling: 0x1p40)
  }

  /// Forgets the signal so far.
  @_noLocks @_noAllocation
  package func reset() {
    samples.update(repeating: 0, count: channels &* stride)
    gain.reset()
  }
}
