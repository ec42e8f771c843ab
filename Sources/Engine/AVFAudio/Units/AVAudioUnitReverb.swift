internal import AudioModel
internal import RenderGraph

/// Spaces that a reverb sounds like. `docs/effects.md` tells what each is made of.
public enum AVAudioUnitReverbPreset: Int, Sendable {
  case smallRoom = 0
  case mediumRoom = 1
  case largeRoom = 2
  case mediumHall = 3
  case largeHall = 4
  case plate = 5
  case mediumChamber = 6
  case largeChamber = 7
  case cathedral = 8
  case largeRoom2 = 9
  case mediumHall2 = 10
  case mediumHall3 = 11
  case largeHall2 = 12
}

/// A reverb.
///
/// Everything may be changed from any thread while sound plays: the mix moves over 20 ms, another preset fades in
/// over 50 ms. ``AVAudioNode/reset()`` silences what is in the room.
open class AVAudioUnitReverb: AVAudioUnitEffect, @unchecked Sendable {
  private let kernel: ReverbKernel

  /// Makes a reverb of the medium hall.
  public override init() {
    kernel = ReverbKernel()
    super.init(kernel: kernel)
  }

  /// Changes the space. Default: ``AVAudioUnitReverbPreset/mediumHall``.
  public func loadFactoryPreset(_ preset: AVAudioUnitReverbPreset) {
    kernel.change { $0.preset = ReverbPreset.allCases[preset.rawValue] }
  }

  /// Per cent of reverb against sound as it came. Range: 0…100; what lies outside becomes the nearer end. Default:
  /// 0, where sound passes bit for bit.
  public var wetDryMix: Float {
    get { Float(kernel.settings.mix) }
    set { kernel.change { $0.mix = Double(newValue) } }
  }
}
