package import Commands

/// Which key gives which command.
package enum KeyMap {
  /// A key, its name for help, and its command.
  package struct Binding: Sendable {
    package let key: Key
    package let name: String
    package let command: Command
  }

  /// All keys, in the order of help.
  package static let bindings: [Binding] = [
    Binding(key: .character(" "), name: "space", command: .toggle),
    Binding(key: .left, name: "left", command: .seek(.relative(-10))),
    Binding(key: .right, name: "right", command: .seek(.relative(10))),
    Binding(key: .up, name: "up", command: .volume(.by(Command.Volume.step))),
    Binding(key: .down, name: "down", command: .volume(.by(-Command.Volume.step))),
    Binding(key: .character("n"), name: "n", command: .next),
    Binding(key: .character("p"), name: "p", command: .previous),
    Binding(key: .character("m"), name: "m", command: .mute(.toggle)),
    Binding(key: .character("["), name: "[", command: .rate(.by(-Command.Change.rateStep))),
    Binding(key: .character("]"), name: "]", command: .rate(.by(Command.Change.rateStep))),
    Binding(key: .character("="), name: "=", command: .rate(.to(1))),
    Binding(key: .character("{"), name: "{", command: .pitch(.by(-Command.Change.pitchStep))),
    Binding(key: .character("}"), name: "}", command: .pitch(.by(Command.Change.pitchStep))),
    Binding(key: .character("e"), name: "e", command: .equalizer(.next)),
    Binding(key: .character("r"), name: "r", command: .reverb(.next)),
    Binding(key: .character("q"), name: "q", command: .quit),
  ]

  /// The command of a key.
  package static func command(for key: Key) -> Command? { bindings.first { $0.key == key }?.command }
}
