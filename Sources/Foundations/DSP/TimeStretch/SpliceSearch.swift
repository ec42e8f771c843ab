internal import CKernels

/// Finds the lag at which a signal is most like itself: first on a mono signal of few samples, then exactly around that.
struct SpliceSearch {
  /// What was found.
  struct Match: BitwiseCopyable {
    /// Frames from the one piece to the other; negative: back.
    var lag = 0
    /// Correlation of the two pieces, −1…1.
    var likeness: Float = 0
  }

  private let channels: Int
  private let decimation: Int
  private let capacity: Int
  private let here: UnsafeMutablePointer<Float>
  private let there: UnsafeMutablePointer<Float>
  /// Energies of `there` up to each sample.
  private let energies: UnsafeMutablePointer<Float>

  /// - Parameter longest: The most frames that are looked at, from the first place of a search to the end of its last.
  init(channels: Int, longest: Int, decimation: Int) {
    self.channels = channels
    self.decimation = decimation
    capacity = longest / decimation + 16
    here = .allocate(capacity: capacity)
    here.initialize(repeating: 0, count: capacity)
    there = .allocate(capacity: capacity)
    there.initialize(repeating: 0, count: capacity)
    energies = .allocate(capacity: capacity + 1)
    energies.initialize(repeating: 0, count: capacity + 1)
  }

  func deallocate() {
    here.deallocate()
    there.deallocate()
    energies.deallocate()
  }

  // MARK: Real-time

  /// The best of the lags.
  /// - Parameters:
  ///   - position: Where the one piece begins.
  ///   - first: Smallest lag.
  ///   - last: Greatest lag.
  ///   - window: Frames that are compared; 0 for as many as the lag has.
  @_noLocks @_noAllocation
  func best(
    _ source: SignalQueue, at position: Int64, lags first: Int, _ last: Int, window: Int
  ) -> Match {
    let step = decimation
    let lowest = first / step
    let lags = (last &- first) / step &+ 1
    let longest = window > 0 ? window : first < 0 ? 0 &- first : last
    let hereCount = minimum(longest / step, capacity)
    let thereCount = minimum(lags &+ hereCount, capacity)
    decimate(source, position, hereCount, into: here)
    decimate(source, position &+ Int64(lowest &* step), thereCount, into: there)
    var total: Float = 0
    var index = 0
    while index < thereCount {
      energies[index] = total
      total += there[index] * there[index]
      index &+= 1
    }
    energies[thereCount] = total
    var bestLikeness: Float = -2
    var bestLag = first
    // Energy of the first piece, as far as the window reaches.
    var own: Float = 0
    var summed = 0
    let isGrowing = window == 0 && first >= 0
    var count = 0
    while count < lags {
      // From the shortest window to the longest, so that the energy only grows.
      let place = isGrowing || window > 0 ? count : lags &- 1 &- count
      let lag = lowest &+ place
      let size = minimum(window > 0 ? hereCount : lag < 0 ? 0 &- lag : lag, hereCount)
      while summed < size {
        own += here[summed] * here[summed]
        summed &+= 1
      }
      if size > 0 && place &+ size <= thereCount {
        let other = energies[place &+ size] - energies[place]
        let product = own * other
        let likeness =
          product > 1e-20
          ? correlate(here, there + place, size) / martlet_square_root(product) : own > 1e-10 || other > 1e-10 ? 0 : 1
        if likeness > bestLikeness {
          bestLikeness = likeness
          bestLag = lag &* step
        }
      }
      count &+= 1
    }
    return refine(source, position, around: bestLag, first, last, window)
  }

  /// The best lag near one, at the full rate.
  @_noLocks @_noAllocation
  private func refine(
    _ source: SignalQueue, _ position: Int64, around lag: Int, _ first: Int, _ last: Int, _ window: Int
  ) -> Match {
    let size = window > 0 ? window : lag < 0 ? 0 &- lag : lag
    var own: Float = 0
    var channel = 0
    while channel < channels {
      let here = source.pointer(channel, position)
      own += correlate(here, here, size)
      channel &+= 1
    }
    var match = Match(lag: lag, likeness: -2)
    // Never empty: what is around begins less than a step before the lags, and ends less than one behind them.
    let lowest = lag &- decimation &+ 1
    let highest = lag &+ decimation &- 1
    var candidate = lowest > first ? lowest : first
    while candidate <= minimum(highest, last) {
      var sum: Float = 0
      var other: Float = 0
      channel = 0
      while channel < channels {
        let here = source.pointer(channel, position)
        let there = source.pointer(channel, position &+ Int64(candidate))
        sum += correlate(here, there, size)
        other += correlate(there, there, size)
        channel &+= 1
      }
      let product = own * other
      let likeness = product > 1e-20 ? sum / martlet_square_root(product) : own > 1e-10 || other > 1e-10 ? 0 : 1
      if likeness > match.likeness { match = Match(lag: candidate, likeness: likeness) }
      candidate &+= 1
    }
    return match
  }

  /// The mean of all channels over a few frames each.
  @_noLocks @_noAllocation
  private func decimate(
    _ source: SignalQueue, _ position: Int64, _ count: Int, into target: UnsafeMutablePointer<Float>
  ) {
    let factor = 1 / Float(Int32(truncatingIfNeeded: decimation &* channels))
    var index = 0
    while index < count {
      var sum: Float = 0
      var channel = 0
      while channel < channels {
        let frames = source.pointer(channel, position &+ Int64(index &* decimation))
        var frame = 0
        while frame < decimation {
          sum += frames[frame]
          frame &+= 1
        }
        channel &+= 1
      }
      target[index] = sum * factor
      index &+= 1
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func minimum(_ a: Int, _ b: Int) -> Int { a < b ? a : b }

  /// The sum of products.
  @_noLocks @_noAllocation
  private func correlate(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ count: Int) -> Float {
    let whole = count & ~7
    var sum = Kernels.dot(a, b, count: whole)
    var index = whole
    while index < count {
      sum += a[index] * b[index]
      index &+= 1
    }
    return sum
  }
}
