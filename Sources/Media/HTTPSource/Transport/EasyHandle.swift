internal import CCurl
internal import Glibc

/// One libcurl handle, set up for one request.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private var lists: [UnsafeMutablePointer<curl_slist>?] = []

  /// Sets up a request.
  /// - Parameter context: Given to the callbacks.
  init?(
    url: String, configuration: HTTPSourceConfiguration, request: ResumePlan.Request, context: UnsafeMutableRawPointer
  ) {
    guard let pointer = CurlLibrary.table.curl_easy_init() else { return nil }
    self.pointer = pointer
    setProtocol(url: url, configuration: configuration)
    set(CURLOPT_HTTPHEADER, Self.headerLines(configuration, request))
    if let start = request.start { set(CURLOPT_RANGE, "\(start)-") }
    if request.ignoresContentLength { set(CURLOPT_IGNORE_CONTENT_LENGTH, 1) }
    setCallbacks(context)
  }

  deinit {
    CurlLibrary.table.curl_easy_cleanup(pointer)
    for list in lists { CurlLibrary.table.curl_slist_free_all(list) }
  }

  private func setProtocol(url: String, configuration: HTTPSourceConfiguration) {
    set(CURLOPT_URL, url)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 1)
    set(CURLOPT_MAXREDIRS, max(0, configuration.redirectLimit))
    // A pause must be one of TCP: a paused HTTP/2 body would gather inside libcurl.
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    // Asks for plain bytes, and yet decodes what a server compresses unasked.
    set(CURLOPT_ACCEPT_ENCODING, "identity")
    set(CURLOPT_HTTP200ALIASES, ["ICY 200 OK"])
    set(CURLOPT_USERAGENT, configuration.userAgent)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(min(3600, max(0.001, configuration.connectTimeout)) * 1000))
    set(CURLOPT_TCP_KEEPALIVE, 1)
    // No signals in a process with threads, and no waiting for a name server when a request is dropped.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    if let file = configuration.certificateFile { set(CURLOPT_CAINFO, file) }
  }

  private func setCallbacks(_ context: UnsafeMutableRawPointer) {
    ccurl_set_callback(pointer, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      return HTTPTransfer.from(context).received(
        headerLine: UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_callback(pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      return HTTPTransfer.from(context).received(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    ccurl_set_request_callback(pointer, CURLOPT_PREREQFUNCTION) { context, _, _, _, _ in
      if let context { HTTPTransfer.from(context).connected() }
      return CURL_PREREQFUNC_OK
    }
    for option in [CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA] {
      ccurl_set_pointer(pointer, option, context)
    }
  }

  private static func headerLines(_ configuration: HTTPSourceConfiguration, _ request: ResumePlan.Request) -> [String]
  {
    var lines: [String] = []
    if configuration.asksForStreamMetadata { lines.append("Icy-MetaData: 1") }
    if let ifRange = request.ifRange, request.start != nil { lines.append("If-Range: \(ifRange)") }
    let own = Set(configuration.headers.map { $0.name.lowercased() })
    lines.removeAll { line in own.contains(line.prefix { $0 != ":" }.lowercased()) }
    // An empty value needs a semicolon: with a colon libcurl would take the field out.
    return lines + configuration.headers.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
  }

  // MARK: Options and answers

  private func set(_ option: CURLoption, _ value: Int) { ccurl_set_long(pointer, option, value) }
  private func set(_ option: CURLoption, _ value: String) { ccurl_set_string(pointer, option, value) }
  private func set(_ option: CURLoption, _ lines: [String]) {
    // libcurl keeps the pointer, so the list lives as long as the handle.
    let list = lines.reduce(nil) { CurlLibrary.table.curl_slist_append($0, $1) ?? $0 }
    lists.append(list)
    ccurl_set_list(pointer, option, list)
  }

  /// Seconds of a Retry-After field, as a number or a date; `nil` without one.
  var retryAfter: Double? {
    var seconds: curl_off_t = 0
    ccurl_get_offset(pointer, CURLINFO_RETRY_AFTER, &seconds)
    return seconds > 0 ? Double(seconds) : nil
  }

  /// Where redirects have led.
  var effectiveURL: String? {
    var text: UnsafePointer<CChar>?
    ccurl_get_string(pointer, CURLINFO_EFFECTIVE_URL, &text)
    return text.map { String(cString: $0) }
  }

  /// Lets paused bytes flow again; callbacks may be called at once.
  func resume() { _ = CurlLibrary.table.curl_easy_pause(pointer, CURLPAUSE_CONT) }
}
