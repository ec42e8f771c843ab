package import AudioModel

/// Where a ``ClockedDevice`` puts the frames that were "heard".
package protocol FrameSink: AnyObject, Sendable {
  /// Frames are heard at the pace of the clock; otherwise as fast as ``write(_:frames:)`` takes them.
  var isClocked: Bool { get }
  /// Prepares for a format.
  func open(_ format: PCMFormat) throws(AudioError)
  /// Takes interleaved frames. Called on the device's thread, outside its lock: it may block.
  func write(_ samples: UnsafePointer<Float>, frames: Int) throws(AudioError)
  /// Makes a blocked ``write(_:frames:)`` return, now or when it is next called.
  func interrupt()
  /// Completes what was written. Called once, after the last write, whether or not that failed.
  func finish() throws(AudioError)
}

extension FrameSink {
  package func open(_ format: PCMFormat) throws(AudioError) {}
  package func interrupt() {}
  package func finish() throws(AudioError) {}
}
