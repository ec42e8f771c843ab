internal import DSP
internal import Synchronization

/// Goes on with silence where the stream has ended, as long as effects behind it still sound.
///
/// The frames count as the transport's, so that positions stay true.
final class TailNode: GraphNode, @unchecked Sendable {
  private let transport: Unmanaged<Transport>
  private let frames = Atomic<Int>(0)
  // Belong to the thread that renders.
  private var left = 0
  private(set) var isEnding = false

  /// Makes a node behind a transport that lives for longer.
  init(_ transport: Transport) { self.transport = .passUnretained(transport) }

  /// How long effects sound on. Holds from the next sound on. Any thread.
  func setFrames(_ count: Int) { frames.store(count, ordering: .relaxed) }

  // MARK: Real-time

  /// The sound that came, or silence where none comes any more.
  /// - Parameter own: Room for silence.
  @_noLocks @_noAllocation
  func pass(_ input: RenderedBlock, or own: RenderedBlock, channels: Int, rate: Int) -> RenderedBlock {
    guard input.count == 0 else {
      left = frames.load(ordering: .relaxed)
      isEnding = false
      return input
    }
    guard left > 0 else { return input }
    var block = own
    let fade = edgeFrames(at: rate)
    isEnding = left <= fade
    // A block lies before the end's fade or in it.
    let most = isEnding ? left : left &- fade
    if block.count > most { block.count = most }
    Mixing.clear(block.planes, stride: block.stride, channels: channels, count: block.count)
    left &-= block.count
    transport._withUnsafeGuaranteedRef { $0.pass(block.count) }
    return block
  }
}

/// Fades out what effects still make when the stream stands still by wish, or when their time is over, and fades it in
/// again when there is sound.
///
/// When a player pauses, the effects freeze with it: what was on its way in them is heard when it goes on.
final class EdgeNode: GraphNode, @unchecked Sendable {
  private let transport: Unmanaged<Transport>
  private let tail: Unmanaged<TailNode>
  private let wantsReset = Atomic<Bool>(false)
  // Belong to the thread that renders.
  private var ramp = GainRamp(1)
  private var hasSounded = false

  /// Makes a node behind a transport and a tail that live for longer.
  init(_ transport: Transport, _ tail: TailNode) {
    self.transport = .passUnretained(transport)
    self.tail = .passUnretained(tail)
  }

  /// Opens, for what comes next has no past. Only while nothing is heard.
  func reset() { wantsReset.store(true, ordering: .releasing) }

  // MARK: Real-time

  @_noLocks @_noAllocation
  func apply(to block: RenderedBlock, channels: Int, rate: Int) {
    if wantsReset.exchange(false, ordering: .acquiring) {
      ramp = GainRamp(1)
      hasSounded = false
    }
    let isHeld = transport._withUnsafeGuaranteedRef { $0.isHeld }
    let isEnding = tail._withUnsafeGuaranteedRef { $0.isEnding }
    var target: Float = 1
    if isHeld { target = 0 }
    if isEnding { target = 0 }
    if target == 1 { hasSounded = true }
    // Before the first sound there is nothing to fade, and the first sound begins as it is.
    if !hasSounded { return }
    if target != ramp.target { ramp.move(to: target, over: edgeFrames(at: rate)) }
    ramp.apply(to: block.planes, stride: block.stride, channels: channels, count: block.count)
  }
}

/// Frames of a fade at the edge of effects: 20 ms.
@_noLocks @_noAllocation
func edgeFrames(at rate: Int) -> Int { rate / 50 }
