import AudioModel
import Containers
import MartletTestSupport
import Testing

@Suite struct CAFParserTests {
  private typealias Make = StreamFixtures

  private func steps(_ bytes: [UInt8], chunk: Int = 1 << 20, isCheap: Bool = false) throws -> [ParserStep] {
    var feed = MemoryFeed(bytes, chunk: chunk, isCheap: isCheap)
    return try feed.all()
  }

  private func data(_ sound: [UInt8], stated: Int64? = nil) -> [UInt8] {
    Make.longChunk("data", [0, 0, 0, 1] + sound, stated: stated)
  }

  @Test(arguments: [
    (0, 16, true, false), (2, 24, false, false), (1, 32, true, true), (3, 64, false, true), (2, 20, false, false),
  ])
  func pcm(flags: Int, bits: Int, isBigEndian: Bool, isFloat: Bool) throws {
    let bytes = (bits + 7) / 8
    let desc = Make.desc("lpcm", flags: flags, packetBytes: 2 * bytes, packetFrames: 1, channels: 2, bits: bits)
    let sound = [UInt8](repeating: 0, count: 2 * bytes * 5000)
    for isOpen in [false, true] {
      let file = Make.caf([desc, data(sound, stated: isOpen ? -1 : nil)])
      let steps = try steps(file)
      let facts = try #require(steps.facts.first)
      let coding = SampleCoding(kind: isFloat ? .float : .signed, bits: bits, bytes: bytes, isBigEndian: isBigEndian)
      #expect(facts.container == "caf" && facts.sampleCoding == coding)
      #expect(facts.duration == MediaDuration(frames: 5000, isExact: true))
      #expect(steps.frames == 5000)
      for size in [1, 7, 4096] {
        let other = try self.steps(file, chunk: size)
        #expect(other == steps)
      }
    }
  }

  /// AAC with a table: ten packets, priming in front.
  private func aac(tableFirst: Bool) -> [UInt8] {
    let sizes = (0..<10).map { 100 + 7 * $0 }
    let sound = sizes.flatMap { [UInt8](repeating: UInt8($0 & 0xFF), count: $0) }
    // An elementary stream descriptor around the configuration of AAC-LC at 44.1 kHz, stereo.
    let cookie: [UInt8] = [3, 0x80, 0x80, 0x80, 25, 0, 0, 0, 4, 20, 0x40, 0x15] + [UInt8](repeating: 0, count: 11)
    let kuki = Make.longChunk("kuki", cookie + [5, 2, 0x12, 0x10, 6, 1, 2])
    let pakt = Make.pakt(packets: 10, valid: 7000, priming: 2112, remainder: 1128, sizes)
    let info = Make.longChunk("info", [0, 0, 0, 2] + Array("title\0Song\0artist\0Someone\0".utf8))
    let desc = Make.desc("aac ", packetBytes: 0, packetFrames: 1024, channels: 2)
    return Make.caf(tableFirst ? [desc, kuki, pakt, data(sound), info] : [desc, kuki, data(sound), info, pakt])
  }

  @Test(arguments: [false, true], [false, true])
  func packetTables(tableFirst: Bool, isCheap: Bool) throws {
    let file = aac(tableFirst: tableFirst)
    let steps = try steps(file, isCheap: isCheap)
    let facts = try #require(steps.facts.first)
    #expect(facts.codec == .aac && facts.decoderConfiguration == [0x12, 0x10])
    #expect(facts.duration == MediaDuration(frames: 7000, isExact: true))
    #expect(facts.encoderDelay == 2112 && facts.encoderPadding == 1128)
    #expect(steps.packets.map(\.byteCount) == (0..<10).map { 100 + 7 * $0 })
    #expect(steps.packets.map(\.frame) == (0..<10).map { Int64($0) * 1024 - 2112 })
    #expect(steps.facts.last?.tag("title") == "Song" && steps.facts.last?.tag("artist") == "Someone")
    for size in [1, 7, 4096] {
      let other = try self.steps(file, chunk: size, isCheap: isCheap)
      #expect(other == steps)
    }
    guard case .found(let registration, _, _) = try MemoryFeedProbe.probe(file) else { return }
    var parser = registration.makeParser(0, TagSet())
    #expect(parser.seek(to: 5000, sourceIsCheap: isCheap) == .at(position: 0, isExact: true))
    #expect(try MemoryFeedProbe.packets(&parser, file, from: 0, isCheap: isCheap).first?.frame == 2 * 1024 - 2112)
    guard case .at(let position, true) = parser.seek(to: 3 * 1024 + 4096, sourceIsCheap: isCheap) else {
      Issue.record("no seek")
      return
    }
    let packets = try MemoryFeedProbe.packets(&parser, file, from: position, isCheap: isCheap)
    #expect(packets.first?.frame == 5 * 1024 - 2112 && packets.count == 5)
  }

  @Test func theLastPacketOfALACTellsTheLength() throws {
    let cookie = Array("\0\0\0\u{C}frmaalac\0\0\0$alac\0\0\0\0".utf8) + [0, 0, 0x10, 0, 0, 16, 40, 10, 14, 2, 0, 255]
    let desc = Make.desc("alac", packetBytes: 0, packetFrames: 4096, channels: 2)
    let table = Make.pakt(packets: 3, valid: 3 * 4096, [50, 50, 50])
    // The third packet: a pair, with a number of frames: 100.
    let sound =
      [UInt8](repeating: 0x20, count: 100) + [0x20, 0x00, 0x10, 0, 0, 0, 200] + [UInt8](repeating: 0, count: 43)
    let kuki = Make.longChunk("kuki", cookie + [UInt8](repeating: 0, count: 12))
    let file = Make.caf([desc, kuki, data(sound), table])
    let facts = try #require(try steps(file, isCheap: true).facts.first)
    #expect(facts.duration == MediaDuration(frames: 2 * 4096 + 100, isExact: true))
    #expect(facts.decoderConfiguration.count == 36 && facts.sampleCoding?.bits == 16)
    #expect(try steps(file).facts.first?.duration?.isExact == false)
  }

  @Test func blocksOfOneSizeNeedNoTable() throws {
    let desc = Make.desc("ima4", packetBytes: 68, packetFrames: 64, channels: 2)
    let steps = try steps(Make.caf([desc, data([UInt8](repeating: 0, count: 68 * 7 + 5))]))
    #expect(steps.facts.first?.codec.rawValue == "adpcm_ima_qt")
    #expect(steps.facts.first?.duration == MediaDuration(frames: 7 * 64, isExact: true))
    #expect(steps.packets.count == 7)
    let trimmed = Make.pakt(packets: 7, valid: 400, priming: 20, remainder: 28, [])
    let other = try self.steps(Make.caf([desc, trimmed, data([UInt8](repeating: 0, count: 68 * 7))]))
    #expect(other.facts.first?.duration == MediaDuration(frames: 400, isExact: true))
    #expect(other.packets.first?.frame == -20)
  }

  @Test func layouts() throws {
    let desc = Make.desc("lpcm", packetBytes: 6, packetFrames: 1, channels: 3, bits: 16)
    func mask(_ chan: [UInt8]) throws -> UInt32? {
      let file = Make.caf([desc, Make.longChunk("chan", chan), data([0, 0, 0, 0, 0, 0])])
      return try steps(file).facts.first?.format.layout.mask
    }
    #expect(try mask([0, 1, 0, 0, 0, 0, 0, 0x0B, 0, 0, 0, 0]) == 0xB)
    #expect(try mask([0, 113, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0]) == 0x7)
    let labels = [1, 2, 4].flatMap { [0, 0, 0, UInt8($0)] + [UInt8](repeating: 0, count: 16) }
    #expect(try mask([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3] + labels) == 0xB)
  }

  @Test func hostileTables() throws {
    let desc = Make.desc("aac ", packetBytes: 0, packetFrames: 1024, channels: 2)
    let sound = data([UInt8](repeating: 1, count: 300))
    // It claims more packets than it has, packets larger than the file, and more bytes than are there.
    let lying = Make.pakt(packets: .max >> 1, valid: 1 << 50, [100, 100, 16_000])
    #expect(try steps(Make.caf([desc, lying, sound])).packets.count == 2)
    #expect(try steps(Make.caf([desc, lying, sound]), isCheap: true).packets.count == 2)
    let long = Make.pakt(packets: 3, valid: 3000, [100, 100, 100], stated: 1 << 40)
    let refusal = AudioError(.limitReached, "The CAF file's packet table is larger than 8388608 bytes")
    #expect(throws: refusal) { try steps(Make.caf([desc, sound, long])) }
    let negative = Make.pakt(packets: 3, valid: -1, [100, 100, 100])
    #expect(throws: AudioError(.malformed, "The CAF file has no packet table")) {
      try steps(Make.caf([desc, negative, sound]))
    }
    // Numbers that never end, and packets of no bytes.
    let endless = Make.longChunk(
      "pakt",
      [UInt8](repeating: 0, count: 7) + [9] + [UInt8](repeating: 0, count: 16) + [UInt8](repeating: 0xFF, count: 50))
    #expect(try steps(Make.caf([desc, endless, sound])).packets.isEmpty)
    let empty = Make.pakt(packets: 4, valid: 4096, [0, 100, 0, 100])
    #expect(try steps(Make.caf([desc, empty, sound])).packets.map(\.frame) == [0, 1024])
  }

  @Test func whatIsMissingIsSaid() {
    let desc = Make.desc("lpcm", packetBytes: 2, packetFrames: 1, bits: 16)
    #expect(throws: AudioError(.malformed, "The CAF file has no sound data")) { try steps(Make.caf([desc])) }
    #expect(throws: AudioError(.malformed, "The CAF file has no description")) {
      try steps(Make.caf([data([0, 0])]))
    }
    let other = AudioError(.unsupportedContainer, "The CAF file holds a coding that is not supported (QDM2)")
    #expect(throws: other) { try steps(Make.caf([Make.desc("QDM2", packetBytes: 0, packetFrames: 0)])) }
    for rate in [0, -1, 1e20, Double.nan, .infinity] {
      #expect(throws: AudioError(.malformed, "The CAF file states an impossible sample rate")) {
        try steps(Make.caf([Make.desc("lpcm", packetBytes: 2, packetFrames: 1, bits: 16, rate: rate)]))
      }
    }
  }
}
