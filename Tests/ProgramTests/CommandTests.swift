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
    .rate(.to(1)), .rate(.to(0.03125)), .rate(.to(1.0 / 3)), .rate(.by(0.1)), .rate(.by(-0.25)), .rate(.by(1e-9)),
    .pitch(.to(0)), .pitch(.to(-2400)), .pitch(.to(33.3)), .pitch(.by(100)), .pitch(.by(-50)),
    .stretch(.automatic), .stretch(.speech), .stretch(.music), .stretch(.varispeed),
    .equalizer(.off), .equalizer(.next), .equalizer(.to(EqualizerSettings(.flat))),
    .equalizer(.to(EqualizerSettings(.speech))), .equalizer(.to(EqualizerSettings(.night))),
    .equalizer(.to(EqualizerSettings(bands: [EqualizerBand(frequency: 100, gain: Decibels(-96))]))),
    .equalizer(
      .to(
        EqualizerSettings(bands: [
          EqualizerBand(frequency: 20, gain: Decibels(6)),
          EqualizerBand(frequency: 12_345.678, gain: Decibels(-0.1), bandwidth: 0.05),
        ]))),
    .equalizer(.to(.graphic([]))), .equalizer(.to(.graphic((1...10).map { Decibels(Double($0) / 3) }))),
    .reverb(.off), .reverb(.next), .reverb(.to(ReverbSettings(preset: .largeHall2, mix: 33.3))),
    .delay(.off), .delay(.to(DelaySettings(time: 0, feedback: -100, mix: 0))),
    .delay(.to(DelaySettings(time: 2, feedback: 99.9, mix: 100))),
    .distortion(.off), .distortion(.next), .distortion(.to(DistortionSettings(preset: .radioTower, mix: 12.5))),
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
      ("rate 1.5", .rate(.to(1.5))), ("rate 2x", .rate(.to(2))), ("rate up", .rate(.by(0.1))),
      ("rate  down  0.25", .rate(.by(-0.25))), ("pitch -300", .pitch(.to(-300))), ("pitch +100", .pitch(.to(100))),
      ("pitch down", .pitch(.by(-100))), ("stretch auto", .stretch(.automatic)), ("eq off", .equalizer(.off)),
      ("eq bass", .equalizer(.to(EqualizerPreset.bass.settings))),
      (
        "eq 100:+6,3e3:-3:2",
        .equalizer(
          .to(
            EqualizerSettings(bands: [
              EqualizerBand(frequency: 100, gain: Decibels(6)),
              EqualizerBand(frequency: 3000, gain: Decibels(-3), bandwidth: 2),
            ])))
      ),
      ("eq graphic:1,-2", .equalizer(.to(.graphic([Decibels(1), Decibels(-2)])))),
      ("reverb cathedral", .reverb(.to(ReverbSettings(preset: .cathedral, mix: 30)))),
      ("reverb plate:55%", .reverb(.to(ReverbSettings(preset: .plate, mix: 55)))),
      ("delay 0.3", .delay(.to(DelaySettings(time: 0.3, feedback: 40, mix: 30)))),
      ("delay 0.3:-20:50", .delay(.to(DelaySettings(time: 0.3, feedback: -20, mix: 50)))),
      ("distortion waves:10", .distortion(.to(DistortionSettings(preset: .waves, mix: 10)))),
    ] as [(String, Command)])
  func reads(line: String, command: Command) throws { #expect(try Command(parsing: line) == command) }

  @Test(arguments: [
    ("", "a command is missing"), ("   ", "a command is missing"),
    ("frobnicate", "unknown command “frobnicate”"), ("PLAY", "unknown command “PLAY”"),
    ("loudness live", "loudness is not supported yet"), ("rate", "rate needs X|up [X]|down [X]"),
    ("rate 33", "“33” is not a rate from 0.03125 to 32"), ("rate -1", "“-1” is not a rate from 0.03125 to 32"),
    ("rate up and away", "“up and away” is no change such as up or up 0.1"),
    ("pitch 2401", "“2401” is not a pitch in cents from -2400 to 2400"),
    ("pitch nan", "“nan” is not a pitch in cents from -2400 to 2400"),
    ("stretch tape", "“tape” is none of auto, speech, music, varispeed"),
    ("eq bas", "“bas” is no equalizer; did you mean bass?"),
    ("eq xyzzy", "“xyzzy” is no equalizer; martlet effects lists them, or bands such as 100:6,3000:-3"),
    ("eq 100:6:1:1", "“100:6:1:1” is no band such as 100:6 or 3000:-3:2: hertz, decibels, octaves"),
    ("eq 10:6", "“10” is not a frequency in hertz from 20 to 384000"),
    ("eq 100:25", "“25” is not a gain in decibels from -96 to 24"),
    ("eq 100:6,", "“” is no band such as 100:6 or 3000:-3:2: hertz, decibels, octaves"),
    ("eq 100:6:9", "“9” is not a width in octaves from 0.05 to 5"),
    ("eq graphic:1,x", "“x” is not a gain in decibels from -96 to 24"),
    ("eq graphic:1,2,3,4,5,6,7,8,9,10,11", "a graphic equalizer has ten gains at most, from 31 Hz to 16 kHz"),
    ("reverb large-hal", "“large-hal” is no reverb; did you mean large-hall?"),
    ("reverb the moon", "“the moon” is no reverb; martlet effects lists them"),
    ("reverb plate:101", "“101” is not a mix in per cent from 0 to 100"),
    ("delay 3", "“3” is not a delay in seconds from 0 to 2"),
    ("delay next", "delay has no presets"),
    ("delay 1:2:3:4", "“1:2:3:4” is no delay such as 0.3:40:25: seconds, per cent of feedback, per cent of mix"),
    ("delay 1:101", "“101” is not a feedback in per cent from -100 to 100"),
    ("distortion radio", "“radio” is no distortion; martlet effects lists them"),
    ("chapter next", "chapter is not supported yet"),
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

  @Test func bandsHaveALimit() {
    let line = "eq " + Array(repeating: "100:1", count: 33).joined(separator: ",")
    #expect(throws: AudioError(.usage, "an equalizer has 32 bands at most, but got 33")) {
      try Command(parsing: line)
    }
  }

  @Test func nextGoesThroughAllPresetsAndThenOff() {
    func all<Settings: PresetSettings>(_ first: Settings?) -> [Settings] {
      var seen: [Settings] = []
      var settings = first
      while let next = Command.Choice<Settings>.next.settings(after: settings), seen.count < 100 {
        seen.append(next)
        settings = next
      }
      return seen
    }
    #expect(
      all(nil as EqualizerSettings?).compactMap(EffectText.text) == ["speech", "bass", "treble", "loudness", "night"])
    #expect(all(nil as ReverbSettings?).map(\.preset) == ReverbPreset.allCases)
    #expect(all(nil as ReverbSettings?).allSatisfy { $0.mix == 30 })
    #expect(all(ReverbSettings(preset: .largeHall, mix: 70)).allSatisfy { $0.mix == 70 })
    #expect(all(nil as DistortionSettings?).map(\.preset) == DistortionPreset.allCases)
    #expect(Command.Choice<EqualizerSettings>.next.settings(after: .graphic([])) == EqualizerPreset.speech.settings)
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
