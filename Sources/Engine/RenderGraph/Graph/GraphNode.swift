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
  /// What the node has rendered at its output, readable from any thread.
  package let times = PublishedTimes()
  // Belongs to the control side: what several readers share, as the last plan needed it.
  private var fanOut: FanOut?
  // Belongs to the thread that renders.
  private var renderedFrames: Int64 = 0

  init() {}

  /// What readers of this node's output share. Once there it stays: a reader may be some frames behind.
  final func sharedOutput(channels: Int, capacity: Int, readers: Int) -> FanOut? {
    guard readers > 1 || fanOut != nil else { return nil }
    if let fanOut, fanOut.serves(channels: channels, capacity: capacity) { return fanOut }
    let fresh = FanOut(channels: channels, capacity: 2 * capacity)
    fanOut = fresh
    return fresh
  }

  // MARK: Real-time

  /// Counts frames that were rendered, and publishes.
  @_noLocks @_noAllocation
  final func advance(_ frames: Int, _ context: RenderContext, rate: Int) {
    renderedFrames &+= Int64(frames)
    var times = NodeTimes()
    times.frame = renderedFrames
    times.hostTime = context.hostTime(after: frames, rate: rate)
    self.times.publish(times)
  }

  /// The number of the next frame.
  final var frame: Int64 {
    @_noLocks @_noAllocation
    get { renderedFrames }
  }

  /// Counts frames, and leaves publishing to the caller.
  @_noLocks @_noAllocation
  final func count(_ frames: Int) { renderedFrames &+= Int64(frames) }

  /// Begins to count anew. Only while nothing renders.
  package final func resetTimes() {
    renderedFrames = 0
    times.publish(NodeTimes())
  }
}
