internal import Synchronization

/// A bounded queue of planar Float32 frames between two threads that keeps the last frames read, so that the reader can
/// step back. One thread writes, one reads; neither ever waits.
package struct PCMRing: ~Copyable, @unchecked Sendable {
  // Frames are numbered from 0. The writer fills only frames that lie at least `history` behind the furthest point ever
  // read; the reader touches only frames from there up to `written`. The counters hand frames over by release and
  // acquire; `furthest` is the reader's own.
  private let storage: UnsafeMutablePointer<Float>
  private let furthest: UnsafeMutablePointer<Int64>
  private let size: Int
  private let written = Atomic<Int64>(0)
  private let read = Atomic<Int64>(0)

  /// Number of planes.
  package let channels: Int
  /// Frames that can wait to be read.
  package let capacity: Int
  /// Frames that are kept behind the reader.
  package let history: Int

  /// Makes an empty ring; takes (`capacity` + `history`) × `channels` × 4 bytes.
  package init(channels: Int, capacity: Int, history: Int) {
    precondition(channels > 0 && capacity > 0 && history >= 0)
    self.channels = channels
    self.capacity = capacity
    self.history = history
    size = capacity + history
    // Not cleared: a frame is read only after it was written, and pages that are never written cost nothing.
    storage = .allocate(capacity: channels * size)
    furthest = .allocate(capacity: 1)
    furthest.initialize(to: 0)
  }

  deinit {
    storage.deallocate()
    furthest.deallocate()
  }

  /// Writes frames. Writer only.
  /// - Parameters:
  ///   - plane: Where the samples of a channel begin.
  ///   - count: How many frames there are.
  /// - Returns: How many fitted.
  package borrowing func write(_ plane: (Int) -> UnsafePointer<Float>, count: Int) -> Int {
    let accepted = min(count, writableFrames)
    guard accepted > 0 else { return 0 }
    let start = written.load(ordering: .relaxed)
    let offset = Int(start % Int64(size))
    let first = min(accepted, size - offset)
    for channel in 0..<channels {
      let source = plane(channel)
      let target = storage + channel * size
      (target + offset).update(from: source, count: first)
      target.update(from: source + first, count: accepted - first)
    }
    written.store(start + Int64(accepted), ordering: .releasing)
    return accepted
  }

  // MARK: Real-time

  /// Frames ever written.
  package var framesWritten: Int64 {
    @_noLocks @_noAllocation
    get { written.load(ordering: .acquiring) }
  }

  /// The frame that is read next.
  package var framesRead: Int64 {
    @_noLocks @_noAllocation
    get { read.load(ordering: .acquiring) }
  }

  /// Frames that can be read now.
  package var readableFrames: Int {
    @_noLocks @_noAllocation
    get {
      // In this order it is never negative, whoever asks.
      let position = framesRead
      return Int(framesWritten &- position)
    }
  }

  /// Frames that can be written now.
  package var writableFrames: Int {
    @_noLocks @_noAllocation
    get {
      let waiting = readableFrames
      return waiting < capacity ? capacity &- waiting : 0
    }
  }

  /// Writes frames from planes side by side. Writer only; for a writer on a real-time thread.
  /// - Parameters:
  ///   - planes: The plane of channel c begins at `planes + c × stride`.
  ///   - count: How many frames there are.
  /// - Returns: How many fitted, the first ones.
  @_noLocks @_noAllocation
  package borrowing func write(_ planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) -> Int {
    let room = writableFrames
    let accepted = count < room ? count : room
    guard accepted > 0 else { return 0 }
    let start = written.load(ordering: .relaxed)
    let offset = Int(start % Int64(size))
    let first = accepted < size &- offset ? accepted : size &- offset
    var channel = 0
    while channel < channels {
      let source = planes + channel &* stride
      let target = storage + channel &* size
      copy(source, to: target + offset, count: first)
      copy(source + first, to: target, count: accepted &- first)
      channel &+= 1
    }
    written.store(start &+ Int64(accepted), ordering: .releasing)
    return accepted
  }

  /// Passes over frames without looking at them. Reader only.
  /// - Returns: How many there were, at most `count`.
  @_noLocks @_noAllocation
  package borrowing func skip(_ count: Int) -> Int {
    let available = readableFrames
    let taken = count < available ? count : available
    guard taken > 0 else { return 0 }
    let end = read.load(ordering: .relaxed) &+ Int64(taken)
    if end > furthest.pointee { furthest.pointee = end }
    read.store(end, ordering: .releasing)
    return taken
  }

  /// Reads frames. Reader only.
  /// - Parameters:
  ///   - planes: Where to put them: the plane of channel c begins at `planes + c × stride`.
  ///   - count: How many are wanted.
  /// - Returns: How many there were.
  @_noLocks @_noAllocation
  package borrowing func read(into planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) -> Int {
    let available = readableFrames
    let taken = count < available ? count : available
    guard taken > 0 else { return 0 }
    let start = read.load(ordering: .relaxed)
    let offset = Int(start % Int64(size))
    let first = taken < size &- offset ? taken : size &- offset
    var channel = 0
    while channel < channels {
      let source = storage + channel &* size
      let target = planes + channel &* stride
      copy(source + offset, to: target, count: first)
      copy(source, to: target + first, count: taken &- first)
      channel &+= 1
    }
    let end = start &+ Int64(taken)
    if end > furthest.pointee { furthest.pointee = end }
    read.store(end, ordering: .releasing)
    return taken
  }

  /// Steps back by up to `frames`. Reader only.
  /// - Returns: By how many: fewer where the history or the beginning ends it.
  @_noLocks @_noAllocation
  package borrowing func rewind(_ frames: Int) -> Int {
    let position = read.load(ordering: .relaxed)
    let kept = furthest.pointee &- Int64(history)
    let possible = Int(position &- (kept > 0 ? kept : 0))
    let taken = frames < possible ? frames : possible
    guard taken > 0 else { return 0 }
    read.store(position &- Int64(taken), ordering: .releasing)
    return taken
  }

  // `update(from:count:)` does not pass the real-time check; this loop is vectorised all the same.
  @inline(__always) @_noLocks @_noAllocation
  private borrowing func copy(
    _ source: UnsafeMutablePointer<Float>, to target: UnsafeMutablePointer<Float>, count: Int
  ) {
    var index = 0
    while index < count {
      target[index] = source[index]
      index &+= 1
    }
  }
}
