internal import DSP

/// An output that several inputs read: what it rendered last, for readers that are not equally far.
final class FanOut: @unchecked Sendable {
  // Belongs to the thread that renders.
  private let storage: UnsafeMutablePointer<Float>
  private let channels: Int
  /// The most frames that a reader may be behind.
  let capacity: Int
  private var written: Int64 = 0
  private var callFrame = Int64.min
  private var callStart: Int64 = 0

  init(channels: Int, capacity: Int) {
    self.channels = channels
    self.capacity = capacity
    storage = .allocate(capacity: channels * capacity)
    storage.initialize(repeating: 0, count: channels * capacity)
  }

  deinit { storage.deallocate() }

  /// Whether it has the shape that is wanted.
  func serves(channels: Int, capacity: Int) -> Bool { self.channels == channels && self.capacity >= capacity }

  // MARK: Real-time

  /// Frames rendered so far.
  var produced: Int64 {
    @_noLocks @_noAllocation
    get { written }
  }

  /// Where a reader stands: a new one, and one that fell behind, at the first frame of this call.
  /// - Parameter outputFrame: Tells calls apart.
  @_noLocks @_noAllocation
  func place(_ cursor: Int64, outputFrame: Int64) -> Int64 {
    if outputFrame != callFrame {
      callFrame = outputFrame
      callStart = written
    }
    if cursor < 0 { return callStart }
    let behind = written &- cursor
    if behind < 0 { return callStart }
    return behind > Int64(capacity) ? callStart : cursor
  }

  /// Keeps frames.
  @_noLocks @_noAllocation
  func append(_ block: RenderedBlock) {
    var done = 0
    while done < block.count {
      let offset = Int(written % Int64(capacity))
      let room = capacity &- offset
      let part = block.count &- done < room ? block.count &- done : room
      Mixing.copy(
        block.planes + done, stride: block.stride, to: storage + offset, stride: capacity, channels: channels,
        count: part)
      written &+= Int64(part)
      done &+= part
    }
  }

  /// Copies frames that were kept.
  @_noLocks @_noAllocation
  func read(_ cursor: Int64, into planes: UnsafeMutablePointer<Float>, stride: Int, count: Int) {
    var done = 0
    while done < count {
      let offset = Int((cursor &+ Int64(done)) % Int64(capacity))
      let room = capacity &- offset
      let part = count &- done < room ? count &- done : room
      Mixing.copy(
        storage + offset, stride: capacity, to: planes + done, stride: stride, channels: channels, count: part)
      done &+= part
    }
  }
}
