extension ContainerRegistration {
  /// The formats that Martlet reads itself. One line here is all that a new one takes.
  public static let builtIn: [ContainerRegistration] = [
    ContainerRegistration(
      name: "wav", extensions: ["wav", "wave", "bwf", "rf64", "w64"],
      mediaTypes: ["audio/wav", "audio/wave", "audio/x-wav", "audio/vnd.wave"],
      probe: { WAVParser.probe($0, start: $1) },
      makeParser: { WAVParser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "flac", extensions: ["flac", "fla"], mediaTypes: ["audio/flac", "audio/x-flac", "application/x-flac"],
      probe: { FLACParser.probe($0, start: $1) },
      makeParser: { FLACParser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "mp3", extensions: ["mp3", "mp2", "mp1", "mpga", "mpa"],
      mediaTypes: ["audio/mpeg", "audio/mp3", "audio/x-mp3", "audio/mpeg3", "audio/x-mpeg"],
      probe: { MPEGSync.probe($0, start: $1) },
      makeParser: { MPEGParser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "mp4", extensions: ["m4a", "m4b", "mp4", "mov", "m4r", "m4v", "3gp", "3g2", "f4a", "f4b", "qt"],
      mediaTypes: [
        "audio/mp4", "audio/x-m4a", "video/mp4", "audio/3gpp", "audio/3gpp2", "video/3gpp", "video/quicktime",
        "audio/m4a",
        "audio/x-m4b",
      ],
      probe: { MP4Parser.probe($0, start: $1) },
      makeParser: { MP4Parser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "aiff", extensions: ["aif", "aiff", "aifc"], mediaTypes: ["audio/aiff", "audio/x-aiff"],
      probe: { AIFFParser.probe($0, start: $1) },
      makeParser: { AIFFParser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "caf", extensions: ["caf"], mediaTypes: ["audio/x-caf"],
      probe: { CAFParser.probe($0, start: $1) },
      makeParser: { CAFParser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "adts", extensions: ["aac", "adts"],
      mediaTypes: ["audio/aac", "audio/aacp", "audio/x-aac", "audio/x-hx-aac-adts"],
      probe: { ADTSSyntax.probe($0, start: $1) },
      makeParser: { FrameStreamParser<ADTSSyntax>(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "adif", extensions: ["adif"], mediaTypes: [], probe: { ADIFParser.probe($0, start: $1) },
      makeParser: { ADIFParser(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "latm", extensions: ["latm", "loas"], mediaTypes: [], probe: { LATMSyntax.probe($0, start: $1) },
      makeParser: { FrameStreamParser<LATMSyntax>(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "ac3", extensions: ["ac3", "eac3", "ec3"], mediaTypes: ["audio/ac3", "audio/eac3"],
      probe: { AC3Syntax.probe($0, start: $1) },
      makeParser: { FrameStreamParser<AC3Syntax>(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "amr", extensions: ["amr", "awb"], mediaTypes: ["audio/amr", "audio/amr-wb"],
      probe: { AMRSyntax.probe($0, start: $1) },
      makeParser: { FrameStreamParser<AMRSyntax>(start: $0, leading: $1) }),
    ContainerRegistration(
      name: "ogg", extensions: ["ogg", "oga", "opus", "spx", "ogx"],
      mediaTypes: ["audio/ogg", "application/ogg", "audio/opus", "audio/vorbis", "audio/speex", "audio/x-ogg"],
      probe: { OggParser.probe($0, start: $1) },
      makeParser: { OggParser(start: $0, leading: $1) }),
  ]
}
