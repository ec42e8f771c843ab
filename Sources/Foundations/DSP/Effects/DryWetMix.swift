/// The sound as it came and what an effect made of it, added in straight proportion: at 50 per cent each counts half.
///
/// Moves in a straight line, frame by frame, however calls are cut. At 0 nothing is touched, at 1 nothing is left of
/// what came.
package struct DryWetMix: ~Copyable {
  private let block = 256
  private var ramp = GainRamp(0)
  private var hasMoved = false
  private let curve: UnsafeMutablePointer<Float>

  /// Makes a mix that stands at 0.
  package init() {
    curve = .allocate(capacity: block)
    curve.initialize(repeating: 0, count: block)
  }

  deinit { curve.deallocate() }

  // MARK: Real-time

  /// Whether it stands at 0.
  package var isOff: Bool {
    @_noLocks @_noAllocation
    get { ramp.target == 0 ? ramp.position > ramp.length || ramp.length == 0 : false }
  }

  /// Frames until it stands; `Int.max` where it does.
  package var framesLeft: Int {
    @_noLocks @_noAllocation
    get {
      let left = ramp.length &+ 1 &- ramp.position
      return ramp.length > 0 ? left > 0 ? left : Int.max : Int.max
    }
  }

  /// Moves to another share of the effect, 0…1; the first one of all is there at once.
  @_noLocks @_noAllocation
  package mutating func move(to share: Float, over frames: Int) {
    if share != ramp.target { ramp.move(to: share, over: hasMoved ? frames : 0) }
    hasMoved = true
  }

  /// Is at once where it was going to; the next move is there at once, too.
  @_noLocks @_noAllocation
  package mutating func settle() {
    ramp = GainRamp(ramp.target)
    hasMoved = false
  }

  /// Mixes what an effect made into the sound as it came, and steps on.
  /// - Parameters:
  ///   - dry: The plane of channel c begins at `dry + c × stride`.
  ///   - wet: The plane of channel c begins at `wet + c × wetStride`.
  ///   - count: Frames, no more than 256.
  @_noLocks @_noAllocation
  package mutating func apply(
    to dry: UnsafeMutablePointer<Float>, stride: Int, wet: UnsafePointer<Float>, wetStride: Int, channels: Int,
    count: Int
  ) {
    curve.update(repeating: 1, count: count)
    ramp.apply(to: curve, stride: count, channels: 1, count: count)
    var channel = 0
    while channel < channels {
      Self.blend(dry + channel &* stride, wet + channel &* wetStride, by: curve, count: count)
      channel &+= 1
    }
  }

  /// Steps on without mixing anything.
  @_noLocks @_noAllocation
  package mutating func advance(_ frames: Int) { ramp.advance(frames) }

  /// Moves `target` towards `other`, by a share for each sample.
  @_noLocks @_noAllocation
  package static func blend(
    _ target: UnsafeMutablePointer<Float>, _ other: UnsafePointer<Float>, by shares: UnsafePointer<Float>, count: Int
  ) {
    var index = 0
    while index < count {
      let share = shares[index]
      target[index] = target[index] * (1 - share) + other[index] * share
      index &+= 1
    }
  }
}
