/// Where sound is drawn from. The device's thread calls it; whoever implements it obeys the real-time rules: no lock,
/// no allocation, no system call.
public protocol RenderSource: AnyObject, Sendable {
  /// Fills a block.
  /// - Parameters:
  ///   - samples: Room for `frames` × channels interleaved samples of the format that the output was opened with.
  ///   - frames: How many are wanted, at most the request's maximum.
  /// - Returns: How many are good. Fewer than `frames` means that the sound ends there: the device plays what it has
  ///   and then reports that it has drained. Silence to be heard counts as good frames.
  func render(_ samples: UnsafeMutablePointer<Float>, frames: Int) -> Int

  /// How many of `frames` could be rendered now without silence standing in for sound that is late, or held back. A
  /// device without a clock of its own asks this and waits instead of hearing silence. At the sound's end: all of them.
  func readyFrames(_ frames: Int) -> Int

  /// Takes back the last frames rendered, for they will not be heard: the next call renders from there again. Never
  /// concurrent with ``render(_:frames:)``.
  /// - Returns: How many it took back, 0…`frames`.
  func rewind(frames: Int) -> Int
}

extension RenderSource {
  /// A source that is never late.
  @_noLocks @_noAllocation
  public func readyFrames(_ frames: Int) -> Int { frames }
}
