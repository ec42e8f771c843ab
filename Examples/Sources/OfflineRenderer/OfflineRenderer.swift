// A file through an engine into another file, as fast as it goes: OfflineRenderer IN OUT

import AVFAudio

@main struct OfflineRenderer {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      print("usage: OfflineRenderer IN OUT")
      exit(64)
    }
    let source = try AVAudioFile(forReading: URL(fileURLWithPath: arguments[1]))
    let format = source.processingFormat

    let engine = AVAudioEngine()
    let player = AVAudioPlayerNode()
    engine.attach(player)
    engine.connect(player, to: engine.mainMixerNode, format: format)
    try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 4096)
    try engine.start()
    player.scheduleFile(source, at: nil)
    player.play()
    // Half as loud.
    engine.mainMixerNode.outputVolume = 0.5

    let output = try AVAudioFile(
      forWriting: URL(fileURLWithPath: arguments[2]), settings: wantedSettings(for: arguments[2], like: format))
    guard
      let buffer = AVAudioPCMBuffer(
        pcmFormat: engine.manualRenderingFormat, frameCapacity: engine.manualRenderingMaximumFrameCount)
    else { return }
    while engine.manualRenderingSampleTime < source.length {
      let left = source.length - engine.manualRenderingSampleTime
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

  /// The settings of a file: its kind follows from the extension.
  static func wantedSettings(for path: String, like format: AVAudioFormat) -> [String: Any] {
    var settings = format.settings
    let kinds: [String: AudioFormatID] = [
      "m4a": kAudioFormatMPEG4AAC, "flac": kAudioFormatFLAC, "mp3": kAudioFormatMPEGLayer3, "opus": kAudioFormatOpus,
    ]
    if let kind = kinds[URL(fileURLWithPath: path).pathExtension.lowercased()] { settings[AVFormatIDKey] = kind }
    return settings
  }
}
