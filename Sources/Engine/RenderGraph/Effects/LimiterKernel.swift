package import AudioModel
internal import DSP
internal import Glibc
internal import Platform
internal import Realtime
internal import Synchronization

/// A look-ahead true-peak limiter with a gain in front: ``TruePeakLimiter`` in a graph.
///
/// Below the ceiling, at a gain of 0 dB, sound passes bit for bit, ``latency`` frames late.
package final class LimiterKernel: EffectKernel, @unchecked Sendable {
  private struct Amplitudes: BitwiseCopyable {
    var ceiling: Float
    var gain: Float
  }

  private let wanted = Monitor(LimiterSettings())
  private let mailbox = LatestValue(blank: Amplitudes(ceiling: 1, gain: 1))
  private let isOff = Atomic<Bool>(false)
  private let reduction = Atomic<UInt32>(Float(1).bitPattern)
  private let preparedRate = Atomic<Int>(48_000)
  private let states = FormatState()
  // Belong to the thread that renders.
  private var amplitudes = Amplitudes(ceiling: 1, gain: 1)
  private var ramp = GainRamp(1)
  private var hasRendered = false
  private var isForgetting = false

  /// Makes a limiter.
  package init(_ settings: LimiterSettings = LimiterSettings()) { self.settings = settings }

  /// Ceiling and gain; values outside their ranges become the nearest within. Any thread. The gain moves over 10 ms, the
  /// ceiling as smoothly as limiting does.
  package var settings: LimiterSettings {
    get { wanted.withLock { $0 } }
    set { change { $0 = newValue } }
  }

  /// Changes some of the ``settings``, as one step for all threads.
  package func change(_ body: (inout LimiterSettings) -> Void) {
    wanted.withLock { wanted in
      body(&wanted)
      wanted = wanted.clamped
      mailbox.store(Amplitudes(ceiling: Self.amplitude(wanted.ceiling), gain: Self.amplitude(wanted.gain)))
    }
  }

  /// Limits nothing and leaves the gain at 0 dB; sound stays as late as it is. Any thread. Going takes up to 0.3 s, coming
  /// is as smooth as limiting itself.
  package var isBypassed: Bool {
    get { isOff.load(ordering: .relaxed) }
    set { isOff.store(newValue, ordering: .relaxed) }
  }

  /// The lowest gain that was used since the last call, as an amplitude: 1 where nothing was limited. Any thread.
  package func takeLowestGain() -> Float {
    Float(bitPattern: reduction.exchange(Float(1).bitPattern, ordering: .relaxed))
  }

  /// Frames by which sound comes out later, at the rate of the latest ``prepare(rate:channels:)``; before the first, at 48
  /// kHz.
  package var latency: Int { TruePeakLimiter.latency(rate: preparedRate.load(ordering: .relaxed)) }

  /// What is late is all that comes out in the end.
  package var tail: Int { latency }

  package func prepare(rate: Int, channels: Int) {
    preparedRate.store(rate, ordering: .relaxed)
    states.prepare(rate: rate, channels: channels) { LimiterState(rate: rate, channels: channels) }
  }

  private static func amplitude(_ level: Decibels) -> Float { Float(pow(10, level.value / 20)) }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func process(_ call: BlockCall) {
    if let latest = mailbox.take() { amplitudes = latest }
    let isOff = isOff.load(ordering: .relaxed)
    let target = isOff ? 1 : amplitudes.gain
    if target != ramp.target { ramp.move(to: target, over: hasRendered ? call.rate / 100 : 0) }
    hasRendered = true
    ramp.apply(to: call.planes, stride: call.stride, channels: call.channels, count: call.frames)
    guard let state = states.state(for: call) else { return }
    let ceiling = amplitudes.ceiling
    let isForgetting = isForgetting
    self.isForgetting = false
    let lowest = Unmanaged<LimiterState>.fromOpaque(state.toOpaque())._withUnsafeGuaranteedRef {
      $0.process(call, ceiling: ceiling, isOff: isOff, isForgetting: isForgetting)
    }
    // The bits of positive floats order like whole numbers.
    _ = reduction.min(lowest.bitPattern, ordering: .relaxed)
  }

  @_noLocks @_noAllocation
  package func reset() {
    isForgetting = true
    ramp = GainRamp(ramp.target)
    hasRendered = false
  }
}

/// A limiter for one format.
private final class LimiterState: KernelState, @unchecked Sendable {
  private let limiter: Unmanaged<TruePeakLimiter>

  override init(rate: Int, channels: Int) {
    limiter = .passRetained(TruePeakLimiter(rate: rate, channels: channels))
    super.init(rate: rate, channels: channels)
  }

  deinit { limiter.release() }

  // MARK: Real-time

  @_noLocks @_noAllocation
  func process(_ call: BlockCall, ceiling: Float, isOff: Bool, isForgetting: Bool) -> Float {
    limiter._withUnsafeGuaranteedRef {
      if isForgetting { $0.reset() }
      if isOff { return $0.pass(call.planes, stride: call.stride, frames: call.frames) }
      return $0.process(call.planes, stride: call.stride, frames: call.frames, ceiling: ceiling)
    }
  }
}
