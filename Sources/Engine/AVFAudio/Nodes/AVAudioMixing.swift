public import Foundation
internal import Platform
internal import RenderGraph

/// Left and right of a mixer's input.
public protocol AVAudioStereoMixing: NSObjectProtocol {
  /// −1 (left) … 1 (right), default 0. Out of range is taken as the nearest end.
  var pan: Float { get set }
}

/// How a node sounds in the mixers that it is connected to.
///
/// The properties belong to the node's connections to mixers and are remembered while there is none.
public protocol AVAudioMixing: AVAudioStereoMixing {
  /// A factor, 0…1, default 1. A change is spread over 10 ms.
  var volume: Float { get set }
}

extension AVAudioMixing where Self: AVAudioNode {
  /// A factor, 0…1, default 1. A change is spread over 10 ms; outside the range the nearest end is taken.
  public var volume: Float {
    get { mixing.withLock { $0.volume } }
    set { setMix { $0.volume = newValue.isNaN ? 0 : min(max(newValue, 0), 1) } }
  }

  /// −1 (left) … 1 (right), default 0: the other side gets softer in a straight line. A change is spread over 10 ms.
  public var pan: Float {
    get { mixing.withLock { $0.pan } }
    set { setMix { $0.pan = newValue.isNaN ? 0 : min(max(newValue, -1), 1) } }
  }

  private func setMix(_ change: (inout GraphConnection.Mix) -> Void) {
    let mix = mixing.withLock { mix -> GraphConnection.Mix in
      change(&mix)
      return mix
    }
    owner?.setMix(mix, of: self)
  }
}
