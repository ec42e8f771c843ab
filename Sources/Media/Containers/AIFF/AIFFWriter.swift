import AudioModel

/// Writes AIFF (integers, most significant byte first) and AIFF-C (floats, and integers the other way round), up to the
/// 4 GiB that their sizes can say. Source: see ``AIFFFormat``.
struct AIFFWriter: ContainerWriter {
  private let format: PCMFormat
  private let coding: SampleCoding
  private let isCompressed: Bool
  private let tags: [Tag]
  private var headerBytes: Int64 = 0
  private var soundBytes: Int64 = 0

  /// - Parameter isCompressed: Writes AIFF-C even where AIFF would do.
  init(_ stream: WrittenStream, isCompressed: Bool = false) throws(AudioError) {
    guard stream.codec == .pcm, let coding = stream.sampleCoding, Self.type(coding) != nil else {
      throw AudioError(.encodingUnsupported, "AIFF can't hold samples of this kind")
    }
    format = stream.format
    self.coding = coding
    self.isCompressed = isCompressed || Self.type(coding) != "NONE"
    tags = stream.tags
  }

  /// The name of a coding; `nil` where it has none.
  private static func type(_ coding: SampleCoding) -> String? {
    switch (coding.kind, coding.bits, coding.isBigEndian) {
    case (.float, 32, true): "fl32"
    case (.float, 64, true): "fl64"
    case (.signed, 8, _) where coding.bytes == 1, (.signed, 16, true), (.signed, 24, true), (.signed, 32, true):
      "NONE"
    case (.signed, 16, false): "sowt"
    default: nil
    }
  }

  mutating func begin(_ output: any ContainerOutput) throws(AudioError) {
    let header = header(frames: 0)
    headerBytes = Int64(header.count)
    try output.append(header)
  }

  mutating func write(
    _ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput
  ) throws(AudioError) {
    soundBytes += Int64(packet.count)
    guard headerBytes + soundBytes < 0xFFFF_FF00 else {
      throw AudioError(.encodingUnsupported, "AIFF files can't be longer than 4 GiB; WAV and CAF files can")
    }
    try output.append(packet)
  }

  mutating func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError) {
    if soundBytes & 1 == 1 { try output.append([0]) }
    try output.replace(at: 0, with: header(frames: ending.frames))
  }

  /// Everything in front of the sound, which has one length whatever the sound's.
  private func header(frames: Int64) -> [UInt8] {
    var chunks = ByteBuilder()
    func add(_ id: String, _ body: [UInt8]) {
      chunks.text(id)
      chunks.big(body.count, 4)
      chunks.add(body)
      chunks.zeros(body.count & 1)
    }
    // The version of the AIFF-C specification: its date.
    if isCompressed { add("FVER", [0xA2, 0x80, 0x51, 0x40]) }
    add("COMM", common(frames))
    for (id, name) in [("NAME", "title"), ("AUTH", "artist"), ("(c) ", "copyright"), ("ANNO", "comment")] {
      guard let value = tags.first(where: { $0.name == name })?.value else { continue }
      add(id, Array(value.utf8.prefix(AIFFTexts.limit)))
    }
    chunks.text("SSND")
    chunks.big(soundBytes + 8, 4)
    // Neither offset nor blocks.
    chunks.zeros(8)
    return ByteBuilder.make { file in
      file.text("FORM")
      file.big(4 + Int64(chunks.bytes.count) + soundBytes + soundBytes & 1, 4)
      file.text(isCompressed ? "AIFC" : "AIFF")
      file.add(chunks.bytes)
    }
  }

  private func common(_ frames: Int64) -> [UInt8] {
    ByteBuilder.make { body in
      body.big(format.channels, 2)
      body.big(frames, 4)
      body.big(coding.bits, 2)
      // The rate as an 80-bit number of SANE: a biased exponent, and 64 bits with the leading one.
      let hertz = UInt64(format.sampleRate.hertz)
      let shift = hertz.leadingZeroBitCount
      body.big(0x3FFF + 63 - shift, 2)
      body.big(Int64(bitPattern: hertz << UInt64(shift)), 8)
      guard isCompressed else { return }
      body.text(Self.type(coding) ?? "NONE")
      // A name for people, with its length in front and an even number of bytes: none.
      body.zeros(2)
    }
  }
}
