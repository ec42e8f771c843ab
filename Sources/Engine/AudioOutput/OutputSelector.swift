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

  private struct Candidate {
    var name: String
    var target: String?
    var device: any OutputDevice
    var label: String { target.map { "\(name):\($0)" } ?? name }
  }

  private let registrations: [OutputRegistration]

  /// Makes a selector.
  /// - Parameter registrations: The outputs it knows, in the order in which `auto` tries them.
  public init(_ registrations: [OutputRegistration]) { self.registrations = registrations }

  /// Checks a list without opening anything.
  /// - Throws: `usage`, as ``open(_:_:source:events:)`` does.
  public func validate(_ list: String) throws(AudioError) { _ = try candidates(list) }

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
    var failures: [(label: String, error: AudioError)] = []
    for candidate in try candidates(list) {
      do {
        let format = try candidate.device.open(request, source: source, events: events)
        return Selection(
          device: candidate.device, name: candidate.name, target: candidate.target, format: format)
      } catch {
        failures.append((candidate.label, error))
      }
    }
    if failures.count == 1 { throw failures[0].error }
    let reasons = failures.map { "\($0.label) (\($0.error.message))" }.joined(separator: ", ")
    throw AudioError(.noOutput, "No output works; tried: \(reasons.isEmpty ? "nothing" : reasons)")
  }

  private func candidates(_ list: String) throws(AudioError) -> [Candidate] {
    var result: [Candidate] = []
    for entry in list.split(separator: ",", omittingEmptySubsequences: false) {
      if entry == "auto" {
        for registration in registrations where registration.isAutomatic {
          result.append(Candidate(name: registration.name, target: nil, device: try registration.make(nil)))
        }
        continue
      }
      let parts = entry.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      guard let registration = registrations.first(where: { $0.name == name }) else {
        let known = (["auto"] + registrations.map(\.name)).joined(separator: ", ")
        throw AudioError(.usage, "There is no output named “\(name)”; known are \(known)")
      }
      let target = parts.count > 1 ? String(parts[1]) : nil
      result.append(Candidate(name: name, target: target, device: try registration.make(target)))
    }
    return result
  }
}
