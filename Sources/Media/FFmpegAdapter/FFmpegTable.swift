package import AudioModel

/// What FFmpeg's libraries are used for, known without loading them.
package enum FFmpegTable {
  /// Containers, their extensions, and what they usually carry.
  package static let formats: [(container: String, extensions: [String], codecs: [Codec])] = FFmpegFormats.all.map {
    ($0.name, $0.extensions, $0.codecs.split(separator: " ").map { Codec(rawValue: String($0)) })
  }

  /// Codecs that a stream's facts suffice to decode.
  package static let codecs: [Codec] =
    [.aac, .alac, .flac, .vorbis, .opus, .mp1, .mp2, .mp3]
    + [
      "ac3", "eac3", "wavpack", "tta", "ape", "speex", "amr_nb", "amr_wb", "adpcm_ima_qt", "adpcm_ima_wav",
      "adpcm_ms",
      "gsm", "gsm_ms", "mace3", "mace6", "mp4als", "dts", "truehd", "qdm2", "qdmc", "qcelp",
    ].map { Codec(rawValue: $0) }
}
