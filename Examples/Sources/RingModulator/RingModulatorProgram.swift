// A file through an effect of one's own into another file: RingModulator IN OUT [HERTZ]

import AVFAudio
import ExampleSupport

@main struct RingModulatorProgram {
  static func main() { runExample { try run() } }

  private static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 || arguments.count == 4 else {
      print("usage: RingModulator IN OUT [HERTZ]")
      exit(64)
    }
    let source = try AVAudioFile(forReading: URL(fileURLWithPath: arguments[1]))
    let format = source.processingFormat
    let output = try AVAudioFile(
      forWriting: URL(fileURLWithPath: arguments[2]), settings: fileSettings(for: arguments[2], like: format))

    let ring = RingModulator()
    if arguments.count == 4, let hertz = Float(arguments[3]) { ring.frequency.value = hertz }

    let engine = AVAudioEngine()
    let player = AVAudioPlayerNode()
    let unit = AVAudioUnitEffect(ring)
    engine.attach(player)
    engine.attach(unit)
    engine.connect(player, to: unit, format: format)
    engine.connect(unit, to: engine.mainMixerNode, format: format)
    try engine.enableManualRenderingMode(.offline, format: output.processingFormat, maximumFrameCount: 4096)
    try engine.start()
    player.scheduleFile(source, at: nil)
    player.play()

    guard
      let buffer = AVAudioPCMBuffer(
        pcmFormat: engine.manualRenderingFormat, frameCapacity: engine.manualRenderingMaximumFrameCount)
    else { return }
    while engine.manualRenderingSampleTime < source.length {
      let left = source.length - engine.manualRenderingSampleTime
      guard try engine.renderOffline(min(AVAudioFrameCount(left), buffer.frameCapacity), to: buffer) == .success
      else {
        throw CocoaError(.fileReadUnknown)
      }
      try output.write(from: buffer)
    }
    player.stop()
    engine.stop()
    print("\(output.length) frames written to \(arguments[2])")
  }
}
