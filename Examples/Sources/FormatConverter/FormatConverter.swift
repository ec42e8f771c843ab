// From any format that can be read to any that can be written: FormatConverter IN OUT [RATE]

import AVFAudio
import ExampleSupport

@main struct FormatConverter {
  static func main() { runExample { try run() } }

  private static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 || arguments.count == 4 else {
      print("usage: FormatConverter IN OUT [RATE]")
      exit(64)
    }
    let source = try AVAudioFile(forReading: URL(fileURLWithPath: arguments[1]))
    let rate =
      arguments.count > 3 ? Double(arguments[3]) ?? 0 : fileRate(for: arguments[2], like: source.processingFormat)
    guard
      let target = AVAudioFormat(
        standardFormatWithSampleRate: rate, channels: min(2, source.processingFormat.channelCount)),
      let converter = AVAudioConverter(from: source.processingFormat, to: target),
      let input = AVAudioPCMBuffer(pcmFormat: source.processingFormat, frameCapacity: 8192),
      let output = AVAudioPCMBuffer(pcmFormat: target, frameCapacity: 8192)
    else {
      print("\(source.processingFormat) can't be converted to \(rate) Hz")
      exit(65)
    }
    converter.sampleRateConverterQuality = AVAudioQuality.max.rawValue
    let file = try AVAudioFile(
      forWriting: URL(fileURLWithPath: arguments[2]), settings: fileSettings(for: arguments[2], like: target))

    while true {
      var error: NSError?
      let status = converter.convert(to: output, error: &error) { _, status in
        if source.framePosition < source.length, (try? source.read(into: input)) != nil, input.frameLength > 0 {
          status.pointee = .haveData
          return input
        }
        status.pointee = .endOfStream
        return nil
      }
      if let error { throw error }
      if output.frameLength > 0 { try file.write(from: output) }
      if status == .endOfStream { break }
    }
    print("\(source.length) frames became \(file.length)")
  }
}
