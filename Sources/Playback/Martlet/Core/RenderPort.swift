internal import Realtime
internal import RenderGraph

/// Stands for the renderer while an output is opened: the renderer's format is known only when the output has answered.
final class RenderPort: RenderSource {
  // Set once, before the output is started; the session keeps the renderer alive for longer than the output runs.
  nonisolated(unsafe) private var renderer: Unmanaged<Renderer>?

  func connect(_ renderer: Renderer) { self.renderer = .passUnretained(renderer) }

  func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int {
    renderer?._withUnsafeGuaranteedRef { $0.render(samples, frames: frames) } ?? 0
  }

  func readyFrames(_ frames: Int) -> Int {
    renderer?._withUnsafeGuaranteedRef { $0.readyFrames(frames) } ?? 0
  }

  func rewind(frames: Int) -> Int {
    renderer?._withUnsafeGuaranteedRef { $0.rewind(frames: frames) } ?? 0
  }
}
