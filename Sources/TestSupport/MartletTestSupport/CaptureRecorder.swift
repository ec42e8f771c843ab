public import AudioOutput
internal import Platform
public import Realtime

/// A sink that keeps all it gets, and notes every call that breaks the rules. Unlike a real one it locks and allocates, so
/// that tests can wait for it.
public final class CaptureRecorder: CaptureSink, Sendable {
  /// What came.
  public struct Recording: Sendable {
    /// Samples, interleaved.
    public internal(set) var samples: [Float] = []
    /// Frames in all.
    public internal(set) var frames: Int64 = 0
    /// Frames that are not silent, in all.
    public internal(set) var soundFrames = 0
    /// What each call told of its first frame.
    public internal(set) var times: [CaptureTime] = []
    /// What the device told.
    public internal(set) var events: [InputEvent] = []
    /// Rules that were broken.
    public internal(set) var violations: [String] = []
    var isForbidden: String?
  }

  private let recording = Monitor(Recording())
  private let channels: Int
  private let maximumFrames: Int

  /// Makes a recorder.
  /// - Parameters:
  ///   - channels: Samples of a frame.
  ///   - maximumFrames: What the device may deliver at most in one call.
  public init(channels: Int, maximumFrames: Int = 4096) {
    self.channels = channels
    self.maximumFrames = maximumFrames
  }

  /// What came so far.
  public var now: Recording { recording.withLock { $0 } }

  /// Waits until `body` answers something; `nil` after ten seconds.
  public func wait<Result: Sendable>(seconds: Double = 10, _ body: (Recording) -> Result?) -> Result? {
    recording.wait(until: MonotonicTime.now.advanced(bySeconds: seconds)) { body($0) }
  }

  /// Forbids deliveries, with the reason, or allows them again.
  public func forbid(_ reason: String?) { recording.signal { $0.isForbidden = reason } }

  /// Notes an event: to be called by the handler given to the device.
  public func note(_ event: InputEvent) { recording.signal { $0.events.append(event) } }

  /// Keeps a block.
  public func receive(_ samples: UnsafePointer<Float>, frames: Int, at time: CaptureTime) {
    recording.signal { recording in
      if frames < 1 || frames > maximumFrames { recording.violations.append("\(frames) frames delivered") }
      if let reason = recording.isForbidden { recording.violations.append("delivery \(reason)") }
      if time.frame != recording.frames {
        recording.violations.append("frame \(time.frame) delivered instead of \(recording.frames)")
      }
      recording.times.append(time)
      let block = UnsafeBufferPointer(start: samples, count: max(0, frames) * channels)
      recording.samples += block
      recording.frames += Int64(max(0, frames))
      for start in stride(from: 0, to: block.count, by: channels)
      where block[start..<start + channels].contains(where: { $0 != 0 }) { recording.soundFrames += 1 }
    }
  }
}
