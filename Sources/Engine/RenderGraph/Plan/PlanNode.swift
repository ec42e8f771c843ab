internal import DSP

/// A node in a plan: trivial, so that the render call moves no reference.
struct PlanNode: BitwiseCopyable {
  /// What the node does: a closed set, so that none can hide a lock or an allocation.
  enum Kind: BitwiseCopyable {
    case transport(Unmanaged<Transport>)
    case player(Unmanaged<ClipPlayer>)
    case source(Unmanaged<BlockSource>)
    case capture(Unmanaged<CaptureSource>)
    case mixer(Unmanaged<Mixer>)
    /// The output, where what leads to it has to be converted.
    case converter
    case effect(Unmanaged<EffectStage>)
    case time(Unmanaged<TimeStage>, Unmanaged<TimeStretcher>)
    case gain(Unmanaged<GainNode>)
    case meter(Unmanaged<MeterNode>)
    /// Silence for effects that sound on when the stream has ended.
    case tail(Unmanaged<TailNode>)
    /// Fades what effects make of nothing.
    case edge(Unmanaged<EdgeNode>)
    /// Nothing leads to it.
    case silence
  }

  var kind: Kind
  /// Counts its frames; none where nobody asks.
  var clock: UnsafeMutablePointer<NodeClock>?
  var channels: Int
  var rate: Int
  /// The most frames that are rendered at a time; also from plane to plane.
  var capacity: Int
  var planes: UnsafeMutablePointer<Float>
  /// As much as the planes, for effects.
  var scratch: UnsafeMutablePointer<Float>
  var firstEdge = 0
  var edges = 0
  var firstTap = 0
  var taps = 0
  var fanOut: Unmanaged<FanOut>?
  /// Frames of the output from this node's output to the end.
  var latency = 0
  /// Frames over which sound fades where it is cut.
  var ramp = 0
}

/// A connection in a plan.
struct PlanEdge: BitwiseCopyable {
  /// The node that is pulled.
  var producer: Int
  var connection: Unmanaged<GraphConnection>?
  var input: Unmanaged<MixerInput>?
  var isLeaving = false
  /// Room for what is read of a shared output.
  var planes: UnsafeMutablePointer<Float>
  var stride: Int
  /// The most frames that are pulled at a time.
  var capacity: Int
}

/// A sink or a tapped node that leads nowhere else: pulled after the output, as many frames as the output had.
struct PlanDrain: BitwiseCopyable {
  var edge: Int
  var sink: Unmanaged<BlockSink>?
  var clock: UnsafeMutablePointer<NodeClock>?
  var channels: Int
  var rate: Int
  var capacity: Int
}
