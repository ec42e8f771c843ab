// A file through an engine into another file, as fast as it goes: OfflineRenderer IN OUT

import AVFAudio
import ExampleSupport

@main struct OfflineRenderer {
  static func main() { runExample { try run() } }

  private static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      print("usage: OfflineRenderer IN OUT")
      exit(64)
    }
    let source = try AVAudioFile(forReading: URL(fileURLWithPath: arguments[1]))
    let format = source.processingFormat
    guard
      let wanted = AVAudioFormat(
        standardFormatWithSampleRate: fileRate(for: arguments[2], like: format), channels: min(2, format.channelCount)
      )
    else { return }
    let length = Int64((Double(source.length) * wanted.sampleRate / format.sampleRate).rounded(.up))

    let engine = AVAudioEngine()
    let player = AVAudioPlayerNode()
    engine.attach(player)
    engine.connect(player, to: engine.mainMixerNode, format: format)
    try engine.enableManualRenderingMode(.offline, format: wanted, maximumFrameCount: 4096)
    try engine.start()
    player.scheduleFile(source, at: nil)
    player.play()
    // Half as loud.
    engine.mainMixerNode.outputVolume = 0.5

    let output = try AVAudioFile(
      forWriting: URL(fileURLWithPath: arguments[2]), settings: fileSettings(for: arguments[2], like: wanted))
    guard
      let buffer = AVAudioPCMBuffer(
        pcmFormat: engine.manualRenderingFormat, frameCapacity: engine.manualRenderingMaximumFrameCount)
    else { return }
    while engine.manualRenderingSampleTime < length {
      let left = length - engine.manualRenderingSampleTime
      switch try engine.renderOffline(min(AVAudioFrameCount(left), buffer.frameCapacity), to: buffer) {
      case .success: try output.write(from: buffer)
      case .insufficientDataFromInputNode, .cannotDoInCurrentContext: continue
      case .error: throw CocoaError(.fileReadUnknown)
      @unknown default: throw CocoaError(.fileReadUnknown)
      }
    }
    player.stop()
    engine.stop()
    print("\(output.length) frames written to \(arguments[2])")
  }
}
