/// Finds frames of MPEG audio among other bytes. All answers depend on the bytes alone, never on how many of them
/// happen to be in the window.
enum MPEGSync {
  /// A frame that was found.
  struct Frame: Hashable {
    var position: Int64
    var header: MPEGHeader
    var byteCount: Int
    /// For free format: bytes of a frame without its padding slot.
    var freeBytes: Int?
  }
  enum Check: Hashable {
    case frame(Frame)
    case no
    /// Undecided: so many bytes from the position on would tell more.
    case need(Int)
  }
  enum Search: Hashable {
    case frame(Frame)
    /// Nothing begins before `position`, and there the window or the limit ends.
    case none(position: Int64)
    case need(ByteRequest)
  }

  /// Frames that must follow a header found among junk, unless the source ends first. Two make a false find in 100 kB
  /// of noise rarer than one in a million.
  static let followers = 2
  /// What a frame that is the only one must have around it to count. Two that follow each other always count.
  enum Trust {
    /// Right at the beginning: a tag behind it.
    case beginning
    /// Behind junk, with nothing found before: it never counts.
    case junk
    /// In a stream that was found already: a tag or the end of the source behind it.
    case stream
  }

  /// Longest frame of free format that is looked for.
  static let longestFreeFrame = 4096

  /// Looks whether a frame begins at a position and others follow.
  static func check(_ window: ByteWindow, at position: Int64, trust: Trust) -> Check {
    guard window.settles(position, count: MPEGHeader.size) else { return .need(MPEGHeader.size) }
    guard let header = MPEGHeader(window, at: position) else { return .no }
    var freeBytes: Int?
    if header.isFreeFormat {
      switch freeSize(window, at: position, header) {
      case .success(let size): freeBytes = size
      case .failure(let missing): return missing.count > 0 ? .need(missing.count) : .no
      }
    }
    guard let byteCount = header.byteCount ?? freeBytes.map({ $0 + header.padding * header.slot }),
      byteCount > MPEGHeader.size
    else { return .no }
    var next = position + Int64(byteCount)
    for followed in 0..<followers {
      guard window.settles(next, count: MPEGHeader.size) else {
        return .need(Int(next - position) + MPEGHeader.size)
      }
      if next >= window.end - 3 {
        // The source ends, maybe in the midst of a frame.
        return (trust == .stream && next <= window.end) || followed > 0
          ? .frame(Frame(position: position, header: header, byteCount: byteCount, freeBytes: freeBytes)) : .no
      }
      guard let follower = MPEGHeader(window, at: next), follower.continues(header),
        let size = follower.byteCount ?? freeBytes.map({ $0 + follower.padding * follower.slot }),
        size > MPEGHeader.size
      else {
        guard MPEGTail.isTag(window, at: next), followed > 0 || trust != .junk else { return .no }
        break
      }
      next += Int64(size)
    }
    return .frame(Frame(position: position, header: header, byteCount: byteCount, freeBytes: freeBytes))
  }

  /// Looks for the first frame in `position..<limit`.
  static func search(
    _ window: ByteWindow, from position: Int64, limit: Int64, trust: Trust
  ) -> Search {
    var at = position
    while at < limit {
      guard window.settles(at, count: MPEGHeader.size) else {
        return .need(ByteRequest(position: at, count: 4096))
      }
      let count = window.available(at, limit: Int(min(limit - at, 1 << 24)))
      guard count >= MPEGHeader.size else { return .none(position: at + Int64(count)) }
      let skipped = window.withBytes(at, count: count) { bytes in bytes.firstIndex(of: 0xFF) ?? bytes.count } ?? 0
      at += Int64(skipped)
      if skipped == count { continue }
      // A header that the limit cuts counts as little as it would if the search had begun at it.
      let left = window.available(at, limit: MPEGHeader.size)
      if limit - at < Int64(MPEGHeader.size) { return .none(position: min(at + Int64(left), limit)) }
      // What lies behind junk is not the beginning any more, in one go or in pieces.
      switch check(window, at: at, trust: trust == .beginning && at > position ? .junk : trust) {
      case .frame(let frame): return .frame(frame)
      case .no: at += 1
      case .need(let count): return .need(ByteRequest(position: at, count: count))
      }
    }
    return .none(position: at)
  }

  private struct Missing: Error { var count: Int }

  /// The size of a frame of free format, unpadded: the distance to the next header of the same kind.
  private static func freeSize(
    _ window: ByteWindow, at position: Int64, _ header: MPEGHeader
  ) -> Result<Int, Missing> {
    let shortest = MPEGHeader.size + (header.layer == 3 ? header.sideInfoBytes : 4)
    for distance in shortest...longestFreeFrame {
      let next = position + Int64(distance)
      guard window.settles(next, count: MPEGHeader.size) else {
        return .failure(Missing(count: longestFreeFrame + MPEGHeader.size))
      }
      guard window.available(next, limit: 4) == 4 else { return .failure(Missing(count: 0)) }
      guard window.byte(next) == 0xFF, let other = MPEGHeader(window, at: next), other.continues(header),
        other.isFreeFormat
      else { continue }
      return .success(distance - header.padding * header.slot)
    }
    return .failure(Missing(count: 0))
  }

  /// Whether a stream of MPEG audio begins at `start`, or behind junk.
  static func probe(_ window: ByteWindow, start: Int64) -> ProbeAnswer {
    switch check(window, at: start, trust: .beginning) {
    case .frame: return .certain
    case .need(let count): return .more(count: count)
    case .no: break
    }
    let limit = start.addingSaturating(Int64(MPEGParser.junkLimit))
    switch search(window, from: start, limit: limit, trust: .junk) {
    case .frame: return .likely
    case .need(let request):
      return .more(count: Int(min(request.position - start, Int64(MPEGParser.junkLimit))) + request.count)
    case .none: return .no
    }
  }
}
