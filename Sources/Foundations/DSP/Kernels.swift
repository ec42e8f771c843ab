/// Sums of products, eight at a time.
enum Kernels {
  // MARK: Real-time

  /// The sum of `count` products; `count` is a multiple of 8.
  @inline(__always) @_noLocks @_noAllocation
  static func dot(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, count: Int) -> Float {
    var even = Lanes(repeating: 0)
    var odd = Lanes(repeating: 0)
    var index = 0
    while index &+ 16 <= count {
      even += load(a + index) * load(b + index)
      odd += load(a + index + 8) * load(b + index + 8)
      index &+= 16
    }
    if index < count { even += load(a + index) * load(b + index) }
    return (even + odd).sum()
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
    let lower = first.sum()
    return lower + blend * (second.sum() - lower)
  }
}
