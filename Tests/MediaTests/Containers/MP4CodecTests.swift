import AudioModel
import Containers
import MartletTestSupport
import Testing

/// How the sound of MP4 and QuickTime files is described.
@Suite struct MP4CodecTests {
  private func facts(_ entry: [UInt8], timescale: Int = 44_100, ticks: Int = 1024) throws -> StreamFacts {
    var track = MP4Fixture.Track(entry: entry)
    track.samples = [[UInt8](repeating: 1, count: 48), [UInt8](repeating: 2, count: 48)]
    (track.timescale, track.ticks) = (timescale, [ticks])
    return try #require(try MP4ParserTests.steps(MP4Fixture([track]).file).facts.first)
  }

  private func format(_ rate: Int, _ channels: Int) -> PCMFormat {
    PCMFormat(sampleRate: SampleRate(hertz: rate)!, layout: ChannelLayout(count: channels)!)
  }

  @Test(
    arguments: [
      // Plain, with the extension said to be absent, with a rate of its own, 5.1.
      ([0x12, 0x10], 44_100, 2), ([0x12, 0x08, 0x56, 0xE5, 0x00], 44_100, 1), ([0x15, 0x88], 8_000, 1),
      ([0x17, 0x80, 0x1F, 0x40, 0x08], 16_000, 1), ([0x11, 0xB0], 48_000, 6),
      // SBR in front, and behind for those who know of it; with parametric stereo.
      ([0x2B, 0x11, 0x88, 0x00], 48_000, 2), ([0x13, 0x88, 0x56, 0xE5, 0xA5, 0x48, 0x00], 44_100, 1),
      ([0x13, 0x88, 0x56, 0xE5, 0xA5, 0x48, 0x80], 44_100, 2), ([0xEB, 0x09, 0x88, 0x00], 48_000, 2),
      // Mono, and parametric stereo may come.
      ([0x2D, 0x8C, 0x08, 0x00], 16_000, 2),
    ] as [([UInt8], Int, Int)])
  func aac(configuration: [UInt8], rate: Int, channels: Int) throws {
    for longSizes in [false, true] {
      let entry = MP4Fixture.entry("mp4a", MP4Fixture.esds(configuration, longSizes: longSizes))
      let facts = try facts(entry)
      #expect(facts.codec == .aac && facts.decoderConfiguration == configuration)
      #expect(facts.format.sampleRate.hertz == rate && facts.format.channels == channels)
    }
  }

  @Test func otherKindsUnderTheNameOfAAC() throws {
    #expect(try facts(MP4Fixture.aac([0xF9, 0x48, 0x42, 0x21, 0x1C, 0xC0, 0x18, 0x52])).codec.rawValue == "usac")
    let als: [UInt8] =
      [0xF8, 0x9E, 0, 0x3E, 0x80, 0] + Array("ALS\0".utf8) + [
        0, 0, 0x1F, 0x40, 0, 0, 3, 0x20, 0, 1, 0x24, 3, 0xFF, 0, 0,
      ]
    let lossless = try facts(MP4Fixture.aac(als), timescale: 8_000)
    #expect(lossless.codec.rawValue == "mp4als" && lossless.format == format(8_000, 2))
    #expect(lossless.sampleCoding?.bits == 16)
    let ac3 = MP4Fixture.entry("mp4a", MP4Fixture.esds([], objectType: 0xA5))
    #expect(try facts(ac3).codec.rawValue == "ac3")
    #expect(throws: AudioError(.unsupportedCodec, "The sound is in a coding that is not known here")) {
      try facts(MP4Fixture.entry("mp4a", MP4Fixture.esds([], objectType: 0x21)))
    }
  }

  @Test func mpegAudioSaysItselfWhatItIs() throws {
    let mpeg = MPEGFixture()
    for entry in [
      MP4Fixture.entry(".mp3"), MP4Fixture.entry("mp4a", rate: 8_000, MP4Fixture.esds([], objectType: 0x6B)),
    ] {
      var track = MP4Fixture.Track(entry: entry)
      track.samples = (0..<5).map { _ in mpeg.frame() }
      track.ticks = [1152]
      let steps = try MP4ParserTests.steps(MP4Fixture([track]).file)
      #expect(steps.facts.first?.codec == .mp3)
      #expect(steps.facts.first?.format.sampleRate.hertz == 44_100)
      #expect(steps.packets.map(\.frame) == [0, 1152, 2304, 3456, 4608])
    }
  }

  @Test func appleLossless() throws {
    let cookie: [UInt8] =
      MP4Fixture.big(4096, 4) + [0, 24, 40, 10, 14, 2, 0, 255] + MP4Fixture.big(0, 8) + MP4Fixture.big(96_000, 4)
    let box = MP4Fixture.full("alac", cookie)
    let plain = MP4Fixture.entry("alac", rate: 0, box)
    // QuickTime's way: in a box `wave`, behind more fields.
    let wave = MP4Fixture.entry(
      "alac", rate: 30_464, version: 1, fields: MP4Fixture.big(4096, 4) + MP4Fixture.big(0, 12),
      MP4Fixture.box("wave", MP4Fixture.box("frma", Array("alac".utf8)) + box + MP4Fixture.big(0, 4)))
    for entry in [plain, wave] {
      let facts = try facts(entry, timescale: 96_000, ticks: 4096)
      #expect(facts.codec == .alac && facts.format == format(96_000, 2))
      #expect(facts.sampleCoding?.bits == 24 && facts.seekPreroll == 0)
      #expect(facts.decoderConfiguration == box)
      #expect(facts.duration?.frames == 8192)
    }
    #expect(throws: AudioError(.malformed, "The configuration of the Apple Lossless sound is missing")) {
      try facts(MP4Fixture.entry("alac"))
    }
  }

  @Test func opusAndFLAC() throws {
    let opus = MP4Fixture.entry(
      "Opus", rate: 48_000, MP4Fixture.box("dOps", [0, 2, 1, 0x38, 0, 0, 0xAC, 0x44, 0xFF, 0xFE, 0]))
    let head = Array("OpusHead".utf8) + [1, 2, 0x38, 1, 0x44, 0xAC, 0, 0, 0xFE, 0xFF, 0]
    let first = try facts(opus, timescale: 48_000, ticks: 960)
    #expect(first.codec == .opus && first.decoderConfiguration == head && first.format == format(48_000, 2))
    #expect(first.duration?.frames == 1920 && first.seekPreroll == 24_000)
    // 96 kHz, 6 channels, 24 bits.
    let info: [UInt8] =
      [16, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x17, 0x70, 0x0B, 0x70, 0, 0, 0, 0] + [UInt8](repeating: 9, count: 16)
    let flac = MP4Fixture.entry("fLaC", rate: 0, MP4Fixture.full("dfLa", [0x80, 0, 0, 34] + info))
    let second = try facts(flac, timescale: 96_000, ticks: 4608)
    #expect(second.codec == .flac && second.decoderConfiguration == info && second.format == format(96_000, 6))
    #expect(second.sampleCoding?.bits == 24)
  }

  @Test func dolby() throws {
    let ac3 = try facts(
      MP4Fixture.entry("ac-3", rate: 48_000, MP4Fixture.box("dac3", [0x10, 0x3D, 0xC0])), ticks: 1536)
    #expect(ac3.codec.rawValue == "ac3" && ac3.format.sampleRate.hertz == 48_000)
    #expect(ac3.format.layout == ChannelLayout(count: 6, mask: 0x60F))
    let eac3 = try facts(
      MP4Fixture.entry("ec-3", rate: 48_000, MP4Fixture.box("dec3", [0x06, 0x00, 0x20, 0x04, 0x00])), ticks: 1536)
    #expect(eac3.codec.rawValue == "eac3" && eac3.format == format(48_000, 2))
    let ac4 = try facts(MP4Fixture.entry("ac-4", rate: 48_000, MP4Fixture.box("dac4", [0, 0])))
    #expect(ac4.codec.rawValue == "ac4")
  }

  @Test(
    arguments: [
      ("sowt", 16, 0, [], SampleCoding(kind: .signed, bits: 16, bytes: 2)),
      ("sowt", 8, 0, [], SampleCoding(kind: .signed, bits: 8, bytes: 1)),
      ("twos", 16, 0, [], SampleCoding(kind: .signed, bits: 16, bytes: 2, isBigEndian: true)),
      ("in24", 16, 0, [], SampleCoding(kind: .signed, bits: 24, bytes: 3, isBigEndian: true)),
      ("in32", 16, 1, [0, 0, 0, 1], SampleCoding(kind: .signed, bits: 32, bytes: 4)),
      ("fl32", 16, 0, [], SampleCoding(kind: .float, bits: 32, bytes: 4, isBigEndian: true)),
      ("fl64", 16, 1, [0, 0, 0, 1], SampleCoding(kind: .float, bits: 64, bytes: 8)),
      ("raw ", 8, 0, [], SampleCoding(kind: .unsigned, bits: 8, bytes: 1, isBigEndian: true)),
      ("NONE", 8, 0, [], SampleCoding(kind: .unsigned, bits: 8, bytes: 1, isBigEndian: true)),
    ] as [(String, Int, Int, [UInt8], SampleCoding)])
  func quickTimePCM(type: String, bits: Int, version: Int, swap: [UInt8], coding: SampleCoding) throws {
    let fields = version == 1 ? MP4Fixture.big(1, 4) + MP4Fixture.big(0, 12) : []
    let little = MP4Fixture.box("wave", MP4Fixture.box("enda", [0, 1]))
    let entry = MP4Fixture.entry(type, bits: bits, version: version, fields: fields, swap.isEmpty ? [] : little)
    var track = MP4Fixture.Track(entry: entry)
    let frameBytes = coding.bytes * 2
    track.samples = (0..<5000).map { _ in [UInt8](repeating: 3, count: frameBytes) }
    (track.ticks, track.samplesPerChunk, track.constantSize) = ([1], 4500, 1)
    // QuickTime says 1 of the size of a frame, others the truth.
    for size in [1, frameBytes] {
      track.constantSize = size
      let steps = try MP4ParserTests.steps(MP4Fixture([track]).file)
      #expect(steps.facts.first?.sampleCoding == coding)
      #expect(steps.facts.first?.codec == .pcm && steps.facts.first?.format == format(44_100, 2))
      #expect(steps.facts.first?.duration == MediaDuration(frames: 5000, isExact: true))
      #expect(steps.packets.map(\.frameCount) == [4096, 404, 500])
      #expect(steps.packets.map(\.frame) == [0, 4096, 4500])
    }
  }

  @Test func linearPCMOfVersion2AndOfISO() throws {
    let fields =
      MP4Fixture.big(72, 4) + MediaFixtures.bytes(Double(192_000).bitPattern, 8, bigEndian: true)
      + MP4Fixture.big(8, 4)
      + MP4Fixture.big(0x7F00_0000, 4) + MP4Fixture.big(24, 4) + MP4Fixture.big(4, 4) + MP4Fixture.big(32, 4)
      + MP4Fixture.big(1, 4)
    let wide = try facts(
      MP4Fixture.entry("lpcm", channels: 3, rate: 1, version: 2, fields: fields), timescale: 192_000)
    #expect(wide.sampleCoding == SampleCoding(kind: .signed, bits: 24, bytes: 4) && wide.format == format(192_000, 8))
    let integers = try facts(MP4Fixture.entry("ipcm", MP4Fixture.full("pcmC", [1, 24])))
    #expect(integers.sampleCoding == SampleCoding(kind: .signed, bits: 24, bytes: 3))
    let floats = try facts(MP4Fixture.entry("fpcm", MP4Fixture.full("pcmC", [0, 64])))
    #expect(floats.sampleCoding == SampleCoding(kind: .float, bits: 64, bytes: 8, isBigEndian: true))
    #expect(try facts(MP4Fixture.entry("ulaw")).codec == .mulaw)
    #expect(try facts(MP4Fixture.entry("alaw")).codec == .alaw)
  }

  @Test func blocksThatAreCountedByTheFrame() throws {
    // Ten blocks of 64 frames in two channels, counted as 640 samples of one byte.
    let fields = MP4Fixture.big(64, 4) + MP4Fixture.big(34, 4) + MP4Fixture.big(68, 4) + MP4Fixture.big(2, 4)
    var track = MP4Fixture.Track(entry: MP4Fixture.entry("ima4", version: 1, fields: fields))
    track.samples = [[UInt8](repeating: 5, count: 680)]
    (track.ticks, track.samplesPerChunk, track.constantSize, track.statedCount) = ([1], 640, 1, 640)
    var bytes = MP4Fixture([track]).file
    let chunks = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("stsc".utf8)) })
    bytes.replaceSubrange(chunks + 16..<chunks + 20, with: [0, 0, 2, 0x80])
    let steps = try MP4ParserTests.steps(bytes)
    #expect(steps.facts.first?.codec.rawValue == "adpcm_ima_qt")
    #expect(steps.packets.map(\.byteCount) == [Int](repeating: 68, count: 10))
    #expect(steps.packets.map(\.frame) == (0..<10).map { Int64(64 * $0) })
    #expect(steps.facts.first?.duration?.frames == 640)
  }

  @Test func samplesOfPCMThatAreLong() throws {
    // Ten samples of 4410 frames: given in pieces, and sought to the frame.
    var track = MP4Fixture.Track(entry: MP4Fixture.entry("sowt"))
    track.samples = (0..<10).map { sample in
      (0..<4410).flatMap { MediaFixtures.bytes(UInt64(sample * 4410 + $0), 4) }
    }
    (track.ticks, track.samplesPerChunk) = ([4410], 1)
    let bytes = MP4Fixture([track]).file
    let steps = try MP4ParserTests.steps(bytes)
    #expect(steps.frames == 44_100)
    var next: Int64 = 0
    for packet in steps.packets {
      #expect(packet.frame == next && packet.byteCount == 4 * packet.frameCount && packet.frameCount <= 4096)
      next += Int64(packet.frameCount)
    }
    for target in [0, 1, 4096, 4409, 4410, 30_000, 44_099] as [Int64] {
      var feed = MemoryFeed(bytes)
      var parser = MP4Parser(start: 0)
      _ = try feed.next(&parser)
      _ = parser.seek(to: target, sourceIsCheap: true)
      guard case .packet(let packet) = try feed.next(&parser) else { throw AudioError(.noAudio, "no packet") }
      #expect(packet.frame == target && packet.isDiscontinuous)
      #expect(feed.window.littleEndian(packet.position, size: 4) == UInt64(target))
    }
  }
}
