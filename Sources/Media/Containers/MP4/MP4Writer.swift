import AudioModel

/// Writes M4A: AAC, Apple Lossless, Opus or FLAC, with an edit list and iTunes' comment that say to the frame what is to be
/// heard. The tables stand behind the sound and are kept in memory until then: four bytes for each packet, 15 MB for a day
/// of AAC.
struct MP4Writer: ContainerWriter {
  private let stream: WrittenStream
  private var sizes: [UInt32] = []
  /// Runs of packets of the same length.
  private var times: [(count: Int, frames: Int)] = []
  private var chunks: [Int64] = []
  private var chunkPackets: [Int] = []
  private var chunkFrames = 0
  private var frames: Int64 = 0
  private var soundStart: Int64 = 0

  /// More packets than any player's tables can take.
  private static let packetLimit = 1 << 24

  init(_ stream: WrittenStream) throws(AudioError) {
    guard MP4Boxes.description(stream, configuration: stream.decoderConfiguration) != nil else {
      throw AudioError(.encodingUnsupported, "An M4A file can't hold \(stream.codec)")
    }
    self.stream = stream
  }

  mutating func begin(_ output: any ContainerOutput) throws(AudioError) {
    let type = MP4Boxes.box(
      "ftyp",
      ByteBuilder.make { body in
        let isApple = stream.codec == .aac || stream.codec == .alac
        body.text(isApple ? "M4A " : "isom")
        body.big(isApple ? 0 : 512, 4)
        body.text(isApple ? "M4A mp42isom" : "isomiso2mp41")
      })
    try output.append(type)
    // A size of 64 bits, filled in at the end.
    try output.append(
      ByteBuilder.make { head in
        head.big(1, 4)
        head.text("mdat")
        head.big(0, 8)
      })
    soundStart = output.position
  }

  mutating func write(
    _ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput
  ) throws(AudioError) {
    guard sizes.count < Self.packetLimit else {
      throw AudioError(.encodingUnsupported, "The sound has more packets than an M4A file should hold")
    }
    // A chunk for every second, so that what stands side by side is heard side by side.
    if chunks.isEmpty || chunkFrames >= stream.format.sampleRate.hertz {
      chunks.append(output.position)
      chunkPackets.append(0)
      chunkFrames = 0
    }
    chunkPackets[chunkPackets.count - 1] += 1
    chunkFrames += frames
    sizes.append(UInt32(packet.count))
    if let last = times.last, last.frames == frames {
      times[times.count - 1].count += 1
    } else {
      times.append((1, frames))
    }
    self.frames += Int64(frames)
    try output.append(packet)
  }

  mutating func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError) {
    let bytes = output.position - soundStart
    try output.append(movie(ending))
    try output.replace(at: soundStart - 8, with: ByteBuilder.make { $0.big(bytes + 16, 8) })
  }

  // MARK: Boxes

  private var rate: Int { stream.format.sampleRate.hertz }

  private func movie(_ ending: StreamEnding) -> [UInt8] {
    let header = MP4Boxes.box("mvhd", version: version(frames)) { body in
      addTimes(to: &body)
      body.big(rate, 4)
      addDuration(ending.frames, of: frames, to: &body)
      // Usual speed, full volume.
      body.big(0x1_0000, 4)
      body.big(0x100, 2)
      body.zeros(10)
      addMatrix(to: &body)
      body.zeros(24)
      body.big(2, 4)
    }
    // A comment where there is something to trim that lossless readers don't need.
    let gapless =
      stream.codec == .aac
      ? GaplessTag(delay: stream.delay, padding: ending.padding, frames: ending.frames) : nil
    return MP4Boxes.box(
      "moov", header + track(ending) + MP4Boxes.items(stream.tags, stream.pictures, gapless: gapless))
  }

  private func track(_ ending: StreamEnding) -> [UInt8] {
    // Enabled, in the movie, in the preview.
    let header = MP4Boxes.box("tkhd", version: version(frames), flags: 7) { body in
      addTimes(to: &body)
      body.big(1, 4)
      body.zeros(4)
      addDuration(ending.frames, of: frames, to: &body)
      body.zeros(8)
      body.big(0, 2)
      body.big(1, 2)
      body.big(0x100, 2)
      body.zeros(2)
      addMatrix(to: &body)
      body.zeros(8)
    }
    let edits = MP4Boxes.box("elst", version: version(frames)) { body in
      body.big(1, 4)
      addDuration(ending.frames, of: frames, to: &body)
      addDuration(Int64(stream.delay), of: frames, to: &body)
      body.big(0x1_0000, 4)
    }
    let mediaHeader = MP4Boxes.box("mdhd", version: version(frames)) { body in
      addTimes(to: &body)
      body.big(rate, 4)
      addDuration(frames, of: frames, to: &body)
      // No language.
      body.big(0x55C4, 2)
      body.zeros(2)
    }
    let handler = MP4Boxes.box("hdlr") { body in
      body.zeros(4)
      body.text("soun")
      body.zeros(12)
      body.text("Sound")
      body.zeros(1)
    }
    let reference = MP4Boxes.box("dref") { body in
      body.big(1, 4)
      body.add(MP4Boxes.box("url ", flags: 1) { _ in })
    }
    let information =
      MP4Boxes.box("smhd") { $0.zeros(4) } + MP4Boxes.box("dinf", reference)
      + MP4Boxes.box("stbl", tables(ending.decoderConfiguration))
    return MP4Boxes.box(
      "trak",
      header + MP4Boxes.box("edts", edits)
        + MP4Boxes.box("mdia", mediaHeader + handler + MP4Boxes.box("minf", information)))
  }

  private func tables(_ configuration: [UInt8]) -> [UInt8] {
    var tables = MP4Boxes.description(stream, configuration: configuration) ?? []
    tables += MP4Boxes.box("stts") { body in
      body.big(times.count, 4)
      for run in times {
        body.big(run.count, 4)
        body.big(run.frames, 4)
      }
    }
    tables += MP4Boxes.box("stsc") { body in
      let runs = chunkPackets.indices.filter { $0 == 0 || chunkPackets[$0] != chunkPackets[$0 - 1] }
      body.big(runs.count, 4)
      for index in runs {
        body.big(index + 1, 4)
        body.big(chunkPackets[index], 4)
        body.big(1, 4)
      }
    }
    tables += MP4Boxes.box("stsz") { body in
      body.big(0, 4)
      body.big(sizes.count, 4)
      for size in sizes { body.big(Int(size), 4) }
    }
    let isLong = (chunks.last ?? 0) > Int64(UInt32.max)
    tables += MP4Boxes.box(isLong ? "co64" : "stco") { body in
      body.big(chunks.count, 4)
      for chunk in chunks { body.big(chunk, isLong ? 8 : 4) }
    }
    return tables + rollGroups
  }

  /// Packets to decode before one that is wanted (ISO/IEC 14496-12 §10.1): AAC's window overlaps with that of the packet
  /// before, and Opus wants 80 ms.
  private var rollGroups: [UInt8] {
    let distance = stream.codec == .aac ? 1 : stream.codec == .opus ? 4 : 0
    guard distance > 0, !sizes.isEmpty else { return [] }
    let group = MP4Boxes.box("sgpd", version: 1) { body in
      body.text("roll")
      body.big(2, 4)
      body.big(1, 4)
      body.big(-distance, 2)
    }
    return group
      + MP4Boxes.box("sbgp") { body in
        body.text("roll")
        body.big(1, 4)
        body.big(sizes.count, 4)
        body.big(1, 4)
      }
  }

  // MARK: Fields

  /// Durations have 32 bits, or 64 where they need them.
  private func version(_ frames: Int64) -> Int { frames > Int64(UInt32.max) ? 1 : 0 }

  private func addDuration(_ value: Int64, of frames: Int64, to body: inout ByteBuilder) {
    body.big(value, version(frames) == 1 ? 8 : 4)
  }

  /// When it was made and changed: not said, so that equal sound gives equal files.
  private func addTimes(to body: inout ByteBuilder) { body.zeros(version(frames) == 1 ? 16 : 8) }

  /// The matrix that turns nothing.
  private func addMatrix(to body: inout ByteBuilder) {
    for value in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] { body.big(value, 4) }
  }
}
