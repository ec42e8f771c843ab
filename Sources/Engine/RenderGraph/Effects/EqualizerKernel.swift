package import AudioModel
internal import DSP
internal import Platform
internal import Realtime

/// An equalizer in a graph: ``BiquadCascade`` with any number of bands, which may change.
///
/// No latency. While everything is flat, sound passes bit for bit, and costs nothing.
package final class EqualizerKernel: EffectKernel, @unchecked Sendable {
  private struct Control {
    var settings: EqualizerSettings
    var format: (rate: Int, channels: Int)?
    /// The most filters that there have been: what takes a cascade's place has no fewer, so that each can fade.
    var room = 0
    var tail = 0
  }

  private let control: Monitor<Control>
  private let states = FormatState()

  /// Makes an equalizer.
  package init(_ settings: EqualizerSettings = EqualizerSettings()) {
    control = Monitor(Control(settings: settings.clamped))
  }

  /// What it does; values outside their ranges become the nearest within. Any thread. Values move within some 50 ms, other
  /// filters fade in over 30 ms, and what is set meanwhile follows.
  package var settings: EqualizerSettings {
    get { control.withLock { $0.settings } }
    set { change { $0 = newValue } }
  }

  /// Changes some of the ``settings``, as one step for all threads.
  package func change(_ body: (inout EqualizerSettings) -> Void) {
    control.withLock { control in
      let before = control.settings
      body(&control.settings)
      control.settings = control.settings.clamped
      if control.settings != before { put(&control) }
    }
  }

  package var latency: Int { 0 }

  /// Frames until what rings on is 100 dB softer than it was, at the rate of the latest ``prepare(rate:channels:)``.
  package var tail: Int { control.withLock { $0.tail } }

  package func prepare(rate: Int, channels: Int) {
    control.withLock { control in
      if let format = control.format, format == (rate, channels) { return }
      control.format = (rate, channels)
      put(&control)
    }
  }

  private func put(_ control: inout Control) {
    guard let format = control.format else { return }
    let filters = control.settings.filters(rate: format.rate)
    control.room = max(control.room, filters.count)
    control.tail = filters.reduce(0) { $0 + $1.biquad.decayFrames(to: Decibels(-100)) }
    states.put(
      EqualizerState(
        BiquadCascade(filters, room: control.room, rate: format.rate, channels: format.channels), rate: format.rate,
        channels: format.channels))
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func process(_ call: BlockCall) {
    var isFading = false
    if let current = states.current(for: call) {
      isFading = Unmanaged<EqualizerState>.fromOpaque(current.toOpaque())._withUnsafeGuaranteedRef { $0.isFading }
    }
    if !isFading { takeOver(call) }
    guard let current = states.current(for: call) else { return }
    Unmanaged<EqualizerState>.fromOpaque(current.toOpaque())._withUnsafeGuaranteedRef { $0.process(call) }
  }

  /// Lets the cascade that waits take the place of the one in use.
  @_noLocks @_noAllocation
  private func takeOver(_ call: BlockCall) {
    guard let next = states.waiting(for: call) else { return }
    if let old = states.current(for: call) {
      let old = Unmanaged<EqualizerState>.fromOpaque(old.toOpaque())
      Unmanaged<EqualizerState>.fromOpaque(next.toOpaque())._withUnsafeGuaranteedRef { $0.adopt(old) }
    }
    states.install()
  }

  @_noLocks @_noAllocation
  package func reset() {
    guard let state = states.inUse else { return }
    Unmanaged<EqualizerState>.fromOpaque(state.toOpaque())._withUnsafeGuaranteedRef { $0.reset() }
  }
}

/// The filters for one format.
private final class EqualizerState: KernelState, @unchecked Sendable {
  private let cascade: Unmanaged<BiquadCascade>

  init(_ cascade: BiquadCascade, rate: Int, channels: Int) {
    self.cascade = .passRetained(cascade)
    super.init(rate: rate, channels: channels)
  }

  deinit { cascade.release() }

  // MARK: Real-time

  var isFading: Bool {
    @_noLocks @_noAllocation
    get { cascade._withUnsafeGuaranteedRef { $0.isFading } }
  }

  private var past: BiquadCascade.Past {
    @_noLocks @_noAllocation
    get { cascade._withUnsafeGuaranteedRef { $0.past } }
  }

  @_noLocks @_noAllocation
  func process(_ call: BlockCall) {
    cascade._withUnsafeGuaranteedRef { $0.process(call.planes, stride: call.stride, count: call.frames) }
  }

  @_noLocks @_noAllocation
  func adopt(_ old: Unmanaged<EqualizerState>) {
    let past = old._withUnsafeGuaranteedRef { $0.past }
    cascade._withUnsafeGuaranteedRef { $0.adopt(past) }
  }

  @_noLocks @_noAllocation
  func reset() { cascade._withUnsafeGuaranteedRef { $0.reset() } }
}
