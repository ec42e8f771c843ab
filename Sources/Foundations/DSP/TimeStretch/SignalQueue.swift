/// Frames of a signal in order, each with a number of its own for good: what comes in at the end, and what is no longer
/// needed goes at the beginning.
///
/// Owned by whom made it, who frees it by ``deallocate()``.
struct SignalQueue {
  let channels: Int
  /// The most frames that are held.
  let capacity: Int
  // Twice the capacity, so that frames are moved to the front seldom.
  private let memory: UnsafeMutablePointer<Float>
  private let stride: Int
  private var head = 0
  /// Number of the first frame held.
  private(set) var start: Int64 = 0
  /// Number behind the last frame held.
  private(set) var end: Int64 = 0

  init(channels: Int, capacity: Int) {
    self.channels = channels
    self.capacity = capacity
    stride = 2 * capacity
    // Kernels read eight at a time, and may look a little behind the end.
    memory = .allocate(capacity: channels * stride + 16)
  }

  func deallocate() { memory.deallocate() }

  // MARK: Real-time

  /// How many frames fit in.
  var room: Int {
    @_noLocks @_noAllocation
    get { capacity &- Int(end &- start) }
  }

  /// Forgets everything, and begins with so many frames of silence before the frame numbered `first`.
  @_noLocks @_noAllocation
  mutating func reset(to first: Int64, silence: Int) {
    head = 0
    start = first
    end = first
    appendSilence(silence)
    start = first &- Int64(silence)
    end = first
  }

  /// Where a frame of a channel is, which must be held; those behind it follow.
  @inline(__always) @_noLocks @_noAllocation
  func pointer(_ channel: Int, _ frame: Int64) -> UnsafeMutablePointer<Float> {
    assert(frame >= start && frame <= end, "the frame is not held")
    return memory + (channel &* stride &+ head &+ Int(frame &- start))
  }

  /// Adds frames, for which there must be room.
  @_noLocks @_noAllocation
  mutating func append(_ planes: UnsafePointer<Float>, stride source: Int, count: Int) {
    let target = makeRoom(count)
    var channel = 0
    while channel < channels {
      Kernels.copy(planes + channel &* source, to: memory + (channel &* stride &+ target), count: count)
      channel &+= 1
    }
    end &+= Int64(count)
  }

  /// Adds silence, for which there must be room.
  @_noLocks @_noAllocation
  mutating func appendSilence(_ count: Int) {
    let target = makeRoom(count)
    var channel = 0
    while channel < channels {
      (memory + (channel &* stride &+ target)).update(repeating: 0, count: count)
      channel &+= 1
    }
    end &+= Int64(count)
  }

  /// Forgets the frames before one.
  @_noLocks @_noAllocation
  mutating func drop(before frame: Int64) {
    let frame = frame < end ? frame : end
    guard frame > start else { return }
    head &+= Int(frame &- start)
    start = frame
  }

  /// - Returns: Where the next frames go, behind those that are held.
  @_noLocks @_noAllocation
  private mutating func makeRoom(_ count: Int) -> Int {
    let held = Int(end &- start)
    if head &+ held &+ count > stride {
      var channel = 0
      while channel < channels {
        let plane = memory + channel &* stride
        Kernels.copy(plane + head, to: plane, count: held)
        channel &+= 1
      }
      head = 0
    }
    return head &+ held
  }
}
