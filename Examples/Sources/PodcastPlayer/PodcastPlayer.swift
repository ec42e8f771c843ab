// An episode with progress and a VU meter: PodcastPlayer FILE
// Space pauses and goes on, left and right jump by ten seconds, up and down play faster and slower, + and − higher and
// lower, 0 plays as it was recorded, q ends.

import AVFAudio
import ExampleSupport

@main struct PodcastPlayer {
  @MainActor static func main() { runExample { try play() } }

  @MainActor private static func play() throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: PodcastPlayer FILE")
      exit(64)
    }
    let player = try EpisodePlayer(url: URL(fileURLWithPath: CommandLine.arguments[1]))
    player.toggle()

    let keys = Keyboard()
    defer { keys.restore() }
    while true {
      RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
      switch keys.next() {
      case .toggle: player.toggle()
      case .back: player.skip(by: -10)
      case .forward: player.skip(by: 10)
      case .faster: player.rate += 0.1
      case .slower: player.rate -= 0.1
      case .higher: player.pitch += 100
      case .lower: player.pitch -= 100
      case .plain:
        player.rate = 1
        player.pitch = 0
      case .quit:
        player.stop()
        return
      case nil: break
      }
      show(player)
      if player.hasEnded && !keys.isInteractive { return player.stop() }
    }
  }

  @MainActor private static func show(_ player: EpisodePlayer) {
    let bars = String(repeating: "█", count: Int(player.level * 20))
    let meter = bars.padding(toLength: 20, withPad: " ", startingAt: 0)
    let mark = player.isPlaying ? "▶" : "‖"
    let speed = String(format: "%.1f× %+.0f ct", player.rate, player.pitch).padding(
      toLength: 14, withPad: " ", startingAt: 0)
    let line = "\r\(mark) \(clock(player.position)) / \(clock(player.duration)) |\(meter)| \(speed)"
    FileHandle.standardOutput.write(Data(line.utf8))
  }

  private static func clock(_ seconds: Double) -> String {
    String(format: "%d:%02d", Int(seconds) / 60, Int(seconds) % 60)
  }
}

/// Keys from a terminal, without waiting for them.
struct Keyboard {
  enum Key { case toggle, back, forward, faster, slower, higher, lower, plain, quit }

  let isInteractive = isatty(STDIN_FILENO) == 1
  private var before = termios()

  init() {
    guard isInteractive else { return }
    tcgetattr(STDIN_FILENO, &before)
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &raw)
  }

  func next() -> Key? {
    var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard isInteractive, poll(&ready, 1, 0) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 8)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else { return .quit }
    switch Array(bytes[..<count]) {
    case [0x20]: return .toggle
    case [0x1B, 0x5B, 0x44]: return .back
    case [0x1B, 0x5B, 0x43]: return .forward
    case [0x1B, 0x5B, 0x41]: return .faster
    case [0x1B, 0x5B, 0x42]: return .slower
    case [0x2B]: return .higher
    case [0x2D]: return .lower
    case [0x30]: return .plain
    case [0x71]: return .quit
    default: return nil
    }
  }

  func restore() {
    guard isInteractive else { return }
    var before = before
    tcsetattr(STDIN_FILENO, TCSANOW, &before)
    FileHandle.standardOutput.write(Data("\n".utf8))
  }
}
