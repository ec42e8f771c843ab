package import Realtime
package import RenderGraph

/// A place for captured sound that is named before it is there. Until it is filled, what comes is dropped.
package final class CaptureSlot: CaptureSink, @unchecked Sendable {
  // Filled once, before the device starts.
  private var source: Unmanaged<CaptureSource>?

  /// Makes an empty place.
  package init() {}

  deinit { source?.release() }

  /// Says where the sound goes.
  package func fill(_ source: CaptureSource) { self.source = .passRetained(source) }

  // MARK: Real-time

  @_noLocks @_noAllocation
  package func receive(_ samples: UnsafePointer<Float>, frames: Int, at time: CaptureTime) {
    source?._withUnsafeGuaranteedRef { $0.receive(samples, frames: frames, at: time) }
  }
}
