package import AudioModel

/// Something a listener can ask of a running player: the one vocabulary of keys, control socket and `martlet remote`.
///
/// A command prints as the line that gives it, and that line reads back as the same command:
/// `Command(parsing: command.description) == command`.
package enum Command: Hashable, Sendable {
  case play, pause, toggle, stop, next, previous
  /// Goes to a place in the current item.
  case seek(Place)
  /// Sets or changes the volume.
  case volume(Volume)
  /// Silences without forgetting the volume.
  case mute(Switch)
  /// Adds an input at the end of the queue.
  case add(String)
  /// Asks for the queue.
  case queue
  /// Asks what is playing.
  case status
  /// Asks for counters.
  case stats
  /// Asks for events from now on.
  case events
  /// Ends the program.
  case quit

  /// A place in an item.
  package enum Place: Hashable, Sendable {
    /// Seconds from the start, 0 or more.
    case absolute(Double)
    /// Seconds from what is heard; negative is back.
    case relative(Double)
    /// Per cent of the duration, 0…100.
    case percent(Double)
  }

  /// A volume or a change of it.
  package enum Volume: Hashable, Sendable {
    /// A gain in decibels, −96…24.
    case decibels(Double)
    /// A linear amplitude in per cent; 100 is 0 dB, 0 is silence. At most +24 dB.
    case percent(Double)
    /// A change in decibels.
    case by(Double)

    /// Decibels of one step of `volume up` and `volume down`.
    package static let step = 2.0
    /// The gains that can be asked for.
    package static let decibelRange = -96.0...24.0
  }

  /// A state to bring about.
  package enum Switch: String, Hashable, Sendable, CaseIterable {
    case on, off, toggle
  }

  /// Reads a line.
  /// - Parameter line: A command and its arguments, separated by blanks.
  /// - Throws: ``AudioError/Code/usage`` with a sentence that tells a wrong command from a wrong argument and from a
  ///   command that a later version will know.
  package init(parsing line: String) throws(AudioError) {
    let line = line.trimmingBlanks()
    let name = Substring(line.unicodeScalars.prefix { !$0.isBlank })
    guard !name.isEmpty else { throw AudioError(.usage, "a command is missing") }
    let arguments = String(line[name.endIndex...]).trimmingBlanks()
    if let row = CommandTable.rows.first(where: { $0.name == name }) {
      self = try row.parse(String(arguments))
    } else if CommandTable.laterNames.contains(String(name)) {
      throw AudioError(.usage, "\(name) is not supported yet")
    } else {
      throw AudioError(.usage, "unknown command \u{201C}\(name)\u{201D}")
    }
  }
}

extension Command: CustomStringConvertible {
  package var description: String {
    switch self {
    case .play: "play"
    case .pause: "pause"
    case .toggle: "toggle"
    case .stop: "stop"
    case .next: "next"
    case .previous: "previous"
    case .seek(.absolute(let seconds)): "seek \(seconds)"
    case .seek(.relative(let seconds)): "seek \(signed(seconds))"
    case .seek(.percent(let share)): "seek \(share)%"
    case .volume(.decibels(let gain)): "volume \(gain)"
    case .volume(.percent(let share)): "volume \(share)%"
    case .volume(.by(let change)): change.sign == .minus ? "volume down \(-change)" : "volume up \(change)"
    case .mute(let state): "mute \(state.rawValue)"
    case .add(let input): "add \(Self.quoted(input))"
    case .queue: "queue"
    case .status: "status"
    case .stats: "stats"
    case .events: "events"
    case .quit: "quit"
    }
  }

  private func signed(_ value: Double) -> String { value.sign == .minus ? "\(value)" : "+\(value)" }

  /// An input as one line: as it is where that reads back, else as a JSON string.
  private static func quoted(_ input: String) -> String {
    let isPlain =
      !input.isEmpty && input.unicodeScalars.first != "\"" && input == String(input.trimmingBlanks())
      && !input.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
    return isPlain ? input : JSONValue.string(input).text
  }
}

// Scalar by scalar: a mark that combines with the blank before it would hide it, were characters looked at.
extension Unicode.Scalar {
  /// A blank or a tab: what separates words of a command.
  var isBlank: Bool { self == " " || self == "\t" }

  /// What ends a line (Unicode 15, section 5.8).
  var isLineEnd: Bool { (0x0A...0x0D).contains(value) || value == 0x85 || value == 0x2028 || value == 0x2029 }
}

extension StringProtocol {
  /// Without the blanks at both ends, nor the end of the line.
  func trimmingBlanks() -> Substring {
    var rest = Substring(self).unicodeScalars
    while let first = rest.first, first.isBlank { rest.removeFirst() }
    while let last = rest.last, last.isBlank || last.isLineEnd { rest.removeLast() }
    return Substring(rest)
  }
}
