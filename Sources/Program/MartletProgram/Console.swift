package import AudioModel
internal import Glibc
internal import Terminal

/// What the program says on its standard streams.
package enum Console {
  /// Says what is wrong, in one line on standard error.
  package static func complain(_ sentence: String) {
    _ = write(PrintableText.clean("martlet: \(sentence)") + "\n", to: STDERR_FILENO)
  }

  /// Says what is wrong with an input.
  package static func complain(_ error: AudioError, about input: String?) { complain(sentence(error, about: input)) }

  /// What is wrong with an input, as a sentence that names it.
  package static func sentence(_ error: AudioError, about input: String?) -> String {
    guard let input else { return error.message }
    if input == "-" { return "standard input: \(error.message)" }
    if error.message.contains(input) { return error.message }
    return "\(PrintableText.cut(input, to: 100)): \(error.message)"
  }

  /// Writes a text whole.
  /// - Returns: `false` when nobody reads it any more, or the disk is full.
  package static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
        if count > 0 { done += count } else if errno != EINTR { return false }
      }
      return true
    }
  }
}
