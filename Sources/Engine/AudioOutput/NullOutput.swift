internal import AudioModel

/// A device that nobody hears, with a real device's pace: a thread on the system's monotonic clock.
public final class NullOutput: ClockedDevice, @unchecked Sendable {
  private final class Sink: FrameSink {
    let isClocked = true
    func write(_ samples: UnsafePointer<Float>, frames: Int) {}
  }

  /// Makes an output that plays into nothing.
  public init() { super.init(sink: Sink()) }
}

extension OutputRegistration {
  /// `null`.
  public static let null = OutputRegistration(
    name: "null", summary: "nothing is heard, at the pace of a real device"
  ) { target throws(AudioError) in
    if target != nil { throw AudioError(.usage, "The output null takes nothing after its name") }
    return NullOutput()
  }
}
