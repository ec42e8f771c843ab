package import AudioModel

/// How the program ends: the numbers of BSD's `sysexits.h`, and 130 for an interruption as shells have it.
package enum ExitCode: Int32, Sendable {
  /// Everything asked for was done.
  case success = 0
  /// The command line is wrong.
  case usage = 64
  /// An input was not audio, or was broken.
  case badData = 65
  /// An input was not found.
  case noInput = 66
  /// No output device; no player to talk to.
  case unavailable = 69
  /// Network or file trouble that retries did not cure.
  case ioError = 74
  /// A signal ended it.
  case interrupted = 130

  /// The status of a failure.
  package init(_ error: AudioError) {
    switch error.code {
    case .cancelled: self = .interrupted
    case .notFound: self = .noInput
    case .badURL, .encodingUnsupported: self = .usage
    case .encoderUnavailable: self = .unavailable
    default:
      switch error.code.rawValue / 1000 {
      case 1: self = .usage
      case 3, 4: self = .badData
      case 5: self = .unavailable
      default: self = .ioError
      }
    }
  }
}
