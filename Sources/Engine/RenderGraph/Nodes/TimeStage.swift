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
  private let wish = Atomic<Wish>(.none)
  private let ahead = Atomic<Int>(0)
  // Belongs to the control side: what the last plan needed.
  private var stretcher: TimeStretcher?
  private var format: PCMFormat?
  // Belongs to the thread that renders.
  private var command = TimeStageCommand()
  /// Frames of a fade of 256 that were made; −1 where nothing fades.
  private var closing = -1

  /// What is to become of the signal.
  private enum Wish: UInt8, AtomicRepresentable { case none, cut, reset }

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
  package func reset() { wish.store(.reset, ordering: .releasing) }

  /// Fades out what was read ahead, over some milliseconds, and forgets it. Any thread.
  package func cut() { wish.store(.cut, ordering: .releasing) }

  /// Frames of the input that were read ahead of what came out last. Any thread.
  package var framesAhead: Int { ahead.load(ordering: .acquiring) }

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
    let wish = wish.exchange(.none, ordering: .acquiring)
    var isReset = false
    switch wish {
    case .none: break
    case .cut:
      let isEmpty = stretcher._withUnsafeGuaranteedRef { $0.pushedFrames } == 0
      if closing < 0, !isEmpty { closing = 0 }
    case .reset:
      isReset = true
      closing = -1
    }
    // What fades out needs nothing more of the input.
    let isClosing = closing >= 0
    stretcher._withUnsafeGuaranteedRef {
      if isReset { $0.reset() }
      if isClosing { $0.finish() }
      $0.setOverlap(command.windows)
      $0.set(rate: command.time.rate, pitchRatio: command.time.pitchRatio, algorithm: command.time.algorithm)
    }
  }

  /// How many of the next frames may be made at a time: a fade ends with a piece.
  @_noLocks @_noAllocation
  func piece(of frames: Int) -> Int {
    guard closing >= 0 else { return frames }
    let left = 256 &- closing
    return left < frames ? left : frames
  }

  /// Ends a piece: fades what is cut, and tells how far ahead the input is.
  @_noLocks @_noAllocation
  func end(
    _ stretcher: Unmanaged<TimeStretcher>, _ planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int,
    made: Int, of count: Int
  ) {
    var channel = 0
    while channel < channels {
      let plane = planes + channel &* stride
      var frame = 0
      while closing >= 0 && frame < made {
        plane[frame] *= Float(Int32(truncatingIfNeeded: 256 &- closing &- frame)) / 256
        frame &+= 1
      }
      frame = made
      while frame < count {
        plane[frame] = 0
        frame &+= 1
      }
      channel &+= 1
    }
    if closing >= 0 {
      closing &+= count
      if closing >= 256 {
        closing = -1
        stretcher._withUnsafeGuaranteedRef { $0.reset() }
      }
    }
    ahead.store(stretcher._withUnsafeGuaranteedRef { $0.lookAhead }, ordering: .releasing)
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
