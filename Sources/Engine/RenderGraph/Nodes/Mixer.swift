internal import DSP
internal import Platform
internal import Realtime

/// Adds its inputs, each brought to the mixer's rate and channels, with a volume and a balance of its own.
///
/// A single input that stands at volume 1 and has the mixer's format passes bit for bit.
package final class Mixer: GraphNode, @unchecked Sendable {
  private let mailbox = LatestValue<Float>(blank: 1)
  private let wanted = Monitor<Float>(1)
  // Belong to the thread that renders.
  private var gain = GainRamp(1)
  private var hasRendered = false

  /// Makes a mixer without inputs.
  package override init() {}

  /// A factor for the sum, 0 or more. A change is spread over 10 ms. Any thread.
  package var volume: Float {
    get { wanted.withLock { $0 } }
    set {
      precondition(newValue >= 0 && newValue.isFinite)
      wanted.withLock {
        $0 = newValue
        mailbox.store(newValue)
      }
    }
  }

  // MARK: Real-time

  /// Applies the volume to the sum.
  @_noLocks @_noAllocation
  func finish(_ planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int, frames: Int, rate: Int) {
    if let volume = mailbox.take() { gain.move(to: volume, over: hasRendered ? rate / 100 : 0) }
    hasRendered = true
    gain.apply(to: planes, stride: stride, channels: channels, count: frames)
  }
}

/// The end of a graph: what the device hears. Takes one connection, whose format it converts to the device's.
package final class OutputNode: GraphNode, @unchecked Sendable {
  /// Makes the end.
  package override init() {}
}
