// The microphone into a file: Recorder OUT [SECONDS]

import AVFAudio
import ExampleSupport

@main struct Recorder {
  static func main() { runExample { try run() } }

  private static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 2 || arguments.count == 3 else {
      print("usage: Recorder OUT [SECONDS]")
      exit(64)
    }
    let seconds = arguments.count > 2 ? Double(arguments[2]) ?? 5 : 5

    let engine = AVAudioEngine()
    let microphone = engine.inputNode
    let format = microphone.outputFormat(forBus: 0)
    let file = try AVAudioFile(
      forWriting: URL(fileURLWithPath: arguments[1]), settings: fileSettings(for: arguments[1], like: format))
    microphone.installTap(onBus: 0, bufferSize: 4096, format: format) { buffer, _ in
      do {
        try file.write(from: buffer)
      } catch {
        print("the recording can't be written: \(error.localizedDescription)")
      }
    }
    try engine.start()
    print("recording for \(seconds) seconds")
    Thread.sleep(forTimeInterval: seconds)
    microphone.removeTap(onBus: 0)
    engine.stop()
    print("\(file.length) frames written to \(arguments[1])")
  }
}
