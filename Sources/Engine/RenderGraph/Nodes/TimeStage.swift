package import AudioModel
internal import DSP
internal import Glibc
internal import Platform
internal import Realtime
internal import Synchronization

/// A node that lets time pass faster or slower, or sound be higher or lower: it pulls as much of its input as it needs.
///
/// Latency is how far it reads its input ahead; what comes out is not delayed by it.
package final class TimeStage: GraphNode, @unchecked Sendable {
  private struct State {
    var settings = TimePitchSettings()
    var isBypassed = false
    var windows = 4
  }

  private let state = Monitor(State())
  private let commands = LatestValue<TimeStageCommand>(blank: TimeStageCommand())
  private let wantsReset = Atomic<Bool>(false)
  // Belongs to the control side: what the last plan needed.
  private var stretcher: TimeStretcher?
  private var format: PCMFormat?
  // Belongs to the thread that renders.
  private var command = TimeStageCommand()

  /// Makes a stage that lets sound pass as it is.
  package override init() {}

  /// How fast and how high. Any thread; holds from the next frames on that are not made yet, without a click.
  package var settings: TimePitchSettings {
    get { state.withLock { $0.settings } }
    set { change { $0.settings = newValue.clamped } }
  }

  /// Lets the sound pass as it is. Any thread.
  package var isBypassed: Bool {
    get { state.withLock { $0.isBypassed } }
    set { change { $0.isBypassed = newValue } }
  }

  /// Spectral windows by which each frame is covered, 4…16. Any thread.
  package var windows: Int {
    get { state.withLock { $0.windows } }
    set { change { $0.windows = newValue } }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { state in
      body(&state)
      var command = TimeStageCommand()
      command.windows = state.windows
      if !state.isBypassed {
        command.time = TimeCommand(state.settings)
      }
      commands.store(command)
    }
  }

  /// Forgets the signal before the next frames. Any thread.
  package func reset() { wantsReset.store(true, ordering: .releasing) }

  /// Seconds by which the input is read ahead of what comes out, at most, but for a pitch.
  package var latency: Double {
    let (settings, isBypassed) = state.withLock { ($0.settings, $0.isBypassed) }
    guard !isBypassed, !settings.isIdentity else { return 0 }
    return TimeStretcher.latency(of: settings.algorithm, rate: settings.rate)
  }

  /// What stretches sound of a format: the same again as long as it is the same format. Control side.
  func stretcher(for format: PCMFormat) -> TimeStretcher {
    if let stretcher, self.format == format { return stretcher }
    let fresh = TimeStretcher(rate: format.sampleRate, channels: format.channels)
    stretcher = fresh
    self.format = format
    return fresh
  }

  // MARK: Real-time

  /// Sets what is wanted, before a call's frames.
  @_noLocks @_noAllocation
  func begin(_ stretcher: Unmanaged<TimeStretcher>) {
    if let next = commands.take() { command = next }
    let command = command
    let isReset = wantsReset.exchange(false, ordering: .acquiring)
    stretcher._withUnsafeGuaranteedRef {
      if isReset { $0.reset() }
      $0.setOverlap(command.windows)
      $0.set(rate: command.time.rate, pitchRatio: command.time.pitchRatio, algorithm: command.time.algorithm)
    }
  }
}

/// What a stage is told.
private struct TimeStageCommand: BitwiseCopyable {
  var time = TimeCommand()
  var windows = 4
}

extension TimeCommand {
  /// What settings mean for a stream.
  init(_ settings: TimePitchSettings) {
    rate = settings.rate
    pitchRatio = settings.pitch == 0 ? 1 : exp2(settings.pitch / 1200)
    algorithm = settings.algorithm
  }
}
