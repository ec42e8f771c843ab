import AudioModel
import Codecs
import Containers
import MartletTestSupport
import Testing

@Suite struct WAVParserTests {
  private func steps(_ bytes: [UInt8], isCheap: Bool = false, tellsLength: Bool = true) throws -> [ParserStep] {
    var parser = WAVParser(start: 0)
    var feed = MemoryFeed(bytes, isCheap: isCheap, tellsLength: tellsLength)
    return try feed.all(&parser)
  }

  @Test func plain() throws {
    var wav = MediaFixtures.WAV()
    wav.channels = 2
    wav.rate = 48_000
    let steps = try steps(wav.file([UInt8](repeating: 1, count: 4 * 5000)))
    let facts = try #require(steps.facts.first)
    #expect(facts.container == "wav" && facts.codec == .pcm && facts.bitRate == 1_536_000)
    #expect(facts.format == PCMFormat(sampleRate: .studio, layout: .stereo))
    #expect(facts.sampleCoding == SampleCoding(kind: .signed, bits: 16, bytes: 2))
    #expect(facts.duration == MediaDuration(frames: 5000, isExact: true))
    #expect(
      steps.packets == [
        Packet(position: 44, byteCount: 16_384, frame: 0, frameCount: 4096, isDiscontinuous: true),
        Packet(position: 16_428, byteCount: 3616, frame: 4096, frameCount: 904),
      ])
  }

  @Test(arguments: [
    (1, 8, 1, SampleCoding.Kind.unsigned), (1, 12, 2, .signed), (1, 20, 3, .signed), (1, 24, 4, .signed),
    (1, 36, 5, .signed), (1, 64, 8, .signed), (3, 32, 4, .float), (3, 64, 8, .float),
  ])
  func widths(tag: Int, bits: Int, bytes: Int, kind: SampleCoding.Kind) throws {
    for form in ["RIFF", "RIFX", "RF64", "BW64"] {
      for isExtensible in [false, true] {
        var wav = MediaFixtures.WAV()
        (wav.form, wav.tag, wav.bits, wav.bytes, wav.channels) = (form, tag, bits, bytes, 3)
        wav.isExtensible = isExtensible
        let steps = try steps(wav.file([UInt8](repeating: 0, count: 7 * 3 * bytes)))
        let facts = try #require(steps.facts.first)
        #expect(
          facts.sampleCoding == SampleCoding(kind: kind, bits: bits, bytes: bytes, isBigEndian: form == "RIFX"),
          "\(form) \(bits)")
        #expect(facts.duration == MediaDuration(frames: 7, isExact: true))
        #expect(steps.frames == 7)
      }
    }
  }

  @Test func companded() throws {
    for (tag, codec) in [(6, Codec.alaw), (7, .mulaw)] {
      var wav = MediaFixtures.WAV()
      (wav.tag, wav.bits, wav.bytes, wav.rate) = (tag, 8, 1, 8000)
      let facts = try #require(try steps(wav.file([1, 2, 3, 4])).facts.first)
      #expect(facts.codec == codec && facts.sampleCoding == nil && facts.duration?.frames == 4)
    }
  }

  @Test(arguments: [65, 72, 4096, 65_535]) func impossibleSampleSizesAreRefused(bits: Int) {
    var wav = MediaFixtures.WAV()
    wav.bits = bits
    #expect(throws: AudioError(.malformed, "The WAV file states an impossible sample size")) {
      try steps(wav.file([UInt8](repeating: 1, count: 64)))
    }
  }

  @Test func otherCodingsAreLeftToOthers() {
    var wav = MediaFixtures.WAV()
    wav.tag = 0x161
    #expect(
      throws: AudioError(
        .unsupportedContainer, "The WAV file holds a coding that is not supported (0x161)", detail: 0x161)
    ) {
      try steps(wav.file([0, 0]))
    }
  }

  @Test(arguments: [0xFFFF_FFFF, 0x7FFF_FFFF, 0] as [UInt64])
  func sizesThatWereNeverFilledIn(size: UInt64) throws {
    var wav = MediaFixtures.WAV()
    (wav.statedSize, wav.statedRIFFSize) = (size, size)
    let file = wav.file([UInt8](repeating: 0, count: 2001))
    #expect(try steps(file).facts.map(\.duration) == [MediaDuration(frames: 1001, isExact: true)])
    // Where the length is not known before the end, the duration is not either.
    var feed = MemoryFeed(file, chunk: 500, tellsLength: false)
    var parser = WAVParser(start: 0)
    let steps = try feed.all(&parser)
    #expect(steps.facts.map(\.duration) == [nil, MediaDuration(frames: 1001, isExact: true)])
    #expect(steps.frames == 1001)
  }

  @Test func aRealZeroIsAnEmptyFile() throws {
    let steps = try steps(MediaFixtures.WAV().file([]))
    #expect(steps.facts.map(\.duration) == [MediaDuration(frames: 0, isExact: true)])
    #expect(steps.packets.isEmpty)
  }

  @Test func truncatedFilesPlayWhatIsThere() throws {
    var wav = MediaFixtures.WAV()
    wav.statedSize = 1_000_000
    let steps = try steps(wav.file([UInt8](repeating: 0, count: 999)))
    #expect(steps.facts.first?.duration == MediaDuration(frames: 500, isExact: true))
    #expect(steps.frames == 500)
  }

  @Test func tagsBeforeAndBehindTheSamples() throws {
    var wav = MediaFixtures.WAV()
    let info =
      Array("INFOINAM".utf8) + [5, 0, 0, 0] + Array("Name\0\0".utf8) + Array("IART".utf8) + [2, 0, 0, 0, 0x41, 0]
    wav.before = wav.chunk("LIST", info) + wav.chunk("JUNK", [1, 2, 3])
    wav.after = wav.chunk("id3 ", MediaFixtures.id3v2([("TALB", "Album"), ("TIT2", "Better")]))
    let file = wav.file([UInt8](repeating: 0, count: 33))
    // Where looking is cheap, all is known at once; else the end tells more.
    let full = [Tag("title", "Name"), Tag("artist", "A"), Tag("album", "Album")]
    let cheap = try steps(file, isCheap: true)
    #expect(cheap.facts.map(\.tags) == [full])
    let other = try steps(file)
    #expect(other.facts.map(\.tags) == [[Tag("title", "Name"), Tag("artist", "A")], full])
    #expect(cheap.packets == other.packets && cheap.frames == 16)
  }

  @Test func oddChunksWithAndWithoutPad() throws {
    let wav = MediaFixtures.WAV()
    let head = wav.file([])
    let odd = Array("odd ".utf8) + [3, 0, 0, 0, 9, 9, 9]
    let data = Array("data".utf8) + [4, 0, 0, 0, 1, 2, 3, 4]
    for pad in [[], [0], [7]] as [[UInt8]] {
      let steps = try steps(Array(head[..<36]) + odd + pad + data)
      #expect(steps.frames == 2, "pad \(pad)")
    }
    // A stray zero behind an even chunk.
    #expect(try steps(Array(head[..<36]) + [0] + data).frames == 2)
  }

  @Test func samplesBeforeTheFormat() throws {
    let plain = MediaFixtures.WAV().file([1, 2, 3, 4])
    let swapped = Array(plain[..<12]) + Array(plain[36...]) + Array(plain[12..<36])
    #expect(try steps(swapped).frames == 2)
  }

  @Test func whatIsMissingIsSaid() {
    let plain = MediaFixtures.WAV().file([1, 2, 3, 4])
    #expect(throws: AudioError(.malformed, "The WAV file has no sound data")) { try steps(Array(plain[..<36])) }
    #expect(throws: AudioError(.malformed, "The WAV file has no format chunk")) {
      try steps(Array(plain[..<12]) + Array(plain[36...]))
    }
  }

  @Test func blocksOfOtherCodings() throws {
    // Tag, bytes of a block, channels; frames of a block.
    for (tag, align, channels, frames) in [
      (2, 256, 1, 500), (2, 256, 2, 244), (0x11, 256, 2, 249), (0x31, 65, 1, 320),
    ] {
      var wav = MediaFixtures.WAV()
      (wav.tag, wav.channels, wav.bytes, wav.bits) = (tag, channels, align / channels, 4)
      wav.before = wav.chunk("fact", MediaFixtures.bytes(UInt64(2 * frames + 7), 4))
      let steps = try steps(wav.file([UInt8](repeating: 0, count: 4 * align + 3)))
      #expect(steps.facts.first?.duration == MediaDuration(frames: Int64(2 * frames + 7), isExact: true))
      #expect(steps.packets.map(\.frameCount) == [frames, frames, frames] && steps.packets[0].byteCount == align)
      // A number that is too large counts for nothing.
      wav.before = wav.chunk("fact", [0xFF, 0xFF, 0xFF, 0xFF])
      let other = try self.steps(wav.file([UInt8](repeating: 0, count: 4 * align)))
      #expect(other.frames == 4 * frames)
    }
  }

  @Test(arguments: [false, true])
  func mpegAudioInside(isCheap: Bool) throws {
    var wav = MediaFixtures.WAV()
    (wav.tag, wav.bytes, wav.bits, wav.channels) = (0x55, 1, 0, 2)
    let sound = MPEGFixture().constant(frames: 9)
    wav.after = wav.chunk("LIST", Array("INFOISFT".utf8) + [2, 0, 0, 0, 0x78, 0])
    let steps = try steps(wav.file(sound), isCheap: isCheap)
    #expect(steps.facts.first?.container == "wav" && steps.facts.first?.codec == .mp3)
    #expect(steps.packets.count == 9 && steps.packets.first?.position == 44)
    // The last frame is given out though its stuffing is cut.
    let cut = try self.steps(wav.file(Array(sound.dropLast(100))), isCheap: isCheap).packets
    #expect(cut.count == 9 && cut.last?.byteCount ?? 0 >= 417)
  }

  @Test func mpegAudioEndsWithItsChunk() throws {
    var wav = MediaFixtures.WAV()
    (wav.tag, wav.bytes, wav.bits, wav.channels) = (0x55, 1, 0, 2)
    let sound = MPEGFixture().constant(frames: 5)
    // What follows junk at the end of the chunk looks like more of the same.
    wav.after = wav.chunk("more", sound)
    let file = wav.file(sound + MediaFixtures.junk(300))
    for isCheap in [false, true] {
      for size in [1, 7, 1 << 20] {
        var parser = WAVParser(start: 0)
        var feed = MemoryFeed(file, chunk: size, isCheap: isCheap)
        #expect(try feed.all(&parser).packets.count == 5)
      }
    }
  }

  @Test(arguments: ["RIFF", "RIFX"])
  func samplesAtTheWrongEnd(form: String) throws {
    var wav = MediaFixtures.WAV()
    (wav.form, wav.bits, wav.bytes, wav.isExtensible) = (form, 24, 4, true)
    let values: [Int64] = [-96, 23_052, 8_388_607, -8_360_672]
    let plain = try #require(try steps(wav.file(wav.samples(values))).facts.first?.sampleCoding)
    #expect(!plain.isRightJustified && plain.bits == 24 && plain.bytes == 4)
    // Sign extended or filled with zeros.
    for mask in [Int64.max, 0xFF_FFFF] {
      wav.bits = 32
      let bytes = wav.samples(values.map { mask == .max ? $0 : $0 & mask })
      wav.bits = 24
      let found = try #require(try steps(wav.file(bytes)).facts.first?.sampleCoding)
      #expect(found.isRightJustified && found.bits == 24 && found.bytes == 4)
      var facts = StreamFacts(container: "wav", codec: .pcm, format: PCMFormat(sampleRate: .cd, layout: .mono))
      facts.sampleCoding = found
      let block = PCMBlock(channels: 1, capacity: 4)
      let packet = Packet(position: 0, byteCount: 16, frame: 0, frameCount: 4)
      let decoder = try DecoderTable(DecoderRegistration.builtIn).makeDecoder(for: facts)
      _ = try bytes.withUnsafeBytes { try decoder.decode($0, packet: packet, into: block) }
      let decoded = (0..<4).map { Int64(block.plane(0)[$0] * 0x1p23) }
      #expect(decoded == values)
    }
  }

  @Test func seeksAreExact() throws {
    var parser = WAVParser(start: 0)
    var feed = MemoryFeed(MediaFixtures.WAV().file([UInt8](repeating: 0, count: 20_000)))
    // Before the header is read a target is remembered.
    #expect(parser.seek(to: 9000, sourceIsCheap: false) == .at(position: 0, isExact: true))
    #expect(
      try feed.all(&parser).packets == [
        Packet(position: 18_044, byteCount: 2000, frame: 9000, frameCount: 1000, isDiscontinuous: true)
      ])
    #expect(parser.seek(to: 5, sourceIsCheap: false) == .at(position: 54, isExact: true))
    #expect(try feed.all(&parser).packets.map(\.frame) == [5, 4101, 8197])
    #expect(parser.seek(to: .max, sourceIsCheap: false) == .at(position: 20_044, isExact: true))
    #expect(try feed.all(&parser).packets.isEmpty)
    #expect(parser.seek(to: -7, sourceIsCheap: false) == .at(position: 44, isExact: true))
  }

  @Test func wave64() throws {
    let id: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
    func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
      let padded = body + [UInt8](repeating: 0, count: (8 - body.count % 8) % 8)
      return Array(name.utf8) + id + MediaFixtures.bytes(UInt64(body.count + 24), 8) + padded
    }
    let format: [UInt8] = [1, 0, 1, 0, 0x44, 0xAC, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0]
    let body = chunk("fmt ", format) + chunk("odd ", [1, 2, 3]) + chunk("data", [1, 2, 3, 4, 5, 6])
    let riff: [UInt8] = [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00]
    let file =
      Array("riff".utf8) + riff + MediaFixtures.bytes(UInt64(body.count + 40), 8) + Array("wave".utf8) + id + body
    var feed = MemoryFeed(file)
    let steps = try feed.all()
    #expect(steps.facts.first?.duration == MediaDuration(frames: 3, isExact: true))
    #expect(steps.frames == 3)
  }
}
