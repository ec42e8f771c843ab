internal import AudioModel
internal import ByteSource
internal import CCurl

/// What a libcurl error code means to a listener and to the retry policy.
struct CurlFault {
  var fault: RetryPolicy.Fault
  var error: AudioError

  init(_ code: CURLcode, host: String) {
    let detail = Int(code.rawValue)
    func error(_ kind: AudioError.Code, _ message: String) -> AudioError {
      let isHopeless = [.badResponse, .badURL, .tlsFailed].contains(kind)
      return AudioError(kind, message, recovery: isHopeless ? .none : .retry, detail: detail)
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      self.init(.unreachable, error(.unknownHost, "the host \(host) is not known"))
    case CURLE_COULDNT_CONNECT:
      self.init(.unreachable, error(.connectionFailed, "\(host) refuses the connection or can't be reached"))
    case CURLE_OPERATION_TIMEDOUT:
      self.init(.unreachable, error(.timedOut, "\(host) does not answer"))
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED:
      self.init(.tls, error(.tlsFailed, "no safe connection to \(host): \(Self.text(code))"))
    case CURLE_TOO_MANY_REDIRECTS:
      self.init(.broken, error(.badResponse, "\(host) redirects without end"))
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT:
      self.init(.broken, error(.badURL, "the URL, or one that \(host) redirects to, is not good: \(Self.text(code))"))
    case CURLE_BAD_CONTENT_ENCODING, CURLE_WEIRD_SERVER_REPLY:
      self.init(.broken, error(.badResponse, "\(host) gives a broken answer: \(Self.text(code))"))
    default:
      self.init(.lost, error(.connectionLost, "the connection to \(host) was lost"))
    }
  }

  private init(_ fault: RetryPolicy.Fault, _ error: AudioError) {
    self.fault = fault
    self.error = error
  }

  private static func text(_ code: CURLcode) -> String {
    CurlLibrary.table.curl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
  }
}
