import AudioModel
import ByteSource
import FFmpegAdapter
import MartletTestSupport
import Media
import Testing

@Suite struct MediaReaderTests {
  private func refusal(_ bytes: [UInt8], _ pathExtension: String? = nil) -> AudioError? {
    let reader = MediaReader(source: MemorySource(bytes, pathExtension: pathExtension))
    defer { reader.close() }
    do throws(AudioError) {
      try reader.open()
      return nil
    } catch {
      return error
    }
  }

  @Test func refusesWhatIsNoAudio() {
    #expect(refusal([])?.code == .empty)
    #expect(refusal(Array("<!DOCTYPE html><html><body>404</body></html>".utf8), "mp3")?.code == .unrecognized)
    #expect(
      refusal(Array(repeating: Array("These are words. ".utf8), count: 99).flatMap(\.self))?.code == .unrecognized)
    var random = UInt32(1)
    let noise = (0..<50_000).map { _ -> UInt8 in
      random = random &* 1_664_525 &+ 1_013_904_223
      return UInt8(random >> 24)
    }
    #expect(refusal(noise)?.code.rawValue == 3_001)
    #expect(refusal(noise, "m4a")?.code.rawValue ?? 0 / 1_000 >= 3)
  }

  @Test func passesTheSourcesOwnErrorOn() throws {
    let lost = AudioError(.connectionLost, "it broke")
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 90_000)
    for (name, tool) in [("in.wav", "true"), ("a.flac", "flac")] where ToolBox.has(tool) {
      if tool == "flac" { ToolBox.run("flac", ["-s", folder("in.wav"), "-o", folder("a.flac")]) }
      var script = ScriptedByteSource.Script()
      script.failures = [100_000: lost]
      let reader = MediaReader(source: ScriptedByteSource(ToolBox.contents(folder(name)), script))
      #expect(throws: lost) {
        try reader.open()
        _ = try MediaBench.rest(reader)
      }
    }
  }

  @Test func cancelEndsIt() throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 90_000)
    let reader = try MediaBench.open(folder("in.wav"))
    reader.cancel()
    let error = #expect(throws: AudioError.self) { _ = try MediaBench.rest(reader) }
    #expect(error?.code == .cancelled)
  }

  @Test func readsWAVBitByBit() throws {
    let folder = TestFolder()
    let sound = MediaBench.sound(frames: 10_007, channels: 3)
    sound.plane(1)[5] = 1.75
    sound.plane(2)[6] = -0x1p-140
    let format = PCMFormat(sampleRate: .studio, layout: ChannelLayout(count: 3)!)
    let writer = try MediaFileWriter.wav(path: folder("x.wav"), format: format)
    try writer.write(sound)
    try writer.finish()
    let reader = try MediaBench.open(folder("x.wav"))
    #expect(reader.facts.format == format)
    #expect(reader.facts.duration == MediaDuration(frames: 10_007, isExact: true))
    #expect(reader.decoderName == "pcm")
    let read = try MediaBench.rest(reader)
    #expect(read.frameCount == 10_007)
    for channel in 0..<3 {
      for index in 0..<10_007 {
        #expect(read.plane(channel)[index].bitPattern == sound.plane(channel)[index].bitPattern)
      }
    }
    #expect(try reader.seek(toFrame: 99_999) == 10_007)
    #expect(try reader.read(into: read, upTo: 10) == 0)
    #expect(try reader.seek(toFrame: -4) == 0)
  }

  @Test("WAV, MP3, Vorbis and Opus play without FFmpeg's libraries")
  func loadsNothingInVain() throws {
    // Other tests of this process load them: what decides is which decoder is asked.
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 9_000)
    var registry = MediaRegistry.standard
    let isAsked = TestFlag()
    registry.foreign = ForeignDemuxer(formats: []) { _ throws(AudioError) in
      isAsked.raise()
      throw AudioError(.unrecognized, "no")
    }
    var files = [folder("in.wav")]
    if ToolBox.has("lame") {
      ToolBox.run("lame", ["--quiet", folder("in.wav"), folder("a.mp3")])
      files.append(folder("a.mp3"))
    }
    if ToolBox.has("flac") {
      ToolBox.run("flac", ["-s", folder("in.wav"), "-o", folder("a.flac")])
      files.append(folder("a.flac"))
    }
    for (tool, name) in [("oggenc", "a.ogg"), ("opusenc", "a.opus")] where ToolBox.has(tool) {
      ToolBox.run(tool, ["--quiet", folder("in.wav")] + (tool == "oggenc" ? ["-o"] : []) + [folder(name)])
      files.append(folder(name))
    }
    for file in files {
      let reader = MediaReader(source: FileSource(path: file), registry: registry)
      try reader.open()
      let frames = file.hasSuffix("opus") ? 9_796 : 9_000
      #expect(try MediaBench.rest(reader).frameCount == frames)
      #expect(reader.decoderName != "libavcodec")
    }
    #expect(!isAsked.isRaised)
  }

  @Test func listsFormats() {
    let rows = MediaRegistry.standard.formats
    #expect(rows.contains { $0.container == "wav" && $0.codecs == [.pcm] && $0.decoder == "pcm" })
    #expect(rows.contains { $0.container == "mp3" && $0.codecs == [.mp3] && $0.decoder == "libmpg123" })
    #expect(rows.filter { $0.container == "flac" }.map(\.decoder) == ["libFLAC"])
    #expect(rows.contains { $0.container == "ogg" && $0.codecs == [.opus] && $0.decoder == "libopus" })
  }

  @Test("tags, chapters", .enabled(if: ToolBox.has("ffmpeg"), "ffmpeg is not installed"))
  func tags() throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 44_100)
    ToolBox.run(
      "ffmpeg",
      [
        "-v", "error", "-nostdin", "-i", folder("in.wav"), "-metadata", "TITLE=Größe", "-metadata",
        "REPLAYGAIN_TRACK_GAIN=-6.5 dB", folder("a.flac"),
      ])
    let reader = try MediaBench.open(folder("a.flac"))
    #expect(reader.facts.tag("title") == "Größe")
    #expect(reader.facts.loudness.trackGain == -6.5)
    #expect(reader.facts.sampleCoding == SampleCoding(kind: .signed, bits: 16, bytes: 2))
  }
}

/// Something that happened.
final class TestFlag: @unchecked Sendable {
  // Raised and read on the test's own thread.
  private(set) var isRaised = false
  func raise() { isRaised = true }
}
