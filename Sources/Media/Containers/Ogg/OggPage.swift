/// The header of a page (RFC 3533 §6), whose bytes are all in the window and whose checksum is right. A page that the end of
/// the source cuts off stands here with the packets that are whole, and without a position.
struct OggPage: Hashable {
  /// Bytes of a header without its lacing values.
  static let fixedSize = 27
  /// Longest page: header, 255 lacing values, 255 bytes for each.
  static let longest = fixedSize + 255 + 255 * 255

  /// First byte of the page.
  var position: Int64
  /// The logical stream that it belongs to.
  var serial: UInt32
  /// Number of the page in its stream.
  var sequence: UInt32
  /// What the codec counts, at the end of the last packet that ends on the page; −1 where none does.
  var granule: Int64
  /// Its first packet began on a page before.
  var isContinued: Bool
  /// First page of its stream.
  var isFirst: Bool
  /// Last page of its stream.
  var isLast: Bool
  /// Bytes of the header with all lacing values.
  var headSize: Int
  /// Number of lacing values that count.
  var segments: Int
  /// Bytes of all its packets' pieces.
  var bodySize: Int

  /// Position of the first packet's bytes.
  var body: Int64 { position + Int64(headSize) }
  /// Position behind the page.
  var end: Int64 { body + Int64(bodySize) }

  /// The lacing value of a segment.
  func lacing(_ segment: Int, _ window: ByteWindow) -> Int {
    Int(window.byte(position + Int64(Self.fixedSize + segment)) ?? 0)
  }
}

/// Finds pages.
enum OggSync {
  /// What came of a search.
  enum Search: Hashable {
    case need(ByteRequest)
    case page(OggPage)
    /// No page begins before `position`.
    case none(position: Int64)
  }

  /// The first page that begins at `start` or behind it, before `limit`. What looks like one but has another checksum is
  /// passed over.
  static func search(_ window: ByteWindow, from start: Int64, limit: Int64) -> Search {
    var at = start
    while at < limit {
      guard window.settles(at, count: OggPage.fixedSize) else {
        return .need(ByteRequest(position: at, count: OggPage.fixedSize))
      }
      guard window.contains(at, count: OggPage.fixedSize) else { break }
      guard window.matches("OggS\0", at: at) else {
        at = nextMark(window, behind: at)
        continue
      }
      let head = OggPage.fixedSize + Int(window.byte(at + 26) ?? 0)
      guard window.settles(at, count: head) else { return .need(ByteRequest(position: at, count: head)) }
      guard window.contains(at, count: head) else { break }
      let lacing = window.bytes(at + 27, count: head - OggPage.fixedSize) ?? []
      let body = lacing.reduce(0) { $0 + Int($1) }
      guard window.settles(at, count: head + body) else {
        return .need(ByteRequest(position: at, count: head + body))
      }
      let page = page(window, at: at, head: head, lacing, body: body)
      if let page { return .page(page) }
      at = nextMark(window, behind: at)
    }
    return .none(position: min(at, limit))
  }

  /// The page at a position where everything but the checksum fits.
  private static func page(_ window: ByteWindow, at: Int64, head: Int, _ lacing: [UInt8], body: Int) -> OggPage? {
    guard let flags = window.byte(at + 5), let granule = window.littleEndian(at + 6, size: 8),
      let serial = window.littleEndian(at + 14, size: 4), let sequence = window.littleEndian(at + 18, size: 4)
    else { return nil }
    var page = OggPage(
      position: at, serial: UInt32(serial), sequence: UInt32(sequence), granule: Int64(bitPattern: granule),
      isContinued: flags & 1 != 0, isFirst: flags & 2 != 0, isLast: flags & 4 != 0, headSize: head,
      segments: lacing.count, bodySize: body)
    if let checksum = window.withBytes(at, count: head + body, { OggCRC.checksum($0) }) {
      return window.littleEndian(at + 22, size: 4) == UInt64(checksum) ? page : nil
    }
    // The source ends in the middle of it, unless that is another page's middle.
    let rest = window.available(page.body, limit: body)
    var next = page.body
    while next < window.end {
      if window.matches("OggS\0", at: next) { return nil }
      next = nextMark(window, behind: next)
    }
    var size = 0
    page.segments = 0
    page.bodySize = 0
    for (index, value) in lacing.enumerated() {
      size += Int(value)
      guard size <= rest else { break }
      if value < 255 { (page.segments, page.bodySize) = (index + 1, size) }
    }
    guard page.segments > 0, !page.isFirst else { return nil }
    page.granule = -1
    page.isLast = false
    return page
  }

  /// The next place behind `position` where a page may begin as far as the window shows.
  private static func nextMark(_ window: ByteWindow, behind position: Int64) -> Int64 {
    let count = window.available(position + 1, limit: 1 << 20)
    let distance = window.withBytes(position + 1, count: count) { bytes in
      bytes.firstIndex(of: UInt8(ascii: "O")) ?? bytes.count
    }
    return position + 1 + Int64(distance ?? 0)
  }
}
