package import AudioModel
internal import Realtime
internal import Synchronization

/// Decoded sound of one generation on its way from the decode worker to the device.
///
/// One thread writes, the renderer reads. Frames are numbered from 0 in the order of writing; a few of those already
/// played are kept so that the device can take them back.
package final class StreamBuffer: Sendable {
  let ring: PCMRing
  let channels: Int
  private let hasEnded = Atomic<Bool>(false)

  /// Format of the frames.
  package let format: PCMFormat
  /// Number that tells this stream from those before it: a seek makes a new one.
  package let generation: Int

  /// Makes an empty buffer; takes (`capacity` + `history`) × channels × 4 bytes.
  /// - Parameters:
  ///   - format: Format of the frames.
  ///   - capacity: Frames that can wait to be played.
  ///   - history: Frames behind the one played next that can be taken back.
  ///   - generation: Travels with every event about the buffer; not negative.
  package init(format: PCMFormat, capacity: Int, history: Int, generation: Int) {
    precondition(generation >= 0)
    self.format = format
    self.generation = generation
    channels = format.channels
    ring = PCMRing(channels: format.channels, capacity: capacity, history: history)
  }

  /// Frames that can wait to be played.
  package var capacity: Int { ring.capacity }

  // MARK: Worker

  /// Frames that ``write(_:from:count:)`` would take now.
  package var writableFrames: Int { ring.writableFrames }

  /// Adds frames `start` ..< `start + count` of a block.
  /// - Returns: How many fitted, the first ones.
  package func write(_ block: PCMBlock, from start: Int, count: Int) -> Int {
    precondition(
      block.channels == format.channels && start >= 0 && count >= 0 && start + count <= block.frameCount)
    precondition(count == 0 || !hasEnded.load(ordering: .relaxed), "a finished buffer takes no more")
    return ring.write({ UnsafePointer(block.plane($0) + start) }, count: count)
  }

  /// Says that nothing follows: behind the last frame the sound ends, instead of being starved.
  package func finish() { hasEnded.store(true, ordering: .releasing) }

  // MARK: Real-time

  /// Frames written so far.
  package var framesWritten: Int64 {
    @_noLocks @_noAllocation
    get { ring.framesWritten }
  }

  /// The frame that is rendered next. Goes back when the device takes frames back.
  package var framesRead: Int64 {
    @_noLocks @_noAllocation
    get { ring.framesRead }
  }

  /// Whether ``finish()`` was called.
  package var isFinished: Bool {
    @_noLocks @_noAllocation
    get { hasEnded.load(ordering: .acquiring) }
  }
}
