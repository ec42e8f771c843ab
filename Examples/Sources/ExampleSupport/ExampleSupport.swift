import AVFAudio

/// Runs a program; what it throws ends it with a sentence.
public func runExample(_ body: () throws -> Void) {
  do {
    try body()
  } catch {
    FileHandle.standardError.write(Data("\((error as NSError).localizedDescription)\n".utf8))
    exit(1)
  }
}

/// Settings for a file of the kind that its extension says, in a format's channels; linear PCM as the format has it.
public func fileSettings(for path: String, like format: AVAudioFormat) -> [String: Any] {
  let kinds: [String: AudioFormatID] = [
    "m4a": kAudioFormatMPEG4AAC, "flac": kAudioFormatFLAC, "mp3": kAudioFormatMPEGLayer3, "opus": kAudioFormatOpus,
  ]
  var settings = format.settings
  if let kind = kinds[fileKind(path)] {
    settings = [
      AVFormatIDKey: kind, AVSampleRateKey: format.sampleRate, AVNumberOfChannelsKey: format.channelCount,
    ]
  }
  return settings
}

/// The rate that a file of the kind takes in place of another: Opus has one only.
public func fileRate(for path: String, like format: AVAudioFormat) -> Double {
  fileKind(path) == "opus" ? 48_000 : format.sampleRate
}

private func fileKind(_ path: String) -> String { URL(fileURLWithPath: path).pathExtension.lowercased() }
