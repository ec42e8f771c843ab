import AudioModel
import ByteSource
import MartletTestSupport
import Media
import Testing

/// Files of many formats, made by other programs: their length, their samples, and seeks into them.
@Suite struct MadeFormatTests {
  static let frames = 150_123

  @Test("every program that makes a format is installed", .enabled(if: MadeFormat.missing.isEmpty, "not all are"))
  func allAreInstalled() {}

  @Test("as many frames as went in, and as another decoder gives", arguments: MadeFormat.installed)
  func frameCount(format: MadeFormat) throws {
    let folder = TestFolder()
    let original = try MediaBench.wave(folder("in.wav"), frames: Self.frames)
    let file = format.make(folder("in.wav"), folder)
    let reader = try MediaBench.open(file)
    defer { reader.close() }
    #expect(reader.facts.container == format.container)
    #expect(reader.facts.codec.rawValue == format.codec)
    #expect(reader.facts.format.channels == 2)
    let stated = reader.facts.duration
    let decoded = try MediaBench.rest(reader)
    let expected = format.frames(Self.frames)
    if expected > 0 { #expect(decoded.frameCount == expected) }
    if let other = format.decode(file, folder) {
      #expect(Int64(decoded.frameCount) == format.decoderFrames(try MediaBench.frames(other)))
    }
    if let stated, stated.isExact { #expect(stated.frames == Int64(decoded.frameCount)) }
    #expect(reader.concealedPackets == 0)
    #expect(!reader.isTruncated)
    #expect(reader.decodedFrames == Int64(decoded.frameCount))
    if format.kind == .lossless {
      #expect(MediaBench.difference(decoded, original) == 0)
    }
  }

  @Test(
    "a seek lands on the frame, and what follows is what a straight reading gives", arguments: MadeFormat.installed)
  func seek(format: MadeFormat) throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: Self.frames)
    let reader = try MediaBench.open(format.make(folder("in.wav"), folder))
    defer { reader.close() }
    #expect(reader.facts.seekability == .exact)
    let whole = try MediaBench.rest(reader)
    let limit: Float = format.kind == .lossless ? 0 : format.kind == .lossy ? 1e-4 : 0.3
    let last = whole.frameCount - 1
    var random = UInt64(7)
    for round in 0..<24 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let target = round == 0 ? 0 : round == 1 ? last : round == 2 ? 1 : Int(random >> 33) % last
      #expect(try reader.seek(toFrame: Int64(target)) == Int64(target))
      #expect(reader.position == Int64(target))
      let part = try MediaBench.rest(reader, limit: 2_500)
      #expect(part.frameCount == min(2_500, whole.frameCount - target))
      let difference = MediaBench.difference(part, whole, from: target)
      #expect(difference <= limit, "at \(target)")
    }
  }

  @Test("a cut file plays what is there", arguments: MadeFormat.installed)
  func truncated(format: MadeFormat) throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: Self.frames)
    let bytes = ToolBox.contents(format.make(folder("in.wav"), folder))
    for share in [0.3, 0.7, 0.99] {
      let cut = Array(bytes.prefix(Int(Double(bytes.count) * share)))
      let reader = MediaReader(source: MemorySource(cut, pathExtension: String(format.file.split(separator: ".")[1])))
      defer { reader.close() }
      // MP4 and CAF have an index at the end: then there is nothing to play, and that is said. Ogg's first page may be cut.
      guard case .success = Result(catching: { () throws(AudioError) in try reader.open() }) else {
        #expect(format.hasIndexAtEnd || (format.container == "ogg" && share < 0.5))
        continue
      }
      let decoded = try MediaBench.rest(reader)
      // A packet of TTA lasts more than a second.
      #expect(decoded.frameCount > 0 || (format.container == "tta" && share < 0.5))
      if let stated = reader.facts.duration, stated.isExact, Int64(decoded.frameCount) < stated.frames - 4_410 {
        #expect(reader.isTruncated)
      }
    }
  }

  @Test("bytes that were changed do no harm", arguments: MadeFormat.installed)
  func damaged(format: MadeFormat) throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 30_000)
    let bytes = ToolBox.contents(format.make(folder("in.wav"), folder))
    var random = format.name.utf8.reduce(UInt64(5)) { $0 &* 31 &+ UInt64($1) }
    func next() -> Int {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(random >> 33)
    }
    for round in 0..<12 {
      var damaged = bytes
      // The first rounds hit the headers.
      for _ in 0..<20 { damaged[next() % (round < 6 ? min(600, bytes.count) : bytes.count)] = UInt8(next() & 0xFF) }
      let reader = MediaReader(source: MemorySource(damaged))
      defer { reader.close() }
      // Whatever comes of it is an error or sound, of finite length.
      guard case .success = Result(catching: { () throws(AudioError) in try reader.open() }) else { continue }
      let decoded = try? MediaBench.rest(reader, limit: 400_000)
      _ = try? reader.seek(toFrame: 10_000)
      #expect((decoded?.frameCount ?? 0) <= 400_000)
    }
  }

  @Test("a pipe plays as a file does", arguments: MadeFormat.installed.filter { !$0.hasIndexAtEnd })
  func unseekable(format: MadeFormat) throws {
    let folder = TestFolder()
    _ = try MediaBench.wave(folder("in.wav"), frames: 60_000)
    let bytes = ToolBox.contents(format.make(folder("in.wav"), folder))
    let straight = MediaReader(source: MemorySource(bytes))
    try straight.open()
    let expected = try MediaBench.rest(straight)
    var script = ScriptedByteSource.Script()
    script.pieces = [1, 700, 3, 4_096]
    script.facts = SourceFacts(length: nil, seeking: .none)
    let reader = MediaReader(source: ScriptedByteSource(bytes, script))
    try reader.open()
    #expect(reader.facts.seekability == .no)
    let decoded = try MediaBench.rest(reader)
    #expect(decoded.frameCount == expected.frameCount)
    #expect(MediaBench.difference(decoded, expected) == 0)
  }
}
