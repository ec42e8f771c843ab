extension ContainerRegistration {
  /// The formats that Martlet reads itself. One line here is all that a new one takes.
  public static let builtIn: [ContainerRegistration] = [
    ContainerRegistration(
      name: "wav", extensions: ["wav", "wave", "bwf", "rf64", "w64"],
      mediaTypes: ["audio/wav", "audio/wave", "audio/x-wav", "audio/vnd.wave"],
      probe: { WAVParser.probe($0, start: $1) },
      makeParser: { WAVParser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "mp3", extensions: ["mp3", "mp2", "mp1", "mpga", "mpa"],
      mediaTypes: ["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mpeg3", "audio/x-mpeg"],
      probe: { MPEGSync.probe($0, start: $1) },
      makeParser: { MPEGParser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "ogg", extensions: ["ogg", "oga", "opus", "spx", "ogx"],
      mediaTypes: ["audio/ogg", "application/ogg", "audio/opus", "audio/vorbis", "audio/speex", "audio/x-ogg"],
      probe: { OggParser.probe($0, start: $1) },
      makeParser: { OggParser(start: $0, leading: $1) }),
  ]
}
