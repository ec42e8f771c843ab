package import AudioModel
internal import DSP
internal import Platform
internal import Realtime
internal import Synchronization

/// A compressor in a graph: ``Compressor``. No latency; below the threshold's bend, without makeup gain, sound passes bit for
/// bit.
package final class CompressorKernel: EffectKernel, @unchecked Sendable {
  private let wanted = Monitor(CompressorSettings())
  private let mailbox = LatestValue(blank: Parameters(CompressorSettings()))
  private let reduction = Atomic<UInt32>(Float(1).bitPattern)
  private let states = FormatState()
  // Belong to the thread that renders.
  private var parameters = Parameters(CompressorSettings())
  private var revision = 0
  private var isForgetting = false

  /// Makes a compressor.
  package init(_ settings: CompressorSettings = CompressorSettings()) { self.settings = settings }

  /// What it does; values outside their ranges become the nearest within. Any thread. Changes come in by attack and
  /// release, the makeup gain over 10 ms.
  package var settings: CompressorSettings {
    get { wanted.withLock { $0 } }
    set { change { $0 = newValue } }
  }

  /// Changes some of the ``settings``, as one step for all threads.
  package func change(_ body: (inout CompressorSettings) -> Void) {
    wanted.withLock { wanted in
      body(&wanted)
      wanted = wanted.clamped
      mailbox.store(Parameters(wanted))
    }
  }

  /// The lowest gain that was used since the last call, as an amplitude and without the makeup gain: 1 where nothing was
  /// compressed. Any thread.
  package func takeLowestGain() -> Float {
    Float(bitPattern: reduction.exchange(Float(1).bitPattern, ordering: .relaxed))
  }

  package var latency: Int { 0 }
  package var tail: Int { 0 }

  package func prepare(rate: Int, channels: Int) {
    states.prepare(rate: rate, channels: channels) { CompressorState(rate: rate, channels: channels) }
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func process(_ call: BlockCall) {
    if let latest = mailbox.take() {
      parameters = latest
      revision &+= 1
    }
    guard let state = states.state(for: call) else { return }
    let isForgetting = isForgetting
    self.isForgetting = false
    let (parameters, revision) = (parameters, revision)
    let lowest = Unmanaged<CompressorState>.fromOpaque(state.toOpaque())._withUnsafeGuaranteedRef {
      $0.process(call, parameters, revision, isForgetting: isForgetting)
    }
    // The bits of positive floats order like whole numbers.
    _ = reduction.min(lowest.bitPattern, ordering: .relaxed)
  }

  @_noLocks @_noAllocation
  package func reset() { isForgetting = true }
}

/// Settings as trivial values.
private struct Parameters: BitwiseCopyable {
  var threshold: Double
  var ratio: Double
  var knee: Double
  var attack: Double
  var release: Double
  var makeup: Double

  init(_ settings: CompressorSettings) {
    threshold = settings.threshold.value
    ratio = settings.ratio
    knee = settings.knee.value
    attack = settings.attack
    release = settings.release
    makeup = settings.makeup.value
  }

  var settings: CompressorSettings {
    CompressorSettings(
      threshold: Decibels(threshold), ratio: ratio, knee: Decibels(knee), attack: attack, release: release,
      makeup: Decibels(makeup))
  }
}

/// A compressor for one format.
private final class CompressorState: KernelState, @unchecked Sendable {
  private let compressor: Unmanaged<Compressor>
  // Belongs to the thread that renders: which settings it has.
  private var revision = -1

  override init(rate: Int, channels: Int) {
    compressor = .passRetained(Compressor(rate: rate, channels: channels))
    super.init(rate: rate, channels: channels)
  }

  deinit { compressor.release() }

  // MARK: Real-time

  @_noLocks @_noAllocation
  func process(_ call: BlockCall, _ parameters: Parameters, _ latest: Int, isForgetting: Bool) -> Float {
    if latest != revision {
      revision = latest
      apply(parameters)
    }
    return compressor._withUnsafeGuaranteedRef {
      if isForgetting { $0.reset() }
      return $0.process(call.planes, stride: call.stride, frames: call.frames)
    }
  }

  // A door: arithmetic on trivial values, behind functions of the standard library that are not known to be harmless.
  @_semantics("no_performance_analysis")
  private func apply(_ parameters: Parameters) {
    compressor._withUnsafeGuaranteedRef { $0.apply(parameters.settings) }
  }
}
