import AudioModel

/// Reads the metadata blocks in front of a FLAC stream, in the manner of a parser. Sources: RFC 9639 §8.
///
/// Texts and tables are read within limits, pictures and padding are passed by. Writers are known that store too short a
/// length for a block of comments or a picture (its true one may not fit into 24 bits), and such that mark a block as
/// the last one that is not: what stands where a block ends decides.
struct FLACMetadata {
  enum Step {
    case need(ByteRequest)
    case done
  }

  /// Most blocks that are looked at.
  static let blockLimit = 1024
  /// Most bytes of a cue sheet that are read; 255 tracks with 99 index points fit.
  static let cueSheetLimit = 512 << 10
  /// Most bytes of comments, also where they are longer than their block.
  static let commentLimit: Int64 = 16 << 20

  /// Longest block of comments whose length is doubted where they run over it.
  private static let overrunLimit: Int64 = 64 << 10

  private enum State {
    case marker
    case block
    /// `short` is what the block by its own length said.
    case comments(VorbisComments, block: Block, short: TagSet?)
    case overrun(TagSet, block: Block)
    case seekTable(at: Int64, block: Block)
    case check(stated: Int64, natural: Int64, isLast: Bool)
    case last
    case done
  }
  private struct Block {
    var type: UInt8
    var body: Int64
    var size: Int64
    var isLast: Bool
    var end: Int64 { body + size }
  }

  /// What the stream is, if it says so.
  private(set) var streamInfo: FLACStreamInfo?
  private(set) var tags = TagSet()
  private(set) var seekTable = FLACSeekTable()
  /// The tracks of a cue sheet: first sample, and number.
  private(set) var tracks: [(start: Int64, number: Int)] = []
  /// Where the blocks end and frames should begin.
  private(set) var end: Int64
  private var state = State.marker
  private var blocksSeen = 0

  /// Makes a reader for blocks that begin with `fLaC` at a position; where that is missing, there are none.
  init(start: Int64) { end = start }

  /// Takes steps until bytes are missing or all blocks are read.
  mutating func next(in window: ByteWindow) -> Step {
    while true {
      switch state {
      case .marker:
        guard window.settles(end, count: 4) else { return need(4) }
        let isMarked = window.matches("fLaC", at: end)
        if isMarked { end += 4 }
        state = isMarked ? .block : .done
      case .block:
        guard window.settles(end, count: FLACFrameHeader.limit) else { return need(FLACFrameHeader.limit) }
        guard blocksSeen < Self.blockLimit, let block = block(window, at: end) else {
          state = .done
          continue
        }
        if let step = read(block, window) { return step }
        blocksSeen += 1
      case .comments(var reader, let block, let short):
        if case .need(let request) = reader.next(in: window) {
          state = .comments(reader, block: block, short: short)
          return .need(request)
        }
        finish(reader, block, short: short)
      case .overrun(let short, let block):
        let count = 4 + Int(block.size) + FLACFrameHeader.limit
        guard window.settles(end, count: count) else { return need(count) }
        if Self.isBorder(window, at: block.end) {
          tags.complete(with: short)
          go(behind: block)
        } else {
          let longest = block.body + Self.commentLimit
          state = .comments(VorbisComments(start: block.body, end: longest), block: block, short: short)
        }
      case .seekTable(let at, let block):
        guard let next = seekTable.read(window, at: at, body: block.body, size: block.size) else {
          go(behind: block)
          continue
        }
        state = .seekTable(at: next, block: block)
        if !window.settles(next, count: FLACSeekTable.pointSize) {
          return .need(ByteRequest(position: next, count: FLACSeekTable.pointSize))
        }
      case .check(let stated, let natural, let isLast):
        guard window.settles(stated, count: FLACFrameHeader.limit) else {
          return .need(ByteRequest(position: stated, count: FLACFrameHeader.limit))
        }
        end = Self.isBorder(window, at: stated) ? stated : natural
        state = isLast ? .done : .block
      case .last:
        guard window.settles(end, count: FLACFrameHeader.limit) else { return need(FLACFrameHeader.limit) }
        state = FLACFrameHeader(window, at: end) == nil && Self.isBorder(window, at: end) ? .block : .done
      case .done: return .done
      }
    }
  }

  private func need(_ count: Int) -> Step { .need(ByteRequest(position: end, count: count)) }

  /// The block whose header stands at a position; `nil` for a frame, and for what can be neither.
  private func block(_ window: ByteWindow, at position: Int64) -> Block? {
    guard let head = window.bigEndian(position, size: 4), head >> 24 & 0x7F != 127 else { return nil }
    return Block(
      type: UInt8(head >> 24 & 0x7F), body: position + 4, size: Int64(head & 0xFF_FFFF), isLast: head >> 31 == 1)
  }

  /// Whether a block or a frame may begin at a position.
  private static func isBorder(_ window: ByteWindow, at position: Int64) -> Bool {
    if FLACFrameHeader(window, at: position) != nil { return true }
    guard let head = window.bigEndian(position, size: 4) else { return window.isEnd && position == window.end }
    let size = Int64(head & 0xFF_FFFF)
    guard (1...6).contains(head >> 24 & 0x7F) else { return false }
    return window.sourceLength.map { position + 4 + size <= $0 } ?? true
  }

  private mutating func go(behind block: Block) {
    end = block.end
    state = !block.isLast ? .block : blocksSeen == 0 ? .last : .done
  }

  /// Reads a block, or begins to.
  private mutating func read(_ block: Block, _ window: ByteWindow) -> Step? {
    func missing(_ count: Int) -> Bool { !window.settles(block.body, count: count) }
    if missing(0) { return need(FLACFrameHeader.limit) }
    switch block.type {
    case 0 where streamInfo == nil:
      let count = Int(min(block.size, Int64(FLACStreamInfo.size)))
      if missing(count) { return need(4 + count) }
      streamInfo = window.bytes(block.body, count: count).flatMap { FLACStreamInfo($0) }
    case 3 where seekTable.isEmpty && block.size >= Int64(FLACSeekTable.pointSize):
      state = .seekTable(at: block.body, block: block)
      return nil
    case 4:
      // Short ones at a time, so that a wrong length can be found out without going back.
      if block.size <= Self.overrunLimit && missing(Int(block.size) + FLACFrameHeader.limit) {
        return need(4 + Int(block.size) + FLACFrameHeader.limit)
      }
      state = .comments(VorbisComments(start: block.body, end: block.end), block: block, short: nil)
      return nil
    case 5 where tracks.isEmpty && block.size <= Int64(Self.cueSheetLimit):
      let count = Int(block.size)
      if missing(count) { return need(4 + count) }
      if let bytes = window.bytes(block.body, count: count) { tracks = FLACCueSheet.tracks(bytes) }
    case 6:
      let count = Int(min(max(block.size, 32), Int64(FLACPicture.headSize)))
      if missing(count) { return need(4 + count) }
      let head = window.bytes(block.body, count: window.available(block.body, limit: count)) ?? []
      // Its own word, where that is not hidden by a long description, may be right where the block's is not.
      let own = FLACPicture(head, limit: Int(Int32.max)).flatMap { $0.headerCount <= head.count ? $0 : nil }
      guard let picture = own ?? FLACPicture(head, limit: Int(block.size)) else { break }
      let natural = block.body + Int64(picture.headerCount + picture.byteCount)
      if tags.pictures.count < VorbisComments.pictureLimit {
        tags.pictures.append(
          Picture(
            type: picture.type, mime: picture.mime, position: block.body + Int64(picture.headerCount),
            byteCount: picture.byteCount))
      }
      guard natural > block.end else { break }
      state = .check(stated: block.end, natural: natural, isLast: block.isLast)
      return nil
    default: break
    }
    go(behind: block)
    return nil
  }

  /// Takes what comments said. Where they run over the end of their block, they are read again without it unless
  /// something begins there.
  private mutating func finish(_ reader: VorbisComments, _ block: Block, short: TagSet?) {
    if reader.overruns, short == nil, block.size <= Self.overrunLimit {
      state = .overrun(reader.tags, block: block)
      return
    }
    guard short != nil, !reader.overruns else {
      tags.complete(with: short ?? reader.tags)
      return go(behind: block)
    }
    tags.complete(with: reader.tags)
    end = reader.position
    state = block.isLast ? .done : .block
  }
}
