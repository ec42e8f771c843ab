import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct AIFFParserTests {
  private typealias Make = StreamFixtures

  private func steps(_ bytes: [UInt8], chunk: Int = 1 << 20, isCheap: Bool = false) throws -> [ParserStep] {
    var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
    return try feed.all()
  }

  @Test func plain() throws {
    let sound = [UInt8](repeating: 1, count: 4 * 5000)
    let file = Make.aiff(
      [Make.comm(channels: 2, frames: 5000, bits: 16, rate: 48_000), Make.ssnd(sound)], form: "AIFF")
    let steps = try steps(file)
    let facts = try #require(steps.facts.first)
    #expect(facts.container == "aiff" && facts.codec == .pcm && facts.bitRate == 1_536_000)
    #expect(facts.format == PCMFormat(sampleRate: .studio, layout: .stereo))
    #expect(facts.sampleCoding == SampleCoding(kind: .signed, bits: 16, bytes: 2, isBigEndian: true))
    #expect(facts.duration == MediaDuration(frames: 5000, isExact: true))
    let expected = [
      Packet(position: 54, byteCount: 16_384, frame: 0, frameCount: 4096, isDiscontinuous: true),
      Packet(position: 16_438, byteCount: 3616, frame: 4096, frameCount: 904),
    ]
    #expect(steps.packets == expected)
    for size in [1, 7, 4096] {
      let other = try self.steps(file, chunk: size)
      #expect(other == steps)
    }
  }

  private struct Form: Sendable {
    var name: String?
    var bits: Int
    var codec: String
    var coding: SampleCoding?
    /// Bytes and frames of a block.
    var block: (bytes: Int, frames: Int)
  }

  private static let forms: [Form] = [
    Form(
      name: nil, bits: 12, codec: "pcm", coding: .init(kind: .signed, bits: 12, bytes: 2, isBigEndian: true),
      block: (2, 1)),
    Form(
      name: "NONE", bits: 8, codec: "pcm", coding: .init(kind: .signed, bits: 8, bytes: 1, isBigEndian: true),
      block: (1, 1)),
    Form(
      name: "twos", bits: 24, codec: "pcm", coding: .init(kind: .signed, bits: 24, bytes: 3, isBigEndian: true),
      block: (3, 1)),
    Form(name: "sowt", bits: 16, codec: "pcm", coding: .init(kind: .signed, bits: 16, bytes: 2), block: (2, 1)),
    Form(
      name: "raw ", bits: 8, codec: "pcm", coding: .init(kind: .unsigned, bits: 8, bytes: 1, isBigEndian: true),
      block: (1, 1)),
    Form(
      name: "in24", bits: 24, codec: "pcm", coding: .init(kind: .signed, bits: 24, bytes: 3, isBigEndian: true),
      block: (3, 1)),
    Form(
      name: "in32", bits: 32, codec: "pcm", coding: .init(kind: .signed, bits: 32, bytes: 4, isBigEndian: true),
      block: (4, 1)),
    Form(name: "42ni", bits: 24, codec: "pcm", coding: .init(kind: .signed, bits: 24, bytes: 3), block: (3, 1)),
    Form(name: "23ni", bits: 32, codec: "pcm", coding: .init(kind: .signed, bits: 32, bytes: 4), block: (4, 1)),
    Form(
      name: "fl32", bits: 32, codec: "pcm", coding: .init(kind: .float, bits: 32, bytes: 4, isBigEndian: true),
      block: (4, 1)),
    Form(
      name: "FL64", bits: 64, codec: "pcm", coding: .init(kind: .float, bits: 64, bytes: 8, isBigEndian: true),
      block: (8, 1)),
    Form(name: "ULAW", bits: 16, codec: "mulaw", coding: nil, block: (1, 1)),
    Form(name: "alaw", bits: 16, codec: "alaw", coding: nil, block: (1, 1)),
    Form(name: "ima4", bits: 4, codec: "adpcm_ima_qt", coding: nil, block: (34, 64)),
    Form(name: "GSM ", bits: 16, codec: "gsm", coding: nil, block: (33, 160)),
  ]

  @Test(arguments: 0..<15)
  func codings(index: Int) throws {
    let form = Self.forms[index]
    let sound = [UInt8](repeating: 0, count: 11 * form.block.bytes)
    let common = Make.comm(frames: 9, bits: form.bits, compression: form.name)
    let steps = try steps(Make.aiff([common, Make.ssnd(sound)], form: form.name == nil ? "AIFF" : "AIFC"))
    let facts = try #require(steps.facts.first)
    #expect(facts.codec.rawValue == form.codec && facts.sampleCoding == form.coding)
    // The common chunk's count governs, though more is there.
    #expect(facts.duration == MediaDuration(frames: Int64(9 * form.block.frames), isExact: true))
    #expect(steps.frames == 9 * form.block.frames)
    #expect(steps.packets.reduce(0) { $0 + $1.byteCount } == 9 * form.block.bytes)
  }

  @Test func theSoundMayStandFirstOrFurtherBack() throws {
    let sound = [UInt8](repeating: 7, count: 9)
    let common = Make.comm(frames: 9, bits: 8, rate: 8000, compression: "ULAW")
    for isCheap in [false, true] {
      let steps = try steps(
        Make.aiff([Make.ssnd(sound, offset: 5), Make.chunk("XxXx", [1, 2, 3]), common]), isCheap: isCheap)
      #expect(steps.facts.first?.duration == MediaDuration(frames: 9, isExact: true))
      #expect(steps.packets.map(\.position) == [33])
    }
  }

  @Test func whatIsMissingIsSaidOrEmpty() throws {
    let silent = try steps(Make.aiff([Make.comm(frames: 0, bits: 16)]))
    #expect(silent.facts.first?.duration == MediaDuration(frames: 0, isExact: true) && silent.packets.isEmpty)
    #expect(throws: AudioError(.malformed, "The AIFF file has no common chunk")) {
      try steps(Make.aiff([Make.ssnd([1])]))
    }
    // An empty common chunk, behind which its contents are taken for chunks without end.
    let loop = Make.aiff([
      Make.chunk("COMM", []), Array(Make.comm(frames: 9, bits: 16, compression: "ULAW").dropFirst(8)),
    ])
    #expect(throws: AudioError(.malformed, "The AIFF file's common chunk is too short")) { try steps(loop) }
    var other = AudioError(.unsupportedContainer, "The AIFF file holds a coding that is not supported (able)")
    #expect(throws: other) { try steps(Make.aiff([Make.comm(frames: 1, bits: 16, compression: "able")])) }
    other = AudioError(.malformed, "The AIFF file states an impossible sample size")
    #expect(throws: other) { try steps(Make.aiff([Make.comm(frames: 1, bits: 33)])) }
    other = AudioError(.malformed, "The AIFF file states an impossible number of channels")
    #expect(throws: other) { try steps(Make.aiff([Make.comm(channels: 0, frames: 1, bits: 8)])) }
  }

  @Test func hostileSizes() throws {
    let common = Make.comm(channels: 2, frames: 0xFFFF_FFFF, bits: 16)
    let sound = Make.ssnd([UInt8](repeating: 0, count: 40))
    // The sound chunk claims 4 GiB, or an offset behind everything.
    var huge = sound
    huge.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
    for isCheap in [false, true] {
      #expect(try steps(Make.aiff([common, huge]), isCheap: isCheap).frames == 10)
      var far = sound
      far.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0xFF])
      #expect(try steps(Make.aiff([common, far]), isCheap: isCheap).packets.isEmpty)
      // A tag in a chunk whose size is in the wrong byte order still says what it does.
      var tag = Make.chunk("ID3 ", MediaFixtures.id3v2([("TPE1", "Artist")]))
      tag.replaceSubrange(4..<8, with: [0x9C, 0x08, 0x00, 0x00])
      let facts = try steps(Make.aiff([common, sound, tag]), isCheap: isCheap).facts
      #expect(facts.last?.tag("artist") == "Artist")
    }
    // Recordings that were never closed count nothing.
    let open = try steps(Make.aiff([Make.comm(channels: 2, frames: 0, bits: 16), huge]))
    #expect(open.facts.first?.duration == MediaDuration(frames: 10, isExact: true))
  }

  @Test func textsAndMarkers() throws {
    let comments: [UInt8] =
      [0, 2, 0, 0, 0, 0, 0, 0, 0, 3] + Array("one\0".utf8) + [0, 0, 0, 0, 0, 0, 0, 2, 0xE9, 0x74]
    let name: [UInt8] = [5] + Array("intro".utf8)
    let markers: [UInt8] =
      [0, 3, 0, 1, 0, 0, 0, 0] + name + [0, 2, 0, 0, 0xAC, 0x44] + [4] + Array("loop\0".utf8) + [
        0, 3, 0, 1, 0x58, 0x88, 0, 0,
      ]
    let instrument: [UInt8] = [60, 0, 0, 127, 1, 127, 0, 0, 0, 1, 0, 2, 0, 2, 0, 0, 0, 0, 0, 0]
    let chunks = [
      Make.comm(frames: 100_000, bits: 8), Make.chunk("NAME", Array("Name".utf8)),
      Make.chunk("AUTH", Array("Author".utf8)),
      Make.chunk("(c) ", Array("Right".utf8)), Make.chunk("ANNO", Array("note".utf8), isPadded: false),
      Make.chunk("COMT", comments), Make.chunk("MARK", markers), Make.chunk("INST", instrument),
      Make.ssnd([UInt8](repeating: 0, count: 100_000)),
    ]
    let facts = try #require(try steps(Make.aiff(chunks)).facts.first)
    let tags = [
      Tag("title", "Name"), Tag("artist", "Author"), Tag("copyright", "Right"), Tag("comment", "note"),
      Tag("comment", "one"), Tag("comment", "ét"),
    ]
    #expect(facts.tags == tags)
    // Ends of an instrument's loop are no chapters, nor is a place without a name.
    #expect(facts.chapters == [Chapter(start: 0, end: nil, title: "intro")])
  }

  @Test func seeksAreExact() throws {
    let file = Make.aiff([Make.comm(frames: 10_000, bits: 16), Make.ssnd([UInt8](repeating: 0, count: 20_000))])
    guard case .found(let registration, _, _) = try MemoryFeedProbe.probe(file) else { return }
    var parser = registration.makeParser(0, TagSet())
    // Before the header is read a target is remembered.
    #expect(parser.seek(to: 9000, sourceIsCheap: false) == .at(position: 0, isExact: true))
    #expect(try MemoryFeedProbe.packets(&parser, file, from: 0).map(\.frame) == [9000])
    guard case .at(let position, true) = parser.seek(to: 5, sourceIsCheap: false) else { return }
    #expect(try MemoryFeedProbe.packets(&parser, file, from: position).map(\.frame) == [5, 4101, 8197])
  }
}

/// Drives parsers of which only the protocol is known.
enum MemoryFeedProbe {
  static func probe(_ bytes: [UInt8]) throws -> Prober.Step {
    var feed = MemoryFeed(bytes)
    return try feed.probe()
  }

  /// All packets from a position on.
  static func packets(
    _ parser: inout any ContainerParser, _ bytes: [UInt8], from position: Int64, isCheap: Bool = false
  ) throws -> [Packet] {
    var feed = MemoryFeed(bytes, isCheap: isCheap)
    try feed.serve(ByteRequest(position: position, count: 1))
    var steps: [ParserStep] = []
    while steps.count < 10_000 {
      let step = try parser.next(in: feed.window)
      switch step {
      case .need(let request): try feed.serve(request)
      case .end: return steps.packets
      default: steps.append(step)
      }
    }
    Issue.record("There is no end")
    return []
  }
}
