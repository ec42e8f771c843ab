internal import AudioModel
internal import Commands

extension FuzzTarget {
  /// Lines at the control socket. What is understood prints as a line that means the same.
  static let command = FuzzTarget(
    name: "command",
    seeds: {
      [
        "play", "toggle", "seek 1:02:03.5", "seek +10", "seek -1h2m", "seek 50%", "volume -6", "volume 50%",
        "volume up 3", "volume +2", "mute toggle", "add https://example.org/a b.mp3", "status", "events", "quit",
      ].map { Array($0.utf8) }
    }
  ) { bytes in
    guard let command = try? Command(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
    let again = try? Command(parsing: command.description)
    precondition(again == command, "it does not read back")
  }
}
