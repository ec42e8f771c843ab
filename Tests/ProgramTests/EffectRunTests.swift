import AudioModel
import MartletTestSupport
import Remote
import Testing

/// Effects by options and commands of the program.
@Suite struct EffectRunTests {
  private let folder = TemporaryFolder()
  private let format = PCMFormat(sampleRate: SampleRate(hertz: 8000)!, layout: .mono)

  private func input(_ frames: Int) -> String {
    TestWAV.write(TestWAV.bytes(frames: frames), to: folder.path + "/in.wav")
    return folder.path + "/in.wav"
  }

  /// The samples of a rendered WAV stream.
  private func rendered(_ options: [String], _ input: String) -> [Float] {
    let run = ProgramRun.finish(["render"] + options + [input, "-o", "-"])
    #expect(run.wait() == 0)
    return TestWAV.floats(run.output.dropFirst(WAVHeader(format: format, sample: .f32).bytes(frames: nil).count))
  }

  @Test func renderSoundsLikePlay() {
    let input = input(4000)
    let options = [
      "--eq", "100:6,1000:-3:2", "--reverb", "plate:30", "--delay", "0.05:20:40", "--distortion", "decimated-1:30",
      "--volume", "6",
    ]
    let wanted = rendered(options, input)
    let run = ProgramRun.finish(["play", "--output", "stdout", "--no-control"] + options + [input])
    #expect(run.wait() == 0)
    let heard = TestWAV.floats(run.output)
    // The limiter's latency stands in front of what is played; of what is rendered it is left out.
    let latency = heard.count - wanted.count
    #expect((0...80).contains(latency), "\(latency)")
    #expect(heard.prefix(max(0, latency)).allSatisfy { $0 == 0 })
    #expect(heard.dropFirst(max(0, latency)).elementsEqual(wanted))
    #expect(wanted.count > 8000, "the reverb has its time")
    #expect(!wanted.prefix(4000).elementsEqual(TestWAV.samples(0..<4000)))
  }

  @Test func effectsThatDelayNothingKeepTheLength() {
    let input = input(5000)
    #expect(rendered(["--eq", "bass"], input).count == 5000)
    #expect(rendered(["--distortion", "decimated-1:20"], input).count == 5000)
    #expect(rendered(["--volume", "3"], input).count == 5000)
    #expect(rendered(["--eq", "flat", "--reverb", "off"], input).elementsEqual(TestWAV.samples(0..<5000)))
  }

  @Test(
    arguments: [
      (["--rate", "2"], 4000), (["--rate", "0.5"], 16_000), (["--rate", "1.5"], 5333),
      (["--rate", "0.03125"], 256_000),
      (["--rate", "32"], 250), (["--rate", "3", "--pitch", "300"], 2667), (["--pitch", "-1200"], 8000),
      (["--rate", "1.25", "--stretch", "varispeed"], 6400), (["--rate", "1.25", "--stretch", "music"], 6400),
      (["--rate", "0.8", "--eq", "bass", "--volume", "3"], 10_000),
    ] as [([String], Int)])
  func aRateChangesTheLengthToTheFrame(options: [String], frames: Int) {
    #expect(rendered(options, input(8000)).count == frames)
  }

  @Test func aDelayIsHeardBehindTheEnd() {
    let samples = rendered(["--delay", "0.1:0:50"], input(800))
    #expect(samples.count >= 1600)
    #expect(samples[800..<1600].contains { $0 > 0.005 })
  }

  @Test func effectsAreCommandsToo() throws {
    let run = ProgramRun(["play", "--json", "--output", "null", "--rate", "1", "--eq", "speech", input(800_000)])
    let client = try run.client()
    func ask(_ line: String) throws -> String {
      try client.send(line)
      return try client.nextLine() ?? ""
    }
    let effects = #""stretch":"auto","eq":"speech","reverb":null,"delay":null,"distortion":null}"#
    #expect(try ask("status").hasSuffix(effects))
    #expect(try ask("rate 1.5") == #"{"ok":true,"rate":1.5}"#)
    #expect(try ask("rate up") == #"{"ok":true,"rate":1.6}"#)
    #expect(try ask("rate 1") == #"{"ok":true,"rate":1}"#)
    #expect(try ask("pitch -300") == #"{"ok":true,"pitch":-300}"#)
    #expect(try ask("pitch 0") == #"{"ok":true,"pitch":0}"#)
    #expect(try ask("stretch music") == #"{"ok":true,"stretch":"music"}"#)
    #expect(try ask("eq 100:6,3000:-3:2") == #"{"ok":true,"eq":"100:6,3000:-3:2"}"#)
    #expect(try ask("eq next") == #"{"ok":true,"eq":"speech"}"#)
    #expect(try ask("eq next") == #"{"ok":true,"eq":"bass"}"#)
    #expect(try ask("reverb cathedral") == #"{"ok":true,"reverb":"cathedral:30"}"#)
    #expect(try ask("delay 0.25") == #"{"ok":true,"delay":"0.25:40:30"}"#)
    #expect(try ask("distortion radio-tower:20") == #"{"ok":true,"distortion":"radio-tower:20"}"#)
    #expect(
      try ask("status").hasSuffix(
        #""stretch":"music","eq":"bass","reverb":"cathedral:30","delay":"0.25:40:30","distortion":"radio-tower:20"}"#)
    )
    for name in ["eq", "reverb", "delay", "distortion"] {
      #expect(try ask("\(name) off") == #"{"ok":true,"\#(name)":null}"#)
    }
    #expect(
      try ask("reverb cathedal")
        == #"{"ok":false,"code":1001,"message":"“cathedal” is no reverb; did you mean cathedral?"}"#)
    let remote = ProgramRun.finish(["remote", "--socket", run.socket, "rate", "down", "0.25"])
    #expect(remote.wait() == 0 && remote.outputLines == [#"{"ok":true,"rate":0.75}"#])
    #expect(try ask("quit") == #"{"ok":true}"#)
    #expect(run.wait() == 0)
    let changes = run.outputLines.filter { $0.hasPrefix(#"{"event":"changed""#) && !$0.contains(#""queue""#) }
    let fields = [
      #""rate":1.5}"#, #""rate":1.6}"#, #""rate":1}"#, #""pitch":-300}"#, #""pitch":0}"#, #""stretch":"music"}"#,
      #""eq":"100:6,3000:-3:2"}"#, #""eq":"speech"}"#, #""eq":"bass"}"#, #""reverb":"cathedral:30"}"#,
      #""delay":"0.25:40:30"}"#, #""distortion":"radio-tower:20"}"#, #""eq":null}"#, #""reverb":null}"#,
      #""delay":null}"#, #""distortion":null}"#, #""rate":0.75}"#,
    ]
    #expect(changes.count == fields.count)
    for (line, field) in zip(changes, fields) { #expect(line.hasSuffix(field), "\(line)") }
  }

  @Test func theTableNamesEveryOptionAndPreset() {
    let table = ProgramRun.finish(["effects"])
    #expect(table.wait() == 0)
    let text = table.outputLines.joined(separator: "\n")
    for preset in ReverbPreset.allCases { #expect(text.contains(preset.rawValue)) }
    for preset in DistortionPreset.allCases { #expect(text.contains(preset.rawValue)) }
    for preset in EqualizerPreset.allCases { #expect(text.contains(preset.rawValue)) }
    let json = ProgramRun.finish(["effects", "--json"])
    #expect(json.wait() == 0)
    let names = ["rate", "pitch", "stretch", "distortion", "eq", "delay", "reverb"]
    #expect(json.outputLines.count == names.count)
    for (line, name) in zip(json.outputLines, names) {
      #expect(line.hasPrefix(#"{"name":"\#(name)","syntax":""#) && line.hasSuffix("]}"))
    }
    #expect(ProgramRun.finish(["effects", "x"]).wait() == 64)
  }
}
