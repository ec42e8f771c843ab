public import AudioModel
public import Realtime

/// Chooses an output by a list of names, tried in order: `pulse:headphones,alsa,null`.
///
/// `auto` stands for the outputs that are registered as automatic. A name is what a registration says, optionally
/// followed by a colon and the target.
public struct OutputSelector: Sendable {
  /// An output that was opened.
  public struct Selection: Sendable {
    /// It.
    public let device: any OutputDevice
    /// The name of its registration.
    public let name: String
    /// What followed the colon.
    public let target: String?
    /// The format that it wants.
    public let format: PCMFormat
  }

  private let registrations: [OutputRegistration]

  /// Makes a selector.
  /// - Parameter registrations: The outputs it knows, in the order in which `auto` tries them.
  public init(_ registrations: [OutputRegistration]) { self.registrations = registrations }

  /// Checks a list without opening anything.
  /// - Throws: `usage`, as ``open(_:_:source:events:)`` does.
  public func validate(_ list: String) throws(AudioError) { _ = try known.candidates(list) }

  /// Opens the first output of a list that works.
  /// - Parameters:
  ///   - list: Names, separated by commas.
  ///   - request: What is wanted.
  ///   - source: Where sound is drawn from.
  ///   - events: Who hears of events.
  /// - Throws: `usage` for a name or target that is not known, before anything is tried. Where no output works: what the
  ///   output said if there was but one, else `noOutput` with what was tried and why it failed.
  public func open(
    _ list: String, _ request: OutputRequest, source: any RenderSource, events: @escaping OutputEventHandler
  ) throws(AudioError) -> Selection {
    try known.first(list) { (candidate) throws(AudioError) -> Selection in
      let format = try candidate.device.open(request, source: source, events: events)
      return Selection(device: candidate.device, name: candidate.name, target: candidate.target, format: format)
    }
  }

  private var known: CandidateList<any OutputDevice> {
    CandidateList(
      noun: "output",
      registrations: registrations.map { .init(name: $0.name, isAutomatic: $0.isAutomatic, make: $0.make) })
  }
}
