public import Foundation

/// An input or an output of a node.
public final class AVAudioConnectionPoint: NSObject, @unchecked Sendable {
  /// The node; `nil` once it is gone.
  public weak var node: AVAudioNode?
  /// Which of its inputs or outputs.
  public let bus: AVAudioNodeBus

  /// Names an input or an output.
  public init(node: AVAudioNode, bus: AVAudioNodeBus) {
    self.node = node
    self.bus = bus
  }
}
