/// Finds frames among other bytes.
enum FrameSync {
  enum Search: Hashable {
    case frame(FoundFrame)
    /// Nothing begins before `position`, and there the window or the limit ends.
    case none(position: Int64)
    case need(ByteRequest)
  }
  private enum Check {
    case frame(FoundFrame)
    case no
    case need(Int)
  }
  /// What a frame that is the only one must have around it to count. Two that follow each other always count.
  enum Trust {
    /// Right at the beginning: a tag, or the very end of the source behind it.
    case beginning
    /// Behind junk, with nothing found before: it never counts.
    case junk
    /// In a stream that was found already: a tag or the end of the source behind it.
    case stream
  }

  /// Most junk in front of the first frame.
  static let junkLimit = 128 << 10

  /// Looks whether a frame begins at a position and others of its kind follow.
  private static func check<Syntax: FrameSyntax>(
    _ syntax: Syntax, _ window: ByteWindow, at position: Int64, trust: Trust
  ) -> Check {
    guard window.settles(position, count: Syntax.headerSize) else { return .need(Syntax.headerSize) }
    guard let header = syntax.header(window, at: position) else { return .no }
    var frame = FoundFrame(position: position, byteCount: header.byteCount, header: header)
    var next = position
    var last = header
    for followed in 0..<Syntax.followers {
      switch syntax.extent(window, at: next, last) {
      case .need(let count): return .need(Int(next - position) + count)
      case .bytes(let count):
        if followed == 0 { frame.byteCount = count }
        next += Int64(count)
      }
      guard window.settles(next, count: Syntax.headerSize) else {
        return .need(Int(next - position) + Syntax.headerSize)
      }
      if next > window.end - Int64(Syntax.headerSize) {
        // The source ends, maybe in the midst of a frame.
        let isWhole = trust == .stream && next <= window.end || trust == .beginning && next == window.end
        return isWhole || followed > 0 ? .frame(frame) : .no
      }
      guard let follower = syntax.header(window, at: next), follower.kind == header.kind else {
        return MPEGTail.isTag(window, at: next) && (followed > 0 || trust != .junk) ? .frame(frame) : .no
      }
      last = follower
    }
    return .frame(frame)
  }

  /// Looks for the first frame in `position..<limit`.
  static func search<Syntax: FrameSyntax>(
    _ syntax: Syntax, _ window: ByteWindow, from position: Int64, limit: Int64, trust: Trust
  ) -> Search {
    var at = position
    while at < limit {
      guard window.settles(at, count: Syntax.headerSize) else { return .need(ByteRequest(position: at, count: 4096)) }
      let count = window.available(at, limit: Int(min(limit - at, 1 << 24)))
      guard count >= Syntax.headerSize else { return .none(position: at + Int64(count)) }
      if let first = Syntax.firstByte {
        let skipped = window.withBytes(at, count: count) { bytes in bytes.firstIndex(of: first) ?? bytes.count } ?? 0
        at += Int64(skipped)
        if skipped == count { continue }
      }
      // A header that the limit cuts counts as little as it would if the search had begun at it.
      if limit - at < Int64(Syntax.headerSize) {
        return .none(position: min(at + Int64(window.available(at, limit: Syntax.headerSize)), limit))
      }
      // What lies behind junk is not the beginning any more.
      switch check(syntax, window, at: at, trust: trust == .beginning && at > position ? .junk : trust) {
      case .frame(let frame): return .frame(frame)
      case .no: at += 1
      case .need(let count): return .need(ByteRequest(position: at, count: count))
      }
    }
    return .none(position: at)
  }

  /// Whether a stream begins at `start`, or behind junk.
  static func probe<Syntax: FrameSyntax>(_ syntax: Syntax, _ window: ByteWindow, start: Int64) -> ProbeAnswer {
    switch check(syntax, window, at: start, trust: .beginning) {
    case .frame: return .certain
    case .need(let count): return .more(count: count)
    case .no: break
    }
    switch search(syntax, window, from: start, limit: start.addingSaturating(Int64(junkLimit)), trust: .junk) {
    case .frame: return .likely
    case .need(let request):
      return .more(count: Int(min(request.position - start, Int64(junkLimit))) + request.count)
    case .none: return .no
    }
  }
}
