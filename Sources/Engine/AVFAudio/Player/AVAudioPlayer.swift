internal import ByteSource
public import Foundation
internal import Platform

/// Plays a file or data.
///
/// All players of a process are mixed in one engine, which opens the device when the first of them plays. Any thread may
/// call everything; reading and decoding happen in ``init(contentsOf:)`` and ``prepareToPlay()`` on the caller's thread,
/// else on one of the player's own. Sound is read some seconds ahead at most, whatever the length.
///
/// The delegate is called on the main queue.
public final class AVAudioPlayer: NSObject, @unchecked Sendable {
  // `state` guards what changes; what is read, the `reading` queue alone touches; nodes may be called from any thread.

  struct State {
    var isPlaying = false
    /// The node has the sound that begins at `start`.
    var isPrepared = false
    /// Tells what belongs to the present course of sound.
    var generation = 0
    /// The file's frame at the node's frame 0, or where it stands while it does not play.
    var start: AVAudioFramePosition = 0
    /// The node's frame at which the file began anew for the first time.
    var loopStart: AVAudioFramePosition?
    /// The node's frame that was last known.
    var played: AVAudioFramePosition = 0
    /// Frames given to the node.
    var scheduled: AVAudioFramePosition = 0
    /// Pieces that the node has not used up.
    var waiting = 0
    var isComplete = false
    var error: (any Error)?
    var passes = 0
    var numberOfLoops = 0
    var volume: Float = 1
    var rate: Float = 1
    var isRateEnabled = false
    var isMeteringEnabled = false
    /// Where the levels are tapped.
    var tapped: AVAudioNode?
  }

  /// Pieces that are read ahead, and the length of each in seconds.
  static let piecesAhead = 4
  static let pieceSeconds = 0.25

  let hub: PlaybackHub
  let node = AVAudioPlayerNode()
  /// Between node and mixer while the rate counts.
  let unit = PlayerRateUnit()
  let feed: PlayerFeed
  let state = Monitor(State())
  let reading = DispatchQueue(label: "martlet.player")
  let meter: LevelGauge
  private let fade = VolumeFade()
  private let place: URL?
  private let bytes: Data?

  // MARK: Making one

  /// Makes a player of a file.
  /// - Throws: Where there is no such file, or nothing in it that can be played.
  public convenience init(contentsOf url: URL) throws {
    try self.init(contentsOf: url, hub: .shared)
  }

  /// Makes a player of a file.
  /// - Parameters:
  ///   - url: The file.
  ///   - utiString: Not needed: what it is, is found out by its content.
  /// - Throws: Where there is no such file, or nothing in it that can be played.
  public convenience init(contentsOf url: URL, fileTypeHint utiString: String?) throws {
    try self.init(contentsOf: url)
  }

  /// Makes a player of a file's content.
  /// - Throws: Where there is nothing in it that can be played.
  public convenience init(data: Data) throws {
    try self.init(data: data, hub: .shared)
  }

  /// Makes a player of a file's content.
  /// - Parameters:
  ///   - data: All of it.
  ///   - utiString: Not needed: what it is, is found out by its content.
  /// - Throws: Where there is no such file, or nothing in it that can be played.
  public convenience init(data: Data, fileTypeHint utiString: String?) throws { try self.init(data: data) }

  /// Makes a player of a file.
  /// - Parameter hub: Where it is mixed.
  package convenience init(contentsOf url: URL, hub: PlaybackHub) throws {
    try self.init(FileSource(path: url.path), url: url, data: nil, hub: hub)
  }

  /// Makes a player of a file's content.
  /// - Parameter hub: Where it is mixed.
  package convenience init(data: Data, hub: PlaybackHub) throws {
    try self.init(MemorySource(Array(data)), url: nil, data: data, hub: hub)
  }

  private init(_ source: any ByteSource, url: URL?, data: Data?, hub: PlaybackHub) throws {
    feed = try PlayerFeed(source, seconds: Self.pieceSeconds)
    self.hub = hub
    place = url
    bytes = data
    meter = LevelGauge(channels: Int(feed.format.channelCount))
    super.init()
  }

  deinit {
    fade.cancel()
    hub.detach(node, through: unit)
  }

  /// Hears of the end and of errors, on the main queue.
  public weak var delegate: (any AVAudioPlayerDelegate)?

  // MARK: What it plays

  /// The file; `nil` for data.
  public var url: URL? { place }
  /// The data; `nil` for a file.
  public var data: Data? { bytes }
  /// The format of the file.
  public var format: AVAudioFormat { feed.fileFormat }
  /// The format of the file as a dictionary.
  public var settings: [String: Any] { feed.fileFormat.settings }
  /// Channels of the file.
  public var numberOfChannels: Int { Int(feed.fileFormat.channelCount) }
  /// The file's length in seconds, without loops.
  public var duration: TimeInterval { Double(feed.length) / sampleRate }

  var sampleRate: Double { feed.format.sampleRate }

  // MARK: Playing

  /// Reads the first second and gets the device ready, so that ``play()`` begins at once.
  /// - Returns: `true`.
  @discardableResult
  public func prepareToPlay() -> Bool {
    prepare(begins: true)
    hub.prepare()
    return true
  }

  /// Plays, or goes on where it stands.
  /// - Returns: `false` where there is no device.
  @discardableResult
  public func play() -> Bool { play(at: nil) }

  /// Plays at a moment; several players that are given the same one begin together, to the frame.
  /// - Parameter time: On the scale of ``deviceCurrentTime``. What has passed counts as now.
  /// - Returns: `false` where there is no device.
  @discardableResult
  public func play(atTime time: TimeInterval) -> Bool {
    play(at: AVAudioTime(hostTime: AVAudioTime.hostTime(forSeconds: time)))
  }

  /// Seconds on the clock that ``play(atTime:)`` understands: the system's monotonic one, for all players.
  public var deviceCurrentTime: TimeInterval { Double(MonotonicTime.now.nanoseconds) / 1e9 }

  /// Stands still, ready to go on.
  public func pause() {
    state.withLock { state in
      guard state.isPlaying else { return }
      _ = position(&state)
      state.isPlaying = false
      node.pause()
    }
    hub.rest(node)
    meter.clear()
  }

  /// Stands still and lets go what was prepared; ``currentTime`` stays.
  public func stop() {
    state.withLock { state in
      state.start = position(&state)
      release(&state)
    }
    hub.rest(node)
    meter.clear()
  }

  /// Whether it plays, or waits for the moment that ``play(atTime:)`` was given.
  public var isPlaying: Bool { state.withLock { $0.isPlaying } }

  /// Where it is in the file, in seconds; with loops, in the present pass. 0 again at the end. Setting it while playing
  /// goes there and on.
  public var currentTime: TimeInterval {
    get { state.withLock { Double(position(&$0)) / sampleRate } }
    set {
      let wanted = newValue * sampleRate
      let frame = wanted > 0 ? AVAudioFramePosition(min(wanted.rounded(), Double(feed.length))) : 0
      jump(to: frame)
    }
  }

  /// How often it is played again after the first time; negative for ever. Default 0. While it plays, a change counts from
  /// the pass on that has not been read yet, about a second ahead.
  public var numberOfLoops: Int {
    get { state.withLock { $0.numberOfLoops } }
    set { state.withLock { $0.numberOfLoops = newValue } }
  }

  // MARK: How it sounds

  /// Linear, 0…1. Default 1. Ends a fade.
  public var volume: Float {
    get { state.withLock { $0.volume } }
    set {
      fade.cancel()
      set(volume: newValue)
    }
  }

  /// Fades to a volume in equal steps.
  /// - Parameters:
  ///   - volume: Linear, 0…1.
  ///   - duration: Seconds; 0 sets it at once.
  public func setVolume(_ volume: Float, fadeDuration duration: TimeInterval) {
    guard duration > 0 else {
      self.volume = volume
      return
    }
    fade.begin(from: self.volume, to: min(1, max(0, volume)), seconds: duration) { [weak self] in
      self?.set(volume: $0)
    }
  }

  private func set(volume: Float) {
    let clamped = volume.isNaN ? 0 : min(1, max(0, volume))
    state.withLock { $0.volume = clamped }
    node.volume = clamped
    unit.volume = clamped
  }

  /// From −1, left, to 1, right. Default 0.
  public var pan: Float {
    get { node.pan }
    set {
      node.pan = newValue.isNaN ? 0 : min(1, max(-1, newValue))
      unit.pan = node.pan
    }
  }

  /// Whether ``rate`` counts. Default `false`. Setting it while it plays goes to the same place anew, by a short fade: set it
  /// before.
  ///
  /// Once it is set, sound is read about a tenth of a second ahead of what is heard, so ``pause()`` and
  /// ``play(atTime:)`` are heard that much later unless the rate is 1; all players at the same rate by the same time.
  public var enableRate: Bool {
    get { state.withLock { $0.isRateEnabled } }
    set { enableRate(newValue) }
  }

  /// How fast it plays, at the same pitch. Range: 0.5…2; what lies outside becomes the nearer end. Default 1, at which sound
  /// passes bit for bit. A change is heard within some milliseconds, without a click.
  public var rate: Float {
    get { state.withLock { $0.rate } }
    set {
      let clamped = newValue.isNaN ? 1 : min(2, max(0.5, newValue))
      state.withLock { state in
        state.rate = clamped
        unit.rate = clamped
      }
    }
  }

  // MARK: Levels

  /// Whether levels are measured. Default `false`.
  public var isMeteringEnabled: Bool {
    get { state.withLock { $0.isMeteringEnabled } }
    set {
      state.withLock { state in
        state.isMeteringEnabled = newValue
        updateTap(&state)
      }
      if !newValue { meter.clear() }
    }
  }

  /// Takes the levels since the last call, for ``averagePower(forChannel:)`` and ``peakPower(forChannel:)``.
  public func updateMeters() { meter.update() }

  /// Root of the mean square between the last two calls of ``updateMeters()``, in decibels of full scale, −160…0, before
  /// volume and pan. −160 while nothing plays or is measured.
  public func averagePower(forChannel channelNumber: Int) -> Float { meter.average(channelNumber) }

  /// Greatest magnitude between the last two calls of ``updateMeters()``, in decibels of full scale, −160…, before volume
  /// and pan. −160 while nothing plays or is measured.
  public func peakPower(forChannel channelNumber: Int) -> Float { meter.peak(channelNumber) }

  // MARK: Not on Linux

  /// The device.
  @available(*, unavailable, message: "use AVAudioEngine with an output of its own, or the sound server's mixer")
  public var currentDevice: String? { nil }

  /// The device's channels that the file's go to.
  @available(*, unavailable, message: "use AVAudioEngine with a connection in the layout that you want")
  public var channelAssignments: [Never]? { nil }
}
