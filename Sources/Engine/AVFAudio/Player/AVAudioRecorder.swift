internal import CoreAudioTypes
public import Foundation
internal import Platform

/// Records what the microphone hears to a file.
///
/// The microphone is the engine's input: the sound server's default, or the session's preferred one. Its sound is
/// converted to the file's rate and channels. Any thread may call everything; the file is written on a thread of the
/// recorder's own. The delegate is called on the main queue.
public final class AVAudioRecorder: NSObject, @unchecked Sendable {
  // `state` guards what changes; `writer` is for the `writing` queue alone; engines may be called from any thread.

  struct State {
    /// There is a file that can be written to.
    var isPrepared = false
    var isRecording = false
    var isTapped = false
    /// Tells what belongs to the present file.
    var generation = 0
    /// The file's seconds, as far as they were heard.
    var recorded: TimeInterval = 0
    /// Host time before which nothing is wanted.
    var begin: UInt64 = 0
    /// Seconds after which it is enough.
    var limit = Double.infinity
    var isMeteringEnabled = false
    /// Seconds of sound that wait to be written.
    var waiting = 0.0
  }

  let engine: AVAudioEngine
  let state = Monitor(State())
  let writing = DispatchQueue(label: "martlet.recorder")
  var writer: RecordingWriter?
  let meter: LevelMeter
  private let place: URL
  let wanted: [String: Any]
  private let fileFormat: AVAudioFormat

  /// Makes a recorder; the file comes into being by ``prepareToRecord()``, and replaces one that is there.
  /// - Parameters:
  ///   - url: The file; its extension says what kind.
  ///   - settings: As ``AVAudioFile/init(forWriting:settings:)`` takes them.
  /// - Throws: An error where the settings are of no format.
  public convenience init(url: URL, settings: [String: Any]) throws {
    try self.init(url: url, settings: settings, engine: AVAudioEngine())
  }

  /// Makes a recorder; the file comes into being by ``prepareToRecord()``, and replaces one that is there.
  /// - Parameters:
  ///   - url: The file; its extension says what kind.
  ///   - format: The file's format.
  /// - Throws: An error where no file of the kind has the format.
  public convenience init(url: URL, format: AVAudioFormat) throws {
    try self.init(url: url, settings: format.settings, engine: AVAudioEngine())
  }

  /// Makes a recorder.
  /// - Parameter engine: Whose input is recorded; it belongs to the recorder from now on.
  package init(url: URL, settings: [String: Any], engine: AVAudioEngine) throws {
    guard let format = AVAudioFormat(settings: settings) else {
      throw NSError(
        domain: "NSOSStatusErrorDomain", code: Int(kAudioUnitErr_FormatNotSupported),
        userInfo: [NSLocalizedDescriptionKey: "the settings are of no format: \(settings)"])
    }
    place = url
    wanted = settings
    fileFormat = format
    self.engine = engine
    meter = LevelMeter(channels: Int(format.channelCount))
    super.init()
  }

  deinit {
    guard state.withLock({ $0.isPrepared }) else { return }
    engine.inputNode.removeTap(onBus: 0)
    engine.stop()
  }

  /// Hears of the end and of errors, on the main queue.
  public weak var delegate: (any AVAudioRecorderDelegate)?

  /// The file.
  public var url: URL { place }
  /// The file's format.
  public var format: AVAudioFormat { fileFormat }
  /// The file's format as a dictionary.
  public var settings: [String: Any] { fileFormat.settings }

  // MARK: Recording

  /// Makes the file and gets the microphone ready, so that ``record()`` begins at once.
  /// - Returns: `false` where the file can't be made.
  @discardableResult
  public func prepareToRecord() -> Bool {
    guard prepare() else { return false }
    engine.prepare()
    return true
  }

  /// Records, or goes on after ``pause()``.
  /// - Returns: `false` where the file can't be made, or there is no microphone.
  @discardableResult
  public func record() -> Bool { record(from: 0, seconds: .infinity) }

  /// Records from a moment on, to the frame.
  /// - Parameter time: On the scale of ``deviceCurrentTime``. What has passed counts as now.
  /// - Returns: `false` where the file can't be made, or there is no microphone.
  @discardableResult
  public func record(atTime time: TimeInterval) -> Bool {
    record(from: AVAudioTime.hostTime(forSeconds: time), seconds: .infinity)
  }

  /// Records for some time, to the frame, and stops.
  /// - Parameter duration: Seconds.
  /// - Returns: `false` where the file can't be made, or there is no microphone.
  @discardableResult
  public func record(forDuration duration: TimeInterval) -> Bool { record(from: 0, seconds: duration) }

  /// Records for some time from a moment on, and stops.
  /// - Parameters:
  ///   - time: On the scale of ``deviceCurrentTime``.
  ///   - duration: Seconds.
  /// - Returns: `false` where the file can't be made, or there is no microphone.
  @discardableResult
  public func record(atTime time: TimeInterval, forDuration duration: TimeInterval) -> Bool {
    record(from: AVAudioTime.hostTime(forSeconds: time), seconds: duration)
  }

  /// Stands still; ``record()`` goes on in the same file.
  public func pause() {
    let isNews = state.withLock { state -> Bool in
      defer { state.isRecording = false }
      return state.isRecording
    }
    if isNews { engine.pause() }
    meter.clear()
  }

  /// Ends the recording and completes the file; returns when it is complete.
  public func stop() {
    guard let generation = state.withLock({ $0.isPrepared ? $0.generation : nil }) else { return }
    writing.sync { finish(generation, error: nil, isWhole: true) }
  }

  /// Removes the file.
  /// - Returns: `false` while it records, and where there is none.
  @discardableResult
  public func deleteRecording() -> Bool {
    guard !isRecording else { return false }
    writing.sync { discard() }
    return (try? FileManager.default.removeItem(at: place)) != nil
  }

  /// Whether it records, or waits for the moment that ``record(atTime:)`` was given.
  public var isRecording: Bool { state.withLock { $0.isRecording } }

  /// Seconds recorded so far; 0 when stopped.
  public var currentTime: TimeInterval { state.withLock { $0.isPrepared ? $0.recorded : 0 } }

  /// Seconds on the clock that ``record(atTime:)`` understands: the system's monotonic one.
  public var deviceCurrentTime: TimeInterval { Double(MonotonicTime.now.nanoseconds) / 1e9 }

  // MARK: Levels

  /// Whether levels are measured while it records. Default `false`.
  public var isMeteringEnabled: Bool {
    get { state.withLock { $0.isMeteringEnabled } }
    set {
      state.withLock { $0.isMeteringEnabled = newValue }
      if !newValue { meter.clear() }
    }
  }

  /// Takes the levels since the last call, for ``averagePower(forChannel:)`` and ``peakPower(forChannel:)``.
  public func updateMeters() { meter.update() }

  /// Root of the mean square between the last two calls of ``updateMeters()``, in decibels of full scale, −160…0. −160
  /// while nothing is recorded or measured.
  public func averagePower(forChannel channelNumber: Int) -> Float { meter.average(channelNumber) }

  /// Greatest magnitude between the last two calls of ``updateMeters()``, in decibels of full scale, −160…. −160 while
  /// nothing is recorded or measured.
  public func peakPower(forChannel channelNumber: Int) -> Float { meter.peak(channelNumber) }

  // MARK: Not on Linux

  /// The device's channels that are recorded.
  @available(*, unavailable, message: "use AVAudioEngine.inputNode and a connection in the layout that you want")
  public var channelAssignments: [Never]? { nil }
}
