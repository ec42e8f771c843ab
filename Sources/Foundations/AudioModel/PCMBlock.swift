/// A block of decoded sound: Float32, one plane per channel, filled from the front.
///
/// A block belongs to one thread at a time and is reused from read to read, so that steady decoding allocates nothing.
/// Not for the device thread.
public final class PCMBlock {
  /// Number of planes.
  public private(set) var channels: Int
  /// Frames that fit into each plane.
  public private(set) var capacity: Int
  /// Frames that are filled, 0…`capacity`.
  public private(set) var frameCount = 0
  private var storage: UnsafeMutablePointer<Float>

  /// Allocates a block of silence with no frames filled.
  /// - Parameters:
  ///   - channels: 1…64.
  ///   - capacity: Frames per plane, at least 1.
  public init(channels: Int, capacity: Int) {
    precondition(ChannelLayout.accepted.contains(channels) && capacity > 0)
    self.channels = channels
    self.capacity = capacity
    storage = .allocate(capacity: channels * capacity)
    storage.initialize(repeating: 0, count: channels * capacity)
  }

  deinit { storage.deallocate() }

  /// The plane of a channel: `capacity` samples, of which the first `frameCount` are filled. Valid until the block is
  /// reshaped, grows or is freed.
  public func plane(_ channel: Int) -> UnsafeMutablePointer<Float> {
    precondition(channel >= 0 && channel < channels)
    return storage + channel * capacity
  }

  /// Empties the block.
  public func removeAll() { frameCount = 0 }

  /// Empties the block and gives it another shape; allocates only if it grows.
  public func reshape(channels: Int, capacity: Int) {
    precondition(ChannelLayout.accepted.contains(channels) && capacity > 0)
    if channels * capacity > self.channels * self.capacity {
      storage.deallocate()
      storage = .allocate(capacity: channels * capacity)
      storage.initialize(repeating: 0, count: channels * capacity)
      self.capacity = capacity
    } else {
      self.capacity = self.channels * self.capacity / channels
    }
    self.channels = channels
    frameCount = 0
  }

  /// Makes room for `frames` more, keeping what is there.
  public func reserve(_ frames: Int) {
    guard frameCount + frames > capacity else { return }
    let grown = max(frameCount + frames, capacity * 2)
    let fresh = UnsafeMutablePointer<Float>.allocate(capacity: channels * grown)
    fresh.initialize(repeating: 0, count: channels * grown)
    for channel in 0..<channels {
      (fresh + channel * grown).update(from: storage + channel * capacity, count: frameCount)
    }
    storage.deallocate()
    storage = fresh
    capacity = grown
  }

  /// Says that `frames` more were written behind the filled part by the caller.
  public func advance(_ frames: Int) {
    precondition(frames >= 0 && frameCount + frames <= capacity)
    frameCount += frames
  }

  /// Adds `frames` of silence.
  public func appendSilence(_ frames: Int) {
    reserve(frames)
    for channel in 0..<channels { (plane(channel) + frameCount).update(repeating: 0, count: frames) }
    frameCount += frames
  }

  /// Adds `count` frames of `other`, from its frame `start` on. Both must have the same number of channels.
  public func append(_ other: PCMBlock, from start: Int = 0, count: Int) {
    precondition(other.channels == channels && start >= 0 && count >= 0 && start + count <= other.frameCount)
    reserve(count)
    for channel in 0..<channels {
      (plane(channel) + frameCount).update(from: other.plane(channel) + start, count: count)
    }
    frameCount += count
  }

  /// Drops the first `frames` (at most all).
  public func removeFirst(_ frames: Int) {
    let dropped = min(max(frames, 0), frameCount)
    guard dropped > 0 else { return }
    let rest = frameCount - dropped
    if rest > 0 {
      for channel in 0..<channels {
        plane(channel).update(from: plane(channel) + dropped, count: rest)
      }
    }
    frameCount = rest
  }

  /// Keeps the first `frames` (at most all).
  public func truncate(to frames: Int) { frameCount = min(max(frames, 0), frameCount) }
}
