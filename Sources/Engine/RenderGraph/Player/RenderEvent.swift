/// What the renderer did, on the scale of its output frames.
///
/// The output frame is the number of frames rendered before, less those taken back. Before the first event the output
/// is silence of generation −1.
package struct RenderEvent: Hashable, Sendable, BitwiseCopyable {
  /// What begins.
  package enum Kind: UInt8, Hashable, Sendable, BitwiseCopyable {
    /// From `outputFrame` on the output is the stream's frames from `streamFrame` + `fraction` on, `speed` of them a frame.
    case running
    /// From `outputFrame` on the output is silence, and the stream stands before `streamFrame`: paused, without a
    /// buffer, or waiting for a buffer's first frame.
    case holding
    /// As `holding`, because a running buffer is empty before its end. It goes on by itself.
    case starved
    /// The stream's last frame was rendered just before `outputFrame`. No output follows until another buffer is given.
    case finished
    /// Everything at and behind `outputFrame` is void. The state from there on follows as another event.
    case rewound
  }

  /// What begins.
  package var kind: Kind
  /// Where it begins.
  package var outputFrame: Int64
  /// The buffer it is about; −1 where there is none.
  package var generation: Int
  /// The buffer's frame at `outputFrame`.
  package var streamFrame: Int64
  /// How far behind `streamFrame` it is, as a part of a frame.
  package var fraction = 0.0
  /// Frames of the buffer that pass with a frame of the output.
  package var speed = 1.0

  // MARK: Real-time

  /// Makes an event.
  @_noLocks @_noAllocation
  package init(kind: Kind, outputFrame: Int64, generation: Int, streamFrame: Int64) {
    self.kind = kind
    self.outputFrame = outputFrame
    self.generation = generation
    self.streamFrame = streamFrame
  }
}
