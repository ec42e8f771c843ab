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
    #expect(lines.contains { $0.contains(#""decoder":"libFLAC""#) && $0.contains(#""reason":"the reference decoder"#) })
    #expect(lines.allSatisfy { $0.contains(#""reason":""#) && !$0.contains(#""reason":"""#) })
    let devices = ProgramRun.finish(["devices", "--json"]).outputLines
    #expect(devices.contains { $0.contains(#""output":"null""#) })
    #expect(devices.allSatisfy { $0.hasPrefix(#"{"output":""#) || $0.hasPrefix(#"{"input":""#) })
    #if ALSA
      #expect(devices.contains { $0.hasPrefix(#"{"input":"alsa""#) && $0.contains(#""target":"null""#) })
    #endif
  }
}
