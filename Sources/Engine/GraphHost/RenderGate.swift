internal import Platform
internal import Realtime
package import RenderGraph
internal import Synchronization

/// Stands between a device and a renderer, so that the control side may work on what the renderer touches while the
/// device stands still.
///
/// The device's thread never waits: where the control side is inside, it hears silence for that call.
package final class RenderGate: RenderSource, @unchecked Sendable {
  private let nobody = 0
  private let device = 1
  private let control = 2

  private let holder = Atomic<Int>(0)
  private let calls = Atomic<Int>(0)
  private let slowCalls = Atomic<Int>(0)
  private let worstShare = Atomic<Int>(0)
  private let worst = Atomic<Int64>(0)
  private let longest = Atomic<Int64>(0)
  private let renderer: Unmanaged<GraphRenderer>
  private let channels: Int
  private let rate: Int
  // Belong to the device's thread.
  private var expected: Int64 = 0

  /// Makes a gate.
  package init(_ renderer: GraphRenderer, channels: Int, rate: Int) {
    self.renderer = .passRetained(renderer)
    self.channels = channels
    self.rate = rate
  }

  deinit { renderer.release() }

  /// Runs `body` while nothing renders.
  /// - Returns: Whether it could: not while a render call is under way.
  package func withoutRendering(_ body: () -> Void) -> Bool {
    guard holder.compareExchange(expected: nobody, desired: control, ordering: .acquiring).exchanged else {
      return false
    }
    body()
    holder.store(nobody, ordering: .releasing)
    return true
  }

  /// The longest that a render call has taken since this was asked last, in nanoseconds.
  package func takeLongest() -> Int64 { longest.exchange(0, ordering: .relaxed) }

  /// By how much the latest of all render calls since this was asked last came later than the frames before it last,
  /// in nanoseconds: what a device that runs dry has waited for.
  package func takeLateness() -> Int64 { worst.exchange(0, ordering: .relaxed) }

  /// How render calls have kept to their time so far.
  package struct Figures: Hashable, Sendable {
    /// How many there were.
    package var calls = 0
    /// How many took more than a quarter of the time that their frames last.
    package var slowCalls = 0
    /// The greatest part of that time that one took, in thousandths.
    package var worstShare = 0
    /// How often the device ran dry.
    package var underruns = 0
    /// Makes figures of nothing.
    package init() {}
  }

  /// How render calls have kept to their time; underruns are the host's to add.
  package var figures: Figures {
    var figures = Figures()
    figures.calls = calls.load(ordering: .relaxed)
    figures.slowCalls = slowCalls.load(ordering: .relaxed)
    figures.worstShare = worstShare.load(ordering: .relaxed)
    return figures
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard holder.compareExchange(expected: nobody, desired: device, ordering: .acquiring).exchanged else {
      samples.update(repeating: 0, count: frames &* channels)
      return frames
    }
    let start = now()
    if expected > 0, start > expected { worst.max(start &- expected, ordering: .relaxed) }
    let count = renderer._withUnsafeGuaranteedRef { $0.render(samples, frames: frames) }
    let end = now()
    longest.max(end &- start, ordering: .relaxed)
    note(end &- start, frames: frames)
    let due = expected > start ? expected : start
    expected = due &+ Int64(frames) &* 1_000_000_000 / Int64(rate)
    holder.store(nobody, ordering: .releasing)
    return count
  }

  @_noLocks @_noAllocation
  package func rewind(frames: Int) -> Int { 0 }

  @_noLocks @_noAllocation
  private func note(_ duration: Int64, frames: Int) {
    guard frames > 0 else { return }
    let period = Int64(frames) &* 1_000_000_000 / Int64(rate)
    let share = Int(duration &* 1000 / (period > 0 ? period : 1))
    calls.add(1, ordering: .relaxed)
    if share > 250 { slowCalls.add(1, ordering: .relaxed) }
    worstShare.max(share, ordering: .relaxed)
  }

  // A door: reading the monotonic clock is no system call on this system.
  @_semantics("no_performance_analysis")
  private func now() -> Int64 { MonotonicTime.now.nanoseconds }
}
