import AudioModel
import Commands
import Martlet
import Terminal
import Testing

@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("a\u{1B}[31mred", "a[31mred"), ("a\nb\tc", "a b c"), ("x\u{7}\u{9B}\u{202E}y", "xy"),
    ("\u{FEFF}bom", "bom"), ("👩\u{200D}🎤", "👩\u{200D}🎤"), ("é日", "é日"),
  ])
  func cleans(text: String, clean: String) { #expect(PrintableText.clean(text) == clean) }

  @Test(
    arguments: [
      ("", 0), ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("🎵", 2), ("👩\u{200D}🎤", 2), ("ﾊﾝ", 2), ("ＡＢ", 4),
      ("❤\u{FE0F}", 2),
      ("━▶…", 3),
    ] as [(String, Int)])
  func measures(text: String, columns: Int) { #expect(PrintableText.width(text) == columns) }

  @Test(
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("abc", 1, "…"),
      ("abc", 0, ""), ("abc", -1, ""),
    ] as [(String, Int, String)])
  func cuts(text: String, columns: Int, cut: String) { #expect(PrintableText.cut(text, to: columns) == cut) }
}

@Suite struct LiveLineTests {
  private static let plain = LiveLine.Style(isUnicode: true, isColored: false)
  private static let ascii = LiveLine.Style(isUnicode: false, isColored: false)

  private static var sample: LiveLine {
    var line = LiveLine()
    line.state = .playing
    line.title = "A Song"
    line.position = 60
    line.duration = 240
    line.buffered = 0.5
    line.levels = [-3, -48]
    return line
  }

  @Test func looksLikeThis() {
    #expect(
      Self.sample.text(width: 60, style: Self.plain)
        == "▶ A Song  1:00 / 4:00  █   ━━━━━━━━────────┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄")
    #expect(Self.sample.text(width: 40, style: Self.ascii) == "> A Song  1:00 / 4:00  ====----.........")
    var line = Self.sample
    line.state = .paused
    line.isMuted = true
    line.count = 12
    line.index = 2
    #expect(line.text(width: 34, style: Self.ascii) == "\" 3/12 A Song  1:00 / 4:00  muted")
    line.isMuted = false
    line.volume = Decibels(-6.5)
    line.duration = nil
    #expect(line.text(width: 60, style: Self.ascii) == "\" 3/12 A Song  1:00  -6.5 dB  # ")
  }

  @Test func ratePitchAndEffectsShow() {
    var line = Self.sample
    line.levels = []
    line.duration = nil
    line.effects = EffectSettings(
      time: TimePitchSettings(rate: 1.5, pitch: -200), equalizer: EqualizerSettings(.bass), delay: DelaySettings(),
      reverb: ReverbSettings(preset: .largeHall, mix: 30))
    #expect(line.text(width: 79, style: Self.ascii) == "> A Song  1:00  1.5x -200c  eq bass+delay+large-hall")
    #expect(line.text(width: 59, style: Self.ascii) == "> A Song  1:00  1.5x -200c")
    line.effects = EffectSettings(
      time: TimePitchSettings(rate: 1.0 / 3, pitch: 12.6), distortion: DistortionSettings(preset: .waves),
      equalizer: .graphic([Decibels(1)]))
    #expect(line.text(width: 79, style: Self.ascii) == "> A Song  1:00  0.33x +13c  waves+eq")
  }

  @Test(arguments: 0...120) func neverWiderThanTheTerminal(width: Int) {
    var line = Self.sample
    line.title = "とても長い曲名 with\u{1B}[2J a very long title \u{1F3B5} that goes on and on and on"
    line.count = 100
    line.index = 99
    line.position = 36_000
    line.duration = 72_000
    line.volume = Decibels(-12)
    for style in [Self.plain, Self.ascii] {
      let text = line.text(width: width, style: style)
      #expect(PrintableText.width(text) <= width)
      #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
      #expect(style.isUnicode || text.hasPrefix("1") || text.isEmpty || text.first == ">")
    }
  }

  @Test func coloursChangeNothingButColour() {
    let colored = Self.sample.text(width: 70, style: LiveLine.Style(isUnicode: true, isColored: true))
    #expect(colored.contains("\u{1B}[32m▶\u{1B}[0m"))
    var stripped = ""
    var isInside = false
    for character in colored {
      if character == "\u{1B}" { isInside = true } else if !isInside { stripped.append(character) }
      if character == "m" { isInside = false }
    }
    #expect(stripped == Self.sample.text(width: 70, style: Self.plain))
  }

  @Test func strangeNumbersDoNoHarm() {
    var line = Self.sample
    line.position = .nan
    line.duration = .infinity
    line.buffered = .nan
    line.levels = [.nan, .infinity, -.infinity]
    line.volume = Decibels(.nan)
    #expect(PrintableText.width(line.text(width: 80, style: Self.plain)) <= 80)
  }

  @Test(arguments: [
    ("/music/a b.mp3", "a b.mp3"), ("https://example.org/x/y.ogg?z=/1", "y.ogg"),
    ("https://example.org/", "example.org"),
    ("-", "standard input"), ("data:audio/wav;base64,AAAA", "data"), ("", ""),
  ])
  func namesInputs(input: String, name: String) { #expect(LiveLine.name(input) == name) }
}

@Suite struct KeyTests {
  private func commands(_ text: String) -> [Command] {
    var decoder = KeyDecoder()
    return text.utf8.compactMap { decoder.feed($0) }.compactMap(KeyMap.command)
  }

  @Test(
    arguments: [
      (" ", .toggle), ("\u{1B}[D", .seek(.relative(-10))), ("\u{1B}OC", .seek(.relative(10))),
      ("\u{1B}[A", .volume(.by(2))),
      ("\u{1B}[1;5B", .volume(.by(-2))), ("n", .next), ("p", .previous), ("m", .mute(.toggle)), ("q", .quit),
    ] as [(String, Command)])
  func keysGiveCommands(text: String, command: Command) { #expect(commands(text) == [command]) }

  @Test func unknownSequencesAreSwallowedWhole() {
    #expect(commands("\u{1B}[200~q") == [.quit])
    #expect(commands("\u{1B}q") == [])
    #expect(commands("é\u{1}z") == [])
    #expect(commands("\u{1B}\u{1B}[Dq") == [.seek(.relative(-10)), .quit])
  }

  @Test func bindingsAreUnique() {
    #expect(Set(KeyMap.bindings.map(\.key)).count == KeyMap.bindings.count)
    for binding in KeyMap.bindings {
      #expect((try? Command(parsing: binding.command.description)) == binding.command)
    }
  }
}
