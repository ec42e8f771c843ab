public import AudioModel

/// Bytes of one item, from wherever they come: the first stage of a frame's way.
///
/// Order of calls: ``open()`` once, then ``read(into:)`` and ``seek(to:)`` in any order, then ``close()``. All of these
/// block and belong to one worker thread at a time. ``cancel()`` may come from any thread at any time, makes a blocked
/// call throw ``AudioError/Code/cancelled`` soon, and every later call at once. What happens on the way (a connection
/// lost and regained, a radio title) is told to the ``SourceEventHandler`` that the source was made with.
///
/// A source is proven right by `ByteSourceContract` of `MartletTestSupport`.
public protocol ByteSource: AnyObject, Sendable {
  /// Connects or opens, and says what is known of the bytes. Blocks until it is known.
  func open() throws(AudioError) -> SourceFacts

  /// Reads some bytes at the current position and moves behind them.
  /// - Parameter buffer: Where to; not empty.
  /// - Returns: How many were read, at least 1; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int

  /// Sets the position of the next read. A position at or behind the end is allowed: the next read returns 0.
  /// - Throws: ``AudioError/Code/notSeekable`` where it is impossible; the position is then what it was.
  func seek(to position: Int64) throws(AudioError)

  /// Whether calls that would have to wait throw ``AudioError/Code/interrupted`` instead, also one that waits already.
  /// Position and connection stay as they are, and bytes that are at hand are read all the same. Off at first. Any
  /// thread; must return at once, without calling anybody.
  ///
  /// Sources that never wait long, or can't jump, need not implement it.
  func setInterrupted(_ isInterrupted: Bool)

  /// Makes blocked and later calls throw. Any thread, any number of times.
  func cancel()

  /// Gives everything back. After it only ``cancel()`` may be called.
  func close()
}

extension ByteSource {
  /// Does nothing: calls end when they end.
  public func setInterrupted(_ isInterrupted: Bool) {}
}

/// What a source knows of its bytes once it is open.
public struct SourceFacts: Hashable, Sendable {
  /// What jumping to another position costs.
  public enum Seeking: Hashable, Sendable {
    /// Nothing: files and memory.
    case cheap
    /// A request: HTTP with ranges.
    case request
    /// The reading of everything up to the target, back from the start again: HTTP without ranges.
    case reread
    /// It is not possible.
    case none
  }

  /// Number of bytes; `nil` when unknown or endless.
  public var length: Int64?
  /// What jumping costs.
  public var seeking: Seeking
  /// The media type that came with the bytes, lower case, without parameters (`audio/mpeg`); a hint only.
  public var contentType: String?
  /// The file name's extension, lower case, without the dot; a hint only.
  public var pathExtension: String?
  /// The URL that the bytes come from, after redirects; `nil` for what has none.
  public var url: String?
  /// Endless: radio. It has no duration and no end of its own.
  public var isLive: Bool
  /// What the source calls itself (`icy-name`), as data from outside.
  public var name: String?
  /// Bits per second that the source states (`icy-br`).
  public var bitRate: Int?

  /// Makes facts.
  public init(length: Int64?, seeking: Seeking, contentType: String? = nil, pathExtension: String? = nil) {
    self.length = length
    self.seeking = seeking
    self.contentType = contentType
    self.pathExtension = pathExtension
    isLive = false
  }
}

/// Something that happens to a source while it is read.
public enum SourceEvent: Hashable, Sendable {
  /// A connection stands and its headers are good.
  case connected(status: Int, offset: Int64)
  /// Nothing arrived for the stall time-out.
  case stalled(offset: Int64)
  /// It failed and will be tried again after `delay` seconds. `attempt` counts from 1.
  case retrying(attempt: Int, delay: Double, status: Int?, offset: Int64)
  /// Bytes flow again after `retrying`.
  case recovered(attempt: Int, offset: Int64)
  /// Bytes from `offset` on are kept in a temporary file, because the source can't jump and its index is at the end.
  case spooling(offset: Int64)
  /// No more tries.
  case gaveUp(attempt: Int, status: Int?, offset: Int64)
  /// Radio metadata; it belongs to the sound of the byte at `offset` (metadata bytes are not counted).
  case metadata(StreamMetadata, offset: Int64)
}

/// One metadata block of a radio stream.
public struct StreamMetadata: Hashable, Sendable {
  /// What is playing (`StreamTitle`), decoded to text; may be empty.
  public var title: String
  /// `StreamUrl`, if the block has one.
  public var url: String?
  /// The block's bytes without padding, for those who know a better character set.
  public var raw: [UInt8]
  /// Makes metadata.
  public init(title: String, url: String?, raw: [UInt8]) {
    self.title = title
    self.url = url
    self.raw = raw
  }
}

/// Hears of a source's events, on the thread where they happen. It must be quick and must not call the source.
public typealias SourceEventHandler = @Sendable (SourceEvent) -> Void
