internal import AVFAudio
internal import AudioModel
internal import Foundation
internal import MartletTestSupport
internal import Testing

@Suite("AVAudioUnitEQ")
struct EqualizerTests {
  @Test("defaults are Apple's")
  func defaults() {
    let unit = AVAudioUnitEQ(numberOfBands: 4)
    #expect(unit.bands.count == 4)
    #expect(AVAudioUnitEQ().bands.count == 1)
    #expect(unit.globalGain == 0)
    #expect(!unit.bypass)
    for band in unit.bands {
      #expect(band.filterType == .parametric)
      #expect(band.bandwidth == 0.5)
      #expect(band.gain == 0)
      #expect(band.bypass)
    }
  }

  @Test("values are clamped to their ranges, and types have Apple's numbers")
  func clamps() {
    let unit = AVAudioUnitEQ(numberOfBands: 2)
    unit.globalGain = 100
    #expect(unit.globalGain == 24)
    unit.globalGain = -.infinity
    #expect(unit.globalGain == -96)
    let band = unit.bands[1]
    band.frequency = 3
    #expect(band.frequency == 20)
    band.frequency = 12_345
    #expect(band.frequency == 12_345)
    band.gain = 25
    #expect(band.gain == 24)
    band.gain = -97
    #expect(band.gain == -96)
    band.gain = .nan
    #expect(band.gain == 0)
    band.bandwidth = 0
    #expect(band.bandwidth == 0.05)
    band.bandwidth = 6
    #expect(band.bandwidth == 5)
    band.bypass = false
    band.filterType = .resonantHighShelf
    #expect(band.filterType == .resonantHighShelf && !band.bypass)
    #expect(unit.bands[0].frequency == 1000 && unit.bands[0].bypass, "the other band stays")
    let types: [AVAudioUnitEQFilterType] = [
      .parametric, .lowPass, .highPass, .resonantLowPass, .resonantHighPass, .bandPass, .bandStop, .lowShelf,
      .highShelf, .resonantLowShelf, .resonantHighShelf,
    ]
    #expect(types.map(\.rawValue) == Array(0...10))
  }

  /// Renders a tone through a unit.
  private func render(_ unit: AVAudioUnitEQ, hertz: Double, frames: Int = 8820) throws -> (input: [Float], [Float]) {
    let rig = try OfflineRig()
    let player = AVAudioPlayerNode()
    rig.engine.attach(player)
    rig.engine.attach(unit)
    rig.engine.connect(player, to: unit, format: rig.format)
    rig.engine.connect(unit, to: rig.engine.mainMixerNode, format: rig.format)
    let input = Signals.sine(hertz: hertz, rate: 44_100, frames: frames)
    let buffer = try #require(
      AVAudioPCMBuffer(pcmFormat: rig.format, frameCapacity: AVAudioFrameCount(frames)))
    buffer.frameLength = AVAudioFrameCount(frames)
    let data = try #require(buffer.floatChannelData)
    for frame in 0..<frames { data[0][frame] = input[frame] }
    player.scheduleBuffer(buffer, completionHandler: nil)
    try rig.engine.start()
    player.play()
    return (input, try rig.render(frames))
  }

  @Test("bands that are bypassed or flat change no bit")
  func transparent() throws {
    let unit = AVAudioUnitEQ(numberOfBands: 3)
    unit.bands[0].bypass = false
    unit.bands[1].gain = 12
    unit.bands[2].filterType = .lowPass
    let (input, output) = try render(unit, hertz: 1000)
    #expect(difference(output, input) == nil)
  }

  @Test("bands, gain and bypass are heard")
  func sound() throws {
    let unit = AVAudioUnitEQ(numberOfBands: 2)
    unit.globalGain = -6.0206
    unit.bands[0].frequency = 1000
    unit.bands[0].gain = 12.0412
    unit.bands[0].bypass = false
    unit.bands[1].filterType = .highPass
    unit.bands[1].frequency = 100
    unit.bands[1].bypass = false
    for (hertz, expected) in [(1000.0, Float(1)), (100, 0.1768), (10_000, 0.25)] {
      let output = try render(unit, hertz: hertz).1
      let peak = output.suffix(4410).map(abs).max() ?? 0
      #expect(abs(peak / expected - 1) < 0.05, "\(hertz) Hz comes out at \(peak)")
    }
    unit.bypass = true
    let (input, output) = try render(unit, hertz: 1000)
    #expect(difference(Array(output.suffix(4000)), Array(input.suffix(4000))) == nil)
  }
}
