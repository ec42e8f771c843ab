import AVFAudio

/// Plays one episode, the way that a podcast app does: a player node into the main mixer, seeking by scheduling the rest
/// of the file anew, and a meter by a tap.
@MainActor final class EpisodePlayer {
  private let engine = AVAudioEngine()
  private let node = AVAudioPlayerNode()
  private let file: AVAudioFile
  private let meter = Meter()
  /// The frame of the file at which the node's timeline began.
  private var origin: AVAudioFramePosition = 0
  /// The place while nothing plays.
  private var resting: AVAudioFramePosition = 0
  /// Counts the schedules, so that a handler of an earlier one is recognised.
  private var schedule = 0

  private(set) var hasEnded = false

  init(url: URL) throws {
    file = try AVAudioFile(forReading: url)
    engine.attach(node)
    engine.connect(node, to: engine.mainMixerNode, format: file.processingFormat)
    let meter = meter
    engine.mainMixerNode.installTap(
      onBus: 0, bufferSize: 1024, format: engine.mainMixerNode.outputFormat(forBus: 0)
    ) { buffer, _ in meter.measure(buffer) }
    try engine.start()
    scheduleRest(from: 0)
  }

  var isPlaying: Bool { node.isPlaying }
  var duration: Double { Double(file.length) / rate }

  /// Seconds from the beginning of the episode.
  var position: Double { Double(min(currentFrame, file.length)) / rate }

  /// 0…1, from −80 dB to full scale.
  var level: Float { meter.level }

  func toggle() {
    if node.isPlaying {
      resting = currentFrame
      node.pause()
    } else {
      if hasEnded { seek(to: 0) }
      node.play()
    }
  }

  func skip(by seconds: Double) { seek(to: position + seconds) }

  func stop() {
    engine.mainMixerNode.removeTap(onBus: 0)
    node.stop()
    engine.stop()
  }

  private var rate: Double { file.processingFormat.sampleRate }

  private var currentFrame: AVAudioFramePosition {
    guard let nodeTime = node.lastRenderTime, let time = node.playerTime(forNodeTime: nodeTime) else {
      return resting
    }
    return origin + max(0, time.sampleTime)
  }

  private func seek(to seconds: Double) {
    let wasPlaying = node.isPlaying
    let frame = min(max(0, AVAudioFramePosition(seconds * rate)), file.length)
    node.stop()
    scheduleRest(from: frame)
    if wasPlaying && !hasEnded { node.play() }
  }

  private func scheduleRest(from frame: AVAudioFramePosition) {
    origin = frame
    resting = frame
    schedule += 1
    let number = schedule
    let left = file.length - frame
    hasEnded = left <= 0
    guard left > 0 else { return }
    node.scheduleSegment(
      file, startingFrame: frame, frameCount: AVAudioFrameCount(left), at: nil,
      completionCallbackType: .dataPlayedBack
    ) { [weak self] _ in
      // `stop()` calls the handler too, so only the latest schedule can tell that the episode is over.
      Task { @MainActor in
        guard let self, self.schedule == number else { return }
        self.hasEnded = true
        self.resting = self.file.length
        self.node.stop()
      }
    }
  }
}

/// The level of the sound that passes a tap. The tap's thread writes it, the screen reads it.
final class Meter: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Float = 0

  var level: Float { lock.withLock { value } }

  func measure(_ buffer: AVAudioPCMBuffer) {
    guard let channels = buffer.floatChannelData, buffer.frameLength > 0 else { return }
    var sum: Float = 0
    for channel in 0..<Int(buffer.format.channelCount) {
      for frame in 0..<Int(buffer.frameLength) { sum += channels[channel][frame] * channels[channel][frame] }
    }
    let mean = sum / Float(buffer.frameLength) / Float(buffer.format.channelCount)
    let decibels = mean > 0 ? 10 * log10(mean) : -80
    lock.withLock { value = min(max((decibels + 80) / 80, 0), 1) }
  }
}
