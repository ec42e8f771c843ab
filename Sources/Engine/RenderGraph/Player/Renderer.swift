package import AudioModel
internal import DSP
internal import Realtime
internal import Synchronization

/// The end of the way of a frame: takes decoded frames from a buffer and gives them to the device, with transport,
/// volume and meter.
///
/// The device's thread calls ``render(_:frames:)`` and ``rewind(frames:)``; everything else belongs to the control
/// side, one thread at a time, and never waits. Commands take effect in order at the start of a render call; as long as
/// none comes they wait, and where many wait the last of each kind counts.
///
/// Frames of a buffer are rendered once each, in order, whatever is commanded in between: a ramp scales the real frames
/// where it falls. Outside ramps and at gain 1 they pass bit for bit. Frames that are missing when they are needed are
/// waited for in silence.
package final class Renderer: RenderSource, @unchecked Sendable {
  // `waiting` belongs to the control side; the contents of `plan` to the device's thread. The rest is made for two.
  private let commands = SPSCRing<Command>(minimumCapacity: 64)
  private let plans = HandOver<RenderPlan>(capacity: 4)
  private let transport: Unmanaged<Transport>
  private let gain: Unmanaged<GainNode>
  private let meter = MeterNode()
  private let end = OutputNode()
  private let plan: UnsafeMutablePointer<Unmanaged<RenderPlan>>
  private var waiting = Waiting()
  private let rack: EffectRack
  private let format: PCMFormat
  private let maximumFrames: Int
  private var hasStretcher = false

  /// Whether a device renders: what comes and goes then, fades. Control side.
  package var isSounding = false

  /// Makes a renderer that is silent, has no buffer and does not run.
  /// - Parameters:
  ///   - format: Format of the output. Buffers must have its channels; their rate is taken to be the same.
  ///   - maximumFrames: Frames that are worked on at a time; longer calls are rendered in pieces.
  ///   - rampFrames: Frames over which sound fades at a pause, a resumption and a replacement; 0 for hard edges.
  package init(format: PCMFormat, maximumFrames: Int, rampFrames: Int) {
    precondition(rampFrames >= 0)
    transport = .passRetained(Transport(rampFrames: rampFrames))
    gain = .passRetained(GainNode())
    rack = EffectRack(transport.takeUnretainedValue())
    self.format = format
    self.maximumFrames = maximumFrames
    plan = .allocate(capacity: 1)
    plan.initialize(to: .passRetained(makePlan(format: format, maximumFrames: maximumFrames)))
  }

  /// The player's graph: transport → effects → volume → limiter → meter.
  package func makePlan(format: PCMFormat, maximumFrames: Int) -> RenderPlan {
    let transport = transport.takeUnretainedValue()
    let chain: [GraphNode] = [transport] + rack.effects + [gain.takeUnretainedValue()] + rack.limiters + [meter, end]
    let connections = zip(chain, chain.dropFirst()).map { GraphConnection(from: $0, to: $1, bus: 0, format: format) }
    let graph = GraphDescription(output: end, format: format, connections: connections)
    let plan = RenderPlan.compile(graph, maximumFrames: maximumFrames, hasSoftEdges: true)
    rack.isPrepared(for: format.sampleRate)
    return plan
  }

  deinit {
    plan.pointee.release()
    plan.deallocate()
    transport.release()
    gain.release()
  }

  // MARK: Control

  /// Plays or goes on. Fades in, except at the very start of a buffer that was given with `ramp: false`.
  package func run() { send { $0.isRunning = true } }

  /// Fades out, then holds in silence; the stream stands behind the last frame of the fade.
  package func pause() { send { $0.isRunning = false } }

  /// Goes over to another buffer; whether it runs stays as it is.
  /// - Parameters:
  ///   - buffer: What follows, of another generation and with the output's channels; `nil` for silence.
  ///   - ramp: Fades out what plays and fades in what follows; otherwise both edges are hard.
  package func replace(_ buffer: StreamBuffer?, ramp: Bool) {
    send { $0.replacement = Replacement(buffer: buffer, ramp: ramp) }
  }

  /// Sets the volume as a factor, 0 or more. A change is spread over 10 ms.
  package func setGain(_ amplitude: Float) {
    gain._withUnsafeGuaranteedRef { $0.setGain(amplitude) }
    rack.setLoud(amplitude > 1, isSounding: isSounding)
    exchangeStages()
  }

  /// Lets other effects hold. What is in the plan already gets other parameters; what is not comes with another plan,
  /// and what is no longer wanted leaves with one, as soon as it has faded.
  package func setEffects(_ settings: EffectSettings) {
    setTime(settings.time)
    rack.set(settings, isSounding: isSounding)
    exchangeStages()
  }

  /// Lets the stream play faster or slower, higher or lower, from the next frames on that are not made yet.
  private func setTime(_ time: TimePitchSettings) {
    let command = TimeCommand(time)
    let transport = transport.takeUnretainedValue()
    if !command.isIdentity, !hasStretcher {
      // As far back as the deepest device.
      let history = 2 * format.sampleRate.hertz
      hasStretcher = transport.stretchers.give(
        StretchedStream(format: format, maximumFrames: maximumFrames, history: history))
    }
    transport.timeCommands.store(command)
  }

  /// Lets effects forget what they have heard. Only while nothing is heard.
  package func resetEffects() { rack.reset() }

  /// Frames by which effects delay the sound.
  package var latency: Int { rack.latency }

  /// Frames of silence behind which nothing is heard of effects: they have faded.
  package var fadeFrames: Int { rack.isEmpty ? 0 : edgeFrames(at: format.sampleRate.hertz) }

  private func exchangeStages() {
    rack.dropLeft(isSounding: isSounding)
    if rack.hasChanged { install(makePlan(format: format, maximumFrames: maximumFrames)) }
  }

  /// Goes over to another plan between two render calls, at the present volume. A buffer with other channels than the
  /// plan's is not played until one of them is replaced. The device must deliver the plan's format.
  package func install(_ plan: RenderPlan) { send { $0.plan = plan } }

  /// Hands out what happened since the last call, in order.
  package func takeEvents(_ body: (RenderEvent) -> Void) {
    deliver()
    while let event = transport._withUnsafeGuaranteedRef({ $0.events.pop() }) { body(event) }
  }

  /// Frees buffers and plans that the device no longer uses, and sends commands that had to wait.
  package func collectRetired() {
    plans.collect()
    exchangeStages()
    transport._withUnsafeGuaranteedRef { $0.streams.collect() }
    deliver()
  }

  /// The peak of each channel since the last call, behind the gain: an amplitude, 1 at full scale.
  /// - Parameter levels: As many channels as it has elements are filled, 64 at most.
  package func takeLevels(into levels: inout [Float]) {
    for channel in levels.indices.prefix(ChannelLayout.accepted.upperBound) {
      levels[channel] = meter.peaks.take(channel)
    }
  }

  /// What the meter measures; at first, peaks. Without anything, it costs nothing.
  package var levelMeasures: LevelMeasures {
    get { meter.measures }
    set { meter.measures = newValue }
  }

  /// The mean square of each channel since the last call, behind the gain, where ``levelMeasures`` has it.
  /// - Parameter levels: As many channels as it has elements are filled, 64 at most.
  package func takeMeanSquares(into levels: inout [Float]) {
    for channel in levels.indices.prefix(ChannelLayout.accepted.upperBound) {
      levels[channel] = meter.squares.take(channel)
    }
  }

  /// The true peak of each channel since the last call, behind the gain, where ``levelMeasures`` has it.
  /// - Parameter levels: As many channels as it has elements are filled, 64 at most.
  package func takeTruePeaks(into levels: inout [Float]) {
    for channel in levels.indices.prefix(ChannelLayout.accepted.upperBound) {
      levels[channel] = meter.truePeaks.take(channel)
    }
  }

  /// Frames that the meter did anything for.
  package var measuredFrames: Int64 { meter.workDone }

  /// Frames of silence that were rendered because a running buffer was empty before its end.
  package var starvedFrames: Int64 {
    transport._withUnsafeGuaranteedRef { $0.starvedFrames.load(ordering: .relaxed) }
  }

  private func send(_ change: (inout Waiting) -> Void) {
    deliver()
    change(&waiting)
    deliver()
  }

  /// Sends what waits, as far as there is room. The order is that of the effect: a run or a pause is meant for what was
  /// given before it or stays.
  private func deliver() {
    guard !waiting.isEmpty else { return }
    if let plan = waiting.plan, commands.hasRoom, plans.give(plan) {
      _ = commands.push(.install)
      waiting.plan = nil
    }
    if let replacement = waiting.replacement, waiting.plan == nil, commands.hasRoom {
      if let buffer = replacement.buffer {
        guard transport._withUnsafeGuaranteedRef({ $0.streams.give(buffer) }) else { return }
      }
      _ = commands.push(.replace(withBuffer: replacement.buffer != nil, ramp: replacement.ramp))
      waiting.replacement = nil
    }
    if let isRunning = waiting.isRunning, waiting.plan == nil, waiting.replacement == nil {
      if commands.push(isRunning ? .run : .pause) { waiting.isRunning = nil }
    }
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    obey()
    var done = 0
    while done < frames {
      let count = renderPiece(samples, done, frames)
      if count == 0 { break }
      done &+= count
    }
    transport._withUnsafeGuaranteedRef { $0.flush() }
    return done
  }

  @_noLocks @_noAllocation
  private func renderPiece(_ samples: UnsafeMutablePointer<Float>, _ done: Int, _ frames: Int) -> Int {
    plan.pointee._withUnsafeGuaranteedRef { plan in
      let wanted = frames &- done < plan.maximumFrames ? frames &- done : plan.maximumFrames
      let block = plan.render(RenderContext(outputFrame: 0, frames: wanted, hostTime: 0))
      Interleaving.interleave(
        block.planes, stride: block.stride, channels: plan.channels, frames: block.count,
        into: samples + done &* plan.channels)
      return block.count
    }
  }

  @_noLocks @_noAllocation
  package func readyFrames(_ frames: Int) -> Int {
    obey()
    return transport._withUnsafeGuaranteedRef { $0.readyFrames(frames) }
  }

  @_noLocks @_noAllocation
  package func rewind(frames: Int) -> Int {
    // What effects remember does not go back.
    guard plan.pointee._withUnsafeGuaranteedRef({ $0.canRewind }) else { return 0 }
    let count = transport._withUnsafeGuaranteedRef { $0.rewind(frames) }
    gain._withUnsafeGuaranteedRef { $0.rewind(count) }
    return count
  }

  @_noLocks @_noAllocation
  private func obey() {
    while let command = commands.pop() {
      switch command {
      case .run: transport._withUnsafeGuaranteedRef { $0.run() }
      case .pause: transport._withUnsafeGuaranteedRef { $0.pause() }
      case .replace(let withBuffer, let ramp):
        transport._withUnsafeGuaranteedRef { $0.replace(withBuffer: withBuffer, ramp: ramp) }
      case .install: exchangePlan()
      }
    }
  }

  @_noLocks @_noAllocation
  private func exchangePlan() {
    guard let next = plans.take() else { return }
    let previous = plan.pointee
    plan.pointee = next
    if !previous._withUnsafeGuaranteedRef({ $0.canRewind }) { transport._withUnsafeGuaranteedRef { $0.seal() } }
    plans.retire(previous)
  }
}

/// What travels to the device's thread; objects go beside it, through a hand-over, in the same order.
private enum Command: BitwiseCopyable {
  case run, pause, install
  case replace(withBuffer: Bool, ramp: Bool)
}

/// Commands that found no room: the last of each kind.
private struct Waiting {
  var plan: RenderPlan?
  var replacement: Replacement?
  var isRunning: Bool?
  var isEmpty: Bool { plan == nil && replacement == nil && isRunning == nil }
}

private struct Replacement {
  var buffer: StreamBuffer?
  var ramp: Bool
}
