public import AudioModel
public import Realtime

/// Chooses an input by a list of names, tried in order: `pulse:microphone,alsa`.
///
/// `auto` stands for the inputs that are registered as automatic. A name is what a registration says, optionally
/// followed by a colon and the target.
public struct InputSelector: Sendable {
  /// An input that was opened.
  public struct Selection: Sendable {
    /// It.
    public let device: any InputDevice
    /// The name of its registration.
    public let name: String
    /// What followed the colon.
    public let target: String?
    /// The format that it delivers.
    public let format: PCMFormat
  }

  private let registrations: [InputRegistration]

  /// Makes a selector.
  /// - Parameter registrations: The inputs it knows, in the order in which `auto` tries them.
  public init(_ registrations: [InputRegistration]) { self.registrations = registrations }

  /// Checks a list without opening anything.
  /// - Throws: `usage`, as ``open(_:_:sink:events:)`` does.
  public func validate(_ list: String) throws(AudioError) { _ = try known.candidates(list) }

  /// Opens the first input of a list that works.
  /// - Parameters:
  ///   - list: Names, separated by commas.
  ///   - request: What is wanted.
  ///   - sink: Where the sound goes.
  ///   - events: Who hears of events.
  /// - Throws: `usage` for a name or target that is not known, before anything is tried. Where no input works: what the
  ///   input said if there was but one, else `noOutput` with what was tried and why it failed.
  public func open(
    _ list: String, _ request: InputRequest, sink: any CaptureSink, events: @escaping InputEventHandler
  ) throws(AudioError) -> Selection {
    try known.first(list) { (candidate) throws(AudioError) -> Selection in
      let format = try candidate.device.open(request, sink: sink, events: events)
      return Selection(device: candidate.device, name: candidate.name, target: candidate.target, format: format)
    }
  }

  private var known: CandidateList<any InputDevice> {
    CandidateList(
      noun: "input",
      registrations: registrations.map { .init(name: $0.name, isAutomatic: $0.isAutomatic, make: $0.make) })
  }
}
