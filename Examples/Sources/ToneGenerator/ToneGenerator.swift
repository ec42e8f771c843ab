// A sine tone for three seconds: ToneGenerator [HERTZ]

import AVFAudio
import ExampleSupport

/// The phase of an oscillator. Only the render thread touches it once the engine runs.
final class Oscillator: @unchecked Sendable {
  private var phase = 0.0
  private let step: Double

  init(frequency: Double, sampleRate: Double) { step = 2 * .pi * frequency / sampleRate }

  func fill(_ samples: UnsafeMutableBufferPointer<Float>) {
    for index in samples.indices {
      samples[index] = Float(sin(phase)) * 0.2
      phase += step
      if phase > 2 * .pi { phase -= 2 * .pi }
    }
  }
}

@main struct ToneGenerator {
  static func main() { runExample { try run() } }

  private static func run() throws {
    let frequency = CommandLine.arguments.dropFirst().first.flatMap(Double.init) ?? 440
    let engine = AVAudioEngine()
    let output = engine.outputNode.outputFormat(forBus: 0)
    guard let format = AVAudioFormat(standardFormatWithSampleRate: output.sampleRate, channels: 1) else { return }
    let oscillator = Oscillator(frequency: frequency, sampleRate: format.sampleRate)
    let tone = AVAudioSourceNode(format: format) { _, _, frameCount, list in
      for buffer in UnsafeMutableAudioBufferListPointer(list) {
        guard let data = buffer.mData?.assumingMemoryBound(to: Float.self) else { continue }
        oscillator.fill(UnsafeMutableBufferPointer(start: data, count: Int(frameCount)))
      }
      return noErr
    }
    engine.attach(tone)
    engine.connect(tone, to: engine.mainMixerNode, format: format)
    try engine.start()
    print("\(frequency) Hz for three seconds")
    Thread.sleep(forTimeInterval: 3)
    engine.stop()
  }
}
