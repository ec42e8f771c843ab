import AudioModel
import Glibc
import MartletTestSupport
import Testing

@Suite struct RenderRunTests {
  private let folder = TemporaryFolder()
  private let format = PCMFormat(sampleRate: SampleRate(hertz: 8000)!, layout: .mono)

  private func input(_ frames: Int) -> String {
    TestWAV.write(TestWAV.bytes(frames: frames), to: folder.path + "/in.wav")
    return folder.path + "/in.wav"
  }

  @Test func writesTheDecodedSoundExactly() {
    let run = ProgramRun.finish(["render", input(5000), "-o", folder.path + "/out.wav"])
    #expect(run.wait() == 0)
    #expect(run.output.isEmpty && run.errorLines.isEmpty)
    let bytes = ToolBox.contents(folder.path + "/out.wav")
    let header = WAVHeader(format: format, sample: .f32).bytes(frames: 5000)
    #expect(Array(bytes.prefix(header.count)) == header)
    #expect(TestWAV.floats(bytes.dropFirst(header.count)).elementsEqual(TestWAV.samples(0..<5000)))
    #expect(TemporaryFolder.entries(folder.path) == ["in.wav", "out.wav"])
  }

  @Test func sixteenBitsComeBackAsTheyWere() {
    let run = ProgramRun.finish(["render", "--sample=s16", input(5000), "-o", folder.path + "/out.wav"])
    #expect(run.wait() == 0)
    #expect(ToolBox.contents(folder.path + "/out.wav").elementsEqual(TestWAV.bytes(frames: 5000)))
  }

  @Test func standardOutputGetsAStreamableFile() {
    let run = ProgramRun.finish(["render", "--start", "0.25", "--end", "0.5", input(5000), "-o", "-"])
    #expect(run.wait() == 0)
    let header = WAVHeader(format: format, sample: .f32).bytes(frames: nil)
    #expect(Array(run.output.prefix(header.count)) == header)
    #expect(TestWAV.floats(run.output.dropFirst(header.count)).elementsEqual(TestWAV.samples(2000..<4000)))
  }

  @Test func volumeIsAppliedAndRateAndChannelsAreConverted() {
    let quiet = ProgramRun.finish(["render", "--volume", "50%", input(1000), "-o", "-"])
    let header = WAVHeader(format: format, sample: .f32).bytes(frames: nil).count
    let expected = TestWAV.samples(0..<1000).map { $0 / 2 }
    #expect(zip(TestWAV.floats(quiet.output.dropFirst(header)), expected).allSatisfy { abs($0 - $1) < 1e-6 })
    let path = folder.path + "/out.wav"
    let run = ProgramRun.finish(["render", "--sample-rate", "16000", "--channels", "2", input(1000), "-o", path])
    #expect(run.wait() == 0)
    let stereo = PCMFormat(sampleRate: SampleRate(hertz: 16_000)!, layout: .stereo)
    let wanted = WAVHeader(format: stereo, sample: .f32).bytes(frames: 2000)
    #expect(Array(ToolBox.contents(path).prefix(wanted.count)) == wanted)
  }

  @Test func aFailureLeavesNothingAndKeepsTheOldFile() {
    let path = folder.path + "/out.wav"
    TestWAV.write(Array("precious".utf8), to: path)
    TestWAV.write(Array("no audio\n".utf8), to: folder.path + "/bad.mp3")
    #expect(ProgramRun.finish(["render", folder.path + "/bad.mp3", "-o", path]).wait() == 65)
    #expect(ProgramRun.finish(["render", folder.path + "/none.mp3", "-o", path]).wait() == 66)
    #expect(ToolBox.contents(path) == Array("precious".utf8))
    #expect(ProgramRun.finish(["render", input(10), "-o", "/no/such/folder/x.wav"]).wait() == 74)
    #expect(ProgramRun.finish(["render", input(10), "-o", "/dev/null"]).wait() == 0)
    #expect(TemporaryFolder.entries(folder.path) == ["bad.mp3", "in.wav", "out.wav"])
  }

  @Test func anInterruptionRemovesTheHalfWrittenFile() {
    // A pipe that never ends: the program waits in the middle of the sound.
    let pipe = folder.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    let writer = open(pipe, O_RDWR | O_CLOEXEC)  // both ways: the child's opening must not wait for it
    let run = ProgramRun(["render", "-", "-o", folder.path + "/out.wav"], input: pipe)
    // More than the pipe and any look ahead hold: when it has been written, the program is in the middle of the sound.
    let bytes = TestWAV.bytes(frames: 1_000_000)
    #expect(write(writer, bytes, 1_500_000) == 1_500_000)
    #expect(TemporaryFolder.entries(folder.path).count == 2)
    run.signal(SIGINT)
    #expect(run.wait() == 130)
    close(writer)
    #expect(TemporaryFolder.entries(folder.path) == ["pipe"])
  }
}

/// Formats by extension, and what does not fit.
@Suite struct RenderFormatTests {
  private let folder = TemporaryFolder()

  private func input(_ frames: Int) -> String {
    TestWAV.write(TestWAV.bytes(frames: frames), to: folder.path + "/in.wav")
    return folder.path + "/in.wav"
  }

  private func info(_ name: String) -> String {
    String(ProgramRun.finish(["info", "--json", folder.path + "/" + name]).outputLines.first ?? "")
  }

  @Test func theExtensionChoosesTheFormat() {
    let path = input(5003)
    for (name, container, codec, rate, frames) in [
      ("a.wav", "wav", "pcm", 8000, 5003), ("a.aiff", "aiff", "pcm", 8000, 5003), ("a.caf", "caf", "pcm", 8000, 5003),
      ("a.flac", "flac", "flac", 8000, 5003), ("a.m4a", "mp4", "aac", 8000, 5003),
      ("a.mp3", "mp3", "mp3", 8000, 5003),
      ("a.ogg", "ogg", "vorbis", 8000, 5003), ("a.opus", "ogg", "opus", 48_000, 30_018),
      ("a.aac", "adts", "aac", 8000, 5003),
    ] {
      let run = ProgramRun.finish(["render", path, "-o", folder.path + "/" + name])
      #expect(run.wait() == 0 && run.output.isEmpty && run.errorLines.isEmpty, "\(name): \(run.errorLines)")
      let line = info(name)
      #expect(
        line.contains(#""container":"\#(container)","codec":"\#(codec)","sampleRate":\#(rate),"#), "\(name): \(line)")
      #expect(line.contains(#""frames":\#(frames),"exact":true"#), "\(name): \(line)")
    }
    let again = ProgramRun.finish(["render", "--sample", "s16", folder.path + "/a.flac", "-o", "-"])
    #expect(again.wait() == 0)
    let header = WAVHeader(format: PCMFormat(sampleRate: SampleRate(hertz: 8000)!, layout: .mono), sample: .s16)
    let open = header.bytes(frames: nil)
    #expect(again.output.dropFirst(open.count).elementsEqual(TestWAV.bytes(frames: 5003).dropFirst(open.count)))
  }

  @Test func integersKeepTheirDepth() {
    let path = input(1000)
    #expect(ProgramRun.finish(["render", path, "-o", folder.path + "/a.flac"]).wait() == 0)
    #expect(ProgramRun.finish(["render", "--volume", "-6", path, "-o", folder.path + "/b.flac"]).wait() == 0)
    // STREAMINFO has the depth less one behind rate and channels.
    let depths = ["a", "b"].map { name in
      let bytes = ToolBox.contents(folder.path + "/\(name).flac")
      return bytes.count < 42 ? 0 : (Int(bytes[20] & 1) << 4 | Int(bytes[21] >> 4)) + 1
    }
    #expect(depths == [16, 24])
  }

  @Test func optionsAreHeeded() {
    let path = input(40_000)
    let out = { (name: String) in folder.path + "/" + name }
    #expect(ProgramRun.finish(["render", path, "--codec", "alac", "-o", out("a.m4a")]).wait() == 0)
    #expect(info("a.m4a").contains(#""codec":"alac""#))
    #expect(ProgramRun.finish(["render", path, "--bit-rate", "16", "-o", out("small.mp3")]).wait() == 0)
    #expect(ProgramRun.finish(["render", path, "--bit-rate", "64", "-o", out("large.mp3")]).wait() == 0)
    #expect(info("small.mp3").contains(#""bitRate":16"#) && info("large.mp3").contains(#""bitRate":64"#))
    let piped = ProgramRun.finish(["render", path, "--format", "flac", "-o", "-"])
    #expect(piped.wait() == 0 && piped.output.starts(with: Array("fLaC".utf8)))
    TestWAV.write(piped.output, to: out("piped.flac"))
    #expect(info("piped.flac").contains(#""frames":40000,"exact":true"#))
    let ogg = ProgramRun.finish(["render", path, "--format", "opus", "-o", "-"])
    TestWAV.write(ogg.output, to: out("piped.opus"))
    #expect(ogg.wait() == 0 && info("piped.opus").contains(#""frames":240000,"exact":true"#))
  }

  @Test func whatDoesNotFitIsExplained() {
    let path = input(100)
    for (options, words) in [
      (["-o", "a.xyz"], "wav, aiff, caf, flac"), (["-o", "a.wav", "--codec", "mp3"], "they hold pcm"),
      (["-o", "a.flac", "--bit-rate", "128"], "--bit-rate"), (["-o", "a.mp3", "--bit-rate", "999"], "320"),
      (["-o", "a.mp3", "--sample", "s16"], "mp3"), (["-o", "a.flac", "--sample", "f32"], "s16, s24 and s32"),
      (["-o", "a.opus", "--sample-rate", "44100"], "48000 Hz"), (["-o", "a.mp3", "--channels", "6"], "1 to 2"),
      (["--format", "m4a", "-o", "-"], "pipe"), (["-o", "a.wav", "--sample", "s12"], "--sample"),
    ] {
      let run = ProgramRun.finish(["render", path] + options)
      #expect(run.wait() == 64, "\(options)")
      #expect(run.errorLines.contains { $0.contains(words) }, "\(options): \(run.errorLines)")
    }
    let wide = folder.path + "/wide.caf"
    #expect(ProgramRun.finish(["render", path, "--channels", "6", "-o", wide]).wait() == 0)
    let run = ProgramRun.finish(["render", wide, "-o", folder.path + "/a.mp3"])
    #expect(run.wait() == 64 && run.errorLines.contains { $0.contains("2 channels, not 6") })
    #expect(TemporaryFolder.entries(folder.path) == ["in.wav", "wide.caf"])
  }

  @Test func textsAreTakenAlong() {
    var wave = TestWAV.bytes(frames: 4000)
    let text = Array("INFOINAM".utf8) + [6, 0, 0, 0] + Array("A song".utf8)
    wave += Array("LIST".utf8) + [UInt8(text.count), 0, 0, 0] + text
    TestWAV.write(wave, to: folder.path + "/in.wav")
    for name in ["a.mp3", "a.m4a", "a.ogg", "a.flac"] {
      #expect(ProgramRun.finish(["render", folder.path + "/in.wav", "-o", folder.path + "/" + name]).wait() == 0)
      #expect(info(name).contains(#""tags":{"title":"A song""#), "\(name): \(info(name))")
    }
  }
}

@Suite struct InfoRunTests {
  @Test func tellsTheContractsFields() {
    let folder = TemporaryFolder()
    let path = folder.path + "/a.wav"
    TestWAV.write(TestWAV.bytes(frames: 4000), to: path)
    let run = ProgramRun.finish(["info", "--json", "--scan", path, folder.path + "/none.wav", path])
    #expect(run.wait() == 66)
    #expect(run.outputLines.count == 2)
    #expect(
      run.outputLines.first
        == """
        {"input":"\(path)","container":"wav","codec":"pcm","sampleRate":8000,"channels":1,"channelLayout":"mono",\
        "bitRate":128000,"decoder":"pcm","duration":{"seconds":0.5,"frames":4000,"exact":true,"errorSeconds":0},\
        "encoderDelay":null,"encoderPadding":null,"seekable":"exact","live":false,"tags":{},"chapters":[],\
        "pictures":[],"gain":{"track":null,"album":null,"peak":null,"albumPeak":null},"decodedFrames":4000,\
        "concealedPackets":0}
        """)
    let table = ProgramRun.finish(["info", path])
    #expect(table.outputLines.contains("  Duration    0:00.500, 4000 frames"))
  }

  @Test func listsTellTheirEntries() {
    let folder = TemporaryFolder()
    let list = folder.path + "/a.m3u"
    TestWAV.write(Array("#EXTM3U\n#EXTINF:3,A\u{1B}[2J\nb.mp3\n#EXTINF:-1,\nmms://h/c\n".utf8), to: list)
    let run = ProgramRun.finish(["info", "--json", list])
    #expect(run.wait() == 0 && run.errorLines.isEmpty)
    #expect(
      run.outputLines == [
        """
        {"input":"\(list)","container":"m3u","title":null,"live":false,"duration":null,"entries":[\
        {"url":"\(folder.path)/b.mp3","title":"A\\u001b[2J","duration":3},\
        {"url":"mms://h/c","title":null,"duration":null,\
        "refused":"mms URLs are not supported in playlists; http and https are"}]}
        """
      ])
    let table = ProgramRun.finish(["info", list])
    #expect(table.outputLines.contains { $0.hasPrefix("  1 ") && $0.hasSuffix(", 0:03, \(folder.path)/b.mp3") })
    #expect(!table.output.contains(0x1B))
    // Standard input is read once, whatever it turns out to be.
    TestWAV.write(Array("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=64000,NAME=\"low\"\nb.m3u8\n".utf8), to: list)
    let master = ProgramRun.finish(["info", "--json", "-"], input: list)
    #expect(
      master.outputLines.first?.contains(
        #""container":"hls","title":null,"live":false,"duration":null,"entries":[{"url":"b.m3u8","title":"low","#
          + #""duration":null,"bitRate":64000}]"#) == true)
    let play = ProgramRun.finish(["play", "--output", "null", "--no-control", list])
    #expect(play.wait() == 65)
    #expect(play.errorLines.contains { $0.hasSuffix("This is a playlist, not audio") })
  }

  @Test func formatsAndDevicesAreTables() {
    for command in ["formats", "devices"] {
      let table = ProgramRun.finish([command])
      #expect(table.wait() == 0 && table.outputLines.count >= 4)
      let json = ProgramRun.finish([command, "--json"])
      #expect(json.wait() == 0)
      #expect(json.outputLines.allSatisfy { $0.hasPrefix("{\"") && $0.hasSuffix("}") })
      #expect(ProgramRun.finish([command, "x"]).wait() == 64)
    }
    let lines = ProgramRun.finish(["formats", "--json"]).outputLines
    #expect(lines.contains { $0.contains(#""container":"mp3""#) })
    #expect(
      lines.contains { $0.contains(#""decoder":"libFLAC""#) && $0.contains(#""reason":"the reference decoder"#) })
    #expect(lines.allSatisfy { $0.contains(#""reason":""#) && !$0.contains(#""reason":"""#) })
    let devices = ProgramRun.finish(["devices", "--json"]).outputLines
    #expect(devices.contains { $0.contains(#""output":"null""#) })
    #expect(devices.allSatisfy { $0.hasPrefix(#"{"output":""#) || $0.hasPrefix(#"{"input":""#) })
    #if ALSA
      #expect(devices.contains { $0.hasPrefix(#"{"input":"alsa""#) && $0.contains(#""target":"null""#) })
    #endif
  }
}
