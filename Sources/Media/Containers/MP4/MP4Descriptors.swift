/// The elementary stream descriptor in an `esds` box (ISO/IEC 14496-1 §7.2.6).
struct MP4Descriptors {
  /// What kind of stream: objectTypeIndication (0x40 is MPEG-4 audio).
  private(set) var objectType: UInt8
  /// DecoderSpecificInfo: an AudioSpecificConfig for MPEG-4 audio.
  private(set) var configuration: [UInt8] = []

  /// Most bytes of a configuration.
  private static let configurationLimit = 4096

  /// Reads the body of the box. Lengths are limits only: many writers get those of the outer descriptors wrong.
  init?(_ box: MP4Bytes) {
    var rest = box.rest(4)
    guard var tag = Self.header(&rest)?.tag else { return nil }
    if tag == 0x03 {
      guard rest.count >= 3 else { return nil }
      let flags = rest[rest.startIndex + 2]
      rest = rest.dropFirst(3)
      if flags & 0x80 != 0 { rest = rest.dropFirst(2) }
      if flags & 0x40 != 0, let length = rest.first { rest = rest.dropFirst(1 + Int(length)) }
      if flags & 0x20 != 0 { rest = rest.dropFirst(2) }
      guard let next = Self.header(&rest)?.tag else { return nil }
      tag = next
    }
    guard tag == 0x04, rest.count >= 13, let type = rest.first else { return nil }
    objectType = type
    rest = rest.dropFirst(13)
    guard let (inner, length) = Self.header(&rest), inner == 0x05 else { return }
    configuration = Array(rest.prefix(min(length, Self.configurationLimit)))
  }

  /// Takes a tag and a length of one to four bytes.
  private static func header(_ rest: inout ArraySlice<UInt8>) -> (tag: UInt8, length: Int)? {
    guard let tag = rest.popFirst() else { return nil }
    var length = 0
    for _ in 0..<4 {
      guard let byte = rest.popFirst() else { return nil }
      length = length << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    return (tag, length)
  }
}
