internal import Commands
internal import Media

/// All subcommands: parser and help read this one table.
package enum SubcommandTable {
  /// The subcommands of this version, in the order of help.
  package static let rows: [Subcommand] = [
    play, info, render, demo, devices, formats, effects, remote,
    Subcommand("help", usage: "[COMMAND]", "explain a command"),
  ]

  /// Subcommands that a later version will know.
  package static let laterNames: Set<String> = ["download", "feed", "daemon", "config"]

  /// A subcommand by name.
  package static func row(_ name: String) -> Subcommand? { rows.first { $0.name == name } }

  // MARK: Options

  private static let shared: [Option] =
    sound + [
      Option("volume", value: "DB|N%", "gain in decibels (-6) or amplitude (50%)"),
      Option("start", value: "T", "begin there: 90, 1:30, 1h2m"),
      Option("end", value: "T", "end there"),
    ] + network

  private static let sound: [Option] = [
    Option("rate", value: "X", "play at X times the speed, 0.03125 to 32; the pitch stays"),
    Option("pitch", value: "C", "raise the pitch by C cents, -2400 to 2400; the speed stays"),
    Option("stretch", value: "HOW", "auto, speech, music or varispeed: how rate and pitch are changed (auto)"),
    Option("eq", value: "EQ", "a preset (speech), bands (100:6,3000:-3:2: hertz, dB, octaves) or graphic:DB,..."),
    Option("reverb", value: "PRESET[:MIX]", "play as in a room: large-hall:30 is 30 per cent of room"),
    Option("delay", value: "S[:FB[:MIX]]", "repeat after S seconds, with per cent of feedback (40) and mix (30)"),
    Option("distortion", value: "PRESET[:MIX]", "spoil the sound: radio-tower:50"),
  ]

  private static let network: [Option] = [
    Option("header", value: "'K: V'", "send this HTTP header too; may be repeated"),
    Option("user-agent", value: "S", "call yourself so to HTTP servers"),
    Option("timeout", value: "S", "seconds without a byte until a connection counts as stalled (15)"),
  ]

  private static let laterShared: Set<String> = [
    "loop", "shuffle", "crossfade", "skip-silence", "loudness", "cache",
  ]

  private static let playing: [Option] = [
    Option(
      "output", value: "LIST",
      "outputs to try in order (auto): auto, pulse[:SINK], alsa[:PCM], null, wav:FILE, stdout"),
    Option("buffer", value: "S", "seconds decoded ahead (2)"),
    Option("latency", value: "MS", "milliseconds that sound waits in the device (100)"),
    Option("control", value: "PATH", "put the control socket there"),
    Option("no-control", "make no control socket"),
    Option("json", "print events as JSON, one object a line"),
    Option("quiet", "print nothing but errors"),
    Option("no-tui", "print plain lines on a terminal too"),
    Option("stats", "print counters at the end"),
  ]

  private static let laterPlaying: Set<String> = [
    "sleep", "resume", "no-resume", "skip-forward", "skip-back", "record", "web",
  ]

  // MARK: Rows

  private static let play = Subcommand(
    "play", usage: "[options] INPUT...", "play files and URLs",
    text: """
      Plays each INPUT: a path, an http, https, file or data URL, or - for standard input. On a terminal: space pauses, \
      left and right go back and forth by 10 s, up and down change the volume, n and p go to the next and the previous \
      item, m mutes, [ and ] change the rate and = makes it 1 again, { and } change the pitch by a semitone, e and r go \
      through the presets of equalizer and reverb, q quits. Effects change while it plays, with the keys or by \
      martlet remote; martlet effects lists them.
      """,
    options: shared + playing, laterOptions: laterShared.union(laterPlaying),
    examples: [
      ("martlet play song.flac", "play a file"),
      ("martlet play --start 1:30 https://example.org/episode.mp3", "play a URL from 1:30 on"),
      ("martlet play --rate 1.5 --eq speech episode.mp3", "a talk, faster and clearer"),
      ("martlet play --reverb large-hall:40 --eq 60:4,8000:2 song.flac", "in a hall, with more bass and treble"),
      ("curl -s https://example.org/a.ogg | martlet play -", "play standard input"),
      ("martlet play --output stdout song.mp3 | sox -t f32 -r 44100 -c 2 - -n stats", "hand the sound on"),
      ("martlet play --json *.flac", "tell a script what happens"),
    ])

  private static let info = Subcommand(
    "info", usage: "[--json] [--scan] INPUT...", "tell what an input is",
    text: "Tells container, codec, rate, channels, duration, tags and chapters of each INPUT without playing it.",
    options: [
      Option("json", "print one JSON object a line"),
      Option("scan", "read to the end: exact duration and damaged packets"),
    ] + network,
    examples: [
      ("martlet info song.mp3", "a table for people"),
      ("martlet info --json --scan *.mp3", "exact durations for a script"),
    ])

  private static let render = Subcommand(
    "render", usage: "[options] INPUT -o OUT.EXT", "write what play would sound like to a file",
    text: """
      Decodes INPUT as fast as it goes and writes a file of the format that OUT's extension names: \
      \(writable). Rate and channels are the input's own, as far as the \
      format has them, unless said otherwise. Without volume and effects, samples are written exactly as decoded, and \
      what is read of the file has as many frames. Effects sound as in play: the file is as long as the input divided \
      by the rate, and behind its end delay and reverb fade away (12 s at most). Texts and pictures are taken along.
      """,
    options: [
      Option("out", letter: "o", value: "FILE", "where to write; - is standard output (WAV, or what --format says)"),
      Option("format", value: "EXT", "write this format, whatever FILE's name"),
      Option("codec", value: "NAME", "of several that a format holds: alac in m4a, opus in ogg, aac in caf"),
      Option("bit-rate", value: "KBPS", "kilobits a second, for formats with loss (96 a channel, opus 64)"),
      Option(
        "sample", value: "KIND", "f32, f64, s16, s24, s32 or u8 (f32; flac and alac: s16 if that is all, else s24)"),
      Option("dither", "add triangular noise of one step before rounding"),
      Option("sample-rate", value: "HZ", "convert to this rate"),
      Option("channels", value: "N", "convert to so many channels"),
    ] + shared,
    laterOptions: laterShared,
    examples: [
      ("martlet render song.mp3 -o song.wav", "decode exactly"),
      ("martlet render song.flac -o song.m4a --bit-rate 256", "a small copy for a phone"),
      ("martlet render talk.wav -o talk.opus --bit-rate 48 --channels 1", "a podcast"),
      ("martlet render --sample s16 --sample-rate 44100 talk.opus -o talk.wav", "make a CD's format"),
      ("martlet render --rate 1.25 --eq speech talk.mp3 -o quick.mp3", "a talk for the way to work"),
      ("martlet render --start 1:00 --end 1:30 song.flac -o - | aplay", "hand half a minute on"),
    ])

  private static let writable = MediaRegistry.standard.writers.flatMap(\.extensions).joined(separator: ", ")

  private static let demo = Subcommand(
    "demo", usage: "[options]", "play half a minute of music that martlet makes itself",
    text:
      "Plays a short piece, computed while it plays: no file and no network are needed. Takes the options of play.",
    options: shared + playing, laterOptions: laterShared.union(laterPlaying),
    examples: [
      ("martlet demo", "hear whether sound works"),
      ("martlet demo --output wav:demo.wav", "keep it"),
    ])

  private static let devices = Subcommand(
    "devices", usage: "[--json]", "list outputs, inputs and the devices they find",
    options: [Option("json", "print one JSON object a line")],
    examples: [("martlet devices", "what --output can name")])

  private static let formats = Subcommand(
    "formats", usage: "[--json]", "list containers, codecs and decoders of this build",
    options: [Option("json", "print one JSON object a line")],
    examples: [("martlet formats", "what can be played")])

  private static let effects = Subcommand(
    "effects", usage: "[--json]", "list effects, their presets and what can be set",
    text: """
      Lists what can be done to sound while it plays or is rendered, in the order in which sound goes through it: the \
      options of play and render, which are commands of martlet remote too. Behind the effects stands the volume, and \
      behind that a limiter, so that no effect makes sound too loud for its samples. Without any of them sound passes \
      bit for bit.
      """,
    options: [Option("json", "print one JSON object a line")],
    examples: [
      ("martlet effects", "what there is"),
      ("martlet play --reverb cathedral:50 song.flac", "try one"),
      ("martlet remote reverb off", "take it out while it plays"),
    ])

  private static let remote = Subcommand(
    "remote", usage: "[--socket PATH] COMMAND...", "tell a running player something",
    text: """
      Sends one command to a running player and prints its answer. The player is found by --socket, by the variable \
      MARTLET_SOCKET, or else is the one started last. Commands:

      """
        + CommandTable.rows.map { row in
          let head = row.arguments.isEmpty ? row.name : "\(row.name) \(row.arguments)"
          return HelpText.entry(head, row.summary)
        }.joined(separator: "\n"),
    options: [Option("socket", value: "PATH", "the player's control socket")],
    endsAtOperand: true,
    examples: [
      ("martlet remote toggle", "pause or go on"),
      ("martlet remote seek -10", "ten seconds back"),
      ("martlet remote status", "what is playing, as JSON"),
      ("martlet remote events", "follow what happens"),
    ])
}
