internal import Foundation
internal import RenderGraph

/// Adds up any number of inputs, each converted to the mixer's rate and channels.
///
/// Mono goes to both sides as it is; stereo becomes mono as the mean of both; more channels are mixed down by ITU-R
/// BS.775. One input at volume 1 whose format is the mixer's passes bit for bit.
open class AVAudioMixerNode: AVAudioNode, AVAudioMixing, @unchecked Sendable {
  private let mixer = Mixer()

  override var core: GraphNode? { mixer }

  /// Makes a mixer.
  public override init() { super.init() }

  /// A factor for the sum, 0…1, default 1; read back as it was set. A change is spread over 10 ms.
  public var outputVolume: Float {
    get { mixer.volume }
    set { mixer.volume = newValue.isNaN ? 0 : min(max(newValue, 0), 1) }
  }

  /// The first input that nothing is connected to.
  public var nextAvailableInputBus: AVAudioNodeBus { owner?.freeInput(of: self) ?? 0 }

  /// As many as are connected, and one more.
  open override var numberOfInputs: Int { (owner?.inputs(of: self).max() ?? -1) + 2 }
}
