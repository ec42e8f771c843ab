internal import AudioModel
internal import AudioOutput
internal import CoreAudioTypes
public import Foundation
package import GraphHost
internal import Platform

/// Records what the microphone hears to a file, every frame of it.
///
/// The microphone is the sound server's default, or the session's preferred one, in the file's rate and channels as far as
/// it can; the rest is converted. Any thread may call everything; the file is written on a thread of the recorder's own.
/// The delegate is called on the main queue.
public final class AVAudioRecorder: NSObject, @unchecked Sendable {
  // `state` guards what changes; `host` and `writer` are for the `writing` queue alone.

  struct State {
    /// There is a file that can be written to.
    var isPrepared = false
    var isRecording = false
    /// Tells what belongs to the present file.
    var generation = 0
    /// Frames of the microphone that are in the file.
    var frames: Int64 = 0
    /// When what is wanted begins, on the monotonic clock, and after how many frames in the file it is enough.
    var begin: TimeInterval = 0
    var limit = Int64.max
    /// The microphone's.
    var rate = SampleRate.studio
    var isMeteringEnabled = false
    /// Seconds of sound that wait to be written.
    var waiting = 0.0
  }

  let streams: StreamSession
  let makeInput: CaptureHost.Maker
  let state = Monitor(State())
  let writing = DispatchQueue(label: "martlet.recorder")
  var host: CaptureHost?
  var writer: RecordingWriter?
  let meter: LevelGauge
  /// What the microphone is asked for.
  let wanted: PCMFormat
  private let place: URL
  private let given: [String: Any]
  private let fileFormat: AVAudioFormat

  /// Makes a recorder; the file comes into being by ``prepareToRecord()``, and replaces one that is there.
  /// - Parameters:
  ///   - url: The file; its extension says what kind.
  ///   - settings: As ``AVAudioFile`` takes them.
  /// - Throws: An error where the settings are of no format.
  public convenience init(url: URL, settings: [String: Any]) throws {
    try self.init(url: url, settings: settings, streams: .shared) { target throws(AudioError) in
      try SelectedInput.make(target)
    }
  }

  /// Makes a recorder; the file comes into being by ``prepareToRecord()``, and replaces one that is there.
  /// - Parameters:
  ///   - url: The file; its extension says what kind.
  ///   - format: The file's format.
  /// - Throws: An error where the format's settings are of no file's format.
  public convenience init(url: URL, format: AVAudioFormat) throws {
    try self.init(url: url, settings: format.settings)
  }

  /// Makes a recorder.
  /// - Parameters:
  ///   - streams: What the microphone is opened as.
  ///   - input: Makes a microphone.
  package init(
    url: URL, settings: [String: Any], streams: StreamSession, input: @escaping CaptureHost.Maker
  ) throws {
    guard let format = AVAudioFormat(settings: settings) else {
      throw EngineError.make(kAudioUnitErr_FormatNotSupported, "The settings are of no format: \(settings)")
    }
    place = url
    given = settings
    fileFormat = format
    wanted = format.pcmFormat
    self.streams = streams
    makeInput = input
    meter = LevelGauge(channels: Int(format.channelCount))
    super.init()
  }

  deinit { host?.stop() }

  /// Hears of the end and of errors, on the main queue.
  public weak var delegate: (any AVAudioRecorderDelegate)?

  /// The file.
  public var url: URL { place }
  /// The file's format.
  public var format: AVAudioFormat { fileFormat }
  /// The settings that it was given.
  public var settings: [String: Any] { given }

  // MARK: Recording

  /// Opens the microphone and makes the file, so that ``record()`` begins at once.
  /// - Returns: `false` where the file can't be made, or there is no microphone.
  @discardableResult
  public func prepareToRecord() -> Bool { prepare() }

  /// Records, or goes on after ``pause()``.
  /// - Returns: `false` where the file can't be made, or there is no microphone.
  @discardableResult
  public func record() -> Bool { record(from: 0, seconds: .infinity) }

  /// Records from a moment on, to the frame.
  /// - Parameter time: On the scale of ``deviceCurrentTime``. What has passed counts as now.
  /// - Returns: `false` where the file can't be made, or there is no microphone.
  @discardableResult
  public func record(atTime time: TimeInterval) -> Bool {
    record(from: time, seconds: .infinity)
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
    record(from: time, seconds: duration)
  }

  /// Stands still; ``record()`` goes on in the same file.
  public func pause() {
    writing.sync {
      state.withLock { $0.isRecording = false }
      host?.pause()
    }
    meter.clear()
  }

  /// Ends the recording and completes the file, with all that was heard so far; returns when it is complete.
  public func stop() {
    // What the microphone has delivered comes to the queue first: it is not to wait for that itself.
    guard let host = writing.sync(execute: { self.host }) else { return }
    let generation = state.withLock { $0.generation }
    host.stop()
    writing.sync { finish(generation, error: nil) }
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
  public var currentTime: TimeInterval { state.withLock { $0.isPrepared ? $0.rate.seconds($0.frames) : 0 } }

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
