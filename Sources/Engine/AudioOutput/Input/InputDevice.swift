public import AudioModel
public import Realtime

/// What is asked of an input.
public struct InputRequest: Hashable, Sendable {
  /// The format wanted. Taken as it is where the device can; see ``InputDevice/open(_:sink:events:)``.
  public var format: PCMFormat
  /// How long a frame may wait in the device until it is delivered, in seconds. Default 0.02.
  public var latency: Double
  /// Frames in one delivery at most. Default 4096.
  public var maximumFrames: Int
  /// What the sound server shows of the stream.
  public var title: String
  /// What the sound is for.
  public var role: StreamRole

  /// Makes a request.
  public init(
    format: PCMFormat, latency: Double = 0.02, maximumFrames: Int = 4096, title: String = "Martlet",
    role: StreamRole = .production
  ) {
    self.format = format
    self.latency = latency
    self.maximumFrames = maximumFrames
    self.title = title
    self.role = role
  }
}

/// What an input tells, from any thread but never from inside a call of its sink.
public enum InputEvent: Hashable, Sendable {
  /// The device overflowed: `frames` were lost (0 when it does not say how many).
  case overrun(frames: Int)
  /// The device is gone and the input looks for it, or for another one. Nothing is delivered meanwhile.
  case lost(String)
  /// It is back.
  case restored
  /// It will not come back.
  case failed(AudioError)
  /// Another program or the system silenced the stream (corked or suspended), or gave it back.
  case interrupted(Bool)
  /// The stream goes on at another device: somebody moved it, or it follows the server's default.
  case routeChanged(AudioRoute)
}

/// Hears of an input's events. It returns at once, waits for nothing, and calls no method of the device.
public typealias InputEventHandler = @Sendable (InputEvent) -> Void

/// How far an input is.
public struct InputTiming: Hashable, Sendable {
  /// Frames delivered since it was opened.
  public var delivered: Int64
  /// From the microphone to the delivery, in frames, as well as the device knows.
  public var latency: Int64

  /// Makes a timing.
  public init(delivered: Int64, latency: Int64) {
    self.delivered = delivered
    self.latency = latency
  }
}

/// A microphone, or what stands for one.
///
/// Order of calls: `open`, `start`, then `pause`, `resume`, `timing` in any order, at last `close`. All of them come from
/// one control thread, are quick (a round trip to a sound server at most), and never run inside a call of the sink.
/// Proven right by `InputContract` of `MartletTestSupport`.
public protocol InputDevice: AnyObject, Sendable {
  /// Connects.
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - sink: Where the sound goes, once started. Kept until `close`.
  ///   - events: Who hears of events.
  /// - Returns: The format that is delivered: the one asked for, or the nearest that the device can.
  /// - Throws: Codes 5xxx.
  func open(
    _ request: InputRequest, sink: any CaptureSink, events: @escaping InputEventHandler
  ) throws(AudioError) -> PCMFormat

  /// Begins to capture and to deliver.
  func start() throws(AudioError)

  /// Stops delivering. What is said meanwhile is lost.
  func pause()

  /// Goes on after `pause`, with what is said from now on.
  func resume()

  /// How far it is. Cheap.
  var timing: InputTiming { get }

  /// Ends at once. No call of the sink is running or comes later.
  func close()
}
