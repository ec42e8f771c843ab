/// A gain that moves in a straight line and then stands.
///
/// The gain of each frame depends only on how far the ramp has come, never on the size of blocks. A standing gain of 1
/// leaves samples as they are, bit for bit.
package struct GainRamp: BitwiseCopyable, Sendable {
  /// Amplitude before the ramp's first frame.
  package private(set) var origin: Float
  /// Amplitude behind its last frame.
  package private(set) var target: Float
  /// Frames of the ramp: none of them has the amplitude of either end.
  package private(set) var length: Int
  /// Frames done since the ramp began, those behind its end included.
  package private(set) var position: Int

  // MARK: Real-time

  /// Makes a standing gain.
  @_noLocks @_noAllocation
  package init(_ gain: Float) {
    origin = gain
    target = gain
    length = 0
    position = 0
  }

  /// The amplitude of the last frame done.
  package var gain: Float {
    @_noLocks @_noAllocation
    get { position > length ? target : origin + slope * Float(Int32(truncatingIfNeeded: position)) }
  }

  /// Begins a ramp at the present amplitude.
  @_noLocks @_noAllocation
  package mutating func move(to target: Float, over frames: Int) {
    origin = gain
    self.target = target
    length = frames > 0 && origin != target ? frames : 0
    position = 0
    if length == 0 { origin = target }
  }

  /// Makes what is left of the ramp a ramp of its own.
  @_noLocks @_noAllocation
  package mutating func rebase() { move(to: target, over: length &- position) }

  /// Steps back by `frames`, at most to the ramp's beginning.
  @_noLocks @_noAllocation
  package mutating func rewind(_ frames: Int) { position = frames < position ? position &- frames : 0 }

  /// Steps on without scaling anything.
  @_noLocks @_noAllocation
  package mutating func advance(_ frames: Int) { position &+= frames }

  /// Scales the next `count` frames in place and steps on.
  /// - Parameters:
  ///   - planes: Samples; the plane of channel c begins at `planes + c × stride`.
  ///   - channels: Number of planes.
  @_noLocks @_noAllocation
  package mutating func apply(
    to planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int, count: Int
  ) {
    let left = length &- position
    let sloping = left <= 0 ? 0 : left < count ? left : count
    var channel = 0
    while channel < channels {
      let plane = planes + channel &* stride
      if sloping > 0 { slide(plane, count: sloping) }
      if sloping < count && target != 1 { scale(plane + sloping, count: count &- sloping) }
      channel &+= 1
    }
    position &+= count
  }

  private var slope: Float {
    @_noLocks @_noAllocation
    get { length > 0 ? (target - origin) / Float(Int32(truncatingIfNeeded: length &+ 1)) : 0 }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func slide(_ plane: UnsafeMutablePointer<Float>, count: Int) {
    let origin = origin
    let slope = slope
    let first = Int32(truncatingIfNeeded: position &+ 1)
    var index = 0
    let steps = SIMD8<Int32>(0, 1, 2, 3, 4, 5, 6, 7)
    while index &+ 8 <= count {
      let number = steps &+ SIMD8(repeating: first &+ Int32(truncatingIfNeeded: index))
      store(load(plane + index) * (origin + slope * Lanes(number)), to: plane + index)
      index &+= 8
    }
    while index < count {
      plane[index] *= origin + slope * Float(first &+ Int32(truncatingIfNeeded: index))
      index &+= 1
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private func scale(_ plane: UnsafeMutablePointer<Float>, count: Int) {
    let gain = target
    var index = 0
    if gain == 0 {
      // Not a product: silence must come of whatever was there, infinities too.
      plane.update(repeating: 0, count: count)
      return
    }
    while index < count {
      plane[index] *= gain
      index &+= 1
    }
  }
}
