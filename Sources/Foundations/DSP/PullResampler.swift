package import AudioModel

/// Changes the sample rate for a consumer that asks for frames, on the device's thread: all memory is taken at the start.
///
/// The filter, and to the bit the result, are those of ``Resampler``: output frame 0 lies at input frame 0. The consumer
/// asks how many input frames its next frames need, pushes exactly these, and pulls.
package final class PullResampler: @unchecked Sendable {
  // Belongs to the thread that pulls.
  private let filter: KaiserFilter
  private let inputRate: SampleRate
  private let outputRate: SampleRate
  private let channels: Int
  private var walk: PhaseWalk
  // The plane of channel c begins at `window + c × capacity`.
  private let window: UnsafeMutablePointer<Float>
  private let capacity: Int
  private var filled = 0

  /// Frames of the input that go by before the first output frame: half a filter, less its middle.
  package let lookAhead: Int

  /// Designs the filter.
  /// - Parameters:
  ///   - inputRate: Rate of what is pushed.
  ///   - outputRate: Rate of what is pulled, another one.
  ///   - channels: 1…64.
  ///   - maximumOutput: The most frames that are pulled at a time.
  package init(from inputRate: SampleRate, to outputRate: SampleRate, channels: Int, maximumOutput: Int) {
    precondition(inputRate != outputRate && maximumOutput > 0)
    self.inputRate = inputRate
    self.outputRate = outputRate
    self.channels = channels
    walk = PhaseWalk(from: inputRate, to: outputRate)
    let reduction = min(max(1, Double(inputRate.hertz) / Double(outputRate.hertz)), Resampler.reductionLimit)
    let taps = KaiserFilter.taps(reduction: reduction)
    let phases =
      walk.denominator * taps <= Resampler.tableLimit
      ? walk.denominator : Int((Resampler.interpolatedPhases / reduction).rounded(.up))
    filter = KaiserFilter(taps: taps, phases: phases, reduction: reduction)
    lookAhead = taps / 2
    capacity = taps + Self.inputFrames(maximumOutput, from: inputRate, to: outputRate)
    window = .allocate(capacity: channels * capacity)
    window.initialize(repeating: 0, count: channels * capacity)
    filled = taps / 2 - 1
  }

  deinit {
    window.deallocate()
    filter.deallocate()
  }

  /// The most input frames that a pull of `frames` can need, the look-ahead of the first one left out.
  package static func inputFrames(_ frames: Int, from inputRate: SampleRate, to outputRate: SampleRate) -> Int {
    (frames * inputRate.hertz + outputRate.hertz - 1) / outputRate.hertz + 2
  }

  /// The most input frames that a pull of `frames` can need, the first one's look-ahead counted in.
  package func mostInputFrames(for frames: Int) -> Int {
    filter.taps + Self.inputFrames(frames, from: inputRate, to: outputRate)
  }

  // MARK: Real-time

  /// How many input frames are wanted before the next `frames` can be pulled.
  @_noLocks @_noAllocation
  package func inputFrames(for frames: Int) -> Int {
    guard frames > 0 else { return 0 }
    let last = frames &- 1
    let place = walk.place(of: last)
    let missing = place &+ filter.taps &- filled
    return missing > 0 ? missing : 0
  }

  /// Takes input frames, at most as many as were wanted.
  @_noLocks @_noAllocation
  package func push(_ planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    let room = capacity &- filled
    let count = count < room ? count : room
    var channel = 0
    while channel < channels {
      let source = planes + channel &* stride
      let target = window + channel &* capacity + filled
      var index = 0
      while index < count {
        target[index] = source[index]
        index &+= 1
      }
      channel &+= 1
    }
    filled &+= count
  }

  /// Makes frames, for which the input must have been pushed.
  @_noLocks @_noAllocation
  package func pull(into planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    guard count > 0 else { return }
    walk.run(
      filter, window, inputStride: capacity, into: planes, outputStride: stride, channels: channels, frames: count)
    drop(walk.start < filled ? walk.start : filled)
  }

  /// Where a converter stands: valid until it is used again.
  package struct Standing: BitwiseCopyable {
    fileprivate var window: UnsafeMutablePointer<Float>
    fileprivate var capacity: Int
    fileprivate var filled: Int
    fileprivate var walk: PhaseWalk
  }

  /// Where it stands, for one that takes over.
  package var standing: Standing {
    @_noLocks @_noAllocation
    get { Standing(window: window, capacity: capacity, filled: filled, walk: walk) }
  }

  /// Goes on where another one stands, which has the same rates and channels.
  @_noLocks @_noAllocation
  package func takeOver(_ other: Standing) {
    guard other.filled <= capacity else { return }
    var channel = 0
    while channel < channels {
      let source = other.window + channel &* other.capacity
      let target = window + channel &* capacity
      var index = 0
      while index < other.filled {
        target[index] = source[index]
        index &+= 1
      }
      channel &+= 1
    }
    filled = other.filled
    walk.start = other.walk.start
    walk.fraction = other.walk.fraction
  }

  /// Forgets the signal so far.
  @_noLocks @_noAllocation
  package func reset() {
    filled = filter.taps / 2 &- 1
    walk.start = 0
    walk.fraction = 0
    var channel = 0
    while channel < channels {
      (window + channel &* capacity).update(repeating: 0, count: filled)
      channel &+= 1
    }
  }

  @_noLocks @_noAllocation
  private func drop(_ frames: Int) {
    guard frames > 0 else { return }
    let rest = filled &- frames
    var channel = 0
    while channel < channels {
      let plane = window + channel &* capacity
      var index = 0
      while index < rest {
        plane[index] = plane[index &+ frames]
        index &+= 1
      }
      channel &+= 1
    }
    filled = rest
    walk.start &-= frames
  }
}
