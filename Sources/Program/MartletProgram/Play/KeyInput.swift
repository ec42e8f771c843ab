internal import Commands
internal import Glibc
internal import Terminal

/// The keyboard: standard input if that is a terminal, else the controlling terminal.
final class KeyInput: Sendable {
  private let terminal: Int32
  private let mode: TerminalMode
  // Touched by the main thread only.
  nonisolated(unsafe) private var decoder = KeyDecoder()
  nonisolated(unsafe) private var isActive = false

  /// Finds the keyboard.
  /// - Parameter usesStandardInput: Whether standard input is free for keys.
  /// - Returns: `nil` when there is none.
  init?(usesStandardInput: Bool) {
    if usesStandardInput, isatty(STDIN_FILENO) != 0 {
      terminal = STDIN_FILENO
    } else {
      terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
    }
    guard terminal >= 0 else { return nil }
    mode = TerminalMode(descriptor: terminal)
  }

  /// For `poll`; −1 while no key can be read: in the background a read would stop the process.
  var descriptor: Int32 { isActive ? terminal : -1 }

  /// Begins to read keys, if this process is in the foreground.
  func enter() {
    isActive = mode.isForeground
    mode.enter()
  }

  /// Makes the terminal as it was. Any thread.
  func restore() { mode.restore() }

  /// Commands of the keys that were pressed.
  func commands() -> [Command] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(terminal, &bytes, bytes.count)
    guard count > 0 else {
      if count == 0 || errno != EINTR { isActive = false }  // the terminal is gone
      return []
    }
    return bytes[..<count].compactMap { decoder.feed($0).flatMap(KeyMap.command) }
  }
}
