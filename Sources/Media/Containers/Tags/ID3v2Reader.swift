import AudioModel

/// Reads an ID3v2 tag (2.2, 2.3, 2.4) frame by frame, in the manner of a parser: texts are read, pictures and whatever
/// else is large are passed by. Sources: the ID3v2.2, 2.3.0, 2.4.0 structure and frames documents, ID3v2 Chapter Frame.
struct ID3v2Reader {
  enum Step {
    case need(ByteRequest)
    case done
  }

  /// Bytes of a tag's header.
  static let headerSize = 10
  /// Largest text that is read.
  private static let textLimit = 64 << 10
  /// How much of a tag is read where unsynchronisation of the whole forbids to pass frames by.
  private static let unsynchronisedLimit = 256 << 10
  /// Most frames that are looked at.
  private static let frameLimit = 4096

  /// Position behind the tag.
  let end: Int64
  /// What it says; complete after `done`.
  private(set) var tags = TagSet()

  private let version: UInt8
  private let isUnsynchronised: Bool
  private let hasExtendedHeader: Bool
  private let bodyEnd: Int64
  private var position: Int64
  private var framesSeen = 0
  private var isFirstStep = true
  private var positionsAreReal = true

  /// Makes a reader for the tag at a position, whose header must be in the window.
  /// - Parameter limit: Where the tag must end at the latest.
  /// - Returns: `nil` when no tag is there.
  init?(_ window: ByteWindow, at start: Int64, limit: Int64 = .max) {
    guard window.matches("ID3", at: start), let version = window.byte(start + 3), version < 0xFF,
      let revision = window.byte(start + 4), revision < 0xFF, let flags = window.byte(start + 5),
      let packed = window.bigEndian(start + 6, size: 4), packed & 0x8080_8080 == 0
    else { return nil }
    let size = Int64(Self.synchsafe(UInt32(packed)))
    self.version = version
    position = start + Int64(Self.headerSize)
    bodyEnd = min(position + size, limit)
    end = min(position + size + (version >= 4 && flags & 0x10 != 0 ? 10 : 0), limit)
    isUnsynchronised = flags & 0x80 != 0
    hasExtendedHeader = version >= 3 && flags & 0x40 != 0
  }

  /// A reader for the frames in `body`, whose positions mean nothing outside.
  private init(version: UInt8, body: [UInt8], hasExtendedHeader: Bool) {
    self.version = version
    self.hasExtendedHeader = hasExtendedHeader
    isUnsynchronised = false
    position = 0
    bodyEnd = Int64(body.count)
    end = bodyEnd
    positionsAreReal = false
  }

  /// Takes steps until bytes are missing or the tag is read.
  mutating func next(in window: ByteWindow) -> Step {
    guard (2...4).contains(version) else { return .done }
    if isUnsynchronised && version < 4 { return readUnsynchronised(window) }
    if isFirstStep {
      if hasExtendedHeader {
        guard let size = number(window, 4) else { return want(window, 4) }
        let length = version == 4 ? Int64(Self.synchsafe(UInt32(size))) : Int64(size) + 4
        position += max(length, 4)
      }
      isFirstStep = false
    }
    while framesSeen < Self.frameLimit {
      let header = version == 2 ? 6 : 10
      guard position + Int64(header) <= bodyEnd else { return .done }
      guard window.contains(position, count: header) else { return want(window, header) }
      guard let frame = FrameHeader(window, at: position, version: version) else { return .done }
      let body = position + Int64(header)
      guard Int64(frame.size) <= bodyEnd - body else { return .done }
      let wanted = Self.wanted(frame)
      if wanted > 0 {
        guard window.contains(position, count: header + wanted) else { return want(window, header + wanted) }
        take(frame, window.bytes(body, count: wanted) ?? [], at: body)
      }
      framesSeen += 1
      position = body + Int64(frame.size)
    }
    return .done
  }

  private func number(_ window: ByteWindow, _ size: Int) -> UInt64? { window.bigEndian(position, size: size) }

  /// Asks for bytes, or gives up where the source has none left.
  private func want(_ window: ByteWindow, _ count: Int) -> Step {
    window.isEnd && position >= window.start ? .done : .need(ByteRequest(position: position, count: count))
  }

  private mutating func readUnsynchronised(_ window: ByteWindow) -> Step {
    let count = Int(min(bodyEnd - position, Int64(Self.unsynchronisedLimit)))
    guard count > 0 else { return .done }
    guard let bytes = window.bytes(position, count: count) else { return want(window, count) }
    let body = Self.resynchronise(bytes[...])
    var inner = ID3v2Reader(version: version, body: body, hasExtendedHeader: hasExtendedHeader)
    var whole = ByteWindow(start: 0, sourceLength: Int64(body.count))
    body.withUnsafeBytes { whole.append($0) }
    whole.markEnd()
    _ = inner.next(in: whole)
    tags = inner.tags
    return .done
  }

  /// How many bytes of a frame's body are of interest.
  private static func wanted(_ frame: FrameHeader) -> Int {
    guard !frame.isOpaque else { return 0 }
    switch frame.id {
    case "APIC", "PIC": return min(frame.size, 1024)
    case "CHAP": return min(frame.size, 8192)
    case "COMM", "COM": return frame.size <= textLimit ? frame.size : 0
    default: return frame.id.hasPrefix("T") && frame.size <= textLimit ? frame.size : 0
    }
  }

  private mutating func take(_ frame: FrameHeader, _ raw: [UInt8], at position: Int64) {
    var body = raw[...]
    if frame.prefix > 0 { body = body.dropFirst(frame.prefix) }
    let isAltered = frame.isUnsynchronised || (version == 4 && isUnsynchronised)
    if isAltered { body = Self.resynchronise(body)[...] }
    guard let encoding = body.first else { return }
    switch frame.id {
    case "APIC", "PIC":
      let hidden = body.count
      guard let picture = Self.picture(body, isShort: frame.id == "PIC") else { return }
      let skipped = hidden - picture.rest + frame.prefix
      guard frame.size > skipped, tags.pictures.count < 64 else { return }
      tags.pictures.append(
        Picture(
          type: picture.type, mime: picture.mime,
          position: positionsAreReal && !isAltered ? position + Int64(skipped) : nil, byteCount: frame.size - skipped)
      )
    case "CHAP": takeChapter(body)
    case "TXXX", "TXX":
      let (name, rest) = ID3Text.split(body.dropFirst(), encoding: encoding)
      _ = tags.takeReplayGain(name, ID3Text.values(rest, encoding: encoding).first ?? "")
    case "COMM", "COM":
      guard body.count > 4 else { return }
      let (name, rest) = ID3Text.split(body.dropFirst(4), encoding: encoding)
      // iTunes keeps numbers of its own in comments with such names.
      guard !name.hasPrefix("iTun") else { return }
      tags.add("comment", ID3Text.values(rest, encoding: encoding).first ?? "")
    default:
      guard let name = Self.names[frame.id] else { return }
      for value in ID3Text.values(body.dropFirst(), encoding: encoding) {
        tags.add(name, name == "genre" ? ID3Text.genre(value) : value)
      }
    }
  }

  private mutating func takeChapter(_ body: ArraySlice<UInt8>) {
    guard let terminator = body.firstIndex(of: 0), body.endIndex - terminator > 16, tags.chapters.count < 1024 else {
      return
    }
    func seconds(_ at: Int) -> Double {
      Double(body[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / 1000
    }
    let start = seconds(terminator + 1)
    let end = seconds(terminator + 5)
    var inner = ID3v2Reader(version: version, body: Array(body[(terminator + 17)...]), hasExtendedHeader: false)
    var window = ByteWindow()
    Array(body[(terminator + 17)...]).withUnsafeBytes { window.append($0) }
    window.markEnd()
    _ = inner.next(in: window)
    let title = inner.tags.tags.first { $0.name == "title" }?.value ?? ""
    tags.chapters.append(Chapter(start: start, end: end > start ? end : nil, title: title))
    tags.chapters.sort { $0.start < $1.start }
  }

  private static func picture(_ body: ArraySlice<UInt8>, isShort: Bool) -> (type: Int, mime: String, rest: Int)? {
    guard let encoding = body.first else { return nil }
    var mime: String
    var rest = body.dropFirst()
    if isShort {
      guard rest.count > 4 else { return nil }
      mime = ID3Text.latin1(rest.prefix(3)) == "PNG" ? "image/png" : "image/jpeg"
      rest = rest.dropFirst(3)
    } else {
      (mime, rest) = ID3Text.split(rest, encoding: 0)
    }
    guard let type = rest.first else { return nil }
    (_, rest) = ID3Text.split(rest.dropFirst(), encoding: encoding)
    return (Int(type), mime, rest.count)
  }

  /// Undoes unsynchronisation: the NUL after each 0xFF goes.
  private static func resynchronise(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var wasFF = false
    for byte in bytes {
      if !(wasFF && byte == 0) { out.append(byte) }
      wasFF = byte == 0xFF
    }
    return out
  }

  static func synchsafe(_ value: UInt32) -> UInt32 {
    value & 0x7F | value >> 1 & 0x3F80 | value >> 2 & 0x1F_C000 | value >> 3 & 0xFE0_0000
  }

  private static let names: [String: String] = [
    "TIT2": "title", "TPE1": "artist", "TPE2": "albumartist", "TALB": "album", "TRCK": "track", "TYER": "date",
    "TDRC": "date", "TCON": "genre", "TCOM": "composer", "TPOS": "disc",
    "TT2": "title", "TP1": "artist", "TP2": "albumartist", "TAL": "album", "TRK": "track", "TYE": "date",
    "TCO": "genre", "TCM": "composer", "TPA": "disc",
  ]
}

extension ID3v2Reader {
  /// The fixed part of a frame.
  struct FrameHeader {
    var id: String
    var size: Int
    /// Compressed or encrypted: its body says nothing to us.
    var isOpaque: Bool
    var isUnsynchronised: Bool
    /// Bytes before the body proper: group and length marks.
    var prefix: Int

    /// Reads the header at a position; `nil` for padding and for what can be no header.
    init?(_ window: ByteWindow, at position: Int64, version: UInt8) {
      let letters = version == 2 ? 3 : 4
      guard let name = window.bytes(position, count: letters),
        name.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }),
        let stored = window.bigEndian(position + Int64(letters), size: letters)
      else { return nil }
      id = String(decoding: name, as: UTF8.self)
      isOpaque = false
      isUnsynchronised = false
      prefix = 0
      // Some writers of 2.4 store plain sizes; a high bit gives them away.
      size = Int(version == 4 && stored & 0x8080_8080 == 0 ? synchsafe(UInt32(stored)) : UInt32(stored))
      guard version > 2, let flags = window.byte(position + 9) else { return }
      if version == 3 {
        isOpaque = flags & 0xC0 != 0
        prefix = flags & 0x20 != 0 ? 1 : 0
      } else {
        isOpaque = flags & 0x0C != 0
        isUnsynchronised = flags & 0x02 != 0
        prefix = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
      }
    }
  }
}
