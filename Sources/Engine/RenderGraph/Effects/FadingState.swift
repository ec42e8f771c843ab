internal import DSP
internal import Realtime

/// The state of a kernel whose presets are made on the control side: another one of the same format fades in within
/// 50 ms while the one before fades out; one of another format takes over with the first call that has it.
struct FadingState: ~Copyable, @unchecked Sendable {
  /// Most frames of an effect at a time.
  let block = 256
  private let mailbox = LatestObject<WetState>()
  // Belong to the thread that renders: the state in use, the one that fades out, and one that waits for its call.
  private let held = UnsafeMutablePointer<Unmanaged<WetState>?>.allocate(capacity: 3)
  private let ramp = UnsafeMutablePointer<GainRamp>.allocate(capacity: 1)
  private let curve: UnsafeMutablePointer<Float>

  init() {
    curve = .allocate(capacity: block)
    curve.initialize(repeating: 1, count: block)
    held.initialize(repeating: nil, count: 3)
    ramp.initialize(to: GainRamp(1))
  }

  deinit {
    for index in 0..<3 { held[index]?.release() }
    held.deallocate()
    ramp.deallocate()
    curve.deallocate()
  }

  /// Leaves another effect, with its reference. Control side, one thread at a time.
  borrowing func put(_ effect: WetState.Effect, rate: Int, channels: Int) {
    mailbox.put(WetState(effect, rate: rate, channels: channels, block: block))
  }

  // MARK: Real-time

  /// Looks for another state, and says whether there is one for a call.
  @_noLocks @_noAllocation
  borrowing func begin(_ call: BlockCall) -> Bool {
    if let fresh = mailbox.take() {
      if let waiting = held[2] { mailbox.retire(waiting) }
      held[2] = fresh
    }
    turn(call)
    guard let now = held[0] else { return false }
    return now._withUnsafeGuaranteedRef { $0.fits(call) }
  }

  /// Lets what waits take its turn, where it may.
  @_noLocks @_noAllocation
  private borrowing func turn(_ call: BlockCall) {
    guard let waiting = held[2], waiting._withUnsafeGuaranteedRef({ $0.fits(call) }) else { return }
    guard let now = held[0] else {
      held[0] = waiting
      held[2] = nil
      return
    }
    if now._withUnsafeGuaranteedRef({ $0.fits(call) }) {
      if held[1] != nil { return }
      held[1] = now
      ramp.pointee = GainRamp(0)
      ramp.pointee.move(to: 1, over: call.rate / 20)
    } else {
      mailbox.retire(now)
      endFade()
    }
    held[0] = waiting
    held[2] = nil
  }

  /// The state in use.
  var now: Unmanaged<WetState>? {
    @_noLocks @_noAllocation
    get { held[0] }
  }

  /// The state that fades out.
  var before: Unmanaged<WetState>? {
    @_noLocks @_noAllocation
    get { held[1] }
  }

  /// Frames until the fade ends; `Int.max` where there is none.
  var framesLeft: Int {
    @_noLocks @_noAllocation
    get { held[1] == nil ? Int.max : ramp.pointee.length &+ 1 &- ramp.pointee.position }
  }

  /// Fades from what the state before made to what the state in use made of the next frames, which then stands in
  /// `new`.
  /// - Parameter count: Frames, no more than ``framesLeft``.
  @_noLocks @_noAllocation
  borrowing func fade(
    _ new: UnsafeMutablePointer<Float>, from old: UnsafePointer<Float>, stride: Int, channels: Int, count: Int
  ) {
    curve.update(repeating: -1, count: count)
    ramp.pointee.apply(to: curve, stride: count, channels: 1, count: count)
    var index = 0
    while index < count {
      curve[index] += 1
      index &+= 1
    }
    var channel = 0
    while channel < channels {
      DryWetMix.blend(new + channel &* stride, old + channel &* stride, by: curve, count: count)
      channel &+= 1
    }
    if ramp.pointee.position > ramp.pointee.length { endFade() }
  }

  /// Forgets all sound, and what fades out.
  @_noLocks @_noAllocation
  borrowing func reset() {
    endFade()
    if let now = held[0] { now._withUnsafeGuaranteedRef { $0.reset() } }
  }

  @_noLocks @_noAllocation
  private borrowing func endFade() {
    if let old = held[1] { mailbox.retire(old) }
    held[1] = nil
  }
}
