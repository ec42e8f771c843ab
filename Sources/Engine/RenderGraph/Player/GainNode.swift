internal import DSP
internal import Realtime

/// The player's volume: a ramped gain that goes back with the frames that a device takes back.
final class GainNode: GraphNode, @unchecked Sendable {
  private let mailbox = LatestValue<Float>(blank: 1)
  // Belongs to the thread that renders.
  private var stage = GainStage()

  override init() {}

  /// Sets the volume as a factor, 0 or more. A change is spread over 10 ms. One thread at a time.
  func setGain(_ amplitude: Float) {
    precondition(amplitude >= 0 && amplitude.isFinite)
    mailbox.store(amplitude)
  }

  // MARK: Real-time

  @_noLocks @_noAllocation
  func apply(to block: RenderedBlock, channels: Int, rate: Int) {
    if let amplitude = mailbox.take() { stage.move(to: amplitude, over: rate / 100) }
    stage.apply(to: block.planes, stride: block.stride, channels: channels, count: block.count)
  }

  @_noLocks @_noAllocation
  func rewind(_ frames: Int) { stage.rewind(frames) }
}
