/// Rendered frames that wait to be heard: a ring of interleaved samples, guarded by whoever owns it.
struct FrameQueue: ~Copyable {
  let channels: Int
  let capacity: Int
  private(set) var count = 0
  private var first = 0
  private let samples: UnsafeMutablePointer<Float>

  init(channels: Int, capacity: Int) {
    self.channels = channels
    self.capacity = capacity
    samples = .allocate(capacity: channels * capacity)
    samples.initialize(repeating: 0, count: channels * capacity)
  }

  deinit { samples.deallocate() }

  var free: Int { capacity - count }

  /// Lets `body` fill the free space from its beginning: at most `limit` frames, and none that are not contiguous.
  /// - Returns: What `body` was offered and how many of these it filled.
  mutating func append(
    limit: Int, _ body: (UnsafeMutablePointer<Float>, Int) -> Int
  ) -> (offered: Int, filled: Int) {
    let end = (first + count) % capacity
    let offered = min(limit, free, capacity - end)
    let filled = max(0, min(offered, body(samples + end * channels, offered)))
    count += filled
    return (offered, filled)
  }

  /// Moves the oldest `frames` out.
  mutating func removeFirst(_ frames: Int, into target: UnsafeMutablePointer<Float>) {
    precondition(frames <= count)
    let contiguous = min(frames, capacity - first)
    target.update(from: samples + first * channels, count: contiguous * channels)
    (target + contiguous * channels).update(from: samples, count: (frames - contiguous) * channels)
    first = (first + frames) % capacity
    count -= frames
  }

  /// Forgets the newest `frames`.
  mutating func removeLast(_ frames: Int) {
    precondition(frames <= count)
    count -= frames
  }
}
