/// Ogg files made byte by byte, for tests of what a parser makes of them; the packets hold no real sound.
package struct OggFixture {
  /// Number of the logical stream.
  package var serial: UInt32
  /// Number of the next page.
  package var sequence: UInt32 = 0
  /// All that was written.
  package var bytes: [UInt8] = []

  package init(serial: UInt32 = 1) { self.serial = serial }

  /// Appends a page of whole packets.
  /// - Parameters:
  ///   - granule: The position at its end.
  ///   - flags: 1 continued, 2 first, 4 last.
  package mutating func page(_ packets: [[UInt8]], granule: Int64, flags: UInt8 = 0) {
    var lacing: [UInt8] = []
    for packet in packets { lacing += Self.lacing(packet.count) }
    append(lacing, packets.flatMap(\.self), granule: granule, flags: flags)
  }

  /// Appends two pages with the packets, of which the last goes over from the first page to the second: `split` times 255
  /// bytes of it stay on the first.
  package mutating func split(_ packets: [[UInt8]], split: Int, granules: (Int64, Int64)) {
    var lacing: [UInt8] = []
    for packet in packets { lacing += Self.lacing(packet.count) }
    let last = packets.last.map { Self.lacing($0.count).count } ?? 0
    let segments = lacing.count - last + split
    let body = packets.flatMap(\.self)
    let count = lacing[..<segments].reduce(0) { $0 + Int($1) }
    append(Array(lacing[..<segments]), Array(body[..<count]), granule: granules.0, flags: 0)
    append(Array(lacing[segments...]), Array(body[count...]), granule: granules.1, flags: 1)
  }

  private static func lacing(_ count: Int) -> [UInt8] {
    [UInt8](repeating: 255, count: count / 255) + [UInt8(count % 255)]
  }

  private mutating func append(_ lacing: [UInt8], _ body: [UInt8], granule: Int64, flags: UInt8) {
    precondition(lacing.count <= 255)
    var page = Array("OggS".utf8) + [0, flags] + MediaFixtures.bytes(UInt64(bitPattern: granule), 8)
    page += MediaFixtures.bytes(UInt64(serial), 4) + MediaFixtures.bytes(UInt64(sequence), 4) + [0, 0, 0, 0]
    page += [UInt8(lacing.count)] + lacing + body
    page.replaceSubrange(22..<26, with: MediaFixtures.bytes(UInt64(Self.checksum(page)), 4))
    bytes += page
    sequence &+= 1
  }

  /// Appends one packet over as many pages as it takes, with so many lacing values on each.
  package mutating func spread(_ packet: [UInt8], segments: Int, granule: Int64) {
    let lacing = Self.lacing(packet.count)
    for start in stride(from: 0, to: lacing.count, by: segments) {
      let part = lacing[start..<min(start + segments, lacing.count)]
      let body = packet[(start * 255)..<min((start + segments) * 255, packet.count)]
      let isLast = part.endIndex == lacing.count
      append(Array(part), Array(body), granule: isLast ? granule : -1, flags: start == 0 ? 0 : 1)
    }
  }

  /// RFC 3533's checksum, bit by bit.
  package static func checksum(_ page: [UInt8]) -> UInt32 {
    page.reduce(0) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte) << 24) { value, _ in
        value >> 31 == 1 ? value << 1 ^ 0x04C1_1DB7 : value << 1
      }
    }
  }

  // MARK: Opus

  /// A packet of Opus: 20 ms of silence, coded so in one byte, and filled up with `padding` bytes that nobody reads.
  package static func opusPacket(padding: Int = 0) -> [UInt8] {
    padding == 0 ? [0xFC, 0xFF, 0xFE] : [0xFF, 0x41] + padded(padding)
  }

  private static func padded(_ count: Int) -> [UInt8] {
    var size: [UInt8] = []
    var rest = count
    while rest >= 254 {
      size.append(255)
      rest -= 254
    }
    size.append(UInt8(rest))
    return size + [0xFF, 0xFE] + [UInt8](repeating: 0, count: count)
  }

  /// Frames of ``opusPacket(padding:)``.
  package static let opusFrames = 960

  /// The two header packets of Opus.
  package static func opusHead(channels: UInt8 = 2, preSkip: UInt16 = 312, gain: Int16 = 0) -> [UInt8] {
    Array("OpusHead".utf8) + [1, channels] + MediaFixtures.bytes(UInt64(preSkip), 2)
      + MediaFixtures.bytes(48_000, 4) + MediaFixtures.bytes(UInt64(UInt16(bitPattern: gain)), 2) + [0]
  }

  /// Comments, with what stands in front of them.
  package static func comments(_ mark: [UInt8], _ texts: [String] = [], tail: [UInt8] = []) -> [UInt8] {
    var bytes = mark + MediaFixtures.bytes(4, 4) + Array("test".utf8) + MediaFixtures.bytes(UInt64(texts.count), 4)
    for text in texts { bytes += MediaFixtures.bytes(UInt64(text.utf8.count), 4) + Array(text.utf8) }
    return bytes + tail
  }

  /// Appends the header pages of Opus.
  package mutating func opusHeaders(channels: UInt8 = 2, preSkip: UInt16 = 312, texts: [String] = []) {
    page([Self.opusHead(channels: channels, preSkip: preSkip)], granule: 0, flags: 2)
    page([Self.comments(Array("OpusTags".utf8), texts)], granule: 0)
  }

  /// Appends pages of Opus packets whose positions go on from `start`; the last page ends the stream.
  /// - Returns: The position at the end.
  @discardableResult
  package mutating func opusPages(
    _ pages: Int, packets: Int = 10, from start: Int64 = 0, cut: Int64 = 0, padding: Int = 0, ends: Bool = true
  ) -> Int64 {
    var granule = start
    for number in 0..<pages {
      granule += Int64(packets * Self.opusFrames)
      let isLast = ends && number == pages - 1
      if isLast { granule -= cut }
      let packet = Self.opusPacket(padding: padding)
      page([[UInt8]](repeating: packet, count: packets), granule: granule, flags: isLast ? 4 : 0)
    }
    return granule
  }

  // MARK: Vorbis

  /// Header packets of Vorbis with blocks of 256 and 2048 samples and two modes, short and long. Of the setup header only
  /// its modes are real.
  package static func vorbisHeaders(channels: UInt8 = 1, rate: Int = 44_100) -> [[UInt8]] {
    let mark = Array("vorbis".utf8)
    let identification =
      [1] + mark + [0, 0, 0, 0, channels] + MediaFixtures.bytes(UInt64(rate), 4) + [UInt8](repeating: 0, count: 12)
      + [0xB8, 1]
    // From bit 0 on: six bits with the number of modes less one, twice flag, two types, mapping; the framing bit.
    var bits = [Bool](repeating: false, count: 6 + 2 * 41 + 1)
    bits[0] = true
    bits[6 + 41] = true
    bits[88] = true
    var tail = [UInt8](repeating: 0, count: 12)
    for (index, bit) in bits.enumerated() where bit { tail[index / 8] |= 1 << UInt8(index % 8) }
    let setup = [5] + mark + [UInt8](repeating: 0xA7, count: 40) + tail
    return [identification, comments([3] + mark, ["TITLE=Vorbis"], tail: [1]), setup]
  }

  /// A packet of Vorbis by its size: bit 0 says that it is audio, bit 1 which mode it has.
  package static func vorbisPacket(isLong: Bool) -> [UInt8] { [isLong ? 2 : 0, 1, 2, 3] }
}
