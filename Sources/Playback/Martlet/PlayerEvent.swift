public import AudioModel
public import ByteSource

/// Something that happened, in the order in which it happened.
public struct PlayerEvent: Sendable {
  /// Seconds since the player was made, on a clock that no change of date moves.
  public var time: Double
  /// What happened.
  public var kind: Kind

  /// Makes an event, as an application's tests need it.
  public init(time: Double, kind: Kind) {
    self.time = time
    self.kind = kind
  }

  /// What may happen.
  public enum Kind: Sendable {
    /// ``PlayerSnapshot/state`` changed.
    case state(PlayerState, previous: PlayerState)
    /// The first frame of an item is heard.
    case itemStarted(ItemStarted)
    /// An item is over. Exactly once for every item that was opened or tried.
    case itemFinished(ItemFinished)
    /// An item's duration became known, or known better; `nil` when it is live.
    case duration(id: Int, MediaDuration?, SampleRate)
    /// An item can be played.
    case ready(id: Int, index: Int)
    /// An item has been received whole.
    case buffered(id: Int, index: Int)
    /// Four a second while playing.
    case position(PositionReport)
    /// Title or tags, at the moment from which they hold for what is heard.
    case metadata(id: Int, title: String?, tags: [Tag])
    /// A seek's target is heard.
    case seeked(SeekReport)
    /// A command changed something that ``PlayerSnapshot`` shows.
    case changed(Change)
    /// The network, as the source tells it.
    case network(id: Int, SourceEvent)
    /// Sound ran dry. `count` is the number of times so far, `seconds` how long this one lasted.
    case underrun(count: Int, seconds: Double)
    /// Something is not as it should be, and playing goes on: a truncated file.
    case warning(String, input: String?)
    /// Something failed.
    case error(AudioError, input: String?, action: ErrorAction)
  }

  /// Of ``Kind/itemStarted(_:)``.
  public struct ItemStarted: Hashable, Sendable {
    /// The item's name for good.
    public var id: Int
    /// Its place in the queue, from 0.
    public var index: Int
    /// What the listener wrote.
    public var input: String
    /// Its title, if it has one.
    public var title: String?
    /// Whether it follows the one before without a gap; `nil` for the first.
    public var isGapless: Bool?
    /// Why it does not, when it does not.
    public var gapReason: String?

    /// Makes a report.
    public init(
      id: Int, index: Int, input: String, title: String? = nil, isGapless: Bool? = nil, gapReason: String? = nil
    ) {
      self.id = id
      self.index = index
      self.input = input
      self.title = title
      self.isGapless = isGapless
      self.gapReason = gapReason
    }
  }

  /// Of ``Kind/itemFinished(_:)``.
  public struct ItemFinished: Hashable, Sendable {
    /// The item's name for good.
    public var id: Int
    /// Its place in the queue, from 0.
    public var index: Int
    /// Why it is over.
    public var reason: FinishReason
    /// Frames of it that were heard, at its own rate.
    public var framesPlayed: Int64
    /// Frames that were left out by wish (silence).
    public var framesSkipped: Int64
    /// Seconds reached.
    public var position: Double
    /// Seconds in all, when known.
    public var duration: Double?

    /// Makes a report.
    public init(
      id: Int, index: Int, reason: FinishReason, framesPlayed: Int64 = 0, framesSkipped: Int64 = 0,
      position: Double = 0, duration: Double? = nil
    ) {
      self.id = id
      self.index = index
      self.reason = reason
      self.framesPlayed = framesPlayed
      self.framesSkipped = framesSkipped
      self.position = position
      self.duration = duration
    }
  }

  /// Of ``Kind/position(_:)``.
  public struct PositionReport: Hashable, Sendable {
    /// Seconds of what is heard.
    public var position: Double
    /// Seconds in all, when known.
    public var duration: Double?
    /// Seconds decoded ahead of what is heard.
    public var bufferedAhead: Double
    /// Peak of each channel since the last report, dBFS, −120 at least.
    public var levels: [Double]

    /// Makes a report.
    public init(position: Double, duration: Double? = nil, bufferedAhead: Double = 0, levels: [Double] = []) {
      self.position = position
      self.duration = duration
      self.bufferedAhead = bufferedAhead
      self.levels = levels
    }
  }

  /// Of ``Kind/seeked(_:)``.
  public struct SeekReport: Hashable, Sendable {
    /// Seconds that were heard when the seek was asked for.
    public var from: Double
    /// Seconds asked for.
    public var requested: Double
    /// Seconds reached.
    public var position: Double
    /// Seconds from the command to the sound of the target.
    public var elapsed: Double

    /// Makes a report.
    public init(from: Double, requested: Double, position: Double, elapsed: Double) {
      self.from = from
      self.requested = requested
      self.position = position
      self.elapsed = elapsed
    }
  }

  /// Of ``Kind/changed(_:)``.
  public enum Change: Hashable, Sendable {
    /// Volume.
    case volume(Decibels)
    /// Mute.
    case mute(Bool)
    /// Rate.
    case rate(Double)
    /// Pitch, in cents.
    case pitch(Double)
    /// The way to change rate and pitch.
    case stretch(StretchAlgorithm)
    /// The equalizer, or that it is gone.
    case equalizer(EqualizerSettings?)
    /// The reverb, or that it is gone.
    case reverb(ReverbSettings?)
    /// The delay, or that it is gone.
    case delay(DelaySettings?)
    /// The distortion, or that it is gone.
    case distortion(DistortionSettings?)
    /// The queue.
    case queue
  }
}
