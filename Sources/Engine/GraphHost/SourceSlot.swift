internal import Realtime

/// A source that is named before it is there. Until it is filled it is silent.
final class SourceSlot: RenderSource, @unchecked Sendable {
  // Filled once, before the device starts to draw.
  private var source: Unmanaged<RenderGate>?

  deinit { source?.release() }

  func fill(_ gate: RenderGate) { source = .passRetained(gate) }

  // MARK: Real-time

  @_noLocks @_noAllocation
  func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    guard let source else { return 0 }
    return source._withUnsafeGuaranteedRef { $0.render(samples, frames: frames) }
  }

  @_noLocks @_noAllocation
  func rewind(frames: Int) -> Int { 0 }
}
