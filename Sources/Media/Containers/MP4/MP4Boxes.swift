import AudioModel

/// The boxes of a file with one track of sound. Sources: ISO/IEC 14496-12 for the structure, 14496-14 and 14496-1 for AAC,
/// Apple's "ALACMagicCookieDescription" for Apple Lossless, Xiph's encapsulations of Opus and FLAC; iTunes' own for texts.
enum MP4Boxes {
  /// A box.
  static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    ByteBuilder.make { box in
      box.big(8 + body.count, 4)
      // Marks of © are a byte.
      box.add(type.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
      box.add(body)
    }
  }

  /// A box with version and flags.
  static func box(_ type: String, version: Int = 0, flags: Int = 0, _ body: (inout ByteBuilder) -> Void) -> [UInt8] {
    box(
      type,
      ByteBuilder.make { full in
        full.big(version << 24 | flags, 4)
        body(&full)
      })
  }

  // MARK: Descriptions of sound

  /// An elementary stream descriptor for AAC (ISO/IEC 14496-1 §7.2.6.5).
  static func elementaryStream(_ configuration: [UInt8], bitRate: Int) -> [UInt8] {
    func descriptor(_ tag: Int, _ body: [UInt8]) -> [UInt8] {
      ByteBuilder.make { descriptor in
        descriptor.big(tag, 1)
        // Lengths of four bytes, as all writers have them.
        for shift in [21, 14, 7, 0] { descriptor.big(body.count >> shift & 0x7F | (shift > 0 ? 0x80 : 0), 1) }
        descriptor.add(body)
      }
    }
    let decoder = ByteBuilder.make { body in
      // MPEG-4 audio; an audio stream; a buffer whose size nobody asks for; highest and mean bit rate.
      body.big(0x40, 1)
      body.big(5 << 2 | 1, 1)
      body.big(6144 / 8 * 8, 3)
      body.big(bitRate, 4)
      body.big(bitRate, 4)
      body.add(descriptor(5, configuration))
    }
    return descriptor(3, [0, 0, 0] + descriptor(4, decoder) + descriptor(6, [2]))
  }

  /// The sample description; `nil` for codecs that it does not know.
  static func description(_ stream: WrittenStream, configuration: [UInt8]) -> [UInt8]? {
    let type: String
    let inner: [UInt8]
    switch stream.codec {
    case .aac:
      type = "mp4a"
      inner = box("esds") { $0.add(elementaryStream(configuration, bitRate: stream.bitRate ?? 0)) }
    case .alac where configuration.count >= 36:
      // The configuration is the box already.
      (type, inner) = ("alac", configuration)
    case .flac where configuration.count == 34:
      type = "fLaC"
      inner = box("dfLa") { body in
        body.big(0x80 << 24 | configuration.count, 4)
        body.add(configuration)
      }
    case .opus:
      guard let head = OpusHead(configuration) else { return nil }
      type = "Opus"
      inner = box("dOps", opus(head))
    default: return nil
    }
    let entry = ByteBuilder.make { entry in
      entry.zeros(6)
      entry.big(1, 2)
      entry.zeros(8)
      entry.big(stream.format.channels, 2)
      entry.big(stream.sampleCoding?.bits ?? 16, 2)
      entry.zeros(4)
      // There is room for 16 bits; higher rates stand in the decoder's configuration.
      let hertz = stream.format.sampleRate.hertz
      entry.big(hertz <= 0xFFFF ? hertz << 16 : 0, 4)
      entry.add(inner)
    }
    return box("stsd") { body in
      body.big(1, 4)
      body.add(box(type, entry))
    }
  }

  private static func opus(_ head: OpusHead) -> [UInt8] {
    ByteBuilder.make { body in
      body.big(0, 1)
      body.big(head.channels, 1)
      body.big(head.preSkip, 2)
      body.big(head.inputRate, 4)
      body.big(Int(head.gain), 2)
      body.big(Int(head.family), 1)
      guard head.family != 0 else { return }
      body.big(head.streams, 1)
      body.big(head.coupled, 1)
      body.add(head.mapping)
    }
  }

  // MARK: Texts

  /// iTunes' list of texts, with its comment about the encoder's delay.
  static func items(_ tags: [Tag], _ pictures: [WrittenPicture], gapless: GaplessTag?) -> [UInt8] {
    var list = ByteBuilder()
    for tag in tags where tag.name != "encoder" { list.add(item(tag)) }
    if !pictures.isEmpty {
      list.add(box("covr", pictures.flatMap { data($0.mime == "image/png" ? 14 : 13, $0.bytes) }))
    }
    if let gapless { list.add(named(GaplessTag.name, gapless.text)) }
    guard !list.bytes.isEmpty else { return [] }
    let handler = box("hdlr") { body in
      body.zeros(4)
      body.text("mdirappl")
      body.zeros(9)
    }
    return box("udta", box("meta") { $0.add(handler + box("ilst", list.bytes)) })
  }

  private static func item(_ tag: Tag) -> [UInt8] {
    if tag.name == "track" || tag.name == "disc" {
      let numbers = tag.value.split(separator: "/").prefix(2).map { Int($0) ?? 0 }
      guard let number = numbers.first, (1...0xFFFF).contains(number) else { return named(tag.name, tag.value) }
      let total = numbers.count > 1 && (1...0xFFFF).contains(numbers[1]) ? numbers[1] : 0
      let body = ByteBuilder.make { body in
        body.zeros(2)
        body.big(number, 2)
        body.big(total, 2)
        if tag.name == "track" { body.zeros(2) }
      }
      return box(tag.name == "track" ? "trkn" : "disk", data(0, body))
    }
    guard let type = types[tag.name] else { return named(tag.name, tag.value) }
    return box(type, data(1, Array(tag.value.utf8)))
  }

  private static func named(_ name: String, _ value: String) -> [UInt8] {
    box(
      "----",
      box("mean") { $0.text("com.apple.iTunes") } + box("name") { $0.text(name) }
        + data(1, Array(value.utf8)))
  }

  private static func data(_ kind: Int, _ bytes: [UInt8]) -> [UInt8] {
    box("data", flags: kind) { body in
      body.zeros(4)
      body.add(bytes)
    }
  }

  private static let types = [
    "title": "©nam", "artist": "©ART", "albumartist": "aART", "album": "©alb", "date": "©day", "genre": "©gen",
    "composer": "©wrt", "comment": "©cmt", "grouping": "©grp", "lyrics": "©lyr", "copyright": "cprt",
    "description": "desc", "synopsis": "ldes", "encodedby": "©enc",
  ]
}
