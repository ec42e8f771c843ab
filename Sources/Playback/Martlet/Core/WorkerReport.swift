internal import AudioModel
internal import ByteSource

/// What a decode worker tells the control thread, in order.
enum WorkerReport: Sendable {
  /// The item is open and can be decoded.
  case ready(ReadyItem)
  /// From `streamFrame` of the buffer on, the item's frames are written, beginning with `mediaFrame`.
  case began(generation: Int, streamFrame: Int64, mediaFrame: Int64)
  /// The buffer holds as much as was asked for by ``ItemWorker/notify(whenAhead:)``, or the item's end.
  case filled(generation: Int)
  /// The facts of the item got better.
  case facts(StreamFacts)
  /// The item's last frame was written; `streamFrame` and `mediaFrame` stand behind it.
  case completed(generation: Int, streamFrame: Int64, mediaFrame: Int64, DecodeAccount)
  /// The item can't be opened or decoded on. What was written before stays good.
  case failed(generation: Int?, streamFrame: Int64, mediaFrame: Int64, AudioError)
  /// Radio metadata that holds from `mediaFrame` on.
  case metadata(StreamMetadata, mediaFrame: Int64)
  /// The source reports.
  case source(SourceEvent)
}

/// What is known of an item once it is open.
struct ReadyItem: Sendable {
  var facts: StreamFacts
  var source: SourceFacts
}

/// How decoding an item to its end went.
struct DecodeAccount: Sendable {
  var concealedPackets: Int
  var isTruncated: Bool
}
