public import AudioModel

/// Everything that can be asked of a player, as of one moment.
public struct PlayerSnapshot: Sendable {
  /// What it is doing.
  public var state = PlayerState.idle
  /// The current item's name for good; `nil` when there is none.
  public var id: Int?
  /// The current item's place in the queue.
  public var index: Int?
  /// What the listener wrote for it.
  public var input: String?
  /// Its title, or the radio's.
  public var title: String?
  /// Seconds of what is heard; the target while a seek is pending.
  public var position = 0.0
  /// Seconds in all, when known.
  public var duration: Double?
  /// How well the current item can be sought; `nil` while unknown.
  public var seekability: Seekability?
  /// Seconds decoded ahead of what is heard.
  public var bufferedAhead = 0.0
  /// Share of the item's bytes that have been received, 0…1; `nil` when unknown.
  public var receivedShare: Double?
  /// Volume.
  public var volume = Decibels.unity
  /// Whether it is muted.
  public var isMuted = false
  /// Rate, pitch and effects.
  public var effects = EffectSettings()
  /// Peak per channel since the last position report, dBFS.
  public var levels: [Double] = []
  /// The queue's items in order.
  public var queue: [QueueEntry] = []
  /// What is read of the current item.
  public var facts: StreamFacts?
  /// The error that ended it, in state `failed`.
  public var error: AudioError?
  /// Counters since the player was made.
  public var statistics = PlayerStatistics()

  /// Everything there is to decode has been decoded: what is buffered is all that is to be heard.
  package var isDecoded = false

  /// Makes the snapshot of a player at rest.
  public init() {}
}

/// A line of the queue.
public struct QueueEntry: Hashable, Sendable {
  /// The item's name for good.
  public var id: Int
  /// What the listener wrote.
  public var input: String
  /// Its title, once known.
  public var title: String?
  /// Seconds, once known.
  public var duration: Double?

  /// Makes a line.
  public init(id: Int, input: String, title: String? = nil, duration: Double? = nil) {
    self.id = id
    self.input = input
    self.title = title
    self.duration = duration
  }
}

/// Counters of a player.
public struct PlayerStatistics: Hashable, Sendable {
  /// Frames heard, at each item's own rate.
  public var framesPlayed: Int64 = 0
  /// Times that sound ran dry.
  public var underruns = 0
  /// HTTP requests.
  public var requests = 0
  /// Bytes received from sources.
  public var bytes: Int64 = 0
  /// Seconds from the player's making to the first sound; `nil` before it.
  public var firstSound: Double?
  /// Damaged packets replaced by silence.
  public var concealedPackets = 0

  /// Makes counters at rest.
  public init() {}
}
