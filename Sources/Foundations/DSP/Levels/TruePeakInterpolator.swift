/// Finds how far a signal reaches between its samples, at eight places for each sample and at the vertex of the parabola
/// through the highest.
///
/// ITU-R BS.1770-4, Annex 2 asks for four places at least; a tone at half the sample rate may then hide 0.7 dB, here
/// 0.01 dB. Three stages double the rate, the first with 96 coefficients: what is below 0.47 of the sample rate is
/// reconstructed within 0.01 dB. For one thread at a time.
package struct TruePeakInterpolator: ~Copyable {
  /// Samples that must be known behind the last whose surroundings are measured.
  package static let lookAhead = 52
  /// Samples before the first, and behind the last, that are read; those beyond ``lookAhead`` count for nothing.
  package static let margin = 80
  /// The most samples that are measured in one go.
  package static let limit = 256

  // From each stage eight values more are needed than from the next, on either side.
  private let border = 8
  private let room = 288

  private let first = HalfBandInterpolator(reach: 48, beta: 8)
  private let second = HalfBandInterpolator(reach: 6, beta: 7.8)
  private let third = HalfBandInterpolator(reach: 4, beta: 7.8)
  // A short filter, as many meters have: where both differ much, so may they.
  private let short = HalfBandInterpolator(reach: 12, beta: 6)
  // Values between the samples, in eighths of the way to the next; in the place of the samples, the short filter's halves.
  private let memory: UnsafeMutablePointer<Float>
  private let firstEighth: UnsafeMutablePointer<Float>

  /// Designs the filters and takes memory.
  package init() {
    memory = .allocate(capacity: 8 * room)
    memory.initialize(repeating: 0, count: 8 * room)
    firstEighth = memory + border
  }

  deinit {
    memory.deallocate()
    first.deallocate()
    second.deallocate()
    third.deallocate()
    short.deallocate()
  }

  // MARK: Real-time

  /// Measures each sample and its way to the next.
  /// - Parameters:
  ///   - samples: Finite ones; ``margin`` more are read before and behind.
  ///   - count: 0…``limit``.
  ///   - gate: What may be of interest: below 0.7 of it nothing is measured exactly.
  ///   - peaks: Room for `count` magnitudes. Those below 0.7 of the gate may be 0.
  /// - Returns: Whether anything may reach 0.7 of the gate; otherwise all peaks are 0.
  @_noLocks @_noAllocation
  package func measure(
    _ samples: UnsafePointer<Float>, count: Int, gate: Float, into peaks: UnsafeMutablePointer<Float>
  ) -> Bool {
    let near = gate * 0.7
    let wide = (count &+ 31) & ~15
    let highest = Meter.peak(samples - 63, count: count &+ 126)
    if highest * first.bound * second.bound * third.bound < near { return clear(peaks, count) }
    let half = place(4)
    first.interpolate(samples - border, count: wide, into: half - border)
    let between = Meter.peak(half - border, count: count &+ 2 &* border)
    let top = highest > between ? highest : between
    if top * second.bound * third.bound < near { return clear(peaks, count) }
    quarters(samples, half, count)
    eighths(samples, half, count)
    collect(samples, half, count, near, peaks)
    return true
  }

  /// Finds, behind ``measure(_:count:gate:into:)``, how far other meters may read from it: the signal's part near half the
  /// sample rate, which none of them reconstructs like another.
  /// - Parameter peaks: What was measured. Those above 0.7 of the gate become the greater one of both filters, and the
  ///   difference near there is added where an eighth of it would reach the gate.
  @_noLocks @_noAllocation
  package func widen(
    _ samples: UnsafePointer<Float>, count: Int, gate: Float, peaks: UnsafeMutablePointer<Float>
  ) {
    let half = place(4)
    let other = place(0)
    short.interpolate(samples - 8, count: (count &+ 31) & ~15, into: other - 8)
    let near = gate * 0.7
    var index = 0
    while index < count {
      if peaks[index] > near {
        let second = magnitude(other[index])
        let peak = second > peaks[index] ? second : peaks[index]
        var spread = magnitude(half[index] - other[index])
        let before = magnitude(half[index - 1] - other[index - 1])
        let behind = magnitude(half[index + 1] - other[index + 1])
        if before > spread { spread = before }
        if behind > spread { spread = behind }
        peaks[index] = peak + spread * 0.125 > gate ? peak + spread : peak
      }
      index &+= 1
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func place(_ eighth: Int) -> UnsafeMutablePointer<Float> { firstEighth + eighth &* room }

  @_noLocks @_noAllocation
  private func clear(_ peaks: UnsafeMutablePointer<Float>, _ count: Int) -> Bool {
    var index = 0
    while index < count {
      peaks[index] = 0
      index &+= 1
    }
    return false
  }

  /// A quarter and three quarters of the way, from samples and halves.
  @_noLocks @_noAllocation
  private func quarters(_ samples: UnsafePointer<Float>, _ half: UnsafeMutablePointer<Float>, _ count: Int) {
    let h = second.half
    let (low, high) = (place(2), place(6))
    var index = -4
    while index < count &+ 4 {
      let x = samples + index
      let m = half + index
      var sum = h[0] * (load(x) + load(m))
      sum += h[1] * (load(m - 1) + load(x + 1))
      sum += h[2] * (load(x - 1) + load(m + 1))
      sum += h[3] * (load(m - 2) + load(x + 2))
      sum += h[4] * (load(x - 2) + load(m + 2))
      sum += h[5] * (load(m - 3) + load(x + 3))
      store(sum, to: low + index)
      sum = h[0] * (load(m) + load(x + 1))
      sum += h[1] * (load(x) + load(m + 1))
      sum += h[2] * (load(m - 1) + load(x + 2))
      sum += h[3] * (load(x - 1) + load(m + 2))
      sum += h[4] * (load(m - 2) + load(x + 3))
      sum += h[5] * (load(x - 2) + load(m + 3))
      store(sum, to: high + index)
      index &+= 8
    }
  }

  /// The odd eighths, from samples, quarters and halves.
  @_noLocks @_noAllocation
  private func eighths(_ samples: UnsafePointer<Float>, _ half: UnsafeMutablePointer<Float>, _ count: Int) {
    let h = third.half
    let (low, high) = (place(2), place(6))
    let (e1, e3, e5, e7) = (place(1), place(3), place(5), place(7))
    var index = -1
    while index < count {
      let x = samples + index
      let (l, m, u) = (low + index, half + index, high + index)
      let (x0, x1, l0, l1) = (load(x), load(x + 1), load(l), load(l + 1))
      let (m0, m1, u0, u1) = (load(m), load(m + 1), load(u), load(u + 1))
      let (l9, m9, u9) = (load(l - 1), load(m - 1), load(u - 1))
      store(h[0] * (x0 + l0) + h[1] * (u9 + m0) + h[2] * (m9 + u0) + h[3] * (l9 + x1), to: e1 + index)
      store(h[0] * (l0 + m0) + h[1] * (x0 + u0) + h[2] * (u9 + x1) + h[3] * (m9 + l1), to: e3 + index)
      store(h[0] * (m0 + u0) + h[1] * (l0 + x1) + h[2] * (x0 + l1) + h[3] * (u9 + m1), to: e5 + index)
      store(h[0] * (u0 + x1) + h[1] * (m0 + l1) + h[2] * (l0 + m1) + h[3] * (x0 + u1), to: e7 + index)
      index &+= 8
    }
  }

  /// The greatest of eight magnitudes, and above `near` the vertex, too.
  @_noLocks @_noAllocation
  private func collect(
    _ samples: UnsafePointer<Float>, _ half: UnsafeMutablePointer<Float>, _ count: Int, _ near: Float,
    _ peaks: UnsafeMutablePointer<Float>
  ) {
    var index = 0
    while index < count {
      let most = greatest(samples, index)
      var heights = Lanes(repeating: 0)
      if Kernels.greatest(most) > near { heights = vertices(samples, index) }
      heights = heights.replacing(with: 0, where: most .<= Lanes(repeating: near))
      if index &+ 8 <= count {
        store(heights, to: peaks + index)
      } else {
        var lane = 0
        while index &+ lane < count {
          peaks[index &+ lane] = heights[lane]
          lane &+= 1
        }
      }
      index &+= 8
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func greatest(_ samples: UnsafePointer<Float>, _ index: Int) -> Lanes {
    var most = absolute(load(samples + index))
    var eighth = 1
    while eighth < 8 {
      let values = absolute(load(place(eighth) + index))
      most = most.replacing(with: values, where: values .> most)
      eighth &+= 1
    }
    return most
  }

  /// The highest of the parabolas through three neighbours each, of eight samples side by side.
  @_noLocks @_noAllocation
  private func vertices(_ samples: UnsafePointer<Float>, _ index: Int) -> Lanes {
    var before = absolute(load(place(7) + index - 1))
    var value = absolute(load(samples + index))
    var peak = Lanes(repeating: 0)
    var eighth = 1
    while eighth <= 8 {
      let behind = absolute(eighth == 8 ? load(samples + index + 1) : load(place(eighth) + index))
      let bend = 2 * value - before - behind
      let slope = before - behind
      // Only what is as high as both neighbours has its vertex near; a line has none.
      var height = value + slope * slope / (8 * bend)
      height = height.replacing(with: value, where: bend .<= Lanes(repeating: 0))
      height = height.replacing(with: value, where: value .< before)
      height = height.replacing(with: value, where: value .< behind)
      peak = peak.replacing(with: height, where: height .> peak)
      before = value
      value = behind
      eighth &+= 1
    }
    return peak
  }

  @inline(__always) @_noLocks @_noAllocation
  private func magnitude(_ value: Float) -> Float { value < 0 ? -value : value }
}
