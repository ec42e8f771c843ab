internal import AVFAudio
internal import GraphHost

/// Eight players, a mixer in front of the main mixer, taps and an effect on a real device, and a change of the graph or
/// of a setting every 50 ms. What is heard must be smooth: whoever captures it looks for clicks.
func soak(seconds: Double) throws {
  let engine = AVAudioEngine()
  let group = AVAudioMixerNode()
  let effect = AVAudioUnitEffect()
  engine.attach(group)
  engine.attach(effect)
  let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2)!
  engine.connect(group, to: effect, format: format)
  engine.connect(effect, to: engine.mainMixerNode, format: format)
  let tones = (0..<8).map { Tone(number: $0, engine: engine, target: $0 < 4 ? group : engine.mainMixerNode) }
  engine.mainMixerNode.installTap(onBus: 0, bufferSize: 4800, format: nil) { _, _ in }
  try engine.start()
  for tone in tones { tone.node.play() }
  let changes = Int(seconds / 0.05)
  for number in 0..<changes {
    Thread.sleep(forTimeInterval: 0.05)
    let tone = tones[number / 9 % 8]
    switch number % 9 {
    case 0: tone.node.volume = Float(number % 11) / 10
    case 1: tone.node.pan = Float(number % 21) / 10 - 1
    case 2: engine.disconnectNodeOutput(tone.node)
    case 3: engine.connect(tone.node, to: number % 2 == 0 ? group : engine.mainMixerNode, format: tone.format)
    case 4: tone.node.pause()
    case 5: tone.node.play()
    case 6: effect.bypass.toggle()
    case 7:
      tone.node.stop()
      tone.schedule()
      tone.node.play()
    default:
      tone.node.removeTap(onBus: 0)
      tone.node.installTap(onBus: 0, bufferSize: 1024, format: nil) { _, _ in }
    }
  }
  // A device that is closed cuts what sounds.
  engine.mainMixerNode.outputVolume = 0
  Thread.sleep(forTimeInterval: 0.2)
  let figures = engine.renderFigures
  engine.stop()
  print(
    """
    {"calls":\(figures.calls),"slowCalls":\(figures.slowCalls),"worstShare":\(figures.worstShare),\
    "underruns":\(figures.underruns),"changes":\(changes)}
    """)
}

/// A player with a sine that loops without a seam.
private struct Tone {
  let node = AVAudioPlayerNode()
  let format: AVAudioFormat
  private let buffer: AVAudioPCMBuffer

  init(number: Int, engine: AVAudioEngine, target: AVAudioNode) {
    let rate = [48_000.0, 44_100, 48_000, 32_000, 48_000, 44_100, 96_000, 48_000][number]
    format = AVAudioFormat(standardFormatWithSampleRate: rate, channels: AVAudioChannelCount(1 + number % 2))!
    let frequency = Double(100 + 50 * number)
    let frames = Int(rate)
    buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames))!
    buffer.frameLength = AVAudioFrameCount(frames)
    for channel in 0..<Int(format.channelCount) {
      for frame in 0..<frames {
        buffer.floatChannelData![channel][frame] = Float(0.08 * sin(2 * .pi * frequency * Double(frame) / rate))
      }
    }
    engine.attach(node)
    engine.connect(node, to: target, format: format)
    schedule()
  }

  func schedule() { node.scheduleBuffer(buffer, at: nil, options: .loops) }
}
