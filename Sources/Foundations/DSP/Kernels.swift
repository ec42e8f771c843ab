internal import CKernels

/// Sums of products, eight at a time: every kernel adds in the same order, so that they give the same bits.
enum Kernels {
  // MARK: Real-time

  /// Copies from the front, so that a signal can be moved towards its beginning.
  @inline(__always) @_noLocks @_noAllocation
  static func copy(_ source: UnsafePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      target[index] = source[index]
      index &+= 1
    }
  }

  /// The sum of `count` products; `count` is a multiple of 8.
  @inline(__always) @_noLocks @_noAllocation
  static func dot(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
    var total = Lanes(repeating: 0)
    var index = 0
    while index < count {
      total += load(a + index) * load(b + index)
      index &+= 8
    }
    return sum(total)
  }

  /// ``dot(_:_:count:)`` of two signals with the same coefficients, which are read once.
  @inline(__always) @_noLocks @_noAllocation
  static func dots(
    _ a: (UnsafePointer<Float>, UnsafePointer<Float>), _ b: UnsafePointer<Float>, count: Int
  ) -> (Float, Float) {
    var totals = (Lanes(repeating: 0), Lanes(repeating: 0))
    var index = 0
    while index < count {
      let coefficients = load(b + index)
      totals.0 += load(a.0 + index) * coefficients
      totals.1 += load(a.1 + index) * coefficients
      index &+= 8
    }
    return (sum(totals.0), sum(totals.1))
  }

  /// ``dots(_:_:count:)`` of two signals, and of the same `distance` samples further on: `martlet_wide_sums` for
  /// processors that have no wide registers.
  @inline(__always) @_noLocks @_noAllocation
  static func sums(
    _ a: (UnsafePointer<Float>, UnsafePointer<Float>), distance: Int, _ b: UnsafePointer<Float>, count: Int
  ) -> MartletSums {
    let far = (a.0 + distance, a.1 + distance)
    var (near0, near1) = (Lanes(repeating: 0), Lanes(repeating: 0))
    var (far0, far1) = (Lanes(repeating: 0), Lanes(repeating: 0))
    var index = 0
    while index < count {
      let coefficients = load(b + index)
      near0 += load(a.0 + index) * coefficients
      near1 += load(a.1 + index) * coefficients
      far0 += load(far.0 + index) * coefficients
      far1 += load(far.1 + index) * coefficients
      index &+= 8
    }
    return MartletSums(near0: sum(near0), near1: sum(near1), far0: sum(far0), far1: sum(far1))
  }

  /// The sum of products of `a` with what lies between `b` and `c`: `b` at blend 0, `c` at 1.
  @inline(__always) @_noLocks @_noAllocation
  static func dot(
    _ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ c: UnsafePointer<Float>, blend: Float, count: Int
  ) -> Float {
    var first = Lanes(repeating: 0)
    var second = Lanes(repeating: 0)
    var index = 0
    while index < count {
      let samples = load(a + index)
      first += samples * load(b + index)
      second += samples * load(c + index)
      index &+= 8
    }
    let lower = sum(first)
    return lower + blend * (sum(second) - lower)
  }

  /// The greatest lane, by halves as ``sum(_:)``.
  @inline(__always) @_noLocks @_noAllocation
  static func greatest(_ lanes: Lanes) -> Float {
    let four = lanes.lowHalf.replacing(with: lanes.highHalf, where: lanes.highHalf .> lanes.lowHalf)
    let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .> four.lowHalf)
    return two.x > two.y ? two.x : two.y
  }

  /// The sum of all lanes, halves added to halves: SIMD's own goes from lane to lane, which takes longer.
  @inline(__always) @_noLocks @_noAllocation
  private static func sum(_ lanes: Lanes) -> Float {
    let four = lanes.lowHalf + lanes.highHalf
    let two = four.lowHalf + four.highHalf
    return two.x + two.y
  }
}
