import AudioModel

/// Reads Vorbis comments, the tags of Ogg and FLAC, comment by comment in the manner of a parser: texts are read, and of
/// a picture in base64 only its head. Sources: Vorbis I §5; RFC 9639 §8.6; RFC 7845 §5.2.1 for R128 gains; the chapter
/// extension (`CHAPTERxxx`) and the cover art and field name recommendations of the Xiph wiki.
///
/// A block that breaks off, or whose count or lengths reach beyond it, gives what is whole.
package struct VorbisComments {
  package enum Step {
    /// Bytes are wanted; the step is repeated when they are in the window.
    case need(ByteRequest)
    /// All is read.
    case done
  }

  /// Largest text that is read, with its name.
  static let textLimit = 64 << 10
  /// Bytes of all texts that are kept.
  static let textTotal = 1 << 20
  /// Most comments that are looked at.
  static let commentLimit = 8192
  /// Most chapters that are kept.
  static let chapterLimit = 1024
  /// Most pictures that are kept.
  static let pictureLimit = 64
  /// As much of a picture in base64 as is read.
  private static let pictureHead = 8 << 10
  /// Longest name of a comment.
  private static let nameLimit = 256

  private enum State {
    case vendor
    case count
    case comments(left: UInt32)
    case done
  }
  private struct NumberedChapter {
    var start: Double?
    var title = ""
  }

  /// Who wrote the stream, as the encoder calls itself; empty where it does not say.
  package private(set) var vendor = ""
  /// What the comments say; complete after `done`.
  package private(set) var tags = TagSet()
  /// Position behind what was read.
  package private(set) var position: Int64
  /// A length or the count reaches beyond the end of the block.
  package private(set) var overruns = false

  private let end: Int64
  private var state = State.vendor
  private var commentsSeen = 0
  private var textBytes = 0
  private var chapters: [Int: NumberedChapter] = [:]
  private var covers: [Picture] = []
  private var coverType = 3
  private var coverMime: String?

  /// Makes a reader for the comments in `start..<end`, which begin with the length of the vendor's name.
  package init(start: Int64, end: Int64) {
    position = start
    self.end = max(start, end)
  }

  /// The tags in `bytes`, which begin with the length of the vendor's name (behind `OpusTags` or `\u{3}vorbis`).
  package static func read(_ bytes: ArraySlice<UInt8>) -> TagSet {
    var window = ByteWindow(start: 0, sourceLength: Int64(bytes.count))
    bytes.withUnsafeBytes { window.append($0) }
    window.markEnd()
    var reader = VorbisComments(start: 0, end: window.end)
    _ = reader.next(in: window)
    return reader.tags
  }

  /// Takes steps until bytes are missing or the comments are read.
  package mutating func next(in window: ByteWindow) -> Step {
    while true {
      switch state {
      case .vendor:
        guard let length = length(window) else { return missing(window, 4) }
        let size = Int(min(length, Int64(Self.nameLimit)))
        guard length <= end - position - 4 else { return overrun() }
        guard let name = window.bytes(position + 4, count: size) else { return missing(window, 4 + size) }
        vendor = String(decoding: name, as: UTF8.self)
        position += 4 + length
        state = .count
      case .count:
        guard let count = length(window) else { return missing(window, 4) }
        position += 4
        state = .comments(left: UInt32(count))
      case .comments(let left):
        guard left > 0, commentsSeen < Self.commentLimit else {
          finish()
          return .done
        }
        guard let length = length(window) else { return missing(window, 4) }
        guard length <= end - position - 4 else { return overrun() }
        let size = length <= Self.textLimit ? Int(length) : Self.pictureHead
        guard let comment = window.bytes(position + 4, count: size) else { return missing(window, 4 + size) }
        take(comment[...], length: Int(length))
        commentsSeen += 1
        position += 4 + length
        state = .comments(left: left - 1)
      case .done: return .done
      }
    }
  }

  private func length(_ window: ByteWindow) -> Int64? {
    guard end - position >= 4 else { return nil }
    return window.littleEndian(position, size: 4).map { Int64($0) }
  }

  /// Asks for bytes, or gives up where the block or the source has none left.
  private mutating func missing(_ window: ByteWindow, _ count: Int) -> Step {
    guard Int64(count) <= end - position else { return overrun() }
    guard window.isEnd && position >= window.start else {
      return .need(ByteRequest(position: position, count: count))
    }
    return overrun()
  }

  private mutating func overrun() -> Step {
    overruns = true
    finish()
    return .done
  }

  // MARK: Comments

  /// Takes a comment, of whose `length` bytes `bytes` are the first.
  private mutating func take(_ bytes: ArraySlice<UInt8>, length: Int) {
    guard let mark = bytes.prefix(Self.nameLimit).firstIndex(of: UInt8(ascii: "=")), mark > bytes.startIndex else {
      return
    }
    let name = String(decoding: bytes[..<mark], as: UTF8.self).lowercased()
    let value = bytes[(mark + 1)...]
    let valueLength = length - (mark + 1 - bytes.startIndex)
    // Of a long picture the padding is not looked at: its size may come out too large by two.
    let padding = value.count == valueLength ? value.suffix(2).count { $0 == UInt8(ascii: "=") } : 0
    let decoded = valueLength / 4 * 3 - padding
    switch name {
    case "metadata_block_picture":
      guard tags.pictures.count < Self.pictureLimit,
        let picture = FLACPicture(Base64.head(value.prefix(Self.pictureHead)), limit: decoded)
      else { return }
      tags.pictures.append(
        Picture(type: picture.type, mime: picture.mime, position: nil, byteCount: picture.byteCount))
      return
    case "coverart":
      guard covers.count < Self.pictureLimit, valueLength >= 4 else { return }
      let mime = FLACPicture.sniff(Base64.head(value.prefix(32))) ?? ""
      covers.append(Picture(type: 3, mime: mime, position: nil, byteCount: decoded))
      return
    default: break
    }
    guard value.count == valueLength else { return }
    let text = String(decoding: value, as: UTF8.self)
    switch name {
    case "coverartmime": coverMime = text
    case "coverarttype": coverType = Int(text).flatMap { (0...20).contains($0) ? $0 : nil } ?? coverType
    case "r128_track_gain": tags.loudness.r128Track = Self.gain(text) ?? tags.loudness.r128Track
    case "r128_album_gain": tags.loudness.r128Album = Self.gain(text) ?? tags.loudness.r128Album
    default:
      guard !tags.takeReplayGain(name, text), !takeChapter(name, text), textBytes + length <= Self.textTotal else {
        return
      }
      textBytes += length
      tags.add(Self.names[name] ?? name, text)
    }
  }

  private mutating func finish() {
    state = .done
    tags.chapters = chapters.values
      .compactMap { chapter in chapter.start.map { Chapter(start: $0, end: nil, title: chapter.title) } }
      .sorted { ($0.start, $0.title) < ($1.start, $1.title) }
    // The older way of storing a cover, often beside the newer one.
    if tags.pictures.isEmpty {
      tags.pictures = covers.map {
        Picture(
          type: coverType, mime: coverMime ?? ($0.mime.isEmpty ? "image/" : $0.mime), position: nil,
          byteCount: $0.byteCount)
      }
    }
    tags.loudness.completeFromR128()
  }

  /// A gain of RFC 7845: a whole number of 1/256 dB, −32768…32767.
  private static func gain(_ text: String) -> Double? {
    Int16(text.drop { $0 == " " }.prefix { $0 != " " }).map { Double($0) / 256 }
  }

  // MARK: Chapters

  /// Takes `CHAPTER001=00:01:02.500` and `CHAPTER001NAME=words`.
  private mutating func takeChapter(_ name: String, _ value: String) -> Bool {
    guard name.hasPrefix("chapter") else { return false }
    let rest = name.dropFirst(7)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), digits.count <= 6 else { return false }
    guard chapters[number] != nil || chapters.count < Self.chapterLimit else { return true }
    switch rest.dropFirst(digits.count) {
    case "": chapters[number, default: NumberedChapter()].start = Self.seconds(value)
    case "name": chapters[number, default: NumberedChapter()].title = value
    case "url": break
    default: return false
    }
    return true
  }

  /// Seconds of `hh:mm:ss.fff`; hours and fraction may be absent.
  private static func seconds(_ text: String) -> Double? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var sum = 0.0
    for part in parts {
      let trimmed = part.drop { $0 == " " }.prefix { $0 != " " }
      guard !trimmed.isEmpty, trimmed.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), trimmed.count <= 16,
        let number = Double(trimmed)
      else { return nil }
      sum = sum * 60 + number
    }
    return sum
  }

  /// Names that differ from ours.
  private static let names = [
    "tracknumber": "track", "discnumber": "disc", "album artist": "albumartist", "album_artist": "albumartist",
    "description": "comment", "year": "date",
  ]
}
