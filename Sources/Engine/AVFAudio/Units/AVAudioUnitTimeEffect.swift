public import CoreAudioTypes
public import Foundation
internal import RenderGraph

/// A unit that changes how fast time passes, or the pitch: it takes more or fewer frames of its input than it gives.
///
/// The player before it counts the frames that it gave: at twice the rate its time passes twice as fast. Nothing is
/// delayed; the input is read ahead of what comes out, by ``AVAudioNode/latency``.
open class AVAudioUnitTimeEffect: AVAudioUnit, @unchecked Sendable {
  let time = TimeStage()
  override var core: GraphNode? { time }

  /// Makes a unit that passes everything on.
  public override init() { super.init() }

  /// Makes a unit by a description, of which nothing counts: iPod's unit has the same range as the other one.
  public init(audioComponentDescription: AudioComponentDescription) { super.init() }

  /// Lets the sound pass as it is. Default: `false`.
  public var bypass: Bool {
    get { time.isBypassed }
    set { time.isBypassed = newValue }
  }

  /// Seconds by which the input is read ahead at the present rate; 0 where sound passes as it is.
  open override var latency: TimeInterval { time.latency }

  /// Forgets the sound so far.
  open override func reset() { time.reset() }
}
