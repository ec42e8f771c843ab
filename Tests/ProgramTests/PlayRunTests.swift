import AudioModel
import Commands
import Glibc
import Remote
import MartletTestSupport
import Testing

/// The built program, from outside.
@Suite struct PlayRunTests {
  private let folder = TemporaryFolder()

  private func wav(_ frames: Int, _ name: String = "a.wav") -> String {
    TestWAV.write(TestWAV.bytes(frames: frames), to: "\(folder.path)/\(name)")
    return "\(folder.path)/\(name)"
  }

  private func events(_ run: ProgramRun, _ name: String) -> [Substring] {
    run.outputLines.filter { $0.hasPrefix("{\"event\":\"\(name)\"") }
  }

  @Test func tellsEverythingInJSON() {
    let input = wav(4000)
    let run = ProgramRun.finish(["play", "--json", "--output", "null", input])
    #expect(run.wait() == 0)
    #expect(run.outputLines.allSatisfy { $0.hasPrefix("{\"event\":") && $0.hasSuffix("}") })
    #expect(events(run, "itemStarted").count == 1)
    #expect(events(run, "itemStarted").first?.contains(#""id":1,"index":0,"input":"\#(input)""#) == true)
    #expect(
      events(run, "itemFinished").first?.contains(
        #""index":0,"reason":"ended","framesPlayed":4000,"framesSkipped":0,"position":0.5,"duration":0.5}"#) == true)
    #expect(events(run, "duration").first?.contains(#""seconds":0.5,"frames":4000,"exact":true"#) == true)
    #expect(events(run, "state").last?.contains(#""state":"ended""#) == true)
    #expect(run.outputLines.last?.contains(#"{"event":"stats""#) == true)
    #expect(run.outputLines.last?.contains(#""framesPlayed":4000,"underruns":0,"requests":0"#) == true)
    #expect(run.errorLines == ["martlet: control socket \(run.socket)"])
    #expect(run.sockets == [])
  }

  @Test func standardOutputGetsTheExactSound() {
    let run = ProgramRun.finish(["play", "--output", "stdout", "--no-control", wav(3000), wav(2000, "b.wav")])
    #expect(run.wait() == 0)
    #expect(TestWAV.floats(run.output).elementsEqual(TestWAV.samples(0..<3000) + TestWAV.samples(0..<2000)))
  }

  @Test func aPartIsPlayedExactly() {
    let run = ProgramRun.finish([
      "play", "--output", "stdout", "--no-control", "--start", "0.5", "--end=0.75", wav(9000),
    ])
    #expect(run.wait() == 0)
    #expect(TestWAV.floats(run.output).elementsEqual(TestWAV.samples(4000..<6000)))
  }

  /// A tool, what it is told, and the file that it makes.
  private static let encoders: [(tool: String, arguments: [String], file: String)] = [
    ("lame", ["--quiet", "IN", "OUT"], "a.mp3"), ("flac", ["-s", "IN", "-o", "OUT"], "a.flac"),
    ("opusenc", ["--quiet", "IN", "OUT"], "a.opus"), ("oggenc", ["--quiet", "IN", "-o", "OUT"], "a.ogg"),
  ]

  @Test(
    "MP3, FLAC, Opus and Vorbis play without FFmpeg's libraries", arguments: encoders.map(\.tool).filter(ToolBox.has))
  func loadsNoLibraryInVain(tool: String) throws {
    let encoder = try #require(Self.encoders.first { $0.tool == tool })
    let (input, output) = (wav(80_000), "\(folder.path)/\(encoder.file)")
    let filled = encoder.arguments.map { $0 == "IN" ? input : $0 == "OUT" ? output : $0 }
    #expect(ToolBox.run(tool, filled).status == 0)
    let run = ProgramRun(["play", "--json", "--output", "null", output])
    #expect(ToolBox.waits(seconds: 20) { !self.events(run, "itemStarted").isEmpty })
    let maps = String(decoding: ToolBox.contents("/proc/\(run.process)/maps"), as: UTF8.self)
    let libraries = Set(maps.split(separator: "\n").compactMap { $0.split(separator: "/").last.map(String.init) })
    #expect(libraries.contains { $0.hasPrefix("libc.so") })
    let unwanted = ["libavcodec", "libavformat", "libavutil", "libswresample", "libcurl"]
    #expect(libraries.filter { library in unwanted.contains { library.hasPrefix($0) } } == [])
    #expect(ProgramRun.finish(["info", "--json", output]).outputLines.first?.contains("libavcodec") == false)
  }

  @Test func standardInputIsPlayed() {
    let run = ProgramRun.finish(["play", "--output", "stdout", "--no-control", "-"], input: wav(5000))
    #expect(run.wait() == 0)
    #expect(TestWAV.floats(run.output).elementsEqual(TestWAV.samples(0..<5000)))
  }

  @Test func aWAVOutputIsComplete() {
    let output = folder.path + "/out.wav"
    let run = ProgramRun.finish(["play", "--quiet", "--output", "wav:" + output, wav(2500)])
    #expect(run.wait() == 0)
    #expect(run.outputLines.isEmpty && run.errorLines.isEmpty)
    let format = PCMFormat(sampleRate: SampleRate(hertz: 8000)!, layout: .mono)
    let header = WAVHeader(format: format, sample: .f32).bytes(frames: 2500)
    let bytes = ToolBox.contents(output)
    #expect(Array(bytes.prefix(header.count)) == header)
    #expect(TestWAV.floats(bytes.dropFirst(header.count)).elementsEqual(TestWAV.samples(0..<2500)))
  }

  @Test func goesOnAfterABadInputAndReportsTheFirstFailure() {
    let text = folder.path + "/text.txt"
    TestWAV.write(Array("this is no audio at all\n".utf8), to: text)
    let run = ProgramRun.finish([
      "play", "--output", "stdout", "--no-control", text, folder.path + "/missing.mp3", wav(1000),
    ])
    #expect(run.wait() == 65)
    #expect(TestWAV.floats(run.output).elementsEqual(TestWAV.samples(0..<1000)))
    #expect(run.errorLines.filter { $0.hasPrefix("martlet: ") }.count == 2)
  }

  @Test func aTruncatedInputPlaysAsFarAsItGoes() {
    let path = folder.path + "/cut.wav"
    TestWAV.write(Array(TestWAV.bytes(frames: 4000).dropLast(2000)), to: path)
    let run = ProgramRun.finish(["play", "--output", "stdout", "--no-control", path])
    #expect(run.wait() == 0)
    #expect(TestWAV.floats(run.output).elementsEqual(TestWAV.samples(0..<3000)))
  }

  // MARK: Bad input

  @Test func badInputsEndInOneSentence() {
    let page = "<!DOCTYPE html><html><head><title>404 Not Found</title></head><body>Not Found</body></html>\n"
    TestWAV.write([], to: folder.path + "/empty.mp3")
    TestWAV.write(Array("Just a text, and a few words more.\n".utf8), to: folder.path + "/text.mp3")
    TestWAV.write(Array(page.utf8), to: folder.path + "/page.mp3")
    let cases: [(input: String, code: Int32)] = [
      (folder.path + "/missing.mp3", 66), (folder.path, 74), (folder.path + "/empty.mp3", 65),
      (folder.path + "/text.mp3", 65), (folder.path + "/page.mp3", 65), ("gopher://example.org/x", 64),
      ("http://127.0.0.1:1/x.mp3", 74), ("http://no-such-host.invalid/x.mp3", 74), ("data:,hello", 65),
    ]
    // All at once: those of the network try again for a while.
    let runs = cases.map { ProgramRun(["play", "--output", "null", $0.input]) }
    let infos = cases.map { ProgramRun(["info", "--json", $0.input]) }
    for ((input, code), (run, info)) in zip(cases, zip(runs, infos)) {
      #expect(run.wait() == code, "\(input)")
      let complaints = run.errorLines.filter { !$0.hasPrefix("martlet: control socket") }
      #expect(complaints.count == 1, "\(complaints)")
      #expect(complaints.first?.hasPrefix("martlet: ") == true)
      #expect(run.sockets == [])
      #expect(info.wait() == code, "\(input)")
      #expect(info.output.isEmpty && info.errorLines.count == 1)
    }
  }

  @Test(
    arguments: [
      (["play", "--output", "nonsense", "x"], 64), (["play", "--output", "wav:/no/such/folder/x.wav", "WAV"], 69),
      (["play", "--volumn", "3", "x"], 64), (["play", "--rate", "99", "x"], 64),
      (["play", "--reverb", "moon", "x"], 64), (["frobnicate"], 64), ([], 64),
      (["play", "--json", "--output", "stdout", "x"], 64), (["play"], 64), (["render", "x"], 64),
      (["render", "x", "-o", "x.xyz"], 64), (["remote", "--socket", "/nowhere", "status"], 69),
      (["help", "nothing"], 64),
      (["play", "--control", "/no/such/folder/s", "--output", "null", "WAV"], 74), (["download", "add", "x"], 64),
    ] as [([String], Int32)])
  func badCommandLinesEndInOneSentence(words: [String], code: Int32) {
    let input = wav(800)
    let run = ProgramRun.finish(words.map { $0 == "WAV" ? input : $0 })
    #expect(run.wait() == code)
    #expect(run.output.isEmpty)
    if !words.isEmpty { #expect(run.errorLines.count == 1, "\(run.errorLines)") }
  }

  // MARK: Signals and the control socket

  @Test func aSignalCleansUp() throws {
    let output = folder.path + "/out.wav"
    let run = ProgramRun(["play", "--json", "--output", "wav:" + output, wav(80_000)])
    let client = try run.client()
    try client.send("events")
    while let line = try client.nextLine(), !line.hasPrefix("{\"event\":\"position\"") {}
    run.signal(SIGINT)
    #expect(run.wait() == 130)
    #expect(run.sockets == [])
    #expect(events(run, "itemFinished").first?.contains(#""reason":"stopped""#) == true)
    #expect(run.outputLines.last?.hasPrefix(#"{"event":"stats""#) == true)
    // The file is complete as far as it was heard.
    let format = PCMFormat(sampleRate: SampleRate(hertz: 8000)!, layout: .mono)
    let bytes = ToolBox.contents(output)
    let size = WAVHeader(format: format, sample: .f32).bytes(frames: 0).count
    let frames = (bytes.count - size) / 4
    #expect(frames > 0 && frames < 80_000)
    #expect(Array(bytes.prefix(size)) == WAVHeader(format: format, sample: .f32).bytes(frames: Int64(frames)))
  }

  @Test func isControlledThroughItsSocket() throws {
    let first = wav(800_000)
    let second = wav(4000, "b.wav")
    let run = ProgramRun(["play", "--json", "--output", "null", first])
    let client = try run.client()
    func ask(_ line: String) throws -> String {
      try client.send(line)
      return try client.nextLine() ?? ""
    }
    try client.send("events")
    while let line = try client.nextLine(), !line.contains("itemStarted"), !line.contains("\"position\"") {}
    let asker = try run.client()
    func query(_ line: String) throws -> String {
      try asker.send(line)
      return try asker.nextLine() ?? ""
    }
    #expect(try query("pause") == #"{"ok":true}"#)
    #expect(try query("status").hasPrefix(#"{"ok":true,"state":"paused","id":1,"index":0,"input":"\#(first)""#))
    #expect(try query("volume -6") == #"{"ok":true,"volume":-6}"#)
    #expect(try query("volume up 2") == #"{"ok":true,"volume":-4}"#)
    #expect(try query("volume 50%") == #"{"ok":true,"volume":-6.02}"#)
    #expect(try query("volume 0%") == #"{"ok":true,"volume":-120}"#)
    #expect(try query("mute toggle") == #"{"ok":true,"mute":true}"#)
    #expect(try query("mute off") == #"{"ok":true,"mute":false}"#)
    #expect(try query("add \(second)") == #"{"ok":true,"id":2,"index":1}"#)
    #expect(try query("status").contains(#""queueLength":2"#))
    #expect(
      try query("queue").contains(#"{"id":2,"index":1,"input":"\#(second)","title":null,"duration":"#))
    #expect(try query("seek 50%") == #"{"ok":true}"#)
    #expect(try query("status").contains(#""position":50,"duration":100"#))
    #expect(try query("seek +10") == #"{"ok":true}"#)
    #expect(try query("status").contains(#""position":60,"duration":100"#))
    #expect(try query("loudness live") == #"{"ok":false,"code":1001,"message":"loudness is not supported yet"}"#)
    #expect(try query("stats").hasPrefix(#"{"ok":true,"framesPlayed":"#))
    #expect(try query("toggle") == #"{"ok":true}"#)
    #expect(try query("next") == #"{"ok":true}"#)
    #expect(run.wait() == 0)
    #expect(events(run, "itemFinished").count == 2)
    #expect(
      events(run, "itemFinished").last?.contains(#""id":2,"index":1,"reason":"ended","framesPlayed":4000"#) == true)
    #expect(run.sockets == [])
  }

  @Test func remoteFindsThePlayerAndQuitsIt() throws {
    let run = ProgramRun(["play", "--output", "null", wav(800_000)])
    _ = try run.client()
    let status = ProgramRun.finish(["remote", "--socket", run.socket, "status"])
    #expect(status.wait() == 0)
    #expect(status.outputLines.count == 1 && status.outputLines[0].hasPrefix(#"{"ok":true,"state":"#))
    let refused = ProgramRun.finish(["remote", "--socket", run.socket, "frobnicate"])
    #expect(refused.wait() == 64)
    let quit = ProgramRun.finish(["remote", "--socket=\(run.socket)", "quit"])
    #expect(quit.wait() == 0)
    #expect(run.wait() == 0)
    #expect(run.sockets == [])
  }

  @Test func helpAndVersionSucceed() {
    for words in [["--help"], ["--version"], ["help"], ["help", "play"], ["play", "--help"], ["remote", "-h"]] {
      let run = ProgramRun.finish(words)
      #expect(run.wait() == 0)
      #expect(!run.output.isEmpty && run.errorLines.isEmpty)
    }
  }
}
