import AudioModel

/// Writes Apple's Core Audio Format: PCM, Apple Lossless, AAC, FLAC and Opus. Sound in packets has its packet table, which
/// says what is to be heard, behind it. PCM can go to a pipe, with its length left open. Source: see ``CAFParser``.
struct CAFWriter: ContainerWriter {
  private let stream: WrittenStream
  private var table = ByteBuilder()
  private var packets: Int64 = 0
  private var soundStart: Int64 = 0
  private var cookieStart: Int64?

  private var isPCM: Bool { stream.codec == .pcm }

  init(_ stream: WrittenStream) throws(AudioError) {
    guard Self.types[stream.codec] != nil, stream.codec != .pcm || stream.sampleCoding?.kind != .unsigned else {
      throw AudioError(.encodingUnsupported, "CAF can't hold \(stream.codec)")
    }
    self.stream = stream
  }

  private static let types: [Codec: String] = [
    .pcm: "lpcm", .alac: "alac", .aac: "aac ", .flac: "flac", .opus: "opus",
  ]

  mutating func begin(_ output: any ContainerOutput) throws(AudioError) {
    var file = ByteBuilder()
    file.text("caff")
    file.big(1, 2)
    file.big(0, 2)
    Self.add("desc", description, to: &file)
    if stream.format.layout.mask != 0 {
      // The layout is told by the bits that follow.
      Self.add(
        "chan",
        ByteBuilder.make { body in
          body.big(0x1_0000, 4)
          body.big(Int64(stream.format.layout.mask), 4)
          body.big(0, 4)
        }, to: &file)
    }
    let cookie = cookie(stream.decoderConfiguration)
    if !cookie.isEmpty {
      cookieStart = Int64(file.bytes.count)
      Self.add("kuki", cookie, to: &file)
    }
    file.text("data")
    file.big(-1, 8)
    // A count of edits.
    file.big(0, 4)
    soundStart = Int64(file.bytes.count)
    try output.append(file.bytes)
  }

  mutating func write(
    _ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput
  ) throws(AudioError) {
    try output.append(packet)
    packets += 1
    guard !isPCM else { return }
    Self.add(packet.count, to: &table)
    guard table.bytes.count < CAFPacketTable.limit - 16 else {
      throw AudioError(.encodingUnsupported, "The sound has more packets than a CAF file should hold")
    }
  }

  mutating func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError) {
    guard output.isReplaceable else { return }
    let bytes = output.position - soundStart
    var tail = ByteBuilder()
    if !isPCM {
      Self.add(
        "pakt",
        ByteBuilder.make { body in
          body.big(packets, 8)
          body.big(ending.frames, 8)
          body.big(stream.delay, 4)
          // A shorter last packet counts as a whole one.
          let whole = packets * Int64(stream.framesPerPacket)
          body.big(max(whole - ending.frames - Int64(stream.delay), 0), 4)
          body.add(table.bytes)
        }, to: &tail)
    }
    let texts = texts
    if !texts.isEmpty { Self.add("info", texts, to: &tail) }
    try output.append(tail.bytes)
    try output.replace(at: soundStart - 12, with: ByteBuilder.make { $0.big(bytes + 4, 8) })
    if let cookieStart {
      var chunk = ByteBuilder()
      Self.add("kuki", cookie(ending.decoderConfiguration), to: &chunk)
      try output.replace(at: cookieStart, with: chunk.bytes)
    }
  }

  private static func add(_ id: String, _ body: [UInt8], to file: inout ByteBuilder) {
    file.text(id)
    file.big(body.count, 8)
    file.add(body)
  }

  /// A number of 7 bits a byte, most significant first; a high bit means that more follow.
  private static func add(_ number: Int, to table: inout ByteBuilder) {
    var shift = 0
    while number >> (shift + 7) > 0 { shift += 7 }
    while shift >= 0 {
      table.big(number >> shift & 0x7F | (shift > 0 ? 0x80 : 0), 1)
      shift -= 7
    }
  }

  private var description: [UInt8] {
    ByteBuilder.make { body in
      body.big(Int64(bitPattern: Double(stream.format.sampleRate.hertz).bitPattern), 8)
      body.text(Self.types[stream.codec] ?? "lpcm")
      let channels = stream.format.channels
      if let coding = stream.sampleCoding, isPCM {
        // Flag 1 is float, flag 2 little endian.
        body.big((coding.kind == .float ? 1 : 0) | (coding.isBigEndian ? 0 : 2), 4)
        body.big(coding.bytes * channels, 4)
        body.big(1, 4)
        body.big(channels, 4)
        body.big(coding.bits, 4)
      } else {
        // Lossless codings tell the depth of what they were made of; AAC that it is of low complexity.
        let depths = [16: 1, 20: 2, 24: 3, 32: 4]
        body.big(stream.codec == .aac ? 2 : stream.sampleCoding.flatMap { depths[$0.bits] } ?? 0, 4)
        body.big(0, 4)
        body.big(stream.framesPerPacket, 4)
        body.big(channels, 4)
        body.big(0, 4)
      }
    }
  }

  /// What the decoder must know, in the form that the format wants.
  private func cookie(_ configuration: [UInt8]) -> [UInt8] {
    switch stream.codec {
    case .aac: MP4Boxes.elementaryStream(configuration, bitRate: stream.bitRate ?? 0)
    case .alac: Array(configuration.dropFirst(12))
    case .flac:
      ByteBuilder.make { body in
        body.big(12 + 4 + configuration.count, 4)
        body.text("dfLa")
        body.big(0, 4)
        body.big(0x80 << 24 | configuration.count, 4)
        body.add(configuration)
      }
    default: []
    }
  }

  /// Pairs of texts, each ended by a NUL, behind their number.
  private var texts: [UInt8] {
    let keys = [
      "title": "title", "artist": "artist", "album": "album", "track": "track number", "date": "year",
      "composer": "composer", "genre": "genre", "comment": "comments", "copyright": "copyright",
    ]
    var count = 0
    var body = ByteBuilder()
    for tag in stream.tags {
      guard let key = keys[tag.name], body.bytes.count + tag.value.utf8.count < 200 << 10 else { continue }
      body.text(key)
      body.zeros(1)
      body.add(tag.value.utf8.filter { $0 != 0 })
      body.zeros(1)
      count += 1
    }
    return count == 0 ? [] : ByteBuilder.make { $0.big(count, 4) } + body.bytes
  }
}
