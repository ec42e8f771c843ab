/// Makes the bytes of media files, the same on every run.
package enum MediaFixtures {
  /// `value` in `size` bytes.
  package static func bytes(_ value: UInt64, _ size: Int, bigEndian: Bool = false) -> [UInt8] {
    let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    return bigEndian ? little.reversed() : little
  }

  /// Bytes that look like nothing: 0xFF does not occur, so that no MPEG frame can seem to begin.
  package static func junk(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...0xFE, using: &random) }
  }

  // MARK: WAV

  /// How the samples of a WAV file are written.
  package struct WAV {
    /// Significant bits.
    package var bits = 16
    /// Bytes of a sample; integers are left-justified in them, and those of one byte are unsigned.
    package var bytes = 2
    /// Format tag: 1 integers, 3 float, 6 A-law, 7 µ-law.
    package var tag = 1
    package var channels = 1
    package var rate = 44_100
    /// `RIFF`, `RIFX`, `RF64` or `BW64`.
    package var form = "RIFF"
    package var isExtensible = false
    package var mask: UInt32 = 0
    /// Chunks between `fmt ` and `data`, each with its header.
    package var before: [UInt8] = []
    /// Chunks behind `data`.
    package var after: [UInt8] = []
    /// What the data chunk's size says; `nil` for the truth.
    package var statedSize: UInt64?
    /// What the RIFF size says; `nil` for the truth.
    package var statedRIFFSize: UInt64?

    package init() {}

    var isBigEndian: Bool { form == "RIFX" }

    /// The file with these sample bytes.
    package func file(_ data: [UInt8]) -> [UInt8] {
      func number(_ value: Int, _ size: Int) -> [UInt8] {
        MediaFixtures.bytes(UInt64(value), size, bigEndian: isBigEndian)
      }
      let frameBytes = channels * bytes
      var format = number(isExtensible ? 0xFFFE : tag, 2) + number(channels, 2) + number(rate, 4)
      format += number(rate * frameBytes, 4) + number(frameBytes, 2)
      format += number(isExtensible ? bytes * 8 : bits, 2)
      if isExtensible {
        format += number(22, 2) + number(bits, 2) + number(Int(mask), 4) + number(tag, 2)
        format += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
      }
      let isLong = form == "RF64" || form == "BW64"
      let size = statedSize ?? UInt64(data.count)
      var body = Array("WAVE".utf8)
      if isLong {
        body += chunk(
          "ds64", MediaFixtures.bytes(0, 8) + MediaFixtures.bytes(size, 8) + [UInt8](repeating: 0, count: 12))
      }
      body += chunk("fmt ", format) + before
      body += Array("data".utf8) + number(isLong ? 0xFFFF_FFFF : Int(size), 4) + data
      if data.count % 2 == 1 { body.append(0) }
      body += after
      let riffSize = statedRIFFSize ?? UInt64(body.count)
      return Array(form.utf8) + number(isLong ? 0xFFFF_FFFF : Int(riffSize), 4) + body
    }

    /// A chunk, padded to an even size.
    package func chunk(_ id: String, _ body: [UInt8]) -> [UInt8] {
      let size = MediaFixtures.bytes(UInt64(body.count), 4, bigEndian: isBigEndian)
      return Array(id.utf8) + size + body + (body.count % 2 == 1 ? [0] : [])
    }

    /// Interleaved integers of ``bits``, as the file holds them.
    package func samples(_ values: [Int64]) -> [UInt8] {
      values.flatMap { value -> [UInt8] in
        var stored = UInt64(bitPattern: value << Int64(8 * bytes - bits))
        if bytes == 1 { stored ^= 0x80 }
        return MediaFixtures.bytes(stored, bytes, bigEndian: isBigEndian)
      }
    }

    /// Interleaved Float32 or Float64, as the file holds them.
    package func samples(_ values: [Double]) -> [UInt8] {
      values.flatMap { value in
        MediaFixtures.bytes(
          bytes == 4 ? UInt64(Float(value).bitPattern) : value.bitPattern, bytes, bigEndian: isBigEndian)
      }
    }
  }

  // MARK: Tags

  /// An ID3v2 tag of version 2.3 or 2.4 with text frames in UTF-8 (2.4) or Latin-1, and padding.
  package static func id3v2(_ texts: [(String, String)], version: UInt8 = 4, padding: Int = 0) -> [UInt8] {
    let encoding: UInt8 = version == 4 ? 3 : 0
    let frames = texts.flatMap { id3v2Frame($0.0, [encoding] + Array($0.1.utf8), version: version) }
    return id3v2(body: frames + [UInt8](repeating: 0, count: padding), version: version)
  }

  /// An ID3v2 tag around a body.
  package static func id3v2(body: [UInt8], version: UInt8 = 4, flags: UInt8 = 0) -> [UInt8] {
    Array("ID3".utf8) + [version, 0, flags] + synchsafe(body.count) + body
  }

  /// A frame of ID3v2.3 or 2.4.
  package static func id3v2Frame(_ id: String, _ body: [UInt8], version: UInt8 = 4, flags: UInt8 = 0) -> [UInt8] {
    let size = version == 4 ? synchsafe(body.count) : bytes(UInt64(body.count), 4, bigEndian: true)
    return Array(id.utf8) + size + [0, flags] + body
  }

  private static func synchsafe(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(value >> (7 * (3 - $0)) & 0x7F) }
  }

  /// An ID3v1.1 tag.
  package static func id3v1(title: String, artist: String = "", track: UInt8 = 0, genre: UInt8 = 255) -> [UInt8] {
    func field(_ text: String, _ size: Int) -> [UInt8] {
      let head = Array(text.utf8.prefix(size))
      return head + [UInt8](repeating: 0, count: size - head.count)
    }
    return Array("TAG".utf8) + field(title, 30) + field(artist, 30) + field("", 30) + field("", 4) + field("", 28)
      + [0, track, genre]
  }

  /// An APEv2 tag with header, items of `size` bytes, and footer.
  package static func ape(size: Int) -> [UInt8] {
    func part(_ flags: UInt64) -> [UInt8] {
      Array("APETAGEX".utf8) + bytes(2000, 4) + bytes(UInt64(size + 32), 4) + bytes(1, 4) + bytes(flags, 4)
        + bytes(0, 8)
    }
    return part(0xA000_0000) + [UInt8](repeating: 0x41, count: size) + part(0x8000_0000)
  }
}
