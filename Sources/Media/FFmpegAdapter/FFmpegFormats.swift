/// A demuxer of libavformat that may be opened, and what is known of it beforehand.
struct FFmpegFormat {
  /// What a tick of its timestamps means.
  enum Timestamps {
    /// Frames are counted exactly, so that a timestamp tells the frame.
    case exact
    /// Ticks are rounded (milliseconds, 90 kHz): only packets of one constant size can be placed by them.
    case coarse
  }

  /// libavformat's name; the first where it has several.
  var demuxer: String
  /// Our name of the container.
  var name: String
  /// Extensions of file names, which also open files that a look at the bytes leaves in doubt.
  var extensions: [String]
  /// Media types, likewise.
  var mediaTypes: [String] = []
  /// What it carries, as `formats` prints it.
  var codecs: String
  /// What its timestamps are worth.
  var timestamps: Timestamps = .exact
  /// Whether it is a bare sequence of packets, whose duration only their average size tells.
  var isRaw = false
}

/// The demuxers that may be opened. Whatever else libavformat has stays shut: playlists that open other files, devices,
/// images, subtitles, and guesses at raw data.
enum FFmpegFormats {
  static let all: [FFmpegFormat] = [
    .init(
      demuxer: "matroska", name: "matroska", extensions: ["mka", "mkv", "webm", "weba"],
      mediaTypes: ["audio/webm", "video/webm", "audio/x-matroska", "video/x-matroska"],
      codecs: "opus vorbis aac flac mp3 ac3 dts alac wavpack pcm", timestamps: .coarse),
    .init(
      demuxer: "au", name: "au", extensions: ["au", "snd"], mediaTypes: ["audio/basic"], codecs: "pcm mulaw alaw"),
    .init(demuxer: "voc", name: "voc", extensions: ["voc"], codecs: "pcm adpcm"),
    .init(
      demuxer: "mpegts", name: "mpegts", extensions: ["ts", "m2ts", "mts"], mediaTypes: ["video/mp2t"],
      codecs: "aac mp3 mp2 ac3 eac3", timestamps: .coarse),
    .init(
      demuxer: "mpeg", name: "mpegps", extensions: ["mpg", "mpeg", "vob"], mediaTypes: ["video/mpeg"],
      codecs: "mp2 ac3 dts pcm", timestamps: .coarse),
    .init(
      demuxer: "asf", name: "asf", extensions: ["wma", "asf", "wmv"],
      mediaTypes: ["audio/x-ms-wma", "video/x-ms-asf"],
      codecs: "wmav1 wmav2 wmapro wmalossless wmavoice", timestamps: .coarse),
    .init(demuxer: "wv", name: "wavpack", extensions: ["wv"], mediaTypes: ["audio/x-wavpack"], codecs: "wavpack"),
    .init(demuxer: "ape", name: "ape", extensions: ["ape"], mediaTypes: ["audio/x-ape"], codecs: "ape"),
    .init(demuxer: "tta", name: "tta", extensions: ["tta"], mediaTypes: ["audio/x-tta"], codecs: "tta"),
    .init(
      demuxer: "mpc", name: "musepack", extensions: ["mpc", "mp+"], mediaTypes: ["audio/x-musepack"],
      codecs: "musepack7"),
    .init(demuxer: "mpc8", name: "musepack", extensions: [], codecs: "musepack8"),
    .init(demuxer: "tak", name: "tak", extensions: ["tak"], codecs: "tak"),
    .init(demuxer: "shn", name: "shorten", extensions: ["shn"], codecs: "shorten", isRaw: true),
    .init(demuxer: "dts", name: "dts", extensions: ["dts"], codecs: "dts", timestamps: .coarse, isRaw: true),
    .init(demuxer: "truehd", name: "truehd", extensions: ["thd"], codecs: "truehd", timestamps: .coarse, isRaw: true),
    .init(demuxer: "dsf", name: "dsf", extensions: ["dsf"], codecs: "dsd"),
    .init(demuxer: "iff", name: "iff", extensions: ["dff", "8svx", "iff"], codecs: "dsd pcm"),
    .init(demuxer: "avi", name: "avi", extensions: ["avi"], codecs: "mp3 ac3 pcm", timestamps: .coarse),
    .init(demuxer: "flv", name: "flv", extensions: ["flv"], codecs: "mp3 aac", timestamps: .coarse),
    .init(demuxer: "rm", name: "realmedia", extensions: ["ra", "rm"], codecs: "cook", timestamps: .coarse),
    .init(demuxer: "oma", name: "oma", extensions: ["oma", "aa3"], codecs: "atrac3 atrac3p", timestamps: .coarse),
    // Ours are better; these stand for forms that ours refuse.
    .init(demuxer: "wav", name: "wav", extensions: [], codecs: "adpcm gsm"),
    .init(demuxer: "ogg", name: "ogg", extensions: ["ogm"], codecs: "mp3 ac3", timestamps: .coarse),
    .init(demuxer: "mp3", name: "mp3", extensions: [], codecs: "mp3", timestamps: .coarse, isRaw: true),
  ]

  /// The entry of a demuxer, by libavformat's name or one of its several names.
  static func named(_ demuxer: String) -> FFmpegFormat? {
    let names = demuxer.split(separator: ",")
    return all.first { format in names.contains { $0 == format.demuxer } }
  }

  /// The entry that a file name's extension or a media type points to.
  static func hinted(pathExtension: String?, mediaType: String?) -> FFmpegFormat? {
    all.first { mediaType != nil && $0.mediaTypes.contains(mediaType!) }
      ?? all.first { pathExtension != nil && $0.extensions.contains(pathExtension!) }
  }
}
