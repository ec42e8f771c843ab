package import AudioModel
internal import DSP
internal import Platform
internal import Realtime
internal import Synchronization

/// A delay in a graph: ``Delay``, mixed with the sound as it came.
///
/// No latency. At a mix of 0 sound passes bit for bit; repetitions die away unheard, and then it costs nothing.
package final class DelayKernel: EffectKernel, @unchecked Sendable {
  private struct Control {
    var settings = DelaySettings()
    var format: (rate: Int, channels: Int)?
  }

  /// Seconds that an endless tail counts as.
  package static let longestTail = 60

  private let control = Monitor(Control())
  private let mailbox = LatestValue(blank: Delay.Targets(DelaySettings(), rate: 1))
  private let share = Atomic<Float>(1)
  private let frames = Atomic<Int>(0)
  private let states = FadingState()
  private var stage = WetStage()

  /// Makes a delay.
  package init(_ settings: DelaySettings = DelaySettings()) { self.settings = settings }

  /// What it does; values outside their ranges become the nearest within. Any thread. Mix, feedback and cutoff move
  /// over 20 ms, another time fades in over 50 ms.
  package var settings: DelaySettings {
    get { control.withLock { $0.settings } }
    set { change { $0 = newValue } }
  }

  /// Changes some of the ``settings``, as one step for all threads.
  package func change(_ body: (inout DelaySettings) -> Void) {
    control.withLock { control in
      body(&control.settings)
      control.settings = control.settings.clamped
      share.store(Float(control.settings.mix / 100), ordering: .relaxed)
      guard let format = control.format else { return }
      let targets = Delay.Targets(control.settings, rate: format.rate)
      note(targets, rate: format.rate)
      mailbox.store(targets)
    }
  }

  package var latency: Int { 0 }

  /// Frames until the repetitions are 96 dB softer, at most a minute; none at a mix of 0.
  package var tail: Int { share.load(ordering: .relaxed) == 0 ? 0 : frames.load(ordering: .relaxed) }

  package func prepare(rate: Int, channels: Int) {
    control.withLock { control in
      if let format = control.format, format == (rate, channels) { return }
      control.format = (rate, channels)
      let targets = Delay.Targets(control.settings, rate: rate)
      note(targets, rate: rate)
      let delay = Delay(targets, rate: rate, channels: channels)
      states.put(.delay(.passRetained(delay)), rate: rate, channels: channels)
    }
  }

  private func note(_ targets: Delay.Targets, rate: Int) {
    frames.store(min(targets.tail, Self.longestTail * rate), ordering: .relaxed)
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func process(_ call: BlockCall) {
    stage.move(share: share.load(ordering: .relaxed), gain: 1, rate: call.rate)
    stage.process(call, states, targets: mailbox.take())
  }

  @_noLocks @_noAllocation
  package func reset() { stage.reset() }
}
