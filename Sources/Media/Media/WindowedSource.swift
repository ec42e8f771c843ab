internal import AudioModel
internal import ByteSource
internal import Containers

/// A source with the stretch of its bytes that a parser is looking at. Belongs to the reader's thread.
///
/// A parser may wish for any place. Where the source can't jump ahead, what lies between is read and kept in a
/// ``SpoolFile`` so that the parser can come back to it: the index of an MP4 often stands behind the sound.
final class WindowedSource {
  /// The bytes at hand.
  private(set) var window: ByteWindow
  let source: any ByteSource
  let facts: SourceFacts
  private let events: SourceEventHandler?
  private var spool: SpoolFile?

  /// Bytes that are asked of the source at a time, if it has them.
  private static let chunk = 64 << 10
  /// A jump forward over fewer bytes is cheaper to read than to ask a server for.
  private static let shortJump: Int64 = 128 << 10

  /// Takes an open source at its first byte.
  /// - Parameter events: Hears when bytes begin to be kept on disk.
  init(_ source: any ByteSource, facts: SourceFacts, events: SourceEventHandler? = nil) {
    self.source = source
    self.facts = facts
    self.events = events
    window = ByteWindow(sourceLength: facts.length)
    window.sourceIsCheap = facts.seeking == .cheap
  }

  /// Whether jumping back is possible.
  var isSeekable: Bool { facts.seeking != .none && !facts.isLive }

  /// Brings bytes into the window, as many as are asked for unless the source ends before.
  func provide(_ request: ByteRequest) throws(AudioError) {
    let position = max(request.position, 0)
    if position < window.start || (position > window.end && !window.isEnd) { try move(to: position) }
    window.discard(before: position)
    let count = Int64(min(max(request.count, 1), ByteRequest.limit))
    while window.end - position < count && !window.isEnd { try fill() }
  }

  private func move(to position: Int64) throws(AudioError) {
    if let spool, position >= spool.start {
      if position <= spool.end { return window.restart(at: position) }
      window.restart(at: spool.end)
      return try readOn(to: position)
    }
    let gap = position - window.end
    let jumps = facts.seeking == .cheap || facts.seeking == .request
    if gap > 0 && (!jumps || facts.isLive || facts.seeking == .request && gap <= Self.shortJump) {
      // A live stream has no index behind it, and no place where it would all go.
      if !jumps && !facts.isLive { try startSpool() }
      return try readOn(to: position)
    }
    // A source without jumps may still get back by reading from its start again; it says if it can't.
    try source.seek(to: position)
    spool = nil
    window.restart(at: position)
  }

  private func startSpool() throws(AudioError) {
    let spool = try SpoolFile(start: window.start)
    try window.withBytes(window.start, count: window.count) { bytes throws(AudioError) in try spool.append(bytes) }
    self.spool = spool
    events?(.spooling(offset: window.start))
  }

  private func readOn(to position: Int64) throws(AudioError) {
    while window.end < position && !window.isEnd {
      window.discard(before: window.end)
      try fill()
    }
  }

  private func fill() throws(AudioError) {
    let position = window.end
    let count = try window.append(upTo: Self.chunk) { buffer throws(AudioError) in
      if let spool, position < spool.end { return try spool.read(at: position, into: buffer) }
      let count = try source.read(into: buffer)
      try spool?.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return count
    }
    if count == 0 { window.markEnd() }
  }
}
