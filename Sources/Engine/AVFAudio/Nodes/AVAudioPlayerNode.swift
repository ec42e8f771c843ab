internal import AudioModel
internal import Foundation
internal import GraphHost
internal import Platform
internal import Realtime
internal import RenderGraph

/// Plays buffers and files in the order in which they are scheduled, without a frame between them.
///
/// Everything may be called from any thread, and from completion handlers. Scheduling starts nothing, and takes effect
/// whether or not the player plays or the engine runs; with nothing scheduled the player plays silence.
///
/// The player's timeline counts the frames that it has made since ``play()``, pauses left out; ``stop()`` puts it back to
/// 0. Nodes behind it that change the rate do not change it.
public final class AVAudioPlayerNode: AVAudioNode, AVAudioMixing, @unchecked Sendable {
  let player = ClipPlayer()
  let book = ScheduleBook()
  let feeder = ClipFeeder()
  override var core: GraphNode? { player }

  /// Makes a player.
  public override init() { super.init() }

  public override var numberOfInputs: Int { 0 }

  // MARK: Playing

  /// Whether it was told to play, and not to pause or stop since.
  public var isPlaying: Bool { player.isPlaying }

  /// Plays, or goes on after ``pause()``.
  ///
  /// Differs: while the engine stands this is no error; the player begins when the engine starts.
  public func play() {
    player.play()
    settle()
  }

  /// Plays from a time on.
  /// - Parameter when: A sample time of this node's (``AVAudioNode/lastRenderTime``), or a host time; `nil` and what is past
  ///   mean at once.
  public func play(at when: AVAudioTime?) {
    player.play(at: start(when, rate: outputFormat(forBus: 0).sampleRate))
    settle()
  }

  /// Stands still. What is scheduled and the timeline stay, and ``play()`` goes on with the next frame.
  public func pause() {
    player.pause()
    settle()
  }

  /// Stops, drops everything that is scheduled, and puts the timeline back to 0.
  ///
  /// Differs: the handlers of what was dropped are called soon, on the node's queue and never inside of this call, so that
  /// a handler may call this, and locks that are held by the caller do no harm.
  public func stop() {
    player.stop()
    settle()
  }

  /// Drops everything that is scheduled. Whether it plays stays as it is.
  public override func reset() {
    player.reset()
    settle()
  }

  // MARK: Time

  /// The place on the player's timeline of a time of this node's.
  /// - Returns: `nil` unless the player plays. Just after ``play(at:)`` it may be negative.
  public func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? {
    let times = player.times
    guard times.isPlaying, let frame = self.frame(of: nodeTime, times.frame, times.hostTime) else { return nil }
    return shifted(nodeTime, to: times.playerFrame + frame - times.frame)
  }

  /// The time of this node's of a place on the player's timeline.
  /// - Returns: `nil` unless the player plays.
  public func nodeTime(forPlayerTime playerTime: AVAudioTime) -> AVAudioTime? {
    let times = player.times
    guard times.isPlaying, let frame = self.frame(of: playerTime, times.playerFrame, times.hostTime) else {
      return nil
    }
    return shifted(playerTime, to: times.frame + frame - times.playerFrame)
  }

  /// The frame that a time means on a timeline that stands at `frame` at a host time.
  private func frame(of time: AVAudioTime, _ frame: Int64, _ hostTime: UInt64) -> Int64? {
    let rate = outputFormat(forBus: 0).sampleRate
    if time.isSampleTimeValid {
      guard time.sampleRate > 0, time.sampleRate != rate else { return time.sampleTime }
      return Int64((Double(time.sampleTime) * rate / time.sampleRate).rounded())
    }
    guard time.isHostTimeValid, hostTime != 0 else { return nil }
    return frame + Int64((Double(Int64(time.hostTime) - Int64(hostTime)) * rate / 1e9).rounded())
  }

  private func shifted(_ time: AVAudioTime, to frame: Int64) -> AVAudioTime {
    let rate = outputFormat(forBus: 0).sampleRate
    guard time.isHostTimeValid else { return AVAudioTime(sampleTime: frame, atRate: rate) }
    return AVAudioTime(hostTime: time.hostTime, sampleTime: frame, atRate: rate)
  }

  func start(_ when: AVAudioTime?, rate: Double) -> Clip.Start {
    guard let when else { return .next }
    if when.isSampleTimeValid {
      guard when.sampleRate > 0, when.sampleRate != rate else { return .frame(when.sampleTime) }
      return .frame(Int64((Double(when.sampleTime) * rate / when.sampleRate).rounded()))
    }
    return when.isHostTimeValid ? .hostTime(when.hostTime) : .next
  }

  // MARK: The engine's side

  /// Lets a command take effect at once where nothing renders, and soon where a device does.
  func settle() {
    guard let owner else {
      player.settle()
      _ = pump(heard: .max)
      return
    }
    owner.settle(self)
  }

  /// Waits for the handlers that were called so far, for tests.
  package func drainHandlers() { book.drain() }

  override func pump(heard: Int64) -> Bool {
    var over: Set<Int64> = []
    player.takeEvents { event in
      over.insert(event.ticket)
      book.note(event)
    }
    if !over.isEmpty { feeder.remove(tickets: over) }
    feeder.kick()
    let isWaiting = book.call(heard: heard)
    return super.pump(heard: heard) || isWaiting
  }

  override func engineStopped() {
    player.stop()
    player.settle()
    player.resetTimes()
    _ = pump(heard: .max)
  }

  override func leave(_ engine: AVAudioEngine) {
    // What it plays may still be fading: the engine lets it sound to the end of that, and its clips go with it.
    player.stop()
    engine.finish(self)
  }

  override func setSynchronous(_ isSynchronous: Bool) { feeder.setAsynchronous(!isSynchronous) }

  override func provide(seconds: Double) {
    // A filter behind the player may look ahead by some thousand frames.
    feeder.fill(frames: Int((seconds * outputFormat(forBus: 0).sampleRate).rounded(.up)) + 16_384)
  }

  override var keepsRunning: Bool { isPlaying }
}
