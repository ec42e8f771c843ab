internal import AudioModel
internal import DSP
internal import Platform
package import Realtime
internal import Synchronization

/// Renders a graph: on a device's thread, or wherever it is called.
///
/// One thread at a time renders. The control side installs graphs between two render calls; nodes and connections that
/// are in both go on as if nothing had happened.
package final class GraphRenderer: RenderSource, @unchecked Sendable {
  private struct Desk {
    var graph: GraphDescription
    var target: GraphDescription?
    var waiting: RenderPlan?
  }

  private let desk: Monitor<Desk>
  private let plans = HandOver<RenderPlan>(capacity: 8)
  private let plan: UnsafeMutablePointer<Unmanaged<RenderPlan>>
  private let isRealtime: Bool
  private let maximumFrames: Int
  private let published = PublishedTimes()
  private let calls = Atomic<Int>(0)
  // Belongs to the thread that renders.
  private var outputFrame: Int64 = 0

  /// Makes a renderer of a graph.
  /// - Parameters:
  ///   - maximumFrames: Frames that are worked on at a time; longer calls are rendered in pieces.
  ///   - isRealtime: There is a clock: host times are told, and sound that is cut fades over 5 ms. Otherwise there is
  ///     none, edges are hard, and equal graphs make equal bits.
  package init(_ graph: GraphDescription, maximumFrames: Int, isRealtime: Bool) {
    self.maximumFrames = maximumFrames
    self.isRealtime = isRealtime
    desk = Monitor(Desk(graph: graph))
    plan = .allocate(capacity: 1)
    plan.initialize(
      to: .passRetained(.compile(graph, maximumFrames: maximumFrames, hasSoftEdges: isRealtime)))
  }

  deinit {
    plan.pointee.release()
    plan.deallocate()
  }

  // MARK: Control

  /// Goes over to another graph, with the same output format. What sounds and is not in it fades out first.
  package func install(_ graph: GraphDescription) {
    desk.withLock { desk in
      precondition(graph.format == desk.graph.format, "the format of a renderer's output stays")
      let next = isRealtime ? graph.leaving(from: desk.graph) : graph
      desk.target = next.leaving.isEmpty ? nil : graph
      desk.graph = next
      give(.compile(next, maximumFrames: maximumFrames, hasSoftEdges: isRealtime), &desk)
    }
  }

  /// Frees what the render call no longer uses, and ends what has faded. To be called now and then.
  /// - Returns: Whether something fades, so that it should be called again soon.
  @discardableResult
  package func tick() -> Bool {
    desk.withLock { desk in
      plans.collect()
      if let plan = desk.waiting {
        desk.waiting = nil
        give(plan, &desk)
      }
      if let target = desk.target, desk.graph.leaving.allSatisfy(\.hasLeft) {
        desk.target = nil
        desk.graph = target
        give(.compile(target, maximumFrames: maximumFrames, hasSoftEdges: isRealtime), &desk)
      }
      return desk.target != nil || desk.waiting != nil
    }
  }

  /// Frames of the output rendered so far, and when.
  package var times: NodeTimes { published.latest }

  /// Render calls so far.
  package var callCount: Int { calls.load(ordering: .relaxed) }

  private func give(_ plan: RenderPlan, _ desk: inout Desk) {
    // Only the latest counts, so one that finds no room takes the place of one that waits.
    desk.waiting = plans.give(plan) ? nil : plan
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    obey()
    let start = now
    var done = 0
    while done < frames {
      done &+= renderPiece(samples, start, done, frames)
    }
    calls.add(1, ordering: .relaxed)
    return frames
  }

  /// Renders into planes.
  /// - Parameter planes: One for each channel, with room for `frames`.
  @_noLocks @_noAllocation
  package func render(planes: UnsafePointer<UnsafeMutablePointer<Float>>, frames: Int) {
    obey()
    let start = now
    var done = 0
    while done < frames {
      done &+= renderPiece(planes, start, done, frames)
    }
    calls.add(1, ordering: .relaxed)
  }

  @_noLocks @_noAllocation
  package func rewind(frames: Int) -> Int { 0 }

  @_noLocks @_noAllocation
  private func renderPiece(
    _ samples: UnsafeMutablePointer<Float>, _ start: UInt64, _ done: Int, _ frames: Int
  ) -> Int {
    let (block, channels) = renderPiece(start, done, frames)
    Interleaving.interleave(
      block.planes, stride: block.stride, channels: channels, frames: block.count, into: samples + done &* channels)
    return block.count
  }

  @_noLocks @_noAllocation
  private func renderPiece(
    _ planes: UnsafePointer<UnsafeMutablePointer<Float>>, _ start: UInt64, _ done: Int, _ frames: Int
  ) -> Int {
    let (block, channels) = renderPiece(start, done, frames)
    var channel = 0
    while channel < channels {
      Mixing.set(planes[channel] + done, block.planes + channel &* block.stride, gain: 1, count: block.count)
      channel &+= 1
    }
    return block.count
  }

  /// Renders what is left of a call, at most what the plan can at a time.
  @_noLocks @_noAllocation
  private func renderPiece(_ start: UInt64, _ done: Int, _ frames: Int) -> (RenderedBlock, channels: Int) {
    let (maximum, rate, channels) = plan.pointee._withUnsafeGuaranteedRef {
      ($0.maximumFrames, $0.format.sampleRate.hertz, $0.channels)
    }
    let wanted = frames &- done < maximum ? frames &- done : maximum
    var context = RenderContext(outputFrame: outputFrame, frames: wanted, hostTime: start)
    context.hostTime = context.hostTime(after: done, rate: rate)
    var block = plan.pointee._withUnsafeGuaranteedRef { $0.render(context) }
    if block.count < wanted {
      // Only a stream of the player's ends; a graph is never over.
      var channel = 0
      while channel < channels {
        (block.planes + channel &* block.stride + block.count).update(repeating: 0, count: wanted &- block.count)
        channel &+= 1
      }
      block.count = wanted
    }
    outputFrame &+= Int64(wanted)
    var times = NodeTimes()
    times.frame = outputFrame
    times.hostTime = context.hostTime(after: wanted, rate: rate)
    published.publish(times)
    return (block, channels)
  }

  // A door: reading the monotonic clock is no system call on this system.
  @_semantics("no_performance_analysis")
  private func readClock() -> UInt64 { UInt64(MonotonicTime.now.nanoseconds) }

  private var now: UInt64 {
    @_noLocks @_noAllocation
    get { isRealtime ? readClock() : 0 }
  }

  @_noLocks @_noAllocation
  private func obey() {
    while let next = plans.take() {
      plans.retire(plan.pointee)
      plan.pointee = next
    }
  }
}
