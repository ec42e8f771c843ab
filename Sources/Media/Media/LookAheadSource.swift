public import AudioModel
public import ByteSource
internal import Synchronization

/// A source whose first bytes may be looked at before it is known who will read it: a playlist's reader or a
/// ``MediaReader``. What was looked at is read from memory then, so that pipes and live streams lose nothing.
public final class LookAheadSource: ByteSource, @unchecked Sendable {
  // One worker at a time by contract; `cancel` touches only `source`, which never changes, and the atomic.

  /// The most bytes that are looked at, and so held: 64 KiB.
  public static let limit = 64 << 10

  private let source: any ByteSource
  private let isCancelled = Atomic(false)
  private var factsIfOpen: SourceFacts?
  private var head: [UInt8] = []
  private var position: Int64 = 0
  /// The position of the next byte that `source` reads.
  private var sourcePosition: Int64 = 0

  /// Wraps a source that is not open yet.
  public init(_ source: any ByteSource) { self.source = source }

  /// Opens the source; once it is open, says again what is known.
  public func open() throws(AudioError) -> SourceFacts {
    if let factsIfOpen, !isCancelled.load(ordering: .acquiring) { return factsIfOpen }
    let facts = try source.open()
    factsIfOpen = facts
    return facts
  }

  /// The first bytes of the open source, which stay to be read. Only before the first read and the first seek.
  /// - Parameters:
  ///   - count: How many are wanted, at most ``limit``. Fewer come from a shorter source.
  ///   - isEnough: Whether what is there suffices; asked after every piece that arrives.
  public func look(_ count: Int, until isEnough: ([UInt8]) -> Bool = { _ in false }) throws(AudioError) -> [UInt8] {
    precondition(position == 0 && sourcePosition == Int64(head.count), "looking comes before reading")
    let wanted = min(count, Self.limit)
    while head.count < wanted && !isEnough(head) {
      var piece = [UInt8](repeating: 0, count: wanted - head.count)
      let read = try piece.withUnsafeMutableBufferPointer { buffer throws(AudioError) in
        try source.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      guard read > 0 else { break }
      head += piece[..<read]
      sourcePosition += Int64(read)
    }
    return head
  }

  /// Reads what was looked at, then the source.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    if isCancelled.load(ordering: .acquiring) { throw .cancelled }
    if position < Int64(head.count) {
      let piece = head[Int(position)...].prefix(buffer.count)
      buffer.copyBytes(from: piece)
      position += Int64(piece.count)
      return piece.count
    }
    if position != sourcePosition {
      try source.seek(to: position)
      sourcePosition = position
    }
    let count = try source.read(into: buffer)
    sourcePosition += Int64(count)
    position = sourcePosition
    return count
  }

  /// Goes to a position; what was looked at can always be gone to.
  public func seek(to target: Int64) throws(AudioError) {
    if isCancelled.load(ordering: .acquiring) { throw .cancelled }
    if !(0..<Int64(head.count)).contains(target) && target != sourcePosition {
      try source.seek(to: target)
      sourcePosition = target
    }
    position = target
  }

  /// Cancels the source.
  public func cancel() {
    isCancelled.store(true, ordering: .releasing)
    source.cancel()
  }

  /// Passes it on to the source; what was looked at is there without waiting.
  public func setInterrupted(_ isInterrupted: Bool) { source.setInterrupted(isInterrupted) }

  /// Closes the source.
  public func close() {
    head = []
    source.close()
  }
}
