import AudioModel
import ByteSource
import Codecs
import Containers
import MartletTestSupport
import Media
import Testing

/// What is read of a file is what was written, to the frame.
@Suite struct WrittenFileTests {
  private static let surround = ChannelLayout(count: 6)!

  static let lossless: [WrittenFormat] = [
    WrittenFormat(pathExtension: "wav", sample: .f32),
    WrittenFormat(pathExtension: "wav", sample: .f64),
    WrittenFormat(pathExtension: "wav", sample: .s32),
    WrittenFormat(pathExtension: "wav", layout: surround, sample: .s24),
    WrittenFormat(pathExtension: "aiff", sample: .f32),
    WrittenFormat(pathExtension: "aif", rate: 8_000, layout: .mono, sample: .s24),
    WrittenFormat(pathExtension: "aifc", sample: .s32),
    WrittenFormat(pathExtension: "caf", sample: .f32),
    WrittenFormat(pathExtension: "caf", rate: 192_000, layout: surround, sample: .s24),
    WrittenFormat(pathExtension: "caf", codec: .alac),
    WrittenFormat(pathExtension: "caf", codec: .flac),
    WrittenFormat(pathExtension: "flac"),
    WrittenFormat(pathExtension: "flac", rate: 96_000, layout: surround),
    WrittenFormat(pathExtension: "flac", rate: 11_025, layout: .mono, frames: 1),
    WrittenFormat(pathExtension: "flac", layout: ChannelLayout(count: 6, mask: 0x60F)!),
    WrittenFormat(pathExtension: "m4a", codec: .alac),
    WrittenFormat(pathExtension: "m4a", codec: .alac, rate: 96_000, layout: surround),
    WrittenFormat(pathExtension: "m4a", codec: .alac, layout: .mono, frames: 4_096),
    WrittenFormat(pathExtension: "m4a", codec: .flac),
  ]

  static let lossy: [WrittenFormat] = [
    WrittenFormat(pathExtension: "m4a"),
    WrittenFormat(pathExtension: "m4a", rate: 48_000, layout: surround),
    WrittenFormat(pathExtension: "m4a", rate: 22_050, layout: .mono, frames: 30_720),
    WrittenFormat(pathExtension: "m4a", codec: .opus, rate: 48_000),
    WrittenFormat(pathExtension: "caf", codec: .aac),
    WrittenFormat(pathExtension: "caf", codec: .opus, rate: 48_000),
    WrittenFormat(pathExtension: "aac"),
    WrittenFormat(pathExtension: "mp3"),
    WrittenFormat(pathExtension: "mp3", rate: 48_000, layout: .mono, frames: 34_560),
    WrittenFormat(pathExtension: "mp3", rate: 16_000),
    WrittenFormat(pathExtension: "mp3", rate: 8_000, layout: .mono),
    WrittenFormat(pathExtension: "ogg"),
    WrittenFormat(pathExtension: "ogg", rate: 48_000, layout: surround),
    WrittenFormat(pathExtension: "oga", rate: 16_000, layout: .mono),
    WrittenFormat(pathExtension: "ogg", codec: .opus, rate: 48_000, layout: .mono),
    WrittenFormat(pathExtension: "opus", rate: 48_000),
    WrittenFormat(pathExtension: "opus", rate: 48_000, layout: surround),
    WrittenFormat(pathExtension: "opus", rate: 48_000, layout: .mono, frames: 5),
  ]

  private static let quiet = ["-v", "error", "-nostdin", "-y"]

  /// Every number of channels that the formats take; each channel is in its place.
  static let layouts: [WrittenFormat] = [3, 4, 5, 7, 8].flatMap { count in
    [("m4a", Codec?.none), ("ogg", nil), ("opus", nil), ("flac", nil), ("m4a", .alac), ("wav", nil)].compactMap {
      // Apple Lossless has other layouts of these numbers.
      $0.1 == .alac && ![3, 5].contains(count)
        ? nil
        : WrittenFormat(
          pathExtension: $0.0, codec: $0.1, rate: 48_000, layout: ChannelLayout(count: count)!, frames: 12_000)
    }
  }

  @Test(arguments: layouts) func channelsKeepTheirPlaces(_ kind: WrittenFormat) throws {
    let folder = TestFolder()
    let path = folder("x." + kind.pathExtension)
    let sound = kind.sound()
    try kind.write(sound, to: path)
    let block = try read(path, kind)
    guard block.frameCount == kind.frames, block.channels == kind.layout.count else { return }
    for (channel, plane) in sound.enumerated() where !(kind.layout.count > 6 && channel == 3) {
      let found = PlaneComparison.lag(block.plane(channel), plane, limit: 2)
      #expect(found.lag == 0 && found.noise < -12, "channel \(channel): \(found)")
    }
  }

  private func read(_ path: String, _ kind: WrittenFormat) throws -> PCMBlock {
    let reader = try MediaBench.open(path)
    #expect(reader.facts.format == kind.format)
    let duration = reader.facts.duration
    #expect(duration == MediaDuration(frames: Int64(kind.frames), isExact: true))
    let block = try MediaBench.rest(reader)
    #expect(block.frameCount == kind.frames)
    #expect(!reader.isTruncated && reader.concealedPackets == 0)
    return block
  }

  @Test(arguments: lossless) func losslessIsBitExact(_ kind: WrittenFormat) throws {
    let folder = TestFolder()
    let path = folder("x." + kind.pathExtension)
    let sound = kind.sound()
    try kind.write(sound, to: path)
    let block = try read(path, kind)
    guard block.frameCount == kind.frames, block.channels == kind.layout.count else { return }
    let isFloat = kind.sample?.isFloat ?? (kind.codec == nil && kind.pathExtension != "flac")
    let scale: Float = isFloat ? 1 : kind.sample == .s32 ? 0x1p31 : 0x1p23
    for (channel, plane) in sound.enumerated() {
      let expected = isFloat ? plane : plane.map { ($0 * scale).rounded(.toNearestOrEven) / scale + 0 }
      #expect(PlaneComparison.difference(block.plane(channel), expected) == nil, "channel \(channel)")
    }
  }

  @Test(arguments: lossy) func lossyIsInItsPlace(_ kind: WrittenFormat) throws {
    let folder = TestFolder()
    let path = folder("x." + kind.pathExtension)
    let sound = kind.sound()
    try kind.write(sound, to: path)
    let block = try read(path, kind)
    guard block.frameCount == kind.frames, block.channels == kind.layout.count, kind.frames > 1000 else { return }
    for (channel, plane) in sound.enumerated() where !(kind.layout.count == 6 && channel == 3) {
      let found = PlaneComparison.lag(block.plane(channel), plane, limit: 12)
      #expect(found.lag == 0, "channel \(channel): \(found)")
      #expect(found.noise < -15, "channel \(channel): \(found)")
    }
  }

  @Test(arguments: lossless + lossy) func silenceOfNoLengthIsAFile(_ kind: WrittenFormat) throws {
    let folder = TestFolder()
    let path = folder("x." + kind.pathExtension)
    try kind.write(kind.sound().map { _ in [] }, to: path)
    #expect(ToolBox.run("ls", ["-A", folder.path]).text == "x.\(kind.pathExtension)\n")
  }

  /// What other programs decode of the files, to be as long; `IN` and `OUT` (a WAV file) stand for the files.
  static let others: [(kind: WrittenFormat, tool: String, arguments: [String])] = [
    (WrittenFormat(pathExtension: "flac"), "flac", ["-s", "-d", "-f", "IN", "-o", "OUT"]),
    (WrittenFormat(pathExtension: "flac", layout: surround), "ffmpeg", decoding),
    (WrittenFormat(pathExtension: "aiff", sample: .s24), "ffmpeg", decoding),
    (WrittenFormat(pathExtension: "aiff", sample: .f32), "ffmpeg", decoding),
    (WrittenFormat(pathExtension: "wav", sample: .s32), "sox", ["IN", "OUT"]),
    (WrittenFormat(pathExtension: "caf", sample: .s24), "ffmpeg", decoding),
    (WrittenFormat(pathExtension: "caf", codec: .alac), "ffmpeg", decoding),
    (WrittenFormat(pathExtension: "m4a", codec: .alac), "ffmpeg", decoding),
    (WrittenFormat(pathExtension: "mp3"), "mpg123", ["-q", "-w", "OUT", "IN"]),
    (WrittenFormat(pathExtension: "mp3", rate: 22_050), "mpg123", ["-q", "-w", "OUT", "IN"]),
    (WrittenFormat(pathExtension: "mp3"), "ffmpeg", decoding),
    (WrittenFormat(pathExtension: "ogg"), "oggdec", ["-Q", "-o", "OUT", "IN"]),
    (WrittenFormat(pathExtension: "ogg", rate: 48_000, layout: surround), "oggdec", ["-Q", "-o", "OUT", "IN"]),
    (WrittenFormat(pathExtension: "opus", rate: 48_000), "opusdec", ["--quiet", "--rate", "48000", "IN", "OUT"]),
    (WrittenFormat(pathExtension: "opus", rate: 48_000, layout: .mono), "ffmpeg", decoding),
  ]

  private static let decoding = quiet + ["-i", "IN", "OUT"]

  @Test(arguments: others.indices) func otherProgramsReadAsMuch(_ index: Int) throws {
    let (kind, tool, arguments) = Self.others[index]
    guard ToolBox.has(tool) else { return }
    let folder = TestFolder()
    let path = folder("x." + kind.pathExtension)
    try kind.write(kind.sound(), to: path)
    let outcome = ToolBox.run(tool, arguments.map { $0 == "IN" ? path : $0 == "OUT" ? folder("out.wav") : $0 })
    #expect(outcome.status == 0, "\(kind.testDescription), \(tool)")
    let frames = try MediaBench.frames(folder("out.wav"))
    #expect(frames == Int64(kind.frames), "\(kind.testDescription), \(tool)")
  }

  @Test func checkersAreSatisfied() throws {
    let folder = TestFolder()
    for (name, tool, arguments) in [
      ("a.flac", "flac", ["-s", "-t"]), ("a.opus", "opusinfo", ["-q"]), ("a.ogg", "ogginfo", ["-q"]),
    ] where ToolBox.has(tool) {
      let kind = WrittenFormat(pathExtension: String(name.dropFirst(2)), rate: 48_000)
      try kind.write(kind.sound(), to: folder(name))
      let outcome = ToolBox.run(tool, arguments + [folder(name)])
      #expect(outcome.status == 0 && !outcome.text.contains("WARNING"), "\(tool): \(outcome.text)")
    }
  }

  @Test func textsAndPicturesAreKept() throws {
    let tags = [
      Tag("title", "Größe 音"), Tag("artist", "A; B"), Tag("album", "=C="), Tag("track", "3/12"), Tag("genre", "Test"),
      Tag("date", "2024-05-06"), Tag("comment", "line\nline"), Tag("mood", "calm"),
    ]
    var options = MediaFileWriter.Options()
    options.tags = tags
    options.pictures = [WrittenPicture(type: 3, mime: "image/png", bytes: [0x89, 0x50, 0x4E, 0x47, 1, 2, 3, 4])]
    for (name, kept) in [
      ("flac", tags.count), ("ogg", tags.count), ("opus", tags.count), ("mp3", tags.count), ("m4a", tags.count),
      ("aac", tags.count), ("caf", 7), ("wav", 7), ("aiff", 3),
    ] {
      let kind = WrittenFormat(pathExtension: name, rate: 48_000, layout: .mono, frames: 5_000)
      let folder = TestFolder()
      try kind.write(kind.sound(), to: folder("x." + name), options: options)
      let facts = try MediaBench.open(folder("x." + name)).facts
      let found = facts.tags.filter { $0.name != "encoder" }
      #expect(found.count == kept && found.allSatisfy(tags.contains), "\(name): \(found)")
      if kept == tags.count {
        #expect(facts.pictures.map(\.mime) == ["image/png"] && facts.pictures.map(\.byteCount) == [8], "\(name)")
      }
    }
  }

  @Test func refusesWhatDoesNotFit() throws {
    let folder = TestFolder()
    func code(_ name: String, codec: Codec? = nil, _ format: PCMFormat, _ sample: WAVHeader.Sample? = nil) -> Int? {
      do throws(AudioError) {
        var options = MediaFileWriter.Options()
        options.sample = sample
        _ = try MediaFileWriter(WritingTarget(path: folder(name), codec: codec), format: format, options: options)
        return nil
      } catch { return error.code.rawValue }
    }
    let stereo = PCMFormat(sampleRate: .cd, layout: .stereo)
    #expect(code("x.xyz", stereo) == 1001)
    #expect(code("x.wav", codec: .mp3, stereo) == 1001)
    #expect(code("x.flac", stereo, .f32) == 1001)
    #expect(code("x.m4a", codec: .alac, stereo, .s32) == 1001)
    #expect(code("x.mp3", stereo, .s16) == 1001)
    #expect(code("x.opus", stereo) == 4006)
    #expect(code("x.mp3", PCMFormat(sampleRate: .cd, layout: Self.surround)) == 4006)
    #expect(code("x.flac", PCMFormat(sampleRate: .cd, layout: ChannelLayout(count: 9)!)) == 4006)
    #expect(ToolBox.run("ls", ["-A", folder.path]).text.isEmpty)
  }
}
