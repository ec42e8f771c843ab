internal import DSP

/// What a reverb, a delay or a distortion does in a render call: the effect in use, the one that fades out, and
/// their mix with the sound as it came. Belongs to the thread that renders.
///
/// At a mix of 0 sound passes bit for bit; what was in the effect dies away unheard, and then nothing is calculated.
struct WetStage: ~Copyable {
  private var mix = DryWetMix()
  private var gain = GainRamp(1)
  private var hasRendered = false
  private var isForgetting = false

  // MARK: Real-time

  /// Forgets the sound so far, before the next frames, and is where it was going to.
  @_noLocks @_noAllocation
  mutating func reset() {
    isForgetting = true
    mix.settle()
    gain = GainRamp(gain.target)
    hasRendered = false
  }

  /// Moves to a share of the effect, 0…1, and to a gain in front of it, over 20 ms.
  @_noLocks @_noAllocation
  mutating func move(share: Float, gain amplitude: Float, rate: Int) {
    mix.move(to: share, over: rate / 50)
    if amplitude != gain.target { gain.move(to: amplitude, over: hasRendered ? rate / 50 : 0) }
    hasRendered = true
  }

  /// Changes frames in place.
  /// - Parameters:
  ///   - states: The kernel's effects.
  ///   - targets: Other settings of a delay.
  @_noLocks @_noAllocation
  mutating func process(_ call: BlockCall, _ states: borrowing FadingState, targets: Delay.Targets? = nil) {
    guard states.begin(call) else { return }
    if isForgetting {
      isForgetting = false
      states.reset()
    }
    if let targets, let now = states.now { now._withUnsafeGuaranteedRef { $0.move(to: targets) } }
    var done = 0
    while done < call.frames {
      guard let now = states.now else { return }
      let isOff = mix.isOff
      if isOff, states.before == nil, now._withUnsafeGuaranteedRef({ $0.isAsleep }) {
        gain.advance(call.frames &- done)
        return
      }
      let count = part(of: call.frames &- done, states)
      let planes = call.planes + done
      let ramp = gain
      let wet = now._withUnsafeGuaranteedRef {
        $0.process(isOff ? nil : planes, stride: call.stride, gain: ramp, count: count)
      }
      if let before = states.before {
        let old = before._withUnsafeGuaranteedRef {
          $0.process(isOff ? nil : planes, stride: call.stride, gain: ramp, count: count)
        }
        states.fade(wet, from: old, stride: states.block, channels: call.channels, count: count)
      }
      gain.advance(count)
      if !isOff {
        mix.apply(
          to: planes, stride: call.stride, wet: wet, wetStride: states.block, channels: call.channels, count: count)
      }
      done &+= count
    }
  }

  /// Frames until something ends: the memory, a fade, a change of the mix.
  @_noLocks @_noAllocation
  private func part(of frames: Int, _ states: borrowing FadingState) -> Int {
    var count = frames < states.block ? frames : states.block
    if mix.framesLeft < count { count = mix.framesLeft }
    if states.framesLeft < count { count = states.framesLeft }
    return count
  }
}
