/// What enters an effect that has a memory, a block at a time: freed of what would stay in the memory forever, and
/// watched for silence.
///
/// Numbers too small to be heard (below −300 dB) become zeros, so that nothing falls into the range in which
/// processors calculate slowly; those that are none, or beyond 10⁹, become zeros too. After a tail of silence the
/// effect sleeps. All that depends on frames alone, never on how they are cut into calls.
struct InputGate: ~Copyable {
  /// Most frames of a block.
  let block: Int
  /// The block's frames; the plane of channel c begins at `planes + c × block`.
  let planes: UnsafeMutablePointer<Float>
  private let channels: Int
  /// Frames of silence after which the effect sleeps.
  private var tail: Int
  /// Frames of silence so far.
  private var silence: Int

  /// Frames of a block, and whether the effect sleeps through them: then silence comes out.
  struct Step: BitwiseCopyable {
    var frames: Int
    var isAsleep: Bool
    /// With the end of these frames, the effect falls asleep and has to forget.
    var isLast: Bool

    @_noLocks @_noAllocation
    init(frames: Int, isAsleep: Bool, isLast: Bool) {
      self.frames = frames
      self.isAsleep = isAsleep
      self.isLast = isLast
    }
  }

  /// Makes a gate before a sleeping effect.
  init(channels: Int, block: Int, tail: Int) {
    self.block = block
    self.channels = channels
    self.tail = tail
    silence = tail
    planes = .allocate(capacity: channels * block)
    planes.initialize(repeating: 0, count: channels * block)
  }

  deinit { planes.deallocate() }

  // MARK: Real-time

  /// Whether the effect sleeps.
  var isAsleep: Bool {
    @_noLocks @_noAllocation
    get { silence >= tail }
  }

  /// Changes after how many frames of silence the effect sleeps; what is awake has all of them before it again.
  @_noLocks @_noAllocation
  mutating func move(to tail: Int) {
    guard tail != self.tail else { return }
    silence = silence >= self.tail ? tail : 0
    self.tail = tail
  }

  /// Puts the effect to sleep.
  @_noLocks @_noAllocation
  mutating func reset() { silence = tail }

  /// Takes frames in.
  /// - Parameters:
  ///   - input: The plane of channel c begins at `input + c × stride`; `nil` for silence.
  ///   - first: The first frame to take.
  ///   - limit: Most frames to take, at least 1.
  @_noLocks @_noAllocation
  mutating func take(_ input: UnsafePointer<Float>?, from first: Int, stride: Int, limit: Int) -> Step {
    let count = limit < block ? limit : block
    guard let input else { return takeSilence(count) }
    var channel = 0
    while channel < channels {
      clean(input + channel &* stride + first, into: planes + channel &* block, count: count)
      channel &+= 1
    }
    var sounding = count
    while sounding > 0 && isSilent(sounding &- 1) { sounding &-= 1 }
    if sounding == 0 { return takeSilence(count) }
    var lead = 0
    while isSilent(lead) { lead &+= 1 }
    // It falls asleep and wakes at frames that the sound alone decides about, wherever calls are cut.
    if silence >= tail {
      if lead > 0 { return Step(frames: lead, isAsleep: true, isLast: false) }
    } else if silence &+ lead >= tail {
      let frames = tail &- silence
      silence = tail
      return Step(frames: frames, isAsleep: false, isLast: true)
    }
    silence = count &- sounding
    guard silence >= tail else { return Step(frames: count, isAsleep: false, isLast: false) }
    silence = tail
    return Step(frames: sounding &+ tail, isAsleep: false, isLast: true)
  }

  @_noLocks @_noAllocation
  private mutating func takeSilence(_ count: Int) -> Step {
    if silence >= tail { return Step(frames: count, isAsleep: true, isLast: false) }
    let frames = count < tail &- silence ? count : tail &- silence
    silence &+= frames
    var channel = 0
    while channel < channels {
      (planes + channel &* block).update(repeating: 0, count: frames)
      channel &+= 1
    }
    return Step(frames: frames, isAsleep: false, isLast: silence >= tail)
  }

  @inline(__always) @_noLocks @_noAllocation
  private func isSilent(_ frame: Int) -> Bool {
    var channel = 0
    while channel < channels {
      if planes[channel &* block &+ frame] != 0 { return false }
      channel &+= 1
    }
    return true
  }

  @_noLocks @_noAllocation
  private func clean(_ source: UnsafePointer<Float>, into target: UnsafeMutablePointer<Float>, count: Int) {
    var index = 0
    while index < count {
      let sample = source[index]
      let size = sample.magnitude
      // False for what is no number.
      target[index] = size > 1e-15 && size < 1e9 ? sample : 0
      index &+= 1
    }
  }
}
