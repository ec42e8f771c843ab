internal import AudioModel
internal import ByteSource

/// An item of the queue with all that became of it. Belongs to the control thread.
final class QueueItem {
  let id: Int
  let item: PlayerItem
  /// Names the worker whose reports count: those of an earlier one are stale.
  var serial = 0
  var worker: ItemWorker?
  var ready: ReadyItem?
  var facts: StreamFacts?
  /// It could not be opened or decoded on.
  var error: AudioError?
  /// Its last frame is in the buffer.
  var isDecoded = false
  var isTruncated = false
  var hasStarted = false
  var isFinished = false
  /// Seconds at which it was over.
  var finalPosition: Double?
  /// A radio's title; replaces the one in the tags.
  var streamTitle: String?
  /// Radio metadata decoded but not heard yet.
  var metadata: [(mediaFrame: Int64, title: String)] = []
  /// Why it does not follow its predecessor without a gap.
  var gapReason: String?

  init(id: Int, item: PlayerItem) {
    self.id = id
    self.item = item
  }

  var title: String? { streamTitle ?? facts?.tag("title") ?? ready?.source.name }

  /// Seconds it plays in all, as far as known.
  var duration: Double? {
    guard let facts, let duration = facts.duration else { return nil }
    let seconds = facts.format.sampleRate.seconds(duration.frames)
    return item.end.map { min($0, seconds) } ?? seconds
  }

  /// Forgets everything that playing it brought, so that it can be played again.
  func reset() {
    worker?.cancel()
    worker = nil
    serial += 1
    ready = nil
    error = nil
    isDecoded = false
    isTruncated = false
    hasStarted = false
    isFinished = false
    finalPosition = nil
    metadata = []
    gapReason = nil
  }
}
