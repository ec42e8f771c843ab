package import AudioModel

/// Makes the writers that are Martlet's own. All throw 4006 where the container can't hold the stream.
package enum BuiltInWriters {
  /// WAV.
  package static func wav(_ stream: WrittenStream) throws(AudioError) -> any ContainerWriter { try WAVWriter(stream) }

  /// AIFF, or AIFF-C where it is asked for or the samples need it.
  package static func aiff(_ stream: WrittenStream, isCompressed: Bool) throws(AudioError) -> any ContainerWriter {
    try AIFFWriter(stream, isCompressed: isCompressed)
  }

  /// Core Audio Format.
  package static func caf(_ stream: WrittenStream) throws(AudioError) -> any ContainerWriter { try CAFWriter(stream) }

  /// FLAC.
  package static func flac(_ stream: WrittenStream) throws(AudioError) -> any ContainerWriter {
    try FLACWriter(stream)
  }

  /// Ogg.
  package static func ogg(_ stream: WrittenStream) throws(AudioError) -> any ContainerWriter { try OggWriter(stream) }

  /// M4A.
  package static func mp4(_ stream: WrittenStream) throws(AudioError) -> any ContainerWriter { try MP4Writer(stream) }

  /// MP3.
  package static func mp3(_ stream: WrittenStream) throws(AudioError) -> any ContainerWriter {
    try MPEGWriter(stream)
  }

  /// A stream of AAC frames.
  package static func adts(_ stream: WrittenStream) throws(AudioError) -> any ContainerWriter {
    try ADTSWriter(stream)
  }
}
