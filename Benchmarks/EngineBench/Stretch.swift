internal import AVFAudio
internal import AudioModel
internal import DSP

/// Stretches a WAV file as the engine does, with nothing of a player around it.
///
/// Changes are asked for at their frame of the output, and hold as soon as the stretcher lets them. With a script, it prints what the stretcher says of its
/// latency, and of the position in the input all along the output.
/// - Parameters:
///   - mode: An algorithm's name.
///   - rate: A number, or `@` and the path of a script of lines "outputSecond rate cents", whose first is for 0.
///   - cents: A number; does not count with a script.
func stretch(mode: String, rate: String, cents: String, from source: String, to target: String) throws {
  guard let algorithm = StretchAlgorithm(rawValue: mode) else { fail("no such mode: \(mode)") }
  let file = try AVAudioFile(forReading: URL(filePath: source))
  let format = file.processingFormat
  let hertz = Int(format.sampleRate)
  let changes = rate.hasPrefix("@") ? try script(String(rate.dropFirst()), hertz: hertz) : [Change(0, rate, cents)]
  guard let sampleRate = SampleRate(hertz: hertz), let first = changes.first, first.frame == 0 else {
    fail("the script does not begin at 0")
  }
  let input = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(max(1, file.length)))!
  if file.length > 0 { try file.read(into: input) }
  let output = try AVAudioFile(
    forWriting: URL(filePath: target),
    settings: [
      AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: format.sampleRate,
      AVNumberOfChannelsKey: Int(format.channelCount), AVLinearPCMIsFloatKey: true, AVLinearPCMBitDepthKey: 32,
    ])
  let stretcher = TimeStretcher(rate: sampleRate, channels: Int(format.channelCount))
  if rate.hasPrefix("@") { print("latency \(TimeStretcher.latency(of: algorithm, rate: 1))") }
  // Positions are told at the ends of pieces, between which they may bend.
  let piece = rate.hasPrefix("@") ? 16 : stretcher.maximumFrames
  let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1 << 16)!
  var (made, fed, next) = (0, 0, 0)
  func tellPosition() {
    guard rate.hasPrefix("@") else { return }
    print("position \(Double(made) / Double(hertz)) \(stretcher.mediaPosition / Double(hertz))")
  }
  while true {
    while next < changes.count, changes[next].frame <= made {
      let change = changes[next]
      stretcher.set(rate: change.rate, pitchRatio: exp2(change.cents / 1200), algorithm: algorithm)
      next += 1
    }
    tellPosition()
    let count = next < changes.count ? min(piece, changes[next].frame - made) : piece
    while case let wanted = stretcher.wanted(for: count), wanted > 0 {
      let given = min(wanted, Int(input.frameLength) - fed)
      if given > 0 {
        stretcher.push(input.floatChannelData![0] + fed, stride: Int(input.frameCapacity), count: given)
      } else {
        stretcher.finish()
      }
      fed += given
    }
    if Int(buffer.frameCapacity - buffer.frameLength) < count {
      try output.write(from: buffer)
      buffer.frameLength = 0
    }
    let place = buffer.floatChannelData![0] + Int(buffer.frameLength)
    let got = stretcher.pull(into: place, stride: Int(buffer.frameCapacity), count: count)
    buffer.frameLength += AVAudioFrameCount(got)
    made += got
    if got < count { break }
  }
  tellPosition()
  try output.write(from: buffer)
  output.close()
}

/// What holds from a frame of the output on.
private struct Change {
  var frame: Int
  var rate: Double
  var cents: Double

  init(_ frame: Int, _ rate: some StringProtocol, _ cents: some StringProtocol) {
    guard let rate = Double(rate), let cents = Double(cents) else { fail("not a rate and cents: \(rate) \(cents)") }
    (self.frame, self.rate, self.cents) = (frame, rate, cents)
  }
}

private func script(_ path: String, hertz: Int) throws -> [Change] {
  try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
    let words = line.split(separator: " ")
    guard words.count == 3, let second = Double(words[0]) else { fail("not a line of a script: \(line)") }
    return Change(Int((second * Double(hertz)).rounded(.toNearestOrEven)), words[1], words[2])
  }
}
