/// The fixed part of a picture as FLAC stores it, in a block of its own or in base64 in a Vorbis comment (RFC 9639 §8.8).
struct FLACPicture: Hashable {
  /// As much as is looked at, so that a long description does not hide the picture's size.
  static let headSize = 6 << 10

  /// ID3v2's picture type.
  var type: Int
  /// Media type; `-->` means that the bytes are a URL.
  var mime: String
  /// Bytes in front of the picture's own.
  var headerCount: Int
  /// Bytes of the picture.
  var byteCount: Int

  /// Reads the first bytes of a picture.
  /// - Parameters:
  ///   - bytes: At least ``headSize`` of them, if there are so many.
  ///   - limit: Bytes that there are in all: what a picture claims beyond them is not believed.
  init?(_ bytes: [UInt8], limit: Int) {
    func number(_ at: Int) -> Int? {
      guard at >= 0, at <= bytes.count - 4 else { return nil }
      return bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    guard let type = number(0), let mimeCount = number(4), mimeCount <= 256, bytes.count >= 8 + mimeCount,
      let textCount = number(8 + mimeCount), textCount <= limit
    else { return nil }
    self.type = type <= 20 ? type : 0
    mime = ID3Text.latin1(bytes[8..<8 + mimeCount].prefix { $0 != 0 }).lowercased()
    // Behind the description: width, height, depth, colours, size.
    headerCount = 12 + mimeCount + textCount + 20
    guard headerCount < limit else { return nil }
    // Where it is hidden by a long description, or wrong, the size is all that follows.
    let rest = limit - headerCount
    byteCount = min(number(headerCount - 4) ?? rest, rest)
    guard byteCount > 0 else { return nil }
    if mime.isEmpty || mime == "image/" {
      mime = Self.sniff(Array(bytes.dropFirst(headerCount).prefix(16))) ?? mime
    }
  }

  /// The media type that a picture's first bytes tell.
  static func sniff(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
    if bytes.count >= 12, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) {
      return "image/webp"
    }
    return nil
  }
}

/// RFC 4648's base64, of which the first bytes are wanted.
enum Base64 {
  /// The bytes that whole groups of four digits stand for, up to the first that is none.
  static func head(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    var digits = 0
    for byte in text {
      if byte == 0x20 || (0x09...0x0D).contains(byte) { continue }
      guard let value = value(byte) else { break }
      bits = bits << 6 | UInt32(value)
      digits += 1
      if digits % 4 == 0 {
        result.append(UInt8(truncatingIfNeeded: bits >> 16))
        result.append(UInt8(truncatingIfNeeded: bits >> 8))
        result.append(UInt8(truncatingIfNeeded: bits))
      }
    }
    // What is left of a last group that was filled up.
    if digits % 4 >= 2 { result.append(UInt8(truncatingIfNeeded: bits >> (digits % 4 == 2 ? 4 : 10))) }
    if digits % 4 == 3 { result.append(UInt8(truncatingIfNeeded: bits >> 2)) }
    return result
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
