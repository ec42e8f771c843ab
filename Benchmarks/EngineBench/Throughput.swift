internal import AVFAudio

/// Mixes eight stereo inputs at 48 kHz offline.
func mix(seconds: Double) throws {
  let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2)!
  let engine = AVAudioEngine()
  try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 512)
  for number in 0..<8 {
    let player = AVAudioPlayerNode()
    engine.attach(player)
    engine.connect(player, to: engine.mainMixerNode, format: format)
    let buffer = noise(format, frames: 48_000, seed: UInt64(number))
    player.volume = 0.125
    player.scheduleBuffer(buffer, at: nil, options: .loops)
    player.play()
  }
  try engine.start()
  let output = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 512)!
  let block = engine.manualRenderingBlock
  let calls = Int(seconds * 48_000 / 512)
  let time = measure { for _ in 0..<calls { _ = block(512, output.mutableAudioBufferList, nil) } }
  report(seconds: Double(calls) * 512 / 48_000, time: time)
}

/// Changes the rate of stereo noise.
func resample(from: Double, to: Double, seconds: Double) throws {
  let converter = makeConverter(from: from, to: to, channels: 2)
  let source = noise(converter.inputFormat, frames: 8192, seed: 1)
  let target = AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 8192)!
  let frames = Int(seconds * to)
  var done = 0
  let time = measure {
    while done < frames {
      _ = converter.convert(to: target, error: nil) { _, status in
        status.pointee = .haveData
        return source
      }
      done += Int(target.frameLength)
    }
  }
  report(seconds: Double(done) / to, time: time)
}

/// Changes the rate of mono Float32 from standard input, and gives it to standard output.
func convert(from: Double, to: Double) throws {
  let converter = makeConverter(from: from, to: to, channels: 1)
  let bytes = FileHandle.standardInput.readDataToEndOfFile()
  let frames = bytes.count / MemoryLayout<Float>.size
  let source = AVAudioPCMBuffer(pcmFormat: converter.inputFormat, frameCapacity: AVAudioFrameCount(max(1, frames)))!
  source.frameLength = AVAudioFrameCount(frames)
  bytes.withUnsafeBytes {
    source.mutableAudioBufferList.pointee.mBuffers.mData!.copyMemory(
      from: $0.baseAddress!, byteCount: frames * MemoryLayout<Float>.size)
  }
  let target = AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 8192)!
  var isGiven = false
  while true {
    let status = converter.convert(to: target, error: nil) { _, status in
      status.pointee = isGiven ? .endOfStream : .haveData
      defer { isGiven = true }
      return isGiven ? nil : source
    }
    guard status == .haveData else { return }
    let samples = UnsafeBufferPointer(start: target.floatChannelData![0], count: Int(target.frameLength))
    FileHandle.standardOutput.write(Data(buffer: samples))
  }
}

private func makeConverter(from: Double, to: Double, channels: UInt32) -> AVAudioConverter {
  let input = AVAudioFormat(standardFormatWithSampleRate: from, channels: channels)!
  let output = AVAudioFormat(standardFormatWithSampleRate: to, channels: channels)!
  let converter = AVAudioConverter(from: input, to: output)!
  // Flat to 0.91 of the band and 120 dB down from its end on, as soxr's high quality (20 bits) is.
  converter.sampleRateConverterQuality = AVAudioQuality.medium.rawValue
  return converter
}

private func noise(_ format: AVAudioFormat, frames: Int, seed: UInt64) -> AVAudioPCMBuffer {
  let buffer = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(frames))!
  buffer.frameLength = AVAudioFrameCount(frames)
  var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  for channel in 0..<Int(format.channelCount) {
    for frame in 0..<frames {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      buffer.floatChannelData![channel][frame] = Float(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-33
    }
  }
  return buffer
}

/// CPU seconds of this process that `body` takes.
private func measure(_ body: () -> Void) -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
  let start = now()
  body()
  return now() - start
}

private func report(seconds: Double, time: Double) {
  print("{\"seconds\":\(seconds),\"cpuSeconds\":\(time),\"speed\":\(seconds / time)}")
}
