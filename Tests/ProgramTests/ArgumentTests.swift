import AudioModel
import Commands
import HTTPSource
import Martlet
import MartletProgram
import Testing

@Suite struct ArgumentTests {
  private func parse(_ words: [String]) throws(AudioError) -> ParsedArguments {
    try ParsedArguments(words.dropFirst(), of: SubcommandTable.row(words[0])!)
  }

  @Test func longOptionsTakeBothForms() throws {
    let arguments = try parse(["play", "--volume", "-6", "--start=1:30", "a", "--json", "b", "--", "--json", "-"])
    #expect(arguments.value("volume") == "-6")
    #expect(arguments.value("start") == "1:30")
    #expect(arguments.has("json"))
    #expect(arguments.operands == ["a", "b", "--json", "-"])
  }

  @Test func lettersTakeBothForms() throws {
    #expect(try parse(["render", "-o", "x.wav", "-"]).value("out") == "x.wav")
    #expect(try parse(["render", "-ox.wav", "in"]).value("out") == "x.wav")
  }

  @Test func aRemoteCommandMayBeginWithADash() throws {
    let arguments = try parse(["remote", "--socket", "/s", "seek", "-10", "--", "x"])
    #expect(arguments.operands == ["seek", "-10", "--", "x"])
    #expect(arguments.value("socket") == "/s")
  }

  @Test(
    arguments: [
      (["play", "--volum", "x"], "unknown option --volum; did you mean --volume?"),
      (["play", "--zebra", "x"], "unknown option --zebra; see martlet help play"),
      (["play", "--loudness", "live", "x"], "--loudness is not supported yet"),
      (["play", "--reverbs", "plate", "x"], "unknown option --reverbs; did you mean --reverb?"),
      (["play", "--web", "x"], "--web is not supported yet"),
      (["render", "--crossfade", "2", "x"], "--crossfade is not supported yet"),
      (["play", "x", "--volume"], "--volume needs a value: DB|N%"),
      (["play", "--json=1", "x"], "--json takes no value"),
      (["play", "-x"], "unknown option -x; see martlet help play"),
    ] as [([String], String)])
  func refuses(words: [String], message: String) {
    let error = #expect(throws: AudioError.self) { try parse(words) }
    #expect(error?.code == .usage)
    #expect(error?.message == message)
  }

  @Test func playOptionsReachTheConfiguration() throws {
    let options = try PlayOptions(
      parse([
        "play", "--volume", "50%", "--buffer", "4", "--latency", "30", "--header", "X-A: b: c", "--header", "Y:z",
        "--user-agent", "me", "--timeout", "3", "--start", "10", "--end", "20", "--output", "null", "--control", "/c",
        "--stats", "--quiet", "one", "two",
      ]))
    #expect(abs(options.configuration.volume.value + 6.0206) < 1e-4)
    #expect(options.configuration.decodedAhead == 4)
    #expect(options.configuration.outputLatency == 0.03)
    #expect(options.configuration.http.headers.map { "\($0.name)=\($0.value)" } == ["X-A=b: c", "Y=z"])
    #expect(options.configuration.http.userAgent == "me")
    #expect(options.configuration.http.stallTimeout == 3)
    #expect(options.items.map(\.input) == ["one", "two"])
    #expect(options.items.map(\.start) == [10, 10])
    #expect(options.items.map(\.end) == [20, 20])
    #expect(options.output == "null")
    #expect(options.control == .path("/c"))
    #expect(options.report == .quiet)
    #expect(options.printsStatistics)
  }

  @Test func effectsReachTheConfiguration() throws {
    let words = [
      "--rate", "1.5", "--pitch", "-300", "--stretch", "music", "--eq", "100:6", "--reverb", "plate:20", "--delay",
      "0.25:30:10", "--distortion=waves", "x",
    ]
    let effects = try PlayOptions(parse(["play"] + words)).configuration.effects
    #expect(
      effects
        == EffectSettings(
          time: TimePitchSettings(rate: 1.5, pitch: -300, algorithm: .music),
          distortion: DistortionSettings(preset: .waves, mix: 50),
          equalizer: EqualizerSettings(bands: [EqualizerBand(frequency: 100, gain: Decibels(6))]),
          delay: DelaySettings(time: 0.25, feedback: 30, mix: 10), reverb: ReverbSettings(preset: .plate, mix: 20)))
    #expect(try PlayOptions(parse(["play", "--eq", "off", "--reverb=off", "x"])).configuration.effects.isIdentity)
  }

  @Test(
    arguments: [
      (["play", "--rate", "0", "x"], "--rate: “0” is not a rate from 0.03125 to 32"),
      (["play", "--pitch", "9999", "x"], "--pitch: “9999” is not a pitch in cents from -2400 to 2400"),
      (["play", "--eq", "trebel", "x"], "--eq: “trebel” is no equalizer; did you mean treble?"),
      (
        ["play", "--eq", "next", "x"],
        "--eq: “next” is no equalizer; martlet effects lists them, or bands such as 100:6,3000:-3"
      ),
      (["play", "--reverb", "cathedal", "x"], "--reverb: “cathedal” is no reverb; did you mean cathedral?"),
      (["play"], "play needs an input: martlet play [options] INPUT..."),
      (["play", "--volume", "up", "x"], "--volume needs a gain of -96 to 24 dB or a share such as 50%"),
      (["play", "--start", "x", "x"], "--start needs a time such as 90, 1:30 or 1h2m, not “x”"),
      (["play", "--start", "20", "--end", "10", "x"], "--end must be later than --start"),
      (["play", "--buffer", "100", "x"], "--buffer needs a number from 0.5 to 10, not “100”"),
      (["play", "--latency", "-1", "x"], "--latency needs a number from 10 to 2000, not “-1”"),
      (["play", "--header", "nocolon", "x"], "--header needs 'Name: value', not “nocolon”"),
      (["play", "--header", "A: b\r\nEvil: c", "x"], "--header takes one line"),
      (["play", "--json", "--output", "null,stdout", "x"], "--json and --output stdout can't share standard output"),
      (["play", "--control", "/c", "--no-control", "x"], "--control and --no-control contradict each other"),
    ] as [([String], String)])
  func refusesValues(words: [String], message: String) {
    let error = #expect(throws: AudioError.self) { try PlayOptions(parse(words)) }
    #expect(error?.code == .usage)
    #expect(error?.message == message)
  }

  @Test func aPlusInFrontOfAVolumeIsAGain() throws {
    #expect(try PlayOptions(parse(["play", "--volume", "+3", "x"])).configuration.volume == Decibels(3))
  }

  @Test(
    arguments: [
      ("plya", "play"), ("inof", "info"), ("rendr", "render"), ("device", "devices"), ("zzz", nil), ("", nil),
    ] as [(String, String?)])
  func suggests(word: String, meant: String?) {
    #expect(Suggestion.nearest(to: word, among: SubcommandTable.rows.map(\.name)) == meant)
  }

  @Test func helpShowsEveryOptionAndFitsATerminal() {
    for row in SubcommandTable.rows {
      let text = HelpText.text(row)
      for option in row.options { #expect(text.contains(option.usage)) }
      for line in text.split(separator: "\n") where !line.hasPrefix("  martlet") && !line.hasPrefix("  curl") {
        #expect(line.count <= 80, "\(row.name): \(line)")
      }
      #expect(row.laterOptions.isDisjoint(with: row.options.map(\.name)))
    }
    for command in CommandTable.rows {
      #expect(HelpText.text(SubcommandTable.row("remote")!).contains("  \(command.name)"))
    }
  }

  @Test(arguments: [
    (1001, 64), (1002, 130), (2001, 66), (2002, 74), (2003, 64), (2010, 74), (2015, 74), (3001, 65), (3004, 65),
    (4001, 65), (4003, 65), (5001, 69), (5002, 69), (6001, 74),
  ])
  func failuresHaveAnExitCode(code: Int, exit: Int32) {
    #expect(ExitCode(AudioError(AudioError.Code(rawValue: code), "")).rawValue == exit)
  }
}
