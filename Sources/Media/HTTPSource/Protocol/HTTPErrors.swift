internal import AudioModel
internal import ByteSource

/// The sentences of HTTP's failures.
struct HTTPErrors: Hashable {
  /// The server's name, for the listener.
  var host: String

  func status(_ status: Int, retryAfter: Double? = nil) -> AudioError {
    var error: AudioError
    switch status {
    case 404, 410: error = AudioError(.notFound, "\(host) does not have the file (\(status))", detail: status)
    case 401, 403:
      error = AudioError(.refused, "\(host) does not give access to the file (\(status))", detail: status)
    case _ where RetryPolicy.isTransient(status: status):
      error = AudioError(.serverFailed, "\(host) can't deliver now (\(status))", recovery: .retry, detail: status)
    case 500...599: error = AudioError(.serverFailed, "\(host) can't deliver (\(status))", detail: status)
    case 400...499: error = AudioError(.refused, "\(host) refuses the request (\(status))", detail: status)
    default: error = badResponse("\(host) gives an answer that makes no sense (\(status))", detail: status)
    }
    error.retryAfter = retryAfter
    return error
  }

  func badResponse(_ message: String, detail: Int? = nil) -> AudioError {
    AudioError(.badResponse, message, detail: detail)
  }

  var badRange: AudioError { badResponse("\(host) sends other bytes than it says") }
  var tooLarge: AudioError { badResponse("\(host) sends compressed data that unfolds without end") }
  var changed: AudioError { AudioError(.sourceChanged, "the file on \(host) has changed while it was read") }
  var lost: AudioError { AudioError(.connectionLost, "the connection to \(host) was lost", recovery: .retry) }
  var stalled: AudioError { AudioError(.timedOut, "\(host) has stopped sending", recovery: .retry) }
  var live: AudioError { .notSeekable("a live stream can't be sought") }
}
