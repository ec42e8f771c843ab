internal import Foundation
internal import Platform

/// Moves a volume in small steps; the engine smooths each.
final class VolumeFade: @unchecked Sendable {
  // The timer is made and ended on the queue alone.
  private static let queue = DispatchQueue(label: "martlet.fades")
  private static let step = 0.01
  private var timer: (any DispatchSourceTimer)?

  /// Begins to fade; ends a fade that is under way.
  /// - Parameters:
  ///   - apply: Sets the volume; called on a thread of its own until the end, then no more.
  func begin(from start: Float, to end: Float, seconds: Double, apply: @escaping @Sendable (Float) -> Void) {
    Self.queue.async { [self] in
      timer?.cancel()
      let began = MonotonicTime.now
      let timer = DispatchSource.makeTimerSource(queue: Self.queue)
      timer.setEventHandler { [weak self] in
        let progress = MonotonicTime.now.seconds(since: began) / seconds
        if progress < 1 { return apply(start + (end - start) * Float(progress)) }
        apply(end)
        self?.finish()
      }
      timer.schedule(deadline: .now(), repeating: Self.step)
      self.timer = timer
      timer.resume()
    }
  }

  /// Ends a fade where it is. It may take one step more while this returns.
  func cancel() { Self.queue.async { [self] in finish() } }

  private func finish() {
    timer?.cancel()
    timer = nil
  }

  deinit { timer?.cancel() }
}
