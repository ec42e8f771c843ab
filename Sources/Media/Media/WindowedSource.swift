internal import AudioModel
internal import ByteSource
internal import Containers

/// A source with the stretch of its bytes that a parser is looking at. Belongs to the reader's thread.
final class WindowedSource {
  /// The bytes at hand.
  private(set) var window: ByteWindow
  let source: any ByteSource
  let facts: SourceFacts

  /// Bytes that are asked of the source at a time, if it has them.
  private static let chunk = 64 << 10
  /// A jump forward over fewer bytes is cheaper to read than to ask a server for.
  private static let shortJump: Int64 = 128 << 10

  /// Takes an open source at its first byte.
  init(_ source: any ByteSource, facts: SourceFacts) {
    self.source = source
    self.facts = facts
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
    let gap = position - window.end
    if gap > 0 && (!isSeekable || (facts.seeking == .request && gap <= Self.shortJump)) {
      while window.end < position && !window.isEnd {
        window.discard(before: window.end)
        try fill()
      }
      return
    }
    // A source without jumps may still get back by reading from its start again; it says if it can't.
    try source.seek(to: position)
    window.restart(at: position)
  }

  private func fill() throws(AudioError) {
    let count = try window.append(upTo: Self.chunk) { buffer throws(AudioError) in try source.read(into: buffer) }
    if count == 0 { window.markEnd() }
  }
}
