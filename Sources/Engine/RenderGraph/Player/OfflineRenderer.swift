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
  // Frames of the effects' latency that are still to be left out.
  private var early: Int

  /// Makes a running renderer.
  /// - Parameters:
  ///   - format: Format of input and output.
  ///   - capacity: Frames that can wait in ``buffer``.
  ///   - maximumFrames: The longest render call.
  ///   - gain: The volume as a factor.
  ///   - effects: What is done to the sound. What they delay is made good; what sounds on behind the end is rendered.
  package init(
    format: PCMFormat, capacity: Int = 16_384, maximumFrames: Int = 4096, gain: Float = 1,
    effects: EffectSettings = EffectSettings()
  ) {
    buffer = StreamBuffer(format: format, capacity: capacity, history: 0, generation: 0)
    renderer = Renderer(format: format, maximumFrames: maximumFrames, rampFrames: 0)
    self.maximumFrames = maximumFrames
    samples = .allocate(capacity: maximumFrames * format.channels)
    renderer.setGain(gain)
    renderer.setEffects(effects)
    early = renderer.latency
    renderer.replace(buffer, ramp: false)
    renderer.run()
  }

  deinit { samples.deallocate() }

  /// Renders what is there, with no silence in place of what is not.
  /// - Parameters:
  ///   - frames: At most so many, and at most the longest call.
  ///   - body: Is handed the interleaved samples, once; not called when nothing is there.
  /// - Returns: How many frames were rendered, those left out at the beginning included. 0: the buffer is empty, and if
  ///   it is finished, the sound has ended.
  package func render<Failure: Error>(
    frames: Int, _ body: (UnsafeBufferPointer<Float>) throws(Failure) -> Void
  ) throws(Failure) -> Int {
    let count = renderer.render(samples, frames: renderer.readyFrames(min(frames, maximumFrames)))
    renderer.takeEvents { _ in }
    let left = min(early, count)
    early -= left
    guard count > left else { return count }
    let channels = buffer.format.channels
    try body(UnsafeBufferPointer(start: samples + left * channels, count: (count - left) * channels))
    return count
  }
}
