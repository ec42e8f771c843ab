internal import DSP
internal import Synchronization

/// What an effect does to frames. Made and freed on the control side; ``process(_:)`` and ``reset()`` run on the thread
/// that renders and obey its rules.
package protocol EffectKernel: AnyObject, Sendable {
  /// Gets ready for frames of a format, which come from some later call of ``process(_:)`` on: until then, frames of the
  /// format before may still come. Control side, one thread at a time; called for each plan that has the effect.
  func prepare(rate: Int, channels: Int)
  /// Changes frames in place.
  func process(_ call: BlockCall)
  /// Forgets the signal so far: delay lines, tails.
  func reset()
  /// Frames by which the sound comes out later than it went in.
  var latency: Int { get }
  /// Frames for which sound comes out after the last that went in.
  var tail: Int { get }
}

extension EffectKernel {
  package func prepare(rate: Int, channels: Int) {}
}

/// A node that changes sound in place, at the rate and with the channels of its input.
package final class EffectStage: GraphNode, @unchecked Sendable {
  /// What it does.
  package let kernel: any EffectKernel
  private let bypass = Atomic<Bool>(false)
  private let wantsReset = Atomic<Bool>(false)
  private let isGone = Atomic<Bool>(false)
  // Belong to the thread that renders.
  private var mix: GainRamp
  private var entry: GainRamp
  private var hasRendered: Bool

  /// Makes a stage.
  /// - Parameter fadesIn: It comes into sound that is heard already: it begins with a cross-fade.
  package init(_ kernel: any EffectKernel, fadesIn: Bool = false) {
    self.kernel = kernel
    mix = GainRamp(fadesIn ? 0 : 1)
    entry = mix
    hasRendered = fadesIn
  }

  /// Lets the sound pass as it is. Coming and going is a cross-fade of 10 ms. Any thread.
  package var isBypassed: Bool {
    get { bypass.load(ordering: .relaxed) }
    set { bypass.store(newValue, ordering: .relaxed) }
  }

  /// Whether sound passes as it came since a while: a plan without the stage sounds the same. Any thread.
  package var hasLeft: Bool { isBypassed && isGone.load(ordering: .relaxed) }

  /// Forgets the signal before the next frames. Any thread.
  package func reset() { wantsReset.store(true, ordering: .releasing) }

  // MARK: Real-time

  /// - Parameter scratch: As much room as the call's planes have: the sound as it came.
  @_noLocks @_noAllocation
  func process(_ call: BlockCall, scratch: UnsafeMutablePointer<Float>) {
    let target: Float = bypass.load(ordering: .relaxed) ? 0 : 1
    if target != mix.target { mix.move(to: target, over: hasRendered ? call.rate / 100 : 0) }
    hasRendered = true
    let isWanted = wantsReset.exchange(false, ordering: .acquiring)
    let isStanding = mix.position >= mix.length
    var isSilent = false
    if isStanding { isSilent = target == 0 }
    isGone.store(isSilent, ordering: .relaxed)
    if !isStanding || target == 0 {
      Mixing.copy(
        call.planes, stride: call.stride, to: scratch, stride: call.frames, channels: call.channels,
        count: call.frames)
    }
    enter(call)
    run(call, isReset: isWanted)
    if isStanding && target == 1 { return }
    blend(call, with: scratch)
  }

  /// What comes into sound that is heard already hears it begin softly: a delay would repeat a hard edge.
  @_noLocks @_noAllocation
  private func enter(_ call: BlockCall) {
    if entry.target != 1 { entry.move(to: 1, over: call.rate / 100) }
    guard entry.position < entry.length else { return }
    entry.apply(to: call.planes, stride: call.stride, channels: call.channels, count: call.frames)
  }

  // A door: the kernel's own functions are checked where they are written.
  @_semantics("no_performance_analysis")
  private func run(_ call: BlockCall, isReset: Bool) {
    if isReset { kernel.reset() }
    // Bypassed it goes on with the sound, so that its coming back has a past.
    kernel.process(call)
  }

  /// Fades between the sound as it came and what the effect made of it.
  @_noLocks @_noAllocation
  private func blend(_ call: BlockCall, with scratch: UnsafeMutablePointer<Float>) {
    var channel = 0
    while channel < call.channels {
      let wet = call.planes + channel &* call.stride
      let dry = scratch + channel &* call.frames
      var index = 0
      while index < call.frames {
        wet[index] -= dry[index]
        index &+= 1
      }
      channel &+= 1
    }
    mix.apply(to: call.planes, stride: call.stride, channels: call.channels, count: call.frames)
    channel = 0
    while channel < call.channels {
      Mixing.add(
        call.planes + channel &* call.stride, scratch + channel &* call.frames, gain: 1, count: call.frames)
      channel &+= 1
    }
  }
}
