/// The true peak of each channel of a signal, by ``TruePeakInterpolator``: what a converter or a coder makes of it may
/// reach this.
///
/// All memory is taken at the start, and measuring takes no more: it may run while sound is rendered. For one thread at a
/// time.
package final class TruePeakMeter: @unchecked Sendable {
  /// Number of planes.
  package let channels: Int
  private let interpolator = TruePeakInterpolator()
  private let past = TruePeakInterpolator.lookAhead + TruePeakInterpolator.margin
  private let lookAhead = TruePeakInterpolator.lookAhead
  private let stride: Int
  // Per channel: the past, and behind it what a call brings, a piece at a time.
  private let samples: UnsafeMutablePointer<Float>
  private let found: UnsafeMutablePointer<Float>
  private let peaks: UnsafeMutablePointer<Float>

  /// Makes a meter.
  /// - Parameter channels: 1…64.
  package init(channels: Int) {
    precondition(channels > 0)
    self.channels = channels
    stride = past + TruePeakInterpolator.limit + TruePeakInterpolator.margin
    samples = .allocate(capacity: channels * stride)
    samples.initialize(repeating: 0, count: channels * stride)
    found = .allocate(capacity: TruePeakInterpolator.limit)
    found.initialize(repeating: 0, count: TruePeakInterpolator.limit)
    peaks = .allocate(capacity: channels)
    peaks.initialize(repeating: 0, count: channels)
  }

  deinit {
    samples.deallocate()
    found.deallocate()
    peaks.deallocate()
  }

  // MARK: Real-time

  /// The greatest magnitude of a channel since ``take(_:)``, between its samples too; 1 is full scale. What is between the
  /// last 52 samples is not known before those behind them; ``finish()`` says that there are none.
  @_noLocks @_noAllocation
  package func peak(_ channel: Int) -> Float { peaks[channel] }

  /// Measures frames; samples that are no numbers count as 0.
  /// - Parameters:
  ///   - planes: The plane of channel c begins at `planes + c × stride`.
  ///   - count: Number of planes; those beyond the meter's are not measured.
  @_noLocks @_noAllocation
  package func measure(_ planes: UnsafePointer<Float>, stride planeStride: Int, channels count: Int, frames: Int) {
    let measured = count < channels ? count : channels
    var channel = 0
    while channel < measured {
      let plane = planes + channel &* planeStride
      var done = 0
      while done < frames {
        let count = frames &- done < 256 ? frames &- done : 256
        measurePiece(plane + done, channel, count)
        done &+= count
      }
      channel &+= 1
    }
  }

  /// Measures the last samples, as if silence followed, and is ready for another signal.
  @_noLocks @_noAllocation
  package func finish() {
    var channel = 0
    while channel < channels {
      measurePiece(nil, channel, past)
      channel &+= 1
    }
  }

  /// Gives the peak of a channel, and forgets it, not the signal.
  @_noLocks @_noAllocation
  package func take(_ channel: Int) -> Float {
    let peak = peaks[channel]
    peaks[channel] = 0
    return peak
  }

  /// Forgets the signal and its peaks.
  @_noLocks @_noAllocation
  package func reset() {
    samples.update(repeating: 0, count: channels &* stride)
    peaks.update(repeating: 0, count: channels)
  }

  @_noLocks @_noAllocation
  private func measurePiece(_ source: UnsafePointer<Float>?, _ channel: Int, _ count: Int) {
    let room = samples + channel &* stride
    let target = room + past
    var peak = peaks[channel]
    var index = 0
    while index < count {
      var value: Float = 0
      if let source { value = source[index] }
      var magnitude = value < 0 ? -value : value
      if !(magnitude <= 0x1p60) {
        value = 0
        magnitude = 0
      }
      target[index] = value
      if magnitude > peak { peak = magnitude }
      index &+= 1
    }
    // Only what is higher than before is of interest, and above −120 dB.
    let gate = peak > 1e-6 ? peak : 1e-6
    if interpolator.measure(target - lookAhead, count: count, gate: gate, into: found) {
      index = 0
      while index < count {
        if found[index] > peak { peak = found[index] }
        index &+= 1
      }
    }
    peaks[channel] = peak
    index = 0
    while index < past {
      room[index] = room[index &+ count]
      index &+= 1
    }
  }
}
