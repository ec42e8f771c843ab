/// Level of a run of samples.
package struct Meter: BitwiseCopyable, Sendable {
  /// The greatest magnitude; NaN does not count.
  package var peak: Float = 0
  /// Mean of the squares; its root is the RMS level.
  package var meanSquare: Float = 0

  // MARK: Real-time

  /// Measures.
  @_noLocks @_noAllocation
  package init(_ samples: UnsafePointer<Float>, count: Int) {
    guard count > 0 else { return }
    var peaks = Lanes(repeating: 0)
    var squares = Lanes(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let values = load(samples + index)
      let magnitudes = absolute(values)
      peaks = peaks.replacing(with: magnitudes, where: magnitudes .> peaks)
      squares += values * values
      index &+= 8
    }
    var peak: Float = 0
    var square: Float = 0
    while index < count {
      let value = samples[index]
      let magnitude = value < 0 ? -value : value
      if magnitude > peak { peak = magnitude }
      square += value * value
      index &+= 1
    }
    var lane = 0
    while lane < 8 {
      if peaks[lane] > peak { peak = peaks[lane] }
      square += squares[lane]
      lane &+= 1
    }
    self.peak = peak
    meanSquare = square / Float(Int32(truncatingIfNeeded: count))
  }

  /// The greatest magnitude alone, which costs less.
  @_noLocks @_noAllocation
  package static func peak(_ samples: UnsafePointer<Float>, count: Int) -> Float {
    var peaks = Lanes(repeating: 0)
    var index = 0
    while index &+ 8 <= count {
      let values = load(samples + index)
      let magnitudes = absolute(values)
      peaks = peaks.replacing(with: magnitudes, where: magnitudes .> peaks)
      index &+= 8
    }
    var peak: Float = 0
    while index < count {
      let magnitude = samples[index] < 0 ? -samples[index] : samples[index]
      if magnitude > peak { peak = magnitude }
      index &+= 1
    }
    var lane = 0
    while lane < 8 {
      if peaks[lane] > peak { peak = peaks[lane] }
      lane &+= 1
    }
    return peak
  }
}

/// Magnitudes, by taking the signs away.
@_noLocks @_noAllocation
func absolute(_ values: Lanes) -> Lanes {
  unsafeBitCast(unsafeBitCast(values, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF, to: Lanes.self)
}
