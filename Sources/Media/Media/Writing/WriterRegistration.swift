public import AudioModel
public import Containers

/// A file format as the registry knows it for writing: one line of the table that decides how a file is made.
public struct WriterRegistration: Sendable {
  /// Name in lower case, as ``AudioModel/StreamFacts/container`` says it of the file when it is read.
  public var name: String
  /// Extensions of file names, lower case, without the dot.
  public var extensions: [String]
  /// What it can hold; the first unless another one is asked for.
  public var codecs: [Codec]
  /// The file is completed in front at the end: it can't go to a pipe, at least with these codecs.
  public var needsFile: @Sendable (Codec) -> Bool
  /// How it stores samples of PCM; `nil` for a kind that it has no place for.
  public var coding: @Sendable (WAVHeader.Sample) -> SampleCoding?
  /// Makes a writer for a stream that goes to a file with an extension (lower case, maybe empty). Throws 4006 where it
  /// can't hold the stream.
  public var make: @Sendable (WrittenStream, _ pathExtension: String) throws(AudioError) -> any ContainerWriter

  /// Makes a registration.
  public init(
    name: String, extensions: [String], codecs: [Codec],
    needsFile: @escaping @Sendable (Codec) -> Bool = { _ in false },
    coding: @escaping @Sendable (WAVHeader.Sample) -> SampleCoding? = { _ in nil },
    make: @escaping @Sendable (WrittenStream, _ pathExtension: String) throws(AudioError) -> any ContainerWriter
  ) {
    self.name = name
    self.extensions = extensions
    self.codecs = codecs
    self.needsFile = needsFile
    self.coding = coding
    self.make = make
  }

  /// The formats that are written. One line here is all that a new one takes.
  public static let builtIn: [WriterRegistration] = [
    WriterRegistration(
      name: "wav", extensions: ["wav", "wave"], codecs: [.pcm], coding: { $0.coding },
      make: { stream, _ throws(AudioError) in try BuiltInWriters.wav(stream) }),
    WriterRegistration(
      name: "aiff", extensions: ["aiff", "aif", "aifc", "afc"], codecs: [.pcm], needsFile: { _ in true },
      coding: { sample in
        var coding = sample.coding
        if coding.kind == .unsigned { coding.kind = .signed }
        coding.isBigEndian = true
        return coding
      },
      make: { stream, pathExtension throws(AudioError) in
        try BuiltInWriters.aiff(stream, isCompressed: pathExtension == "aifc" || pathExtension == "afc")
      }),
    WriterRegistration(
      name: "caf", extensions: ["caf"], codecs: [.pcm, .alac, .aac, .flac, .opus], needsFile: { $0 != .pcm },
      coding: { sample in
        var coding = sample.coding
        if coding.kind == .unsigned { coding.kind = .signed }
        return coding
      },
      make: { stream, _ throws(AudioError) in try BuiltInWriters.caf(stream) }),
    WriterRegistration(
      name: "flac", extensions: ["flac"], codecs: [.flac],
      make: { stream, _ throws(AudioError) in try BuiltInWriters.flac(stream) }),
    WriterRegistration(
      name: "ogg", extensions: ["ogg", "oga"], codecs: [.vorbis, .opus],
      make: { stream, _ throws(AudioError) in try BuiltInWriters.ogg(stream) }),
    WriterRegistration(
      name: "ogg", extensions: ["opus"], codecs: [.opus],
      make: { stream, _ throws(AudioError) in try BuiltInWriters.ogg(stream) }),
    WriterRegistration(
      name: "mp4", extensions: ["m4a", "mp4", "m4b"], codecs: [.aac, .alac, .opus, .flac], needsFile: { _ in true },
      make: { stream, _ throws(AudioError) in try BuiltInWriters.mp4(stream) }),
    WriterRegistration(
      name: "mp3", extensions: ["mp3"], codecs: [.mp3],
      make: { stream, _ throws(AudioError) in try BuiltInWriters.mp3(stream) }),
    WriterRegistration(
      name: "adts", extensions: ["aac", "adts"], codecs: [.aac],
      make: { stream, _ throws(AudioError) in try BuiltInWriters.adts(stream) }),
  ]
}
