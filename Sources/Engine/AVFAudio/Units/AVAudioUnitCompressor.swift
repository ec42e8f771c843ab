internal import AudioModel
public import Foundation
internal import RenderGraph

/// Makes loud sound softer: above a threshold, the level rises by 1 dB only where it rose by as many as the ratio says.
///
/// Differs: an addition of Martlet's, in place of Apple's dynamics processor, which has no class of its own there. All
/// channels are lowered together, so that nothing moves between the loudspeakers. The level of a moment is the highest peak
/// of the last 10 ms. There is no latency. What is below the bend at the threshold passes bit for bit, without makeup gain.
///
/// Properties may be set from any thread, while sound passes, without clicks; values outside a range become the nearest
/// within, and what is no number, the default.
open class AVAudioUnitCompressor: AVAudioUnitEffect, @unchecked Sendable {
  private let kernel: CompressorKernel

  /// Makes a compressor.
  public override init() {
    kernel = CompressorKernel()
    super.init(kernel: kernel)
  }

  /// The level, in decibels of full scale, above which sound is lowered. Range: −60…0. Default: −20.
  public var threshold: Float {
    get { Float(kernel.settings.threshold.value) }
    set { kernel.change { $0.threshold = Decibels(Double(newValue)) } }
  }

  /// Decibels of input for one decibel of output, above the threshold. Range: 1…100. Default: 4.
  public var ratio: Float {
    get { Float(kernel.settings.ratio) }
    set { kernel.change { $0.ratio = Double(newValue) } }
  }

  /// Width of the bend around the threshold, in decibels. Range: 0…40. Default: 6.
  public var knee: Float {
    get { Float(kernel.settings.knee.value) }
    set { kernel.change { $0.knee = Decibels(Double(newValue)) } }
  }

  /// Seconds in which 63 % of a lowering in decibels happen. Range: 0.0001…1. Default: 0.01.
  public var attackTime: TimeInterval {
    get { kernel.settings.attack }
    set { kernel.change { $0.attack = newValue } }
  }

  /// Seconds in which 63 % of the return happen. Range: 0.01…5. Default: 0.15.
  public var releaseTime: TimeInterval {
    get { kernel.settings.release }
    set { kernel.change { $0.release = newValue } }
  }

  /// Gain behind it all, in decibels. Range: −40…40. Default: 0. Changes take 10 ms.
  public var makeupGain: Float {
    get { Float(kernel.settings.makeup.value) }
    set { kernel.change { $0.makeup = Decibels(Double(newValue)) } }
  }

  /// How far sound was lowered at most since this was last read, in decibels, 0 or more; for a meter on the screen.
  public var gainReduction: Float { -20 * log10(max(kernel.takeLowestGain(), 1e-8)) }
}
