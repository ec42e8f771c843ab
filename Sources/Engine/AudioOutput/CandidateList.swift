internal import AudioModel

/// Reads a list such as `pulse:headphones,alsa,null`, and tries what it names in order.
///
/// `auto` stands for all that are registered as automatic. A name is what a registration says, optionally followed by a
/// colon and the target.
struct CandidateList<Device> {
  struct Registration {
    var name: String
    var isAutomatic: Bool
    var make: (_ target: String?) throws(AudioError) -> Device
  }

  struct Candidate {
    var name: String
    var target: String?
    var device: Device
    fileprivate var label: String { target.map { "\(name):\($0)" } ?? name }
  }

  /// What is chosen, for sentences: `output`, `input`.
  let noun: String
  let registrations: [Registration]

  /// - Throws: `usage` for a name or target that is not known.
  func candidates(_ list: String) throws(AudioError) -> [Candidate] {
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
        throw AudioError(.usage, "There is no \(noun) named “\(name)”; known are \(known)")
      }
      let target = parts.count > 1 ? String(parts[1]) : nil
      result.append(Candidate(name: name, target: target, device: try registration.make(target)))
    }
    return result
  }

  /// What the first candidate gives that `open` does not fail with.
  /// - Throws: As ``candidates(_:)``, before anything is tried. Where nothing works: what it said if there was but one,
  ///   else `noOutput` with what was tried and why it failed.
  func first<Result>(
    _ list: String, _ open: (Candidate) throws(AudioError) -> Result
  ) throws(AudioError) -> Result {
    var failures: [(label: String, error: AudioError)] = []
    for candidate in try candidates(list) {
      do { return try open(candidate) } catch { failures.append((candidate.label, error)) }
    }
    if failures.count == 1 { throw failures[0].error }
    let reasons = failures.map { "\($0.label) (\($0.error.message))" }.joined(separator: ", ")
    throw AudioError(.noOutput, "No \(noun) works; tried: \(reasons.isEmpty ? "nothing" : reasons)")
  }
}
