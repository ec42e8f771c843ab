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
  /// Sets or changes the rate.
  case rate(Change)
  /// Sets or changes the pitch, in cents.
  case pitch(Change)
  /// Chooses how rate and pitch are changed.
  case stretch(StretchAlgorithm)
  /// Sets the equalizer.
  case equalizer(Choice<EqualizerSettings>)
  /// Sets the reverb.
  case reverb(Choice<ReverbSettings>)
  /// Sets the delay.
  case delay(Choice<DelaySettings>)
  /// Sets the distortion.
  case distortion(Choice<DistortionSettings>)
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

  /// A number or a change of it.
  package enum Change: Hashable, Sendable {
    case to(Double)
    case by(Double)

    /// The change of `rate up` and `rate down`.
    package static let rateStep = 0.1
    /// Cents of `pitch up` and `pitch down`.
    package static let pitchStep = 100.0
  }

  /// What becomes of an effect.
  package enum Choice<Settings: Hashable & Sendable>: Hashable, Sendable {
    case off
    case to(Settings)
    /// The next of its presets; behind the last one it is off.
    case next
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
    case .rate(let change): "rate \(Self.text(change))"
    case .pitch(let change): "pitch \(Self.text(change))"
    case .stretch(let algorithm): "stretch \(algorithm.rawValue)"
    case .equalizer(let choice): "eq \(Self.text(choice) { EffectText.text($0) ?? EqualizerPreset.flat.rawValue })"
    case .reverb(let choice): "reverb \(Self.text(choice, EffectText.text))"
    case .delay(let choice): "delay \(Self.text(choice, EffectText.text))"
    case .distortion(let choice): "distortion \(Self.text(choice, EffectText.text))"
    case .add(let input): "add \(Self.quoted(input))"
    case .queue: "queue"
    case .status: "status"
    case .stats: "stats"
    case .events: "events"
    case .quit: "quit"
    }
  }

  private static func text(_ change: Change) -> String {
    switch change {
    case .to(let value): EffectText.number(value)
    case .by(let change): (change.sign == .minus ? "down " : "up ") + EffectText.number(change.magnitude)
    }
  }

  private static func text<Settings>(_ choice: Choice<Settings>, _ print: (Settings) -> String) -> String {
    switch choice {
    case .off: "off"
    case .next: "next"
    case .to(let settings): print(settings)
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
