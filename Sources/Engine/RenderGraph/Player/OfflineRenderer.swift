package import AudioModel

/// Renders without a device: the same renderer and plan, driven as fast as the caller fills the buffer.
///
/// For one thread, which in turn writes to ``buffer`` and calls ``render(into:frames:)``.
package final class OfflineRenderer {
  /// Where the caller writes.
  package let buffer: StreamBuffer
  /// For gain, levels and events.
  package let renderer: Renderer
  private let samples: UnsafeMutablePointer<Float>
  private let maximumFrames: Int

  /// Makes a running renderer.
  /// - Parameters:
  ///   - format: Format of input and output.
  ///   - capacity: Frames that can wait in ``buffer``.
  ///   - maximumFrames: The longest render call.
  package init(format: PCMFormat, capacity: Int = 16_384, maximumFrames: Int = 4096) {
    buffer = StreamBuffer(format: format, capacity: capacity, history: 0, generation: 0)
    renderer = Renderer(format: format, maximumFrames: maximumFrames, rampFrames: 0)
    self.maximumFrames = maximumFrames
    samples = .allocate(capacity: maximumFrames * format.channels)
    renderer.replace(buffer, ramp: false)
    renderer.run()
  }

  deinit { samples.deallocate() }

  /// Renders what is there, with no silence in place of what is not.
  /// - Parameters:
  ///   - frames: At most so many, and at most the longest call.
  ///   - body: Is handed the interleaved samples, once; not called when nothing is there.
  /// - Returns: How many frames were rendered. 0: the buffer is empty, and if it is finished, the sound has ended.
  package func render<Failure: Error>(
    frames: Int, _ body: (UnsafeBufferPointer<Float>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    let available = Int(buffer.framesWritten - buffer.framesRead)
    let count = renderer.render(samples, frames: min(frames, maximumFrames, available))
    renderer.takeEvents { _ in }
    guard count > 0 else { return 0 }
    try body(UnsafeBufferPointer(start: samples, count: count * buffer.format.channels))
    return count
  }
}
