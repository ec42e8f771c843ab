public import AudioModel
public import AudioOutput

/// Plays any file or URL, one after the other, exactly.
///
/// Commands are synchronous, ordered, never block, and may come from any thread, also from inside an event handler.
/// They take effect in the order in which they were given; ``snapshot`` shows it when their async twin
/// (``perform(_:)``) has returned. What happens is told by ``events()``, one independent stream per call.
///
/// ```swift
/// let player = try AudioPlayer()
/// player.append(PlayerItem("https://example.org/episode.mp3"))
/// player.play()
/// for await event in player.events() {
///   if case .state(.ended, _) = event.kind { break }
/// }
/// ```
public final class AudioPlayer: Sendable {
  let core: PlayerCore

  /// Makes a player at rest.
  /// - Parameters:
  ///   - output: Where sound goes. Opened when playing starts, with the first item's format.
  ///   - configuration: How it works.
  public init(output: any OutputDevice, configuration: PlayerConfiguration = PlayerConfiguration()) {
    core = PlayerCore(output: output, configuration: configuration, clock: .system)
  }

  /// Makes a player at rest on the first output of a list that works.
  /// - Parameters:
  ///   - outputs: Names as `martlet play --output` takes them, tried in order when playing starts. Default `auto`:
  ///     PulseAudio (also PipeWire's), then ALSA.
  ///   - configuration: How it works.
  /// - Throws: ``AudioModel/AudioError/Code/usage`` for a name that is not known.
  public convenience init(
    outputs: String = "auto", configuration: PlayerConfiguration = PlayerConfiguration()
  ) throws(AudioError) {
    let output = try SelectedOutput(outputs, among: DefaultOutputs.registrations)
    self.init(output: output, configuration: configuration)
  }

  package init(output: any OutputDevice, configuration: PlayerConfiguration, clock: PlayerClock) {
    core = PlayerCore(output: output, configuration: configuration, clock: clock)
  }

  deinit { core.shutDown(wait: false) }

  /// What can be asked, as of now.
  public var snapshot: PlayerSnapshot { core.snapshot }

  // MARK: Commands

  /// Adds an item at the end of the queue.
  /// - Returns: Its name for good.
  @discardableResult
  public func append(_ item: PlayerItem) -> Int { core.append(item) }

  /// Starts, goes on after a pause, or starts again at the first item after the end.
  public func play() { send(.play) }
  /// Stands still. A short ramp keeps it free of clicks; no frame is lost.
  public func pause() { send(.pause) }
  /// Pauses if it plays or wants to, else plays.
  public func toggle() { send(.toggle) }
  /// Ends everything; the queue stays.
  public func stop() { send(.stop) }
  /// Goes on with the next item; after the last one, ends.
  public func next() { send(.next) }
  /// Starts the item again, or goes to the one before if less than 3 s of it were heard.
  public func previous() { send(.previous) }
  /// Goes to a place in the current item.
  public func seek(_ target: SeekTarget) { send(.seek(target)) }
  /// Sets the volume; ramped, from the next blocks on. Clamped to −∞…+24 dB.
  public func setVolume(_ volume: Decibels) { send(.volume(volume)) }
  /// Silences without forgetting the volume.
  public func setMuted(_ isMuted: Bool) { send(.mute(isMuted)) }

  // MARK: Effects

  /// Plays at so many times the speed; the pitch stays. Clamped to ``AudioModel/TimePitchSettings/rateRange``.
  public func setRate(_ rate: Double) { send(.rate(rate)) }
  /// Raises the pitch by so many cents; the speed stays. Clamped to ``AudioModel/TimePitchSettings/pitchRange``.
  public func setPitch(_ cents: Double) { send(.pitch(cents)) }
  /// Chooses how rate and pitch are changed.
  public func setStretch(_ algorithm: StretchAlgorithm) { send(.stretch(algorithm)) }
  /// Sets the equalizer; `nil` takes it out. Clamped to the settings' ranges.
  public func setEqualizer(_ settings: EqualizerSettings?) { send(.equalizer(settings)) }
  /// Sets the reverb; `nil` takes it out.
  public func setReverb(_ settings: ReverbSettings?) { send(.reverb(settings)) }
  /// Sets the delay; `nil` takes it out.
  public func setDelay(_ settings: DelaySettings?) { send(.delay(settings)) }
  /// Sets the distortion; `nil` takes it out.
  public func setDistortion(_ settings: DistortionSettings?) { send(.distortion(settings)) }

  /// Gives a command without waiting for it.
  public func send(_ command: PlayerCommand) { core.enqueue(command, completion: nil) }

  /// Gives a command and waits until ``snapshot`` shows its effect (for a seek: until the target is accepted).
  /// - Throws: What makes the command impossible: no item to seek in, a stream that can't be sought.
  public func perform(_ command: PlayerCommand) async throws(AudioError) {
    let result: Result<Void, AudioError> = await withCheckedContinuation { continuation in
      core.enqueue(command) { continuation.resume(returning: $0) }
    }
    try result.get()
  }

  /// The blocking form of ``perform(_:)``, for threads of one's own. Never to be called from an event handler.
  public func performAndWait(_ command: PlayerCommand) throws(AudioError) {
    try core.performAndWait(command).get()
  }

  /// Ends everything and gives back threads, connections and the output. Later commands do nothing.
  public func close() { core.shutDown(wait: true) }

  /// Lets the player look at its device now, and waits until it has done and told everything that was asked before.
  /// With a clock and an output that stand still, this is how a test lets it act.
  package func settle() { core.settle() }

  // MARK: Events

  /// A new, independent stream of all events from now on. It ends when the player is closed.
  /// - Parameter limit: Events kept for a slow reader; past it the oldest are lost, playing never waits. Default: all.
  public func events(keeping limit: Int? = nil) -> AsyncStream<PlayerEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PlayerEvent.self, bufferingPolicy: limit.map { .bufferingNewest($0) } ?? .unbounded)
    let id = core.observe { event in
      if let event { continuation.yield(event) } else { continuation.finish() }
    }
    continuation.onTermination = { [weak core] _ in core?.removeObserver(id) }
    return stream
  }

  /// Calls `handler` with every event from now on, on the player's control thread; `nil` when the player is closed.
  /// It must be quick; it may give commands.
  /// - Returns: What ``removeObserver(_:)`` takes.
  @discardableResult
  public func observe(_ handler: @escaping @Sendable (PlayerEvent?) -> Void) -> Int { core.observe(handler) }

  /// Ends an observation.
  public func removeObserver(_ id: Int) { core.removeObserver(id) }
}

/// What a player can be told.
public enum PlayerCommand: Hashable, Sendable {
  case play, pause, toggle, stop, next, previous
  /// Goes to a place in the current item.
  case seek(SeekTarget)
  /// Sets the volume.
  case volume(Decibels)
  /// Changes the volume by so much.
  case volumeBy(Decibels)
  /// Silences.
  case mute(Bool)
  /// Silences or not, whichever it is not.
  case toggleMute
  /// Sets the rate.
  case rate(Double)
  /// Changes the rate by so much.
  case rateBy(Double)
  /// Sets the pitch, in cents.
  case pitch(Double)
  /// Changes the pitch by so many cents.
  case pitchBy(Double)
  /// Chooses how rate and pitch are changed.
  case stretch(StretchAlgorithm)
  /// Sets the equalizer, or takes it out.
  case equalizer(EqualizerSettings?)
  /// Sets the reverb, or takes it out.
  case reverb(ReverbSettings?)
  /// Sets the delay, or takes it out.
  case delay(DelaySettings?)
  /// Sets the distortion, or takes it out.
  case distortion(DistortionSettings?)
}

/// A place in an item.
public enum SeekTarget: Hashable, Sendable {
  /// Seconds from the start.
  case absolute(Double)
  /// Seconds from what is heard, or from the target of a seek still pending.
  case relative(Double)
  /// A share of the duration, 0…1.
  case share(Double)
}
