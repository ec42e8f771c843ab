import AudioModel
import Commands
import Testing

@Suite struct CommandTests {
  /// One command of every kind, with awkward arguments.
  static let samples: [Command] = [
    .play, .pause, .toggle, .stop, .next, .previous, .queue, .status, .stats, .events, .quit,
    .seek(.absolute(0)), .seek(.absolute(90.5)), .seek(.absolute(1e-7)), .seek(.absolute(1e21)),
    .seek(.relative(10)), .seek(.relative(-10)), .seek(.relative(0)), .seek(.percent(33.3)), .seek(.percent(100)),
    .volume(.decibels(-6)), .volume(.decibels(-0.1)), .volume(.decibels(24)), .volume(.percent(0)),
    .volume(.percent(7)), .volume(.by(3)), .volume(.by(-2.5)), .volume(.by(0)),
    .mute(.on), .mute(.off), .mute(.toggle),
    .add("song.mp3"), .add("a b  c.mp3"), .add("\"quoted\""), .add(" leading and trailing "),
    .add("two\nlines\t\u{7}"),
    .add("https://example.org/a?b=c#d"), .add("日本語 🎵.flac"), .add("back\\slash"), .add("\u{1F600}\u{200D}x"),
    .add("\u{6DC}begins with a mark\u{12}"), .add("\u{301}"), .add("\"\u{301}"),
  ]

  @Test(arguments: samples) func printsAsTheLineThatGivesIt(command: Command) throws {
    let line = command.description
    #expect(!line.contains("\n"))
    #expect(try Command(parsing: line) == command)
  }

  @Test(
    arguments: [
      ("seek 90", .seek(.absolute(90))), ("seek 1:30", .seek(.absolute(90))), ("seek +1:30", .seek(.relative(90))),
      ("seek -1h2m", .seek(.relative(-3720))), ("seek 50%", .seek(.percent(50))),
      ("  play\t", .play), ("play\r\n", .play), ("volume -6", .volume(.decibels(-6))),
      ("volume 3", .volume(.decibels(3))),
      ("volume +3", .volume(.by(3))), ("volume 50%", .volume(.percent(50))), ("volume up", .volume(.by(2))),
      ("volume down", .volume(.by(-2))), ("volume  down   1.5", .volume(.by(-1.5))), ("mute toggle", .mute(.toggle)),
      ("add  with blanks.mp3 ", .add("with blanks.mp3")), ("add \"a\\u0041\\n\"", .add("aA\n")),
    ] as [(String, Command)])
  func reads(line: String, command: Command) throws { #expect(try Command(parsing: line) == command) }

  @Test(arguments: [
    ("", "a command is missing"), ("   ", "a command is missing"),
    ("frobnicate", "unknown command “frobnicate”"), ("PLAY", "unknown command “PLAY”"),
    ("rate 2", "rate is not supported yet"), ("chapter next", "chapter is not supported yet"),
    ("play now", "play takes no argument"), ("seek", "seek needs T|+T|-T|N%"),
    ("mute maybe", "“maybe” is none of on, off, toggle"),
    ("seek 101%", "“101%” is not a share of 0% to 100%"),
    ("seek --1", "“--1” is not a time such as 90, 1:30, +10 or 50%"),
    ("seek nan", "“nan” is not a time such as 90, 1:30, +10 or 50%"),
    ("volume 25", "the volume is a gain of -96 to 24 dB, or a share such as 50%"),
    ("volume -97", "the volume is a gain of -96 to 24 dB, or a share such as 50%"),
    ("volume 1600%", "the volume ends at +24 dB, which is 1584%"),
    ("volume up and away", "“up and away” is not a volume such as -6, 50%, up or +3"),
    ("add \"open", "the quoted input is not a JSON string"), ("add \"\"", "the quoted input is not a JSON string"),
  ])
  func refuses(line: String, message: String) {
    let error = #expect(throws: AudioError.self) { try Command(parsing: line) }
    #expect(error?.code == .usage)
    #expect(error?.message == message)
  }

  @Test func tableKnowsEveryCommandOnce() {
    let names = CommandTable.rows.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(CommandTable.laterNames.isDisjoint(with: names))
    // Every sample's word is a row, and every row has a sample.
    #expect(Set(Self.samples.map { String($0.description.unicodeScalars.prefix { $0 != " " }) }) == Set(names))
  }
}

@Suite struct TimeTextTests {
  @Test(
    arguments: [
      ("0", 0), ("90", 90), ("90.5", 90.5), ("1:30", 90), ("0:05", 5), ("1:02:03.5", 3723.5), ("90s", 90),
      ("1h2m", 3720),
      ("1h", 3600), ("2m", 120), ("1h2m3.5s", 3723.5), ("1h3s", 3603), ("1.5h", 5400), ("100:00", 6000),
      ("1e3", 1000),
    ] as [(String, Double)])
  func reads(text: String, seconds: Double) { #expect(TimeText.seconds(text) == seconds) }

  @Test(arguments: [
    "", " ", "-1", "+1", "1:", ":1", "1:60", "1:2:3:4", "1:-2", "1.5:30", "1h2h", "2m1h", "h", "1x", "inf", "nan",
    "0x10",
    "1e999", "1_000", "１２", "1:1e1", "e", "5e", "1h5", String(repeating: "1", count: 41),
  ])
  func refuses(text: String) { #expect(TimeText.seconds(text) == nil) }

  @Test(
    arguments: [
      (0, "0:00"), (59.999, "0:59"), (60, "1:00"), (3599, "59:59"), (3600, "1:00:00"), (36_061, "10:01:01"),
      (.nan, "-:--"), (-1, "-:--"), (.infinity, "-:--"),
    ] as [(Double, String)])
  func prints(seconds: Double, text: String) { #expect(TimeText.clock(seconds) == text) }
}
