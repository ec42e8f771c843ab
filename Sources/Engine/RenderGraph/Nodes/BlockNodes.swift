/// What a block that makes or takes sound is told of the frames it is called for.
package struct BlockCall: BitwiseCopyable {
  /// The plane of channel c begins at `planes + c × stride`.
  package var planes: UnsafeMutablePointer<Float>
  /// Samples from one plane to the next.
  package var stride: Int
  /// Number of planes.
  package var channels: Int
  /// Frames wanted, or given.
  package var frames: Int
  /// Frames a second.
  package var rate: Int
  /// The node's number of the first frame.
  package var sampleTime: Int64
  /// When it is rendered, in nanoseconds of the monotonic clock; 0 where there is none.
  package var hostTime: UInt64

  // MARK: Real-time

  /// Makes a call.
  @_noLocks @_noAllocation
  package init(
    planes: UnsafeMutablePointer<Float>, stride: Int, channels: Int, frames: Int, rate: Int, sampleTime: Int64 = 0,
    hostTime: UInt64 = 0
  ) {
    self.planes = planes
    self.stride = stride
    self.channels = channels
    self.frames = frames
    self.rate = rate
    self.sampleTime = sampleTime
    self.hostTime = hostTime
  }
}

/// Makes sound by a block of the application's.
///
/// The block runs on the thread that renders, and has to obey its rules: no lock, no allocation, no waiting.
package final class BlockSource: GraphNode, @unchecked Sendable {
  private let block: @Sendable (BlockCall) -> Bool

  /// Makes a source.
  /// - Parameter block: Fills all planes, and answers whether there is sound; `false` means silence, whatever it wrote.
  package init(_ block: @escaping @Sendable (BlockCall) -> Bool) { self.block = block }

  // MARK: Real-time

  // A door: what the application does in there is the application's.
  @_semantics("no_performance_analysis")
  func render(_ call: BlockCall) -> Bool { block(call) }
}

/// Gives sound to a block of the application's, on the thread that renders; the rules are those of ``BlockSource``.
package final class BlockSink: GraphNode, @unchecked Sendable {
  private let block: @Sendable (BlockCall) -> Void

  /// Makes a sink.
  package init(_ block: @escaping @Sendable (BlockCall) -> Void) { self.block = block }

  // MARK: Real-time

  // A door, as in `BlockSource`.
  @_semantics("no_performance_analysis")
  func take(_ call: BlockCall) { block(call) }
}
