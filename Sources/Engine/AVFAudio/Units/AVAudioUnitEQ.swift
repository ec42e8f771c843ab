internal import AudioModel
public import Foundation
internal import RenderGraph

/// What a band of an equalizer does to the spectrum. All are filters of second order.
public enum AVAudioUnitEQFilterType: Int, Sendable {
  /// A bell: gain around the frequency, over the bandwidth.
  case parametric = 0
  /// Butterworth low pass: −3 dB at the frequency, 12 dB an octave above.
  case lowPass = 1
  /// Butterworth high pass: −3 dB at the frequency, 12 dB an octave below.
  case highPass = 2
  /// A low pass that resonates at the frequency, the more the narrower its bandwidth.
  case resonantLowPass = 3
  /// A high pass that resonates at the frequency, the more the narrower its bandwidth.
  case resonantHighPass = 4
  /// What lies within the bandwidth passes.
  case bandPass = 5
  /// What lies within the bandwidth is taken away.
  case bandStop = 6
  /// Gain below the frequency.
  case lowShelf = 7
  /// Gain above the frequency.
  case highShelf = 8
  /// Gain below the frequency, with a resonance there by the bandwidth.
  case resonantLowShelf = 9
  /// Gain above the frequency, with a resonance there by the bandwidth.
  case resonantHighShelf = 10
}

/// An equalizer of any number of bands.
///
/// Sound goes through the bands in order; those that are bypassed, or have a gain of 0 dB, change no bit and cost nothing.
/// Everything may be changed from any thread while sound plays: values move within some 50 ms, another type, bypass and
/// jumps of more than half an octave fade over 30 ms. The filters add no latency.
open class AVAudioUnitEQ: AVAudioUnitEffect, @unchecked Sendable {
  private let kernel: EqualizerKernel
  /// The bands, in the order in which sound goes through them.
  public let bands: [AVAudioUnitEQFilterParameters]

  /// Makes an equalizer whose bands are bypassed.
  /// - Parameter numberOfBands: 1 or more.
  public init(numberOfBands: Int) {
    require(numberOfBands > 0, "an equalizer has a band at least, not \(numberOfBands)")
    let band = EqualizerBand(frequency: 1000, bandwidth: 0.5, isBypassed: true)
    let kernel = EqualizerKernel(
      EqualizerSettings(bands: [EqualizerBand](repeating: band, count: numberOfBands)))
    self.kernel = kernel
    bands = (0..<numberOfBands).map { AVAudioUnitEQFilterParameters(kernel, $0) }
    super.init(kernel: kernel)
  }

  /// Makes an equalizer of one band.
  public override convenience init() { self.init(numberOfBands: 1) }

  /// Gain over everything in decibels. Range: −96…24; what lies outside becomes the nearer end. Default: 0.
  public var globalGain: Float {
    get { Float(kernel.settings.globalGain.value) }
    set { kernel.change { $0.globalGain = Decibels(Double(newValue)) } }
  }
}

/// One band of an equalizer. What lies outside a range becomes the nearer end; any thread.
public final class AVAudioUnitEQFilterParameters: NSObject, @unchecked Sendable {
  private let kernel: EqualizerKernel
  private let index: Int

  init(_ kernel: EqualizerKernel, _ index: Int) {
    self.kernel = kernel
    self.index = index
  }

  private var band: EqualizerBand { kernel.settings.bands[index] }

  private func change(_ body: (inout EqualizerBand) -> Void) { kernel.change { body(&$0.bands[index]) } }

  /// What the band does. Default: ``AVAudioUnitEQFilterType/parametric``.
  public var filterType: AVAudioUnitEQFilterType {
    get { AVAudioUnitEQFilterType(rawValue: band.filter.rawValue) ?? .parametric }
    set { change { $0.filter = EqualizerFilter(rawValue: newValue.rawValue) ?? .parametric } }
  }

  /// Middle or corner in hertz. Range: 20 to half of the sample rate; a higher one is kept, and counts as just below.
  /// Default: 1000.
  public var frequency: Float {
    get { Float(band.frequency) }
    set { change { $0.frequency = Double(newValue) } }
  }

  /// Width in octaves, for the types that have one. Range: 0.05…5. Default: 0.5.
  public var bandwidth: Float {
    get { Float(band.bandwidth) }
    set { change { $0.bandwidth = Double(newValue) } }
  }

  /// Gain in decibels, for the types that have one. Range: −96…24. Default: 0.
  public var gain: Float {
    get { Float(band.gain.value) }
    set { change { $0.gain = Decibels(Double(newValue)) } }
  }

  /// Lets sound pass unchanged. Default: `true`.
  public var bypass: Bool {
    get { band.isBypassed }
    set { change { $0.isBypassed = newValue } }
  }
}
