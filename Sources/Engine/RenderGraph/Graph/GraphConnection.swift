package import AudioModel
internal import DSP
internal import Platform
internal import Realtime
internal import Synchronization

/// The way from one node's output to another's input.
///
/// Everything that must live on when the graph around it changes is here: where a reader of a shared output stands, the
/// volume and balance of a mixer's input, the filter that changes the rate. A connection is made once and named in every
/// ``GraphDescription`` that has it.
package final class GraphConnection: @unchecked Sendable {
  /// Where the sound comes from.
  package let source: GraphNode
  /// Where it goes.
  package let destination: GraphNode
  /// Input of the destination; mixers add their inputs in this order.
  package let destinationBus: Int
  /// What the source delivers.
  package let format: PCMFormat

  /// Volume and balance of a mixer's input.
  package struct Mix: Hashable, Sendable, BitwiseCopyable {
    /// A factor, 0 or more; 1 leaves the sound as it is.
    package var volume: Float
    /// −1 (left) … 1 (right); 0 leaves the sound as it is. To the side, the other side's first channel gets softer in a
    /// straight line and is silent at the end.
    package var pan: Float
    /// Makes a mix.
    package init(volume: Float = 1, pan: Float = 0) {
      self.volume = volume
      self.pan = pan
    }
  }

  /// Whether it begins in silence.
  let fadesIn: Bool
  private let isGone = Atomic<Bool>(false)
  private let mixing: Monitor<Mix>
  private let mailbox = LatestValue<Mix>(blank: Mix())
  // Belongs to the control side: the input as the last plan needed it.
  private var input: MixerInput?

  // Belong to the thread that renders.
  private(set) var cursor: Int64 = -1
  let state: UnsafeMutablePointer<MixState>

  /// Makes a connection.
  /// - Parameters:
  ///   - format: Format of the source's output.
  ///   - mix: Volume and balance to begin with.
  ///   - fadeFrames: Over how many of the destination's frames the sound fades in; 0 where nothing sounds yet.
  package init(
    from source: GraphNode, to destination: GraphNode, bus destinationBus: Int, format: PCMFormat, mix: Mix = Mix(),
    fadeFrames: Int = 0
  ) {
    self.source = source
    self.destination = destination
    self.destinationBus = destinationBus
    self.format = format
    fadesIn = fadeFrames > 0
    mixing = Monitor(mix)
    state = .allocate(capacity: 1)
    // What leads to the output may have sounded without being mixed.
    state.initialize(to: MixState(mix, fadeFrames: fadeFrames, hasRendered: destination is OutputNode))
  }

  deinit { state.deallocate() }

  /// Volume and balance. A change is spread over 10 ms. Any thread.
  package var mix: Mix {
    get { mixing.withLock { $0 } }
    set {
      mixing.withLock {
        $0 = newValue
        mailbox.store(newValue)
      }
    }
  }

  /// It was on its way out and is silent now.
  package var hasLeft: Bool { isGone.load(ordering: .relaxed) }

  /// The mixer's input that this connection is, kept from plan to plan as long as the formats are the same. One with more
  /// room goes on where the one before stands.
  func mixerInput(to format: PCMFormat, capacity: Int) -> MixerInput {
    if let input, input.output == format, input.capacity >= capacity { return input }
    // Twice as much as is wanted: another plan may want somewhat more.
    let fresh = MixerInput(self, from: self.format, to: format, capacity: 2 * capacity, after: input)
    input = fresh
    return fresh
  }

  // MARK: Real-time

  /// Takes a change of the mix.
  @_noLocks @_noAllocation
  func obey(rampFrames: Int) {
    if let mix = mailbox.take() { state.pointee.move(to: mix, over: rampFrames) }
  }

  /// Tells that it is silent.
  @_noLocks @_noAllocation
  func tellLeft() { isGone.store(true, ordering: .relaxed) }

  /// Sets where this reader of a shared output stands.
  @_noLocks @_noAllocation
  func setCursor(_ frame: Int64) { cursor = frame }
}

/// Volume and balance as they are rendered.
struct MixState: BitwiseCopyable {
  /// Gains of the first channel, the second, and the rest.
  private(set) var left: GainRamp
  private(set) var right: GainRamp
  private(set) var others: GainRamp
  /// The connection's coming and going.
  private(set) var fade: GainRamp
  private(set) var isLeaving = false
  private var hasRendered: Bool

  init(_ mix: GraphConnection.Mix, fadeFrames: Int, hasRendered: Bool) {
    self.hasRendered = hasRendered
    left = GainRamp(Self.left(mix))
    right = GainRamp(Self.right(mix))
    others = GainRamp(mix.volume)
    fade = GainRamp(fadeFrames > 0 ? 0 : 1)
    if fadeFrames > 0 { fade.move(to: 1, over: fadeFrames) }
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  private static func left(_ mix: GraphConnection.Mix) -> Float {
    mix.volume * (mix.pan > 0 ? 1 - (mix.pan < 1 ? mix.pan : 1) : 1)
  }

  @_noLocks @_noAllocation
  private static func right(_ mix: GraphConnection.Mix) -> Float {
    mix.volume * (mix.pan < 0 ? 1 + (mix.pan > -1 ? mix.pan : -1) : 1)
  }

  /// Nothing is to be heard of the connection any more.
  var isSilent: Bool {
    @_noLocks @_noAllocation
    get { isLeaving && fade.position >= fade.length }
  }

  @_noLocks @_noAllocation
  mutating func move(to mix: GraphConnection.Mix, over frames: Int) {
    let frames = hasRendered ? frames : 0
    left.move(to: Self.left(mix), over: frames)
    right.move(to: Self.right(mix), over: frames)
    others.move(to: mix.volume, over: frames)
  }

  /// Begins to fade out.
  @_noLocks @_noAllocation
  mutating func leave(over frames: Int) {
    guard !isLeaving else { return }
    isLeaving = true
    fade.move(to: 0, over: hasRendered ? frames : 0)
  }

  /// The gain of a channel for the next frames: one number where it stands still, else a curve.
  /// - Returns: The number, or `nil` where the curve was written.
  @_noLocks @_noAllocation
  func gain(_ channel: Int, curve: UnsafeMutablePointer<Float>, count: Int) -> Float? {
    var ramp = channel == 0 ? left : channel == 1 ? right : others
    if ramp.position >= ramp.length, fade.position >= fade.length { return ramp.target * fade.target }
    curve.update(repeating: 1, count: count)
    ramp.apply(to: curve, stride: 0, channels: 1, count: count)
    var fade = fade
    fade.apply(to: curve, stride: 0, channels: 1, count: count)
    return nil
  }

  /// Steps on.
  @_noLocks @_noAllocation
  mutating func advance(_ frames: Int) {
    hasRendered = true
    left.advance(frames)
    right.advance(frames)
    others.advance(frames)
    fade.advance(frames)
  }
}
