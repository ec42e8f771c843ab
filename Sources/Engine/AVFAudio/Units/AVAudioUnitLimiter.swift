internal import AudioModel
internal import DSP
public import Foundation
internal import RenderGraph

/// Keeps true peaks below a ceiling: what a converter or a coder makes of the samples does not pass it either.
///
/// Differs: an addition of Martlet's, in place of Apple's peak limiter, which has no class of its own there. It looks
/// ahead, so that sound comes out about 4 ms later (``AVAudioUnit/latency``); the gain is down when a peak comes, on a
/// smooth curve, for all channels together. A single peak is forgotten within a tenth of a second; where limiting goes on,
/// the gain stands rather than pumps. What stays below the ceiling passes bit for bit.
///
/// An engine never puts one in by itself. Properties may be set from any thread, while sound passes, without clicks; values
/// outside a range become the nearest within, and what is no number, the default.
open class AVAudioUnitLimiter: AVAudioUnitEffect, @unchecked Sendable {
  private let kernel: LimiterKernel

  /// Makes a limiter.
  public override init() {
    kernel = LimiterKernel()
    super.init(kernel: kernel)
  }

  /// The highest true peak, in decibels of full scale (dBTP). Range: −40…0. Default: −1.
  public var ceiling: Float {
    get { Float(kernel.settings.ceiling.value) }
    set { kernel.change { $0.ceiling = Decibels(Double(newValue)) } }
  }

  /// Gain in front of the limiter, in decibels. Range: −40…40. Default: 0. Changes take 10 ms.
  public var preGain: Float {
    get { Float(kernel.settings.gain.value) }
    set { kernel.change { $0.gain = Decibels(Double(newValue)) } }
  }

  /// Lets the sound pass as it is, as late as it is: going and coming shift nothing in time.
  public override var bypass: Bool {
    get { kernel.isBypassed }
    set { kernel.isBypassed = newValue }
  }

  /// Seconds by which the sound comes out later than it went in.
  open override var latency: TimeInterval {
    let rate = outputFormat(forBus: 0).sampleRate
    return Double(TruePeakLimiter.latency(rate: Int(rate))) / rate
  }

  /// How far sound was lowered at most since this was last read, in decibels, 0 or more; for a meter on the screen.
  public var gainReduction: Float { -20 * log10(max(kernel.takeLowestGain(), 1e-8)) }
}
