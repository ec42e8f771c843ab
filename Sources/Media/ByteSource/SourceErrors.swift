package import AudioModel
internal import Platform

extension AudioError {
  /// What a source throws after ``ByteSource/cancel()``.
  package static let cancelled = AudioError(.cancelled, "cancelled")
  /// What a source throws when it is asked for a position before its start.
  package static let negativePosition = AudioError(.usage, "a position in a source can't be negative")
  /// What a source throws that can't jump.
  package static func notSeekable(_ message: String) -> AudioError { AudioError(.notSeekable, message) }

  /// A failed system call: `message`, then the system's own words.
  package static func system(_ code: Code, _ message: String, _ number: Int32) -> AudioError {
    AudioError(code, "\(message): \(systemErrorText(number))", detail: Int(number))
  }
}
