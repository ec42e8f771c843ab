internal import AudioModel
public import Foundation
internal import RenderGraph

/// A delay: repetitions, each with less treble than the one before.
///
/// Everything may be changed from any thread while sound plays: feedback, cutoff and mix move over 20 ms, another
/// time fades in over 50 ms. ``AVAudioNode/reset()`` silences the repetitions.
open class AVAudioUnitDelay: AVAudioUnitEffect, @unchecked Sendable {
  private let kernel: DelayKernel

  /// Makes a delay.
  public override init() {
    kernel = DelayKernel()
    super.init(kernel: kernel)
  }

  /// Seconds until a sound is repeated. Range: 0…2; what lies outside becomes the nearer end. Default: 1.
  public var delayTime: TimeInterval {
    get { kernel.settings.time }
    set { kernel.change { $0.time = newValue } }
  }

  /// Per cent of each repetition in the next one; negative ones turn over. Range: −100…100; what lies outside
  /// becomes the nearer end. Default: 50.
  public var feedback: Float {
    get { Float(kernel.settings.feedback) }
    set { kernel.change { $0.feedback = Double(newValue) } }
  }

  /// Hertz above which each repetition has less treble. Range: 10…half the sample rate; what lies outside becomes
  /// the nearer end. Default: 15 000.
  public var lowPassCutoff: Float {
    get { Float(min(kernel.settings.cutoff, outputFormat(forBus: 0).sampleRate / 2)) }
    set { kernel.change { $0.cutoff = Double(newValue) } }
  }

  /// Per cent of repetitions against sound as it came. Range: 0…100; what lies outside becomes the nearer end.
  /// Default: 100.
  public var wetDryMix: Float {
    get { Float(kernel.settings.mix) }
    set { kernel.change { $0.mix = Double(newValue) } }
  }
}
