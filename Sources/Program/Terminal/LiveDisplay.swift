internal import Glibc
internal import Platform

/// One line of a terminal that is drawn again and again, and lines that scroll past above it.
package final class LiveDisplay: Sendable {
  private let descriptor: Int32
  private let style: LiveLine.Style
  private let drawn = Monitor<String?>(nil)

  /// For a terminal's descriptor.
  package init(descriptor: Int32, style: LiveLine.Style) {
    self.descriptor = descriptor
    self.style = style
  }

  /// Whether a live line is possible there: a terminal that knows how to erase a line.
  package static func isPossible(on descriptor: Int32) -> Bool {
    guard isatty(descriptor) != 0, let name = environment("TERM") else { return false }
    return !name.isEmpty && name != "dumb"
  }

  /// What the environment wishes: UTF-8 by the locale, colours unless `NO_COLOR` is set.
  package static var environmentStyle: LiveLine.Style {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment).first { !$0.isEmpty } ?? ""
    let name = locale.lowercased()
    return LiveLine.Style(
      isUnicode: name.contains("utf-8") || name.contains("utf8"),
      isColored: (environment("NO_COLOR") ?? "").isEmpty)
  }

  /// Draws the line anew, unless it shows already.
  package func draw(_ line: LiveLine) {
    // The last column stays free: some terminals go on to the next line when it is filled.
    let text = line.text(width: columns - 1, style: style)
    drawn.withLock { drawn in
      guard drawn != text else { return }
      put(drawn == nil ? "\u{1B}[?25l\r\(text)\u{1B}[K" : "\r\(text)\u{1B}[K")
      drawn = text
    }
  }

  /// Forgets what was drawn: the terminal's size changed, or another program wrote there.
  package func invalidate() { drawn.withLock { if $0 != nil { $0 = "" } } }

  /// Prints a line above the live one.
  package func message(_ text: String) {
    drawn.withLock { drawn in
      put((drawn == nil ? "" : "\r\u{1B}[K") + PrintableText.clean(text) + "\n" + (drawn ?? ""))
    }
  }

  /// Removes the line and gives the cursor back. Any thread, any number of times.
  package func clear() {
    drawn.withLock { drawn in
      if drawn != nil { put("\r\u{1B}[K\u{1B}[?25h") }
      drawn = nil
    }
  }

  /// Gives the cursor back without waiting for anything: for an end by force, when another thread may be stuck.
  package func abandon() {
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    let text = Array("\r\u{1B}[K\u{1B}[?25h".utf8)
    _ = write(descriptor, text, text.count)
    _ = fcntl(descriptor, F_SETFL, flags)
  }

  private var columns: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  private func put(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
