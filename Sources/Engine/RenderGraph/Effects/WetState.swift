internal import DSP

/// An effect that gives what it makes alone, without the sound as it came, for one format and one preset.
final class WetState: KernelState, @unchecked Sendable {
  /// The effects that there are. Each keeps one reference.
  enum Effect: BitwiseCopyable {
    case reverb(Unmanaged<Reverb>)
    case delay(Unmanaged<Delay>)
    case distortion(Unmanaged<Distortion>)
  }

  private let effect: Effect
  private let wet: UnsafeMutablePointer<Float>
  private let block: Int

  /// Takes an effect, with its reference.
  /// - Parameter block: Most frames at a time.
  init(_ effect: Effect, rate: Int, channels: Int, block: Int) {
    self.effect = effect
    self.block = block
    wet = .allocate(capacity: channels * block)
    wet.initialize(repeating: 0, count: channels * block)
    super.init(rate: rate, channels: channels)
  }

  deinit {
    switch effect {
    case .reverb(let reverb): reverb.release()
    case .delay(let delay): delay.release()
    case .distortion(let distortion): distortion.release()
    }
    wet.deallocate()
  }

  // MARK: Real-time

  /// Whether nothing is left to be heard, and nothing is calculated until sound comes.
  var isAsleep: Bool {
    @_noLocks @_noAllocation
    get {
      switch effect {
      case .reverb(let reverb): reverb._withUnsafeGuaranteedRef { $0.isAsleep }
      case .delay(let delay): delay._withUnsafeGuaranteedRef { $0.isAsleep }
      case .distortion(let distortion): distortion._withUnsafeGuaranteedRef { $0.isAsleep }
      }
    }
  }

  /// Moves a delay to other settings, if they are of its rate.
  @_noLocks @_noAllocation
  func move(to targets: Delay.Targets) {
    if case .delay(let delay) = effect { delay._withUnsafeGuaranteedRef { $0.move(to: targets) } }
  }

  /// Makes what comes of some frames, in planes of its own, `block` samples apart.
  /// - Parameters:
  ///   - input: The plane of channel c begins at `input + c × stride`; `nil` for silence.
  ///   - gain: Gain in front of a distortion.
  @_noLocks @_noAllocation
  func process(
    _ input: UnsafePointer<Float>?, stride: Int, gain: GainRamp, count: Int
  ) -> UnsafeMutablePointer<Float> {
    let (wet, block) = (wet, block)
    switch effect {
    case .reverb(let reverb):
      reverb._withUnsafeGuaranteedRef {
        $0.process(input, inputStride: stride, into: wet, outputStride: block, count: count)
      }
    case .delay(let delay):
      delay._withUnsafeGuaranteedRef {
        $0.process(input, inputStride: stride, into: wet, outputStride: block, count: count)
      }
    case .distortion(let distortion):
      distortion._withUnsafeGuaranteedRef {
        $0.process(input, inputStride: stride, into: wet, outputStride: block, gain: gain, count: count)
      }
    }
    return wet
  }

  /// Forgets all sound.
  @_noLocks @_noAllocation
  func reset() {
    switch effect {
    case .reverb(let reverb): reverb._withUnsafeGuaranteedRef { $0.reset() }
    case .delay(let delay): delay._withUnsafeGuaranteedRef { $0.reset() }
    case .distortion(let distortion): distortion._withUnsafeGuaranteedRef { $0.reset() }
    }
  }
}
