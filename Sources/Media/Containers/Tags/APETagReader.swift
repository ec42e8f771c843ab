import AudioModel

/// Reads an APE tag item by item, in the manner of a parser: texts are read, pictures are passed by. Sources: "APEv2
/// specification" and "APE key" of Hydrogenaudio's wiki; version 1 has the same items without a header in front.
struct APETagReader {
  /// Bytes of a header or footer.
  static let markSize = 32
  /// Largest text that is read, bytes of all that are kept, and items that are looked at.
  private static let textLimit = 64 << 10
  private static let textTotal = 1 << 20
  private static let itemLimit = 1024
  /// Size, flags, and the longest key with its terminator.
  private static let itemHead = 8 + 255 + 1
  /// As much of a picture as is read: the name of its file, and how it begins.
  private static let pictureHead = 512

  /// First byte of the tag, and the position behind it.
  let start: Int64
  let end: Int64
  /// What it says; complete after `done`.
  private(set) var tags = TagSet()

  private let itemsEnd: Int64
  private var position: Int64
  private var itemsLeft: Int
  private var textBytes = 0

  /// A header or footer.
  private struct Mark {
    /// Bytes of the items and the footer.
    var size: Int64
    var items: Int
    var isHeader: Bool
    var hasHeader: Bool

    init?(_ window: ByteWindow, at position: Int64) {
      guard window.matches("APETAGEX", at: position), let version = window.littleEndian(position + 8, size: 4),
        let size = window.littleEndian(position + 12, size: 4),
        let items = window.littleEndian(position + 16, size: 4),
        let flags = window.littleEndian(position + 20, size: 4), size >= APETagReader.markSize
      else { return nil }
      self.size = Int64(size)
      self.items = Int(items)
      // Flags came with version 2.
      isHeader = version >= 2000 && flags >> 29 & 1 == 1
      hasHeader = version >= 2000 && flags >> 31 & 1 == 1
    }
  }

  /// Makes a reader for the tag whose header is at a position and in the window.
  init?(_ window: ByteWindow, at position: Int64) {
    guard let mark = Mark(window, at: position), mark.isHeader else { return nil }
    let items = position.addingSaturating(Int64(Self.markSize))
    self.init(start: position, items: items, itemsEnd: items.addingSaturating(mark.size - 32), mark)
  }

  /// Makes a reader for the tag whose footer ends at a position and is in the window.
  /// - Parameter lowest: Where the tag may begin at the earliest.
  init?(_ window: ByteWindow, endingAt end: Int64, lowest: Int64) {
    let footer = end - Int64(Self.markSize)
    guard let mark = Mark(window, at: footer), !mark.isHeader, end - mark.size >= lowest else { return nil }
    let items = end - mark.size
    let start = mark.hasHeader ? items - Int64(Self.markSize) : items
    self.init(start: max(start, lowest), items: items, itemsEnd: footer, mark)
  }

  private init(start: Int64, items: Int64, itemsEnd: Int64, _ mark: Mark) {
    self.start = start
    self.itemsEnd = itemsEnd
    end = itemsEnd.addingSaturating(Int64(Self.markSize))
    position = items
    itemsLeft = min(mark.items, Self.itemLimit)
  }

  /// Takes steps until bytes are missing or the tag is read.
  mutating func next(in window: ByteWindow) -> ID3v2Reader.Step {
    while itemsLeft > 0, itemsEnd - position > 9 {
      let head = Int(min(Int64(Self.itemHead), itemsEnd - position))
      guard window.settles(position, count: head) else { return .need(ByteRequest(position: position, count: head)) }
      guard let size = window.littleEndian(position, size: 4), let flags = window.littleEndian(position + 4, size: 4),
        let bytes = window.bytes(position + 8, count: window.available(position + 8, limit: head - 8)),
        let terminator = bytes.firstIndex(of: 0), bytes[..<terminator].allSatisfy({ (0x20...0x7E).contains($0) })
      else { break }
      let key = String(decoding: bytes[..<terminator], as: UTF8.self)
      let value = position + 8 + Int64(terminator) + 1
      guard Int64(size) <= itemsEnd - value else { break }
      let isText = flags >> 1 & 3 == 0
      let isPicture = flags >> 1 & 3 == 1 && key.lowercased().hasPrefix("cover art")
      let isRead = isText && size <= Self.textLimit && textBytes + Int(size) <= Self.textTotal
      let wanted = isRead ? Int(size) : isPicture ? Int(min(size, UInt64(Self.pictureHead))) : 0
      let count = Int(value - position) + wanted
      guard window.settles(position, count: count) else {
        return .need(ByteRequest(position: position, count: count))
      }
      guard let content = window.bytes(value, count: wanted) else { break }
      if isRead {
        textBytes += wanted
        take(key, content)
      } else if isPicture {
        takePicture(key, content, at: value, byteCount: Int(size))
      }
      position = value + Int64(size)
      itemsLeft -= 1
    }
    return .done
  }

  private mutating func take(_ key: String, _ bytes: [UInt8]) {
    let name = key.lowercased()
    let values = bytes.split(separator: 0).map { String(validating: $0, as: UTF8.self) ?? ID3Text.latin1($0) }
    // What mp3gain keeps for undoing its work is of use to nobody else.
    guard let first = values.first, !tags.takeReplayGain(name, first), !name.hasPrefix("mp3gain_") else { return }
    for value in values { tags.add(Self.names[name] ?? name, value) }
  }

  private mutating func takePicture(_ key: String, _ head: [UInt8], at position: Int64, byteCount: Int) {
    guard let terminator = head.firstIndex(of: 0), byteCount > terminator + 1, tags.pictures.count < 64 else {
      return
    }
    let picture = head[(terminator + 1)...]
    let mime =
      picture.starts(with: [0x89, 0x50, 0x4E, 0x47])
      ? "image/png"
      : picture.starts(with: [0x47, 0x49, 0x46]) ? "image/gif" : "image/jpeg"
    let type = key.lowercased().contains("front") ? 3 : key.lowercased().contains("back") ? 4 : 0
    tags.pictures.append(
      Picture(
        type: type, mime: mime, position: position + Int64(terminator) + 1, byteCount: byteCount - terminator - 1))
  }

  private static let names = ["year": "date", "album artist": "albumartist"]
}
