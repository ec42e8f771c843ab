/// Where captured sound goes. The device's thread calls it; whoever implements it obeys the real-time rules: no lock, no
/// allocation, no system call.
public protocol CaptureSink: AnyObject, Sendable {
  /// Takes a block, which it has to copy: the memory is the device's again when it returns.
  /// - Parameters:
  ///   - samples: `frames` × channels interleaved samples of the format that the input was opened with.
  ///   - frames: How many there are, at least 1 and at most the request's maximum.
  ///   - time: What the first of them is.
  func receive(_ samples: UnsafePointer<Float>, frames: Int, at time: CaptureTime)
}

/// Which frame it is, and when it was at the microphone.
public struct CaptureTime: BitwiseCopyable, Hashable, Sendable {
  /// How many frames were delivered before it since the device was opened. What was lost or not wanted is not counted.
  public var frame: Int64
  /// When it was captured, as well as the device knows, in nanoseconds of the system's monotonic clock.
  public var hostNanoseconds: Int64

  /// Makes a time.
  public init(frame: Int64, hostNanoseconds: Int64) {
    self.frame = frame
    self.hostNanoseconds = hostNanoseconds
  }
}
