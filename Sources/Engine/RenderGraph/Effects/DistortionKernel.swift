package import AudioModel
internal import DSP
internal import Glibc
internal import Platform
internal import Synchronization

/// A distortion in a graph: ``Distortion``, mixed with the sound as it came.
///
/// No latency. At a mix of 0 sound passes bit for bit; echoes die away unheard, and then it costs nothing.
package final class DistortionKernel: EffectKernel, @unchecked Sendable {
  private struct Control {
    var settings = DistortionSettings()
    var format: (rate: Int, channels: Int)?
  }

  private let control = Monitor(Control())
  private let share = Atomic<Float>(0)
  private let gain = Atomic<Float>(1)
  private let frames = Atomic<Int>(0)
  private let states = FadingState()
  private var stage = WetStage()

  /// Makes a distortion.
  package init(_ settings: DistortionSettings = DistortionSettings()) { self.settings = settings }

  /// What it does; values outside their ranges become the nearest within. Any thread. Mix and gain move over 20 ms,
  /// another preset fades in over 50 ms.
  package var settings: DistortionSettings {
    get { control.withLock { $0.settings } }
    set { change { $0 = newValue } }
  }

  /// Changes some of the ``settings``, as one step for all threads.
  package func change(_ body: (inout DistortionSettings) -> Void) {
    control.withLock { control in
      let before = control.settings.preset
      body(&control.settings)
      control.settings = control.settings.clamped
      share.store(Float(control.settings.mix / 100), ordering: .relaxed)
      gain.store(Float(pow(10, control.settings.preGain / 20)), ordering: .relaxed)
      if control.settings.preset != before { make(control) }
    }
  }

  package var latency: Int { 0 }

  /// Frames until the echoes are 96 dB softer; none at a mix of 0.
  package var tail: Int { share.load(ordering: .relaxed) == 0 ? 0 : frames.load(ordering: .relaxed) }

  package func prepare(rate: Int, channels: Int) {
    control.withLock { control in
      if let format = control.format, format == (rate, channels) { return }
      control.format = (rate, channels)
      make(control)
    }
  }

  /// Makes a distortion for the format and the preset.
  private func make(_ control: Control) {
    guard let format = control.format else { return }
    let distortion = Distortion(
      DistortionPlan(control.settings.preset), rate: format.rate, channels: format.channels)
    frames.store(distortion.tail, ordering: .relaxed)
    states.put(.distortion(.passRetained(distortion)), rate: format.rate, channels: format.channels)
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func process(_ call: BlockCall) {
    stage.move(
      share: share.load(ordering: .relaxed), gain: gain.load(ordering: .relaxed), rate: call.rate)
    stage.process(call, states)
  }

  @_noLocks @_noAllocation
  package func reset() { stage.reset() }
}
