internal import AudioModel
internal import CCurl

/// libcurl, which is loaded when something is first asked of a server.
enum CurlLibrary {
  /// Whether it has been loaded. Asking does not load it.
  static var isLoaded: Bool { ccurl_is_loaded() != 0 }

  /// Loads it unless it is.
  /// - Throws: 2xxx where it is missing or too old. Any thread.
  static func load() throws(AudioError) {
    guard ccurl_table() == nil else { return }
    throw AudioError(
      .networkUnavailable, "HTTP needs libcurl (Debian's package libcurl4): \(String(cString: ccurl_failure()))")
  }

  /// Its functions. Only after ``load()``.
  static var table: CCurlTable {
    guard let table = ccurl_table() else { preconditionFailure("libcurl is not loaded") }
    return table.pointee
  }
}
