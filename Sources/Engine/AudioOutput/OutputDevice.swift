public import AudioModel
public import Realtime

/// What a player asks of an output.
public struct OutputRequest: Hashable, Sendable {
  /// The format of the sound. Taken as it is where the device can; see ``OutputDevice/open(_:source:events:)``.
  public var format: PCMFormat
  /// How long a frame should wait in the device, in seconds. Default 0.1: few wake-ups.
  public var latency: Double
  /// Frames in one render call at most. Default 4096.
  public var maximumFrames: Int
  /// What the sound server shows of the stream.
  public var title: String
  /// What the sound is for. Default music.
  public var role: StreamRole

  /// Makes a request.
  public init(
    format: PCMFormat, latency: Double = 0.1, maximumFrames: Int = 4096, title: String = "Martlet",
    role: StreamRole = .music
  ) {
    self.format = format
    self.latency = latency
    self.maximumFrames = maximumFrames
    self.title = title
    self.role = role
  }
}

/// What an output tells, from any thread but never from inside a render call.
public enum OutputEvent: Hashable, Sendable {
  /// The sound ended (a render call came back short) and has been heard to the last frame. The device stands still
  /// until ``OutputDevice/resume()``.
  case drained
  /// The device ran dry by its own account: `frames` of silence were heard (0 when it does not say how many).
  case underrun(frames: Int)
  /// The device is gone and the output looks for it, or for another one. Rendering stops meanwhile.
  case lost(String)
  /// It is back; frames that were rendered but not heard were taken back by `rewind` as far as possible.
  case restored
  /// It will not come back.
  case failed(AudioError)
  /// Another program or the system silenced the stream (corked), or gave it back.
  case interrupted(Bool)
  /// The stream goes on at another device: somebody moved it, or it follows the server's default.
  case routeChanged(AudioRoute)
}

/// Hears of an output's events. It returns at once, waits for nothing, and calls no method of the device.
public typealias OutputEventHandler = @Sendable (OutputEvent) -> Void

/// How far a device is.
public struct OutputTiming: Hashable, Sendable {
  /// Frames rendered since `start()`, less those taken back.
  public var rendered: Int64
  /// How many of these are not heard yet.
  public var pending: Int64
  /// The frame that is being heard.
  public var heard: Int64 { max(0, rendered - pending) }
  /// Makes a timing.
  public init(rendered: Int64, pending: Int64) {
    self.rendered = rendered
    self.pending = pending
  }
}

/// A loudspeaker, or what stands for one.
///
/// Order of calls: `open`, `start`, then `pause`, `resume`, `withdraw`, `timing` in any order, at last `close`. All of
/// them come from one control thread, are quick (a round trip to a sound server at most), and never run inside a render
/// call. Proven right by `OutputContract` of `MartletTestSupport`.
public protocol OutputDevice: AnyObject, Sendable {
  /// Connects.
  /// - Parameters:
  ///   - request: What is wanted.
  ///   - source: Where sound is drawn from, once started. Kept until `close`.
  ///   - events: Who hears of events.
  /// - Returns: The format that ``RenderSource/render(_:frames:)`` has to deliver: the one asked for, or the nearest
  ///   that the device can.
  /// - Throws: Codes 5xxx.
  func open(
    _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> PCMFormat

  /// Begins to draw and to play.
  func start() throws(AudioError)

  /// Stops drawing and playing where it is, keeping what is queued.
  func pause()

  /// Goes on after `pause`.
  func resume()

  /// Takes back what is queued but not so near to being heard that it is too late, calls ``RenderSource/rewind(frames:)``
  /// for it and draws anew at once, so that a command is heard soon. Does nothing where the device can't.
  func withdraw()

  /// It takes frames at the pace at which they are heard. Otherwise (a pipe) as fast as they come. Known once it is
  /// open; the default is true.
  var isPaced: Bool { get }

  /// How far it is. Cheap.
  var timing: OutputTiming { get }

  /// Ends at once; what is queued is dropped. Files are completed. No render call is running or comes later.
  func close()
}

extension OutputDevice {
  /// A device with a clock.
  public var isPaced: Bool { true }
}

/// An output as the registry knows it: one line of the table that `--output` chooses from.
public struct OutputRegistration: Sendable {
  /// Name on the command line: `pulse`, `alsa`, `null`, `wav`, `stdout`.
  public var name: String
  /// What it is, for `--help` and `martlet devices`.
  public var summary: String
  /// `auto` tries it.
  public var isAutomatic: Bool
  /// Makes an output; `target` is what follows the colon (`pulse:SINK`).
  public var make: @Sendable (_ target: String?) throws(AudioError) -> any OutputDevice
  /// The devices it finds, quickly; empty where none is there or the question has no meaning.
  public var devices: @Sendable () -> [OutputDescription]

  /// Makes a registration.
  public init(
    name: String, summary: String, isAutomatic: Bool = false,
    make: @escaping @Sendable (_ target: String?) throws(AudioError) -> any OutputDevice,
    devices: @escaping @Sendable () -> [OutputDescription] = { [] }
  ) {
    self.name = name
    self.summary = summary
    self.isAutomatic = isAutomatic
    self.make = make
    self.devices = devices
  }
}

/// A device that an output found.
public struct OutputDescription: Hashable, Sendable {
  /// What to write behind the colon of `--output`.
  public var target: String
  /// For people.
  public var summary: String
  /// The one that is taken when none is named.
  public var isDefault: Bool
  /// Its own format, where it says so.
  public var format: PCMFormat?
  /// Makes a description.
  public init(target: String, summary: String, isDefault: Bool, format: PCMFormat?) {
    self.target = target
    self.summary = summary
    self.isDefault = isDefault
    self.format = format
  }
}
