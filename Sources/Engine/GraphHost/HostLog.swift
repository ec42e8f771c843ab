internal import Glibc

/// What the engine says on standard error, where `MARTLET_LOG` is set to anything but `0`.
enum HostLog {
  private static let isOn = getenv("MARTLET_LOG").map { String(cString: $0) != "0" } ?? false

  /// The device ran dry.
  /// - Parameters:
  ///   - lateness: By how much the latest render call came too late, in nanoseconds.
  ///   - longestRender: How long the longest took.
  static func underruns(_ count: Int, lateness: Int64, longestRender: Int64) {
    say(
      "underrun (\(count)): the latest render call came \(milliseconds(lateness)) ms late; "
        + "the longest took \(milliseconds(longestRender)) ms")
  }

  private static func milliseconds(_ nanoseconds: Int64) -> String { "\(Double(nanoseconds / 1000) / 1000)" }

  private static func say(_ sentence: String) {
    guard isOn else { return }
    let line = "martlet: \(sentence)\n"
    line.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
  }
}
