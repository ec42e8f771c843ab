package import AudioModel
internal import CFFmpeg

/// FFmpeg's libraries, which are loaded when a stream first needs them.
package enum FFmpegLibraries {
  /// Whether they have been loaded. Asking does not load them.
  package static var isLoaded: Bool { cffmpeg_is_loaded() != 0 }

  /// Loads them unless they are.
  /// - Throws: 4003 where one is missing or of another version. Any thread.
  package static func load() throws(AudioError) { _ = try functions() }

  /// The functions; loads the libraries at the first call.
  static func functions() throws(AudioError) -> UnsafePointer<CFFmpegTable> {
    if let table = cffmpeg_table() { return table }
    throw AudioError(
      .decoderUnavailable,
      "This format needs FFmpeg's libraries (Debian's packages libavformat\(LIBAVFORMAT_VERSION_MAJOR), "
        + "libavcodec\(LIBAVCODEC_VERSION_MAJOR) and libavutil\(LIBAVUTIL_VERSION_MAJOR)): "
        + String(cString: cffmpeg_failure()))
  }
}
