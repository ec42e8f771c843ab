import AVFAudio

/// Plays one episode, the way that a podcast app does: a player node into the main mixer, seeking by scheduling the rest
/// of the file anew, a unit for rate and pitch, and a level meter.
@MainActor final class EpisodePlayer {
  private let engine = AVAudioEngine()
  private let node = AVAudioPlayerNode()
  private let timePitch = AVAudioUnitTimePitch()
  private let file: AVAudioFile
  private let meter = AVAudioLevelMeter()
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
    engine.attach(timePitch)
    engine.connect(node, to: timePitch, format: file.processingFormat)
    engine.connect(timePitch, to: engine.mainMixerNode, format: file.processingFormat)
    meter.install(on: engine.mainMixerNode)
    try engine.start()
    scheduleRest(from: 0)
  }

  var isPlaying: Bool { node.isPlaying }
  var duration: Double { Double(file.length) / sampleRate }

  /// Seconds from the beginning of the episode.
  var position: Double { Double(min(currentFrame, file.length)) / sampleRate }

  /// 0…1, from −80 dB to full scale.
  var level: Float {
    meter.updateMeters()
    return (0..<meter.numberOfChannels).map { meter.vuLevel(forChannel: $0) }.max() ?? 0
  }

  func toggle() {
    if node.isPlaying {
      resting = currentFrame
      node.pause()
    } else {
      if hasEnded { seek(to: 0) }
      node.play()
    }
  }

  /// How fast it is played, 0.5…3, at the same pitch.
  var rate: Float {
    get { timePitch.rate }
    set { timePitch.rate = min(3, max(0.5, newValue)) }
  }

  /// How much higher it is played, in cents, at the same speed.
  var pitch: Float {
    get { timePitch.pitch }
    set { timePitch.pitch = min(1200, max(-1200, newValue)) }
  }

  func skip(by seconds: Double) { seek(to: position + seconds) }

  func stop() {
    meter.remove()
    node.stop()
    engine.stop()
  }

  private var sampleRate: Double { file.processingFormat.sampleRate }

  private var currentFrame: AVAudioFramePosition {
    guard let nodeTime = node.lastRenderTime, let time = node.playerTime(forNodeTime: nodeTime) else {
      return resting
    }
    return origin + max(0, time.sampleTime)
  }

  private func seek(to seconds: Double) {
    let wasPlaying = node.isPlaying
    let frame = min(max(0, AVAudioFramePosition(seconds * sampleRate)), file.length)
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
