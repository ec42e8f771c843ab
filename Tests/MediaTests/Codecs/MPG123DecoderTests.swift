import AudioModel
import Codecs
import Containers
import Glibc
import MartletTestSupport
import Testing

/// Our parser and libmpg123 together, against the `mpg123` program: the same samples, bit for bit.
@Suite struct MPG123DecoderTests {
  /// All samples of a file, interleaved and trimmed; from `target` on after a seek.
  private func decode(_ file: [UInt8], seekTo target: Int64? = nil, isCheap: Bool = true) throws -> [Float] {
    var feed = MemoryFeed(file, chunk: 30_000, isCheap: isCheap)
    guard case .found(let registration, let start, let tags) = try feed.probe() else { return [] }
    return try decode(registration.makeParser(start, tags), &feed, seekTo: target, isCheap: isCheap)
  }

  private func decode(
    _ parser: some ContainerParser, _ feed: inout MemoryFeed, seekTo target: Int64?, isCheap: Bool
  ) throws -> [Float] {
    var parser = parser
    var facts: StreamFacts?
    var decoder: (any AudioDecoder)?
    let block = PCMBlock(channels: 1, capacity: 2048)
    var samples: [Float] = []
    while true {
      switch try feed.next(&parser) {
      case .facts(let fresh):
        if facts == nil, let target { _ = parser.seek(to: target, sourceIsCheap: isCheap) }
        facts = fresh
      case .packet(let packet):
        let known = try #require(facts)
        if decoder == nil {
          decoder = try DecoderTable(DecoderRegistration.builtIn).makeDecoder(for: known)
          block.reshape(channels: known.format.channels, capacity: 2048)
        }
        guard let decoder else { continue }
        if packet.isDiscontinuous { decoder.reset() }
        block.removeAll()
        try feed.window.withBytes(packet.position, count: packet.byteCount) { bytes in
          while try decoder.decode(bytes, packet: packet, into: block) == .formatChanged {
            block.reshape(channels: decoder.format.channels, capacity: 2048)
          }
        }
        try #require(block.frameCount == packet.frameCount)
        let first = max(0, (target ?? 0) - packet.frame)
        let end = known.duration?.isExact == true ? known.duration?.frames ?? .max / 2 : .max / 2
        let last = min(Int64(block.frameCount), end - packet.frame)
        guard first < last else { continue }
        for frame in Int(first)..<Int(last) {
          for channel in 0..<block.channels { samples.append(block.plane(channel)[frame]) }
        }
      case .assembled: Issue.record("MPEG packets lie in one piece")
      case .need, .end: return samples
      }
    }
  }

  private func write(_ bytes: [UInt8], _ path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    precondition(
      descriptor >= 0 && bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == bytes.count)
    close(descriptor)
  }

  /// Two seconds of noise and tones, coded by `lame`; and what `mpg123` makes of it.
  private func encode(
    _ options: [String], rate: Int, channels: Int, tail: [UInt8] = [], cut: Int = 0
  ) throws -> (file: [UInt8], reference: [Float]) {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    var wav = MediaFixtures.WAV()
    (wav.rate, wav.channels) = (rate, channels)
    let planes = (0..<channels).map { channel in
      zip(
        Signals.sine(hertz: 330 + 200 * Double(channel), rate: rate, frames: 2 * rate + 77),
        Signals.noise(seed: UInt64(channel), frames: 2 * rate + 77, amplitude: 0.2)
      ).enumerated().map { $1.0 + ($0 / 3000 % 3 == 0 ? $1.1 : 0) }
    }
    let integers = planes.map { Signals.integers($0, bits: 16) }
    let samples = (0..<planes[0].count).flatMap { frame in integers.map { $0[frame] } }
    write(wav.file(wav.samples(samples)), folder + "/in.wav")
    try #require(ToolBox.run("lame", ["--quiet"] + options + [folder + "/in.wav", folder + "/out.mp3"]).status == 0)
    let coded = ToolBox.contents(folder + "/out.mp3")
    let file = Array(coded.dropLast(cut)) + tail
    write(file, folder + "/out.mp3")
    let raw = ToolBox.run("mpg123", ["-q", "-e", "f32", "-s", folder + "/out.mp3"]).output
    let reference = raw.withUnsafeBytes { bytes in
      (0..<bytes.count / 4).map { bytes.loadUnaligned(fromByteOffset: 4 * $0, as: Float.self) }
    }
    return (file, reference)
  }

  @Test(
    .enabled(if: ToolBox.has("lame") && ToolBox.has("mpg123"), "lame or mpg123 is not installed"),
    arguments: [
      (["-b", "128"], 44_100, 2), (["-b", "320", "-t"], 48_000, 2), (["-V", "2"], 44_100, 2),
      (["-V", "4", "-t"], 44_100, 1),
      (["--abr", "100"], 48_000, 2), (["-b", "64"], 22_050, 1), (["-V", "5"], 24_000, 2), (["-b", "8"], 8000, 1),
      (["-b", "16", "-t"], 8000, 2), (["--freeformat", "-b", "200"], 44_100, 2), (["-b", "96", "-p"], 32_000, 2),
    ])
  func equalsMPG123(options: [String], rate: Int, channels: Int) throws {
    let (file, reference) = try encode(options, rate: rate, channels: channels)
    #expect(reference.count > rate * channels)
    let ours = try decode(file)
    #expect(ours.count == reference.count && ours == reference)
    // Remotely, byte for byte the same.
    #expect(try decode(file, isCheap: false) == reference)
    // LAME says how much it added: the sound has the length that it had.
    if ["-b 128", "-V 2", "-b 96 -p"].contains(options.joined(separator: " ")) {
      #expect(ours.count == (2 * rate + 77) * channels)
    }
  }

  @Test(.enabled(if: ToolBox.has("lame") && ToolBox.has("mpg123"), "lame or mpg123 is not installed"))
  func brokenEndsEqualMPG123() throws {
    for (cut, tail) in [(100, []), (0, MediaFixtures.junk(3000)), (0, MediaFixtures.id3v1(title: "x")), (1, [])] {
      let (file, reference) = try encode(["-V", "3"], rate: 44_100, channels: 2, tail: tail, cut: cut)
      #expect(try decode(file) == reference)
    }
  }

  @Test(
    .enabled(if: ToolBox.has("lame") && ToolBox.has("mpg123"), "lame or mpg123 is not installed"),
    arguments: [(["-b", "128"], 44_100), (["-V", "2"], 44_100), (["-b", "8"], 8000), (["-V", "6"], 22_050)])
  func seeksChangeNoBit(options: [String], rate: Int) throws {
    let (file, reference) = try encode(options, rate: rate, channels: 1)
    for target in [1, 576, 1152, 7000, rate, rate + 4321, 2 * rate - 5] {
      #expect(try decode(file, seekTo: Int64(target)) == Array(reference[target...]), "frame \(target)")
    }
  }

  @Test(.enabled(if: ToolBox.has("lame"), "lame is not installed"))
  func theRulerSurvives() throws {
    let folder = ToolBox.temporaryFolder()
    defer { ToolBox.remove(folder) }
    let wav = MediaFixtures.WAV()
    let plane = LossyRuler.plane(seconds: 5, rate: 44_100)
    write(wav.file(wav.samples(Signals.integers(plane, bits: 16))), folder + "/in.wav")
    ToolBox.run("lame", ["--quiet", "-b", "64", folder + "/in.wav", folder + "/out.mp3"])
    let file = ToolBox.contents(folder + "/out.mp3")
    let heard = try #require(LossyRuler.read(try decode(file, seekTo: 2 * 44_100 + 10_000), rate: 44_100))
    #expect(heard.second == 3 && abs(heard.frame - (44_100 - 10_000)) <= 88)
  }

  @Test func lostReservoirIsSilenceOfFullLength() throws {
    // Packets that point back to bytes which were never there.
    let header: [UInt8] = [0xFF, 0xFB, 0x90, 0x04]
    let packet = header + [0xFF, 0xFF] + [UInt8](repeating: 0x22, count: 411)
    let facts = StreamFacts(
      container: "mp3", codec: .mp3, format: PCMFormat(sampleRate: .cd, layout: .stereo))
    let decoder = try MPG123Decoder(facts)
    let block = PCMBlock(channels: 2, capacity: 1)
    for number in 0..<20 {
      let about = Packet(
        position: 0, byteCount: packet.count, frame: Int64(number * 1152 + 5000), frameCount: 1152)
      try packet.withUnsafeBytes { bytes in _ = try decoder.decode(bytes, packet: about, into: block) }
      #expect(block.frameCount == (number + 1) * 1152)
    }
    #expect((0..<1152).allSatisfy { abs(block.plane(0)[$0]) < 1e-12 })
  }

  @Test func formatChangesAreSaidBeforeAnythingIsAdded() throws {
    var second = MPEGFixture()
    (second.isMono, second.rateIndex) = (true, 1)
    let facts = StreamFacts(
      container: "mp3", codec: .mp3, format: PCMFormat(sampleRate: .cd, layout: .stereo))
    let decoder = try MPG123Decoder(facts)
    let block = PCMBlock(channels: 2, capacity: 1)
    let about = Packet(position: 0, byteCount: 0, frame: 0, frameCount: 1152)
    func decode(_ bytes: [UInt8]) throws -> DecodeResult {
      try bytes.withUnsafeBytes { try decoder.decode($0, packet: about, into: block) }
    }
    #expect(try decode(MPEGFixture().frame()) == .decoded && block.frameCount == 1152)
    #expect(try decode(second.frame()) == .formatChanged && block.frameCount == 1152)
    #expect(decoder.format == PCMFormat(sampleRate: .studio, layout: .mono))
    block.reshape(channels: 1, capacity: 1)
    #expect(try decode(second.frame()) == .decoded && block.frameCount == 1152)
  }
}
