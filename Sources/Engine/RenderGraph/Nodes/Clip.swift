package import AudioModel
internal import DSP
internal import Realtime
internal import Synchronization

/// Sound that a ``ClipPlayer`` is to play: frames in memory, or a stream that a feeder writes.
package final class Clip: @unchecked Sendable {
  /// When a clip begins.
  package enum Start: Hashable, Sendable, BitwiseCopyable {
    /// Behind what was scheduled before it.
    case next
    /// At a frame of the player's timeline, or at once where that is past.
    case frame(Int64)
    /// At a time of the system's monotonic clock, in nanoseconds, or at once where that is past.
    case hostTime(UInt64)
  }

  /// How a clip treats others and itself.
  package struct Options: OptionSet, Sendable, BitwiseCopyable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Begins again at its end, until something ends it. For clips in memory.
    package static let loops = Options(rawValue: 1)
    /// Drops everything scheduled before it, at its start.
    package static let interrupts = Options(rawValue: 2)
    /// Drops everything scheduled before it, once a loop that plays has come to its end.
    package static let interruptsAtLoop = Options(rawValue: 4)
  }

  /// Number that the owner of the player gave it; events tell it.
  package let ticket: Int64
  /// When it begins.
  package let start: Start
  /// How it treats others.
  package let options: Options
  /// Number of channels.
  package let channels: Int
  // Either frames in memory, kept by `owner`, or a ring.
  private let memory: UnsafeMutablePointer<Float>?
  private let stride: Int
  private let frames: Int
  private let owner: AnyObject?
  private let ring: UnsafeMutablePointer<PCMRing>?
  private let hasEnded = Atomic<Bool>(false)
  // Belongs to the thread that renders: the next frame, of a clip in memory.
  private var position = 0

  /// Makes a clip of frames in memory, which nobody changes until the clip is freed.
  /// - Parameters:
  ///   - planes: The plane of channel c begins at `planes + c × stride`.
  ///   - owner: Keeps the memory alive.
  package init(
    ticket: Int64, start: Start = .next, options: Options = [], channels: Int, planes: UnsafeMutablePointer<Float>,
    stride: Int, frames: Int, owner: AnyObject
  ) {
    precondition(channels > 0 && frames >= 0)
    self.ticket = ticket
    self.start = start
    self.options = options
    self.channels = channels
    memory = planes
    self.stride = stride
    self.frames = frames
    self.owner = owner
    ring = nil
  }

  /// Makes a clip that is written while it plays.
  /// - Parameter capacity: Frames that can wait.
  package init(ticket: Int64, start: Start = .next, options: Options = [], channels: Int, capacity: Int) {
    precondition(channels > 0 && !options.contains(.loops), "only clips in memory loop")
    self.ticket = ticket
    self.start = start
    self.options = options
    self.channels = channels
    memory = nil
    stride = 0
    frames = 0
    owner = nil
    let ring = UnsafeMutablePointer<PCMRing>.allocate(capacity: 1)
    ring.initialize(to: PCMRing(channels: channels, capacity: capacity, history: 0))
    self.ring = ring
  }

  deinit {
    guard let ring else { return }
    ring.deinitialize(count: 1)
    ring.deallocate()
  }

  // MARK: Feeder

  /// Frames that ``write(_:from:count:)`` would take now.
  package var writableFrames: Int {
    guard let ring else { return 0 }
    return ring.pointee.writableFrames
  }

  /// Frames that wait to be played.
  package var waitingFrames: Int {
    guard let ring else { return 0 }
    return ring.pointee.readableFrames
  }

  /// Adds frames `start` ..< `start + count` of a block. One thread at a time.
  /// - Returns: How many fitted, the first ones.
  package func write(_ block: PCMBlock, from start: Int, count: Int) -> Int {
    guard let ring else { return 0 }
    precondition(block.channels == channels && start >= 0 && count >= 0 && start + count <= block.frameCount)
    return ring.pointee.write({ UnsafePointer(block.plane($0) + start) }, count: count)
  }

  /// Says that nothing follows.
  package func finish() { hasEnded.store(true, ordering: .releasing) }

  // MARK: Real-time

  /// The clip is at its end for good, or, one that loops, at the end of a round.
  var isAtEnd: Bool {
    @_noLocks @_noAllocation
    get {
      guard let ring else { return position >= frames }
      // Asked for before counting: once it is true, what can be read is all there will be.
      let isFinished = hasEnded.load(ordering: .acquiring)
      return ring.pointee.readableFrames == 0 ? isFinished : false
    }
  }

  /// It loops, and has frames to do so.
  var goesRound: Bool {
    @_noLocks @_noAllocation
    get { frames > 0 ? options.rawValue & 1 != 0 : false }
  }

  /// Begins again.
  @_noLocks @_noAllocation
  func rewind() { position = 0 }

  /// Reads the next frames.
  /// - Returns: How many there were.
  @_noLocks @_noAllocation
  func read(into planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) -> Int {
    if let ring { return ring.pointee.read(into: planes, stride: stride, count: count) }
    let left = frames &- position
    let taken = count < left ? count : left
    guard taken > 0, let memory else { return 0 }
    Mixing.copy(
      memory + position, stride: self.stride, to: planes, stride: stride, channels: channels, count: taken)
    position &+= taken
    return taken
  }
}

/// What became of a clip.
package struct ClipEvent: Hashable, Sendable, BitwiseCopyable {
  /// What happened.
  package enum Kind: UInt8, Sendable, BitwiseCopyable {
    /// Its last frame was rendered.
    case played
    /// It was dropped, whether or not any of it was rendered.
    case dropped
  }

  /// The clip's number.
  package var ticket: Int64
  /// What happened.
  package var kind: Kind
  /// The output's frame by which the last of the clip's frames has come out of the graph, its latency counted in.
  package var outputFrame: Int64

  // MARK: Real-time

  /// Makes an event.
  @_noLocks @_noAllocation
  package init(ticket: Int64, kind: Kind, outputFrame: Int64) {
    self.ticket = ticket
    self.kind = kind
    self.outputFrame = outputFrame
  }
}
