import AudioModel

/// Reads an ID3v2 tag (2.2, 2.3, 2.4) frame by frame, in the manner of a parser: texts are read; pictures, lyrics and
/// whatever else is large are passed by. Sources: the ID3v2.2, 2.3.0 and 2.4.0 structure documents, ID3v2 Chapter Frame
/// Addendum 1.0. ``ID3v2Content`` knows what frames mean.
struct ID3v2Reader {
  enum Step {
    case need(ByteRequest)
    case done
  }
  private enum State {
    case extendedHeader
    case frames
    case done
  }

  /// Bytes of a tag's header.
  static let headerSize = 10
  /// Largest text that is read.
  private static let textLimit = 64 << 10
  /// As much of a picture as is read: what stands in front of it.
  private static let pictureHead = 1024
  /// As much of a chapter as is read before its own frames.
  private static let chapterHead = 512
  /// How much of a tag is read where unsynchronisation of the whole forbids to pass frames by.
  private static let unsynchronisedLimit = 1 << 20
  /// Most frames that are looked at.
  private static let frameLimit = 4096

  /// Position behind the tag.
  let end: Int64
  /// What it says; complete after `done`.
  var tags: TagSet { content.tags }

  private let version: UInt8
  private let isUnsynchronised: Bool
  private let bodyEnd: Int64
  private var position: Int64
  private var state: State
  private var framesSeen = 0
  private var positionsAreReal = true
  private var content = ID3v2Content()
  /// Where the frames of the chapter end that is being read.
  private var chapterEnd: Int64?
  /// Sizes of frames in 2.4 proved to be plain numbers.
  private var sizesArePlain = false
  /// A large frame was passed by whose size may be read in two ways: where the next one is by the other.
  private var other: (position: Int64, isPicture: Bool)?

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
    position = start.addingSaturating(Int64(Self.headerSize))
    bodyEnd = min(position.addingSaturating(size), limit)
    end = min(position.addingSaturating(size + (version >= 4 && flags & 0x10 != 0 ? 10 : 0)), limit)
    isUnsynchronised = flags & 0x80 != 0
    // In 2.2 the same bit means a compression that was never defined.
    let isReadable = (2...4).contains(version) && !(version == 2 && flags & 0x40 != 0)
    state = !isReadable ? .done : flags & 0x40 != 0 ? .extendedHeader : .frames
  }

  /// A reader for frames in memory, whose positions mean nothing outside.
  private init(version: UInt8, content: ID3v2Content, end: Int64, hasExtendedHeader: Bool) {
    self.version = version
    self.content = content
    isUnsynchronised = false
    position = 0
    bodyEnd = end
    self.end = end
    positionsAreReal = false
    state = hasExtendedHeader ? .extendedHeader : .frames
  }

  /// Takes steps until bytes are missing or the tag is read.
  mutating func next(in window: ByteWindow) -> Step {
    if isUnsynchronised && version < 4 && state != .done { return readUnsynchronised(window) }
    while true {
      switch state {
      case .extendedHeader:
        guard let size = window.bigEndian(position, size: 4) else { return want(window, 4) }
        // The bit is set in some tags that have none: their first frame's name would be its size.
        if size < 0x3030_3030 {
          let length = version == 4 ? Int64(Self.synchsafe(UInt32(size))) : Int64(size) + 4
          position += max(length, 4)
        }
        state = .frames
      case .frames:
        if let request = readFrame(window) { return request }
      case .done: return .done
      }
    }
  }

  /// Reads or passes by one frame.
  /// - Returns: `nil` when the next step can be taken.
  private mutating func readFrame(_ window: ByteWindow) -> Step? {
    let limit = chapterEnd ?? bodyEnd
    let header = ID3v2Frame.headerSize(version)
    if let other {
      let look = Int(min(Int64(header), limit - position))
      guard look <= 0 || window.settles(position, count: look) else { return want(window, look) }
      self.other = nil
      if !isBorder(window, position, limit: limit) {
        sizesArePlain = true
        if other.isPicture { content.lengthenPicture(by: Int(other.position - position)) }
        position = other.position
      }
    }
    guard framesSeen < Self.frameLimit, position + Int64(header) <= limit else { return leave() }
    guard window.contains(position, count: header) else { return want(window, header) }
    guard var frame = ID3v2Frame(window, at: position, version: version) else { return leave() }
    let body = position + Int64(header)
    if let plain = frame.plainSize, Int64(plain) <= limit - body {
      if sizesArePlain || plain == frame.size {
        frame.size = plain
        sizesArePlain = true
      } else if frame.size <= Self.textLimit {
        let next = body + Int64(frame.size)
        let look = header + frame.size + Int(min(Int64(header), max(limit - next, 0)))
        guard window.settles(position, count: look) else { return want(window, look) }
        if !isBorder(window, next, limit: limit) {
          frame.size = plain
          sizesArePlain = true
        }
      } else if frame.id != "CHAP" {
        other = (body + Int64(plain), frame.id == "APIC")
      }
    }
    guard Int64(frame.size) <= limit - body else { return leave() }
    let wanted = wanted(frame)
    if wanted > 0 {
      guard let raw = window.bytes(body, count: wanted) else { return want(window, header + wanted) }
      framesSeen += 1
      position = body + Int64(frame.size)
      take(frame, raw, at: body)
    } else {
      framesSeen += 1
      position = body + Int64(frame.size)
    }
    return nil
  }

  /// The frames of a chapter or of the tag are over.
  private mutating func leave() -> Step? {
    guard let chapterEnd else {
      state = .done
      return .done
    }
    content.endChapter()
    position = chapterEnd
    self.chapterEnd = nil
    return nil
  }

  /// Whether a frame, padding or the end is at a position; where the source ends, it may be.
  private func isBorder(_ window: ByteWindow, _ position: Int64, limit: Int64) -> Bool {
    let header = ID3v2Frame.headerSize(version)
    guard position < limit, let first = window.byte(position) else { return true }
    if first == 0 {
      let count = window.available(position, limit: Int(min(Int64(header), limit - position)))
      return window.bytes(position, count: count)?.allSatisfy { $0 == 0 } ?? true
    }
    guard let frame = ID3v2Frame(window, at: position, version: version) else { return false }
    return Int64(frame.size) <= limit - position
  }

  /// Asks for bytes, or gives up where the source has none left.
  private mutating func want(_ window: ByteWindow, _ count: Int) -> Step {
    if window.isEnd && position >= window.start {
      content.endChapter()
      state = .done
      return .done
    }
    return .need(ByteRequest(position: position, count: count))
  }

  private mutating func readUnsynchronised(_ window: ByteWindow) -> Step {
    let count = Int(min(bodyEnd - position, Int64(Self.unsynchronisedLimit)))
    if count > 0, !window.settles(position, count: count) {
      return .need(ByteRequest(position: position, count: count))
    }
    let there = window.available(position, limit: max(count, 0))
    let body = ID3v2Frame.resynchronise((window.bytes(position, count: there) ?? [])[...])
    // Frames behind what is read keep their stated sizes.
    var inner = ID3v2Reader(
      version: version, content: content, end: bodyEnd - position, hasExtendedHeader: state == .extendedHeader)
    inner.readAll(body)
    content = inner.content
    state = .done
    return .done
  }

  /// Reads frames in memory as far as they are there.
  private mutating func readAll(_ body: [UInt8]) {
    var window = ByteWindow(start: 0, sourceLength: Int64(body.count))
    body.withUnsafeBytes { window.append($0) }
    window.markEnd()
    _ = next(in: window)
  }

  // MARK: Frames

  private func isAltered(_ frame: ID3v2Frame) -> Bool {
    frame.isCompressed || frame.isUnsynchronised || (version == 4 && isUnsynchronised)
  }

  /// How many bytes of a frame's body are of interest.
  private func wanted(_ frame: ID3v2Frame) -> Int {
    guard !frame.isEncrypted else { return 0 }
    let text = frame.size <= Self.textLimit ? frame.size : 0
    // Frames of a chapter: only what it is called.
    if chapterEnd != nil { return frame.id.hasPrefix("T") ? text : 0 }
    switch frame.id {
    case "APIC", "PIC": return min(frame.size, Self.pictureHead)
    case "CHAP": return isAltered(frame) ? text : min(frame.size, Self.chapterHead)
    case "COMM", "COM", "CTOC", "RVA2", "XRVA": return text
    default: return frame.id.hasPrefix("T") ? text : 0
    }
  }

  private mutating func take(_ frame: ID3v2Frame, _ raw: [UInt8], at start: Int64) {
    let isResynchronised = frame.isUnsynchronised || (version == 4 && isUnsynchronised)
    guard let body = frame.body(raw, isUnsynchronised: isResynchronised, limit: Self.textLimit) else { return }
    switch frame.id {
    case "APIC", "PIC":
      let isStored = positionsAreReal && !isAltered(frame)
      content.takePicture(
        body, isShort: frame.id == "PIC", position: isStored ? start + Int64(frame.prefix) : nil,
        byteCount: frame.isCompressed ? body.count : frame.size - frame.prefix)
    case "CHAP":
      guard let head = content.beginChapter(body) else { return }
      if isAltered(frame) {
        let inside = Array(body.dropFirst(head))
        var inner = ID3v2Reader(
          version: version, content: content, end: Int64(inside.count), hasExtendedHeader: false)
        inner.chapterEnd = inner.bodyEnd
        inner.readAll(inside)
        content = inner.content
        content.endChapter()
      } else {
        chapterEnd = position
        position = start + Int64(frame.prefix + head)
      }
    default: content.take(frame.id, body)
    }
  }

  /// The number in 28 bits of four bytes, the high bit of each left out.
  static func synchsafe(_ value: UInt32) -> UInt32 {
    value & 0x7F | value >> 1 & 0x3F80 | value >> 2 & 0x1F_C000 | value >> 3 & 0xFE0_0000
  }
}
