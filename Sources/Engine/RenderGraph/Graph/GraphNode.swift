package import Realtime
internal import Synchronization

/// A node of a signal graph: what makes, changes or takes sound.
///
/// Nodes are made and changed on the control side. What the render call knows of a node lives in the same object, in
/// members that belong to the thread that renders; a node that a plan names is kept by that plan.
package class GraphNode: @unchecked Sendable {
  private static let next = Atomic<Int>(1)

  /// Tells nodes apart, in the order of their making.
  package let id = next.wrappingAdd(1, ordering: .relaxed).oldValue
  let clock: UnsafeMutablePointer<NodeClock>
  // Belongs to the control side: what several readers share, as the last plan needed it.
  private var fanOut: FanOut?

  init() {
    clock = .allocate(capacity: 1)
    clock.initialize(to: NodeClock())
  }

  deinit {
    clock.deinitialize(count: 1)
    clock.deallocate()
  }

  /// What the node has rendered at its output. Any thread.
  package final var times: NodeTimes { clock.pointee.published.latest }

  /// Begins to count anew. Only while nothing renders.
  package final func resetTimes() { clock.pointee.reset() }

  /// What readers of this node's output share. Once there it stays: a reader may be some frames behind.
  final func sharedOutput(channels: Int, capacity: Int, readers: Int) -> FanOut? {
    guard readers > 1 || fanOut != nil else { return nil }
    if let fanOut, fanOut.serves(channels: channels, capacity: capacity) { return fanOut }
    let fresh = FanOut(channels: channels, capacity: 2 * capacity)
    fanOut = fresh
    return fresh
  }
}

/// Counts a node's frames, for the thread that renders, and tells them to others.
struct NodeClock: ~Copyable {
  let published = PublishedTimes()
  // Outside of the value: counting must not be a change of what others read.
  private let counter: UnsafeMutablePointer<Int64>

  init() {
    counter = .allocate(capacity: 1)
    counter.initialize(to: 0)
  }

  deinit { counter.deallocate() }

  func reset() {
    counter.pointee = 0
    published.publish(NodeTimes())
  }

  // MARK: Real-time

  /// The number of the next frame.
  var frame: Int64 {
    @_noLocks @_noAllocation
    get { counter.pointee }
  }

  /// Counts frames, and publishes.
  @_noLocks @_noAllocation
  func advance(_ frames: Int, _ context: RenderContext, rate: Int) {
    counter.pointee &+= Int64(frames)
    publish(NodeTimes(), frames, context, rate: rate)
  }

  /// Counts frames, and leaves publishing to the caller.
  @_noLocks @_noAllocation
  func count(_ frames: Int) { counter.pointee &+= Int64(frames) }

  /// Publishes, with what only a player knows.
  @_noLocks @_noAllocation
  func publish(_ times: NodeTimes, _ frames: Int, _ context: RenderContext, rate: Int) {
    var times = times
    times.frame = frame
    times.hostTime = context.hostTime(after: frames, rate: rate)
    published.publish(times)
  }
}
