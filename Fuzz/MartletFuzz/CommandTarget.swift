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
        "rate 1.5", "rate up 0.25", "pitch -300", "stretch varispeed", "eq 100:6,3000:-3:2", "eq graphic:1,-2,3",
        "eq night", "reverb large-hall:30", "delay 0.3:-40:25", "distortion radio-tower:50", "eq next", "reverb off",
      ].map { Array($0.utf8) }
    }
  ) { bytes in
    guard let command = try? Command(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
    let again = try? Command(parsing: command.description)
    precondition(again == command, "it does not read back")
  }
}
