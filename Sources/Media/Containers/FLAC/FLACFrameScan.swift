/// Finds where frames of FLAC begin and end. A frame has no length: it ends where the next header stands, and where its
/// CRC-16 is right there. All answers depend on the bytes alone, never on how many of them happen to be in the window.
///
/// Holds no bytes, and positions of at most ``candidateLimit`` possible frames.
struct FLACFrameScan {
  enum Answer: Hashable {
    /// The bytes from `from` on, `count` of them, are wanted in the window.
    case need(from: Int64, count: Int)
    /// A frame, and where it ends.
    case frame(Frame)
    /// None begins before `end`.
    case none(end: Int64)
  }
  struct Frame: Hashable {
    var position: Int64
    var header: FLACFrameHeader
    var end: Int64
    /// Its CRC-16 is right.
    var isWhole: Bool
    /// Its CRC-16 is right here or, where something else follows, at an earlier place.
    var mayBeWhole: Bool
    /// The header that stands at the end.
    var next: FLACFrameHeader?
  }
  private struct Candidate {
    var position: Int64
    var header: FLACFrameHeader
    /// Of the bytes from its position up to `scanned`.
    var crc: UInt16 = 0
  }

  /// Possible headers that wait for their frame's CRC-16 at a time. More than a few come only of bytes made to look so.
  static let candidateLimit = 4
  /// Bytes that are asked for beyond those that were looked at.
  private static let step = 2048

  /// Frames begin there: the first candidate is believed already.
  private let isTrusted: Bool
  /// Where frames end at the latest; there the source ends or its tail begins.
  private let audioEnd: Int64?
  /// Nothing is looked at from there on.
  private let limit: Int64
  private let start: Int64
  private var candidates: [Candidate]
  private var scanned: Int64

  /// Looks for the end of the frame that begins at a position with `header`.
  init(frame header: FLACFrameHeader, at position: Int64, audioEnd: Int64?) {
    isTrusted = true
    self.audioEnd = audioEnd
    start = position
    limit = min(position.addingSaturating(header.longestFrame), audioEnd ?? .max)
    candidates = [Candidate(position: position, header: header)]
    scanned = position
  }

  /// Looks for the next whole frame among other bytes.
  init(from position: Int64, limit: Int64, audioEnd: Int64?) {
    isTrusted = false
    self.audioEnd = audioEnd
    start = position
    self.limit = min(limit, audioEnd ?? .max)
    candidates = []
    scanned = position
  }

  /// Goes on until bytes are missing or there is an answer.
  mutating func next(in window: ByteWindow) -> Answer {
    while scanned < limit {
      let from = candidates.first?.position ?? scanned
      let count = window.available(scanned, limit: Int(clamping: limit - scanned))
      guard count > 0 else {
        if window.isEnd && scanned >= window.start { return finish(at: scanned, isEnd: true, window) }
        return .need(from: from, count: Int(scanned - from) + Self.step)
      }
      // A header that begins with the last byte at hand can't be seen yet.
      let isAll = window.isEnd || Int64(count) == limit - scanned
      let found = window.withBytes(scanned, count: count) { bytes in
        Self.mark(bytes, from: candidates.last?.position == scanned ? 1 : 0, isAll: isAll) ?? count
      }
      let distance = found ?? count
      if distance > 0 { pass(distance, window) }
      guard scanned < limit, distance < count else { continue }
      guard window.settles(scanned, count: FLACFrameHeader.limit) else {
        // The rest of a header is wanted, or the byte behind a last one of 0xFF.
        return .need(from: from, count: Int(scanned - from) + Self.step)
      }
      if let header = FLACFrameHeader(window, at: scanned), let answer = meet(header) { return answer }
      if candidates.last?.position != scanned { pass(1, window) }
    }
    return finish(at: limit, isEnd: limit == audioEnd, window)
  }

  /// Adds bytes to the checksums.
  private mutating func pass(_ count: Int, _ window: ByteWindow) {
    window.withBytes(scanned, count: count) { bytes in
      for index in candidates.indices { candidates[index].crc = FLACChecksum.crc16(candidates[index].crc, bytes) }
    }
    scanned += Int64(count)
  }

  /// Looks at a header where the scan is.
  private mutating func meet(_ header: FLACFrameHeader) -> Answer? {
    if let frame = confirmed(at: scanned, next: header) { return .frame(frame) }
    if isTrusted, let first = candidates.first, header.follows(first.header),
      scanned - first.position >= FLACFrameHeader.shortestFrame
    {
      // Damaged, but the next one has the number that is expected.
      return .frame(frame(first, end: scanned, isWhole: false, next: header))
    }
    if candidates.count > Self.candidateLimit {
      if isTrusted {
        return .frame(frame(candidates[0], end: candidates[1].position, isWhole: false, next: candidates[1].header))
      }
      candidates.removeFirst()
    }
    candidates.append(Candidate(position: scanned, header: header))
    return nil
  }

  /// The frame that a right checksum at `end` tells: the believed one, up to there or up to another that is whole.
  private func confirmed(at end: Int64, next: FLACFrameHeader?) -> Frame? {
    for candidate in candidates
    where candidate.crc == 0 && end - candidate.position >= FLACFrameHeader.shortestFrame {
      guard isTrusted, let first = candidates.first, first.position != candidate.position else {
        return frame(candidate, end: end, isWhole: true, next: next)
      }
      return frame(first, end: candidate.position, isWhole: false, next: candidate.header)
    }
    return nil
  }

  /// What is known where the scan ends.
  private func finish(at end: Int64, isEnd: Bool, _ window: ByteWindow) -> Answer {
    if isEnd, let frame = confirmed(at: end, next: nil) { return .frame(frame) }
    guard isTrusted, let first = candidates.first, end > first.position else { return .none(end: end) }
    var frame = frame(first, end: end, isWhole: false, next: nil)
    frame.mayBeWhole =
      window.withBytes(first.position, count: Int(end - first.position)) {
        FLACChecksum.isRight($0, somewhereFrom: FLACFrameHeader.shortestFrame)
      } ?? false
    return .frame(frame)
  }

  private func frame(_ candidate: Candidate, end: Int64, isWhole: Bool, next: FLACFrameHeader?) -> Frame {
    Frame(
      position: candidate.position, header: candidate.header, end: end, isWhole: isWhole, mayBeWhole: isWhole,
      next: next)
  }

  /// The first place from `from` on where a header may begin, by its first two bytes; the last byte counts if the second
  /// one is not there yet.
  private static func mark(_ bytes: UnsafeRawBufferPointer, from: Int, isAll: Bool) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    var at = from
    let last = bytes.count - 1
    while at < last {
      if at + 9 <= last {
        // Eight bytes at a time: none of them is 0xFF where none of their complements is zero.
        let inverse = ~(base + at).loadUnaligned(as: UInt64.self)
        let zeros = (inverse &- 0x0101_0101_0101_0101) & ~inverse & 0x8080_8080_8080_8080
        if zeros == 0 {
          at += 8
          continue
        }
        at += zeros.trailingZeroBitCount / 8
      }
      if bytes[at] == 0xFF && bytes[at + 1] & 0xFE == 0xF8 { return at }
      at += 1
    }
    return at == last && !isAll && bytes[at] == 0xFF ? at : nil
  }
}
