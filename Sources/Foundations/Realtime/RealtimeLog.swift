public import Synchronization

/// What the device's thread has to say: constant texts with a number each, in a bounded ring.
///
/// The thread has no time to make a sentence; whoever reads the log does. When the ring is full, messages are dropped
/// and counted.
public struct RealtimeLog: ~Copyable, @unchecked Sendable {
  /// A message.
  public struct Message: BitwiseCopyable, Sendable, CustomStringConvertible {
    /// What happened.
    public let text: StaticString
    /// The number that goes with it.
    public let value: Int64
    /// Text and number.
    public var description: String { "\(text) \(value)" }

    @inlinable @inline(__always)
    init(text: StaticString, value: Int64) {
      self.text = text
      self.value = value
    }
  }

  // Both ends of the ring and the counter are made for two threads.
  @usableFromInline let ring: SPSCRing<Message>
  @usableFromInline let dropped = Atomic<Int>(0)

  /// Makes an empty log.
  /// - Parameter minimumCapacity: Messages that must fit.
  public init(minimumCapacity: Int = 256) { ring = SPSCRing(minimumCapacity: minimumCapacity) }

  /// Takes the oldest message. For one thread.
  public borrowing func take() -> Message? { ring.pop() }

  /// Messages that found no room since the last call.
  public borrowing func takeDropped() -> Int { dropped.exchange(0, ordering: .relaxed) }

  // MARK: Real-time
  // Checked where it is inlined, like the ring.

  /// Leaves a message, or counts it when there is no room. For one thread.
  @inlinable @inline(__always)
  public borrowing func write(_ text: StaticString, _ value: Int64) {
    if !ring.push(Message(text: text, value: value)) { dropped.add(1, ordering: .relaxed) }
  }
}
