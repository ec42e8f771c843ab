internal import DSP

/// The volume: a ramped gain that can be taken back together with the frames it was applied to.
struct GainStage: BitwiseCopyable {
  private var ramp = GainRamp(1)
  private var rampFrames = 0
  // Earlier ramps, each as it stood when the next one began, newest at `count` − 1 (modulo the array's size).
  private var earlier = InlineArray<8, GainRamp>(repeating: GainRamp(1))
  private var count = 0

  /// Makes a stage at gain 1.
  init() {}

  // MARK: Real-time

  /// Moves to another amplitude, over that many frames; at once where nothing has been rendered yet.
  @_noLocks @_noAllocation
  mutating func move(to amplitude: Float, over frames: Int) {
    rampFrames = frames
    guard amplitude != ramp.target else { return }
    guard count > 0 || ramp.position > 0 else {
      ramp = GainRamp(amplitude)
      return
    }
    earlier[count & 7] = ramp
    count &+= 1
    ramp.move(to: amplitude, over: rampFrames)
  }

  /// Scales frames in place.
  @_noLocks @_noAllocation
  mutating func apply(to planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int, count: Int) {
    ramp.apply(to: planes, stride: stride, channels: channels, count: count)
  }

  /// Steps back by `frames`, to the amplitude of that time, and on from there towards the present target.
  @_noLocks @_noAllocation
  mutating func rewind(_ frames: Int) {
    let wanted = ramp.target
    var left = frames
    var known = count < 8 ? count : 8
    while left > ramp.position && known > 0 {
      left &-= ramp.position
      count &-= 1
      known &-= 1
      ramp = earlier[count & 7]
    }
    ramp.rewind(left)
    move(to: wanted, over: rampFrames)
  }
}
