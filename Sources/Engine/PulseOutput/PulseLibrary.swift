internal import AudioModel
internal import CPulse

/// libpulse, which is loaded when an output of it is first asked for.
enum PulseLibrary {
  /// Loads it unless it is.
  /// - Throws: 5001 where it is missing. Any thread.
  static func load() throws(AudioError) {
    guard cpulse_table() == nil else { return }
    throw AudioError(
      .noOutput, "PulseAudio needs libpulse (Debian's package libpulse0): \(String(cString: cpulse_failure()))")
  }
}

/// libpulse's functions. Only after ``PulseLibrary/load()``.
var pulse: CPulseTable {
  guard let table = cpulse_table() else { preconditionFailure("libpulse is not loaded") }
  return table.pointee
}
