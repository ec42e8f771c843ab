/// Twice as many samples of a channel and back, for what makes harmonics that the channel has no room for.
///
/// Two rows of allpasses of which each does every other sample (R. A. Valenzuela and A. G. Constantinides, "Digital
/// signal processing schemes for efficient interpolation and decimation", IEE Proceedings 130 G, 1983): an elliptic
/// half-band filter that passes everything up to 0.44 of the channel's rate, and of what lies above 0.56 no more
/// than −68 dB. There and back a signal keeps its spectrum; it comes two frames later, high frequencies a little
/// more.
struct HalfBand: BitwiseCopyable {
  private var up = (Row.first, Row.second)
  private var down = (Row.first, Row.second)

  /// Three allpasses, each (c + z⁻¹) / (1 + c z⁻¹): what one gives, the next remembers as what it was given.
  private struct Row: BitwiseCopyable {
    let (c0, c1, c2): (Float, Float, Float)
    private var (m0, m1, m2, m3): (Float, Float, Float, Float) = (0, 0, 0, 0)

    static let first = Row(0.079_109_234, 0.494_550_609, 0.831_631_986)
    static let second = Row(0.272_639_754, 0.685_638_486, 0.946_356_666)

    init(_ c0: Float, _ c1: Float, _ c2: Float) {
      self.c0 = c0
      self.c1 = c1
      self.c2 = c2
    }

    @inline(__always) @_noLocks @_noAllocation
    mutating func step(_ sample: Float) -> Float {
      let first = c0 * (sample - m1) + m0
      let second = c1 * (first - m2) + m1
      let third = c2 * (second - m3) + m2
      (m0, m1, m2, m3) = (sample, first, second, third)
      return third
    }

    @_noLocks @_noAllocation
    mutating func reset() { (m0, m1, m2, m3) = (0, 0, 0, 0) }
  }

  // MARK: Real-time

  /// Makes 2 × `count` samples of `count`.
  @_noLocks @_noAllocation
  mutating func double(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      // A constant too small to be heard keeps what fades out away from numbers that processors are slow with.
      let sample = source[index] + 1e-18
      target[2 &* index] = up.0.step(sample)
      target[2 &* index &+ 1] = up.1.step(sample)
      index &+= 1
    }
  }

  /// Makes `count` samples of 2 × `count`: the rows change places, so that both together delay all alike.
  @_noLocks @_noAllocation
  mutating func halve(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      let second = down.1.step(source[2 &* index] + 1e-18)
      target[index] = 0.5 * (down.0.step(source[2 &* index &+ 1] + 1e-18) + second)
      index &+= 1
    }
  }

  /// Forgets the signal.
  @_noLocks @_noAllocation
  mutating func reset() {
    up.0.reset()
    up.1.reset()
    down.0.reset()
    down.1.reset()
  }
}
