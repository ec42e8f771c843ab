/// The little of Ogg's page structure (RFC 3533) that tells what libavformat does not: whether the file is one chain
/// link, and whether the first page with sound is also the last.
enum OggPages {
  /// Longest page: header, 255 lacing values, 255 bytes for each.
  static let longest = 27 + 255 + 255 * 255

  struct Page {
    var serial: UInt32
    var granule: Int64
    var isFirst: Bool
    var isLast: Bool
    /// Number of bytes with the header.
    var length: Int
  }

  /// The page at an offset; `nil` where there is none, or its header is cut.
  static func page(_ bytes: [UInt8], at offset: Int) -> Page? {
    guard offset >= 0, bytes.count - offset >= 27,
      bytes[offset..<offset + 5].elementsEqual([0x4F, 0x67, 0x67, 0x53, 0])
    else { return nil }
    func littleEndian(_ at: Int, _ size: Int) -> UInt64 {
      (0..<size).reduce(0) { $0 | UInt64(bytes[offset + at + $1]) << (8 * UInt64($1)) }
    }
    let segments = Int(bytes[offset + 26])
    guard bytes.count - offset >= 27 + segments else { return nil }
    let body = bytes[offset + 27..<offset + 27 + segments].reduce(0) { $0 + Int($1) }
    let flags = bytes[offset + 5]
    return Page(
      serial: UInt32(littleEndian(14, 4)), granule: Int64(bitPattern: littleEndian(6, 8)), isFirst: flags & 2 != 0,
      isLast: flags & 4 != 0, length: 27 + segments + body)
  }

  /// What the beginning of a file tells.
  struct Head {
    /// Streams that begin there.
    var serials: Set<UInt32> = []
    /// The first page with a granule position above 0 is the last of its stream.
    var isSinglePage = false
  }

  /// Reads pages from the beginning of a file to the first one with sound.
  static func head(_ bytes: [UInt8]) -> Head {
    var head = Head()
    var offset = 0
    while let page = page(bytes, at: offset) {
      if page.isFirst { head.serials.insert(page.serial) }
      if page.granule > 0 {
        head.isSinglePage = page.isLast
        break
      }
      offset += page.length
    }
    return head
  }

  /// The streams that have pages in a piece of a file, wherever in it the first page begins.
  static func serials(_ bytes: [UInt8]) -> Set<UInt32> {
    var serials: Set<UInt32> = []
    var offset = 0
    while offset < bytes.count - 27 {
      if bytes[offset] == 0x4F, let page = page(bytes, at: offset), page.length > 27 || page.isLast {
        serials.insert(page.serial)
        offset += page.length
      } else {
        offset += 1
      }
    }
    return serials
  }
}
