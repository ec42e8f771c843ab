/// The past of some channels, as far as it is needed: a circle of frames.
struct DelayMemory: ~Copyable {
  /// Frames of the past that can be read.
  let depth: Int
  private let capacity: Int
  private let planes: UnsafeMutablePointer<Float>
  private let channels: Int
  /// Where the next frame goes.
  private var position = 0
  /// Frames of the past that were written since the beginning. What lies before is silence, whatever memory has
  /// there: so forgetting takes no time.
  private var filled = 0

  /// Makes a silent past.
  /// - Parameters:
  ///   - depth: Frames of the past that can be read.
  ///   - block: Most frames at a time.
  init(channels: Int, depth: Int, block: Int) {
    self.channels = channels
    self.depth = depth
    capacity = depth + block
    planes = .allocate(capacity: channels * capacity)
    planes.initialize(repeating: 0, count: channels * capacity)
  }

  deinit { planes.deallocate() }

  // MARK: Real-time

  /// Forgets everything.
  @_noLocks @_noAllocation
  mutating func reset() {
    position = 0
    filled = 0
  }

  /// Writes the frames that come next, without going on to them.
  @_noLocks @_noAllocation
  func write(_ source: UnsafePointer<Float>, channel: Int, count: Int) {
    let plane = planes + channel &* capacity
    let room = capacity &- position
    let first = count < room ? count : room
    Mixing.set(plane + position, source, gain: 1, count: first)
    Mixing.set(plane, source + first, gain: 1, count: count &- first)
  }

  /// Goes on, behind frames that were written.
  @_noLocks @_noAllocation
  mutating func advance(_ count: Int) {
    position &+= count
    if position >= capacity { position &-= capacity }
    filled = filled &+ count < capacity ? filled &+ count : capacity
  }

  /// Reads frames that lie `delay` before those that come next, 0…``depth``. Less than `count`, they have to be
  /// written.
  @_noLocks @_noAllocation
  func read(_ target: UnsafeMutablePointer<Float>, channel: Int, delay: Int, count: Int) {
    let silent = silence(delay, count)
    target.update(repeating: 0, count: silent)
    let plane = planes + channel &* capacity
    let (start, first) = place(delay &- silent, count &- silent)
    Mixing.set(target + silent, plane + start, gain: 1, count: first)
    Mixing.set(target + silent + first, plane, gain: 1, count: count &- silent &- first)
  }

  /// Adds what ``read(_:channel:delay:count:)`` reads, multiplied by `gain`.
  @_noLocks @_noAllocation
  func add(to target: UnsafeMutablePointer<Float>, channel: Int, delay: Int, gain: Float, count: Int) {
    let silent = silence(delay, count)
    let plane = planes + channel &* capacity
    let (start, first) = place(delay &- silent, count &- silent)
    Mixing.add(target + silent, plane + start, gain: gain, count: first)
    Mixing.add(target + silent + first, plane, gain: gain, count: count &- silent &- first)
  }

  /// Frames in front that lie before the beginning.
  @inline(__always) @_noLocks @_noAllocation
  private func silence(_ delay: Int, _ count: Int) -> Int {
    let missing = delay &- filled
    return missing <= 0 ? 0 : missing < count ? missing : count
  }

  /// Where frames begin, and how many come before the circle closes.
  @inline(__always) @_noLocks @_noAllocation
  private func place(_ delay: Int, _ count: Int) -> (start: Int, first: Int) {
    var start = position &- delay
    if start < 0 { start &+= capacity }
    let room = capacity &- start
    return (start, count < room ? count : room)
  }
}
