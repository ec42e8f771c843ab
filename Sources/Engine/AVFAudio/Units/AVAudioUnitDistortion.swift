internal import AudioModel
internal import RenderGraph

/// Ways to spoil sound. `docs/effects.md` tells what each does.
public enum AVAudioUnitDistortionPreset: Int, Sendable {
  case drumsBitBrush = 0
  case drumsBufferBeats = 1
  case drumsLoFi = 2
  case multiBrokenSpeaker = 3
  case multiCellphoneConcert = 4
  case multiDecimated1 = 5
  case multiDecimated2 = 6
  case multiDecimated3 = 7
  case multiDecimated4 = 8
  case multiDistortedFunk = 9
  case multiDistortedCubed = 10
  case multiDistortedSquared = 11
  case multiEcho1 = 12
  case multiEcho2 = 13
  case multiEchoTight1 = 14
  case multiEchoTight2 = 15
  case multiEverythingIsBroken = 16
  case speechAlienChatter = 17
  case speechCosmicInterference = 18
  case speechGoldenPi = 19
  case speechRadioTower = 20
  case speechWaves = 21
}

/// A distortion.
///
/// Everything may be changed from any thread while sound plays: mix and gain move over 20 ms, another preset fades
/// in over 50 ms. ``AVAudioNode/reset()`` silences echoes.
open class AVAudioUnitDistortion: AVAudioUnitEffect, @unchecked Sendable {
  private let kernel: DistortionKernel

  /// Makes a distortion by the bit brush.
  public override init() {
    kernel = DistortionKernel()
    super.init(kernel: kernel)
  }

  /// Changes what is done. Default: ``AVAudioUnitDistortionPreset/drumsBitBrush``.
  public func loadFactoryPreset(_ preset: AVAudioUnitDistortionPreset) {
    kernel.change { $0.preset = DistortionPreset.allCases[preset.rawValue] }
  }

  /// Decibels of gain in front of the distortion. Range: −80…20; what lies outside becomes the nearer end. Default:
  /// −6.
  public var preGain: Float {
    get { Float(kernel.settings.preGain) }
    set { kernel.change { $0.preGain = Double(newValue) } }
  }

  /// Per cent of distorted sound against sound as it came. Range: 0…100; what lies outside becomes the nearer end.
  /// Default: 50.
  public var wetDryMix: Float {
    get { Float(kernel.settings.mix) }
    set { kernel.change { $0.mix = Double(newValue) } }
  }
}
