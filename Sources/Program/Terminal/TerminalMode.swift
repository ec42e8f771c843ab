internal import Glibc
internal import Platform

/// Keys one by one instead of line by line, and everything as before at the end.
package final class TerminalMode: Sendable {
  private let descriptor: Int32
  private let saved = Monitor<termios?>(nil)

  /// For a terminal's descriptor.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Whether this process may read keys now: it is in the terminal's foreground.
  package var isForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Begins to take keys, without echo. Ctrl-C and Ctrl-Z stay signals. Does nothing in the background, where it would
  /// stop the process.
  package func enter() {
    guard isForeground else { return }
    saved.withLock { saved in
      var mode = termios()
      guard tcgetattr(descriptor, &mode) == 0 else { return }
      if saved == nil { saved = mode }
      mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
      withUnsafeMutableBytes(of: &mode.c_cc) {
        $0[Int(VMIN)] = 1
        $0[Int(VTIME)] = 0
      }
      _ = tcsetattr(descriptor, TCSANOW, &mode)
    }
  }

  /// Makes the terminal as it was. Any thread, any number of times.
  package func restore() {
    saved.withLock { saved in
      guard var mode = saved, isForeground else { return }
      saved = nil
      _ = tcsetattr(descriptor, TCSANOW, &mode)
    }
  }
}
