import AudioModel

/// Writes Vorbis comments and FLAC's picture blocks: the counterpart of ``VorbisComments``.
enum VorbisCommentWriter {
  /// Who wrote the file.
  private static let vendor = "Martlet"

  /// Comments as they stand in FLAC and Ogg, without marks in front or behind.
  /// - Parameters:
  ///   - vendor: The encoder's name for itself, which stands in front.
  ///   - pictures: Added in base64, where the container has no other place for them.
  static func comments(_ tags: [Tag], vendor: String? = nil, pictures: [WrittenPicture] = []) -> [UInt8] {
    var comments = tags.filter { $0.name != "encoder" }.map { name($0.name) + "=" + $0.value }
    comments += pictures.map { "METADATA_BLOCK_PICTURE=" + base64(picture($0)) }
    return ByteBuilder.make { body in
      add(vendor ?? Self.vendor, to: &body)
      body.little(comments.count, 4)
      for comment in comments { add(comment, to: &body) }
    }
  }

  /// A picture block's body (RFC 9639 §8.8). Size and colours are left for the reader to find out.
  static func picture(_ picture: WrittenPicture) -> [UInt8] {
    ByteBuilder.make { body in
      body.big(picture.type, 4)
      body.big(picture.mime.utf8.count, 4)
      body.text(picture.mime)
      body.zeros(4 + 16)
      body.big(picture.bytes.count, 4)
      body.add(picture.bytes)
    }
  }

  private static func add(_ text: String, to body: inout ByteBuilder) {
    body.little(text.utf8.count, 4)
    body.text(text)
  }

  /// A field's usual name, of the characters that are allowed.
  private static func name(_ name: String) -> String {
    let usual = ["track": "TRACKNUMBER", "disc": "DISCNUMBER"]
    if let usual = usual[name] { return usual }
    return String(
      decoding: name.uppercased().utf8.filter { (0x20...0x7D).contains($0) && $0 != UInt8(ascii: "=") },
      as: UTF8.self)
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
      for index in 0..<4 {
        text.append(index <= part.count ? letters[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
