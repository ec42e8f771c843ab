package import AudioModel
internal import DSP
internal import Platform
internal import Synchronization

/// A reverb in a graph: ``Reverb``, mixed with the sound as it came.
///
/// No latency. At a mix of 0 sound passes bit for bit; what was in the room dies away unheard, and then it costs
/// nothing.
package final class ReverbKernel: EffectKernel, @unchecked Sendable {
  private struct Control {
    var settings = ReverbSettings()
    var format: (rate: Int, channels: Int)?
  }

  private let control = Monitor(Control())
  private let share = Atomic<Float>(0)
  private let frames = Atomic<Int>(0)
  private let states = FadingState()
  private var stage = WetStage()

  /// Makes a reverb.
  package init(_ settings: ReverbSettings = ReverbSettings()) { self.settings = settings }

  /// What it sounds like; values outside their ranges become the nearest within. Any thread. The mix moves over 20 ms,
  /// another preset fades in over 50 ms.
  package var settings: ReverbSettings {
    get { control.withLock { $0.settings } }
    set { change { $0 = newValue } }
  }

  /// Changes some of the ``settings``, as one step for all threads.
  package func change(_ body: (inout ReverbSettings) -> Void) {
    control.withLock { control in
      let before = control.settings.preset
      body(&control.settings)
      control.settings = control.settings.clamped
      share.store(Float(control.settings.mix / 100), ordering: .relaxed)
      if control.settings.preset != before { make(control) }
    }
  }

  package var latency: Int { 0 }

  /// Frames until the room is 96 dB softer; none at a mix of 0.
  package var tail: Int { share.load(ordering: .relaxed) == 0 ? 0 : frames.load(ordering: .relaxed) }

  package func prepare(rate: Int, channels: Int) {
    control.withLock { control in
      if let format = control.format, format == (rate, channels) { return }
      control.format = (rate, channels)
      make(control)
    }
  }

  /// Makes a room for the format and the preset.
  private func make(_ control: Control) {
    guard let format = control.format else { return }
    let reverb = Reverb(ReverbPlan(control.settings.preset), rate: format.rate, channels: format.channels)
    frames.store(reverb.tail, ordering: .relaxed)
    states.put(.reverb(.passRetained(reverb)), rate: format.rate, channels: format.channels)
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func process(_ call: BlockCall) {
    stage.move(share: share.load(ordering: .relaxed), gain: 1, rate: call.rate)
    stage.process(call, states)
  }

  @_noLocks @_noAllocation
  package func reset() { stage.reset() }
}
