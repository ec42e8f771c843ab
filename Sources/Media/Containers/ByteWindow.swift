/// A stretch of a source's bytes, owned by the driver of a parser and looked at by the parser.
///
/// Positions are those of the source. Every access is checked; reading outside answers `nil`.
public struct ByteWindow {
  /// Position of the first byte in the window.
  public private(set) var start: Int64
  /// The window reaches to the end of the source.
  public private(set) var isEnd = false
  /// Length of the whole source, if known.
  public var sourceLength: Int64?
  /// Jumping costs nothing (a file): a parser may look at the end of the source before it begins.
  public var sourceIsCheap = false
  private var storage: [UInt8]
  private var offset = 0

  /// Makes an empty window.
  public init(start: Int64 = 0, sourceLength: Int64? = nil) {
    self.start = start
    self.sourceLength = sourceLength
    storage = []
  }

  /// Number of bytes in it.
  public var count: Int { storage.count - offset }
  /// Position behind the last byte.
  public var end: Int64 { start + Int64(count) }

  // MARK: For the driver

  /// Adds bytes at the end.
  public mutating func append(_ bytes: UnsafeRawBufferPointer) { storage.append(contentsOf: bytes) }

  /// Adds up to `count` bytes by letting `fill` write them; `fill` returns how many it wrote.
  public mutating func append<Failure: Error>(
    upTo count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let old = storage.count
    // An array is copied as a whole; a repeated element would be asked for byte by byte.
    storage += [UInt8](repeating: 0, count: count)
    var written = 0
    defer { storage.removeLast(count - written) }
    written = try storage.withUnsafeMutableBufferPointer { all throws(Failure) in
      try fill(UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: all[old...])))
    }
    precondition(written >= 0 && written <= count)
    return written
  }

  /// Says that the source ends where the window ends.
  public mutating func markEnd() { isEnd = true }

  /// Forgets everything before `position` (at most all).
  public mutating func discard(before position: Int64) {
    guard position > start else { return }
    let dropped = Int(min(position - start, Int64(count)))
    start += Int64(dropped)
    offset += dropped
    if offset == storage.count {
      storage.removeAll(keepingCapacity: true)
      offset = 0
    } else if offset > 65_536 && offset > storage.count / 2 {
      storage.removeFirst(offset)
      offset = 0
    }
  }

  /// Empties the window and puts it elsewhere.
  public mutating func restart(at position: Int64) {
    storage.removeAll(keepingCapacity: true)
    offset = 0
    start = position
    isEnd = false
  }

  // MARK: For the parser

  /// Whether `count` bytes from `position` on are there, or as many as the source has.
  package func settles(_ position: Int64, count: Int) -> Bool {
    contains(position, count: count) || (isEnd && position >= start)
  }

  /// How many bytes from `position` on are there, at most `limit`.
  package func available(_ position: Int64, limit: Int) -> Int {
    position >= start && position < end ? Int(min(end - position, Int64(limit))) : 0
  }

  /// The source's length as far as it is known: by the end that was met rather than by what was said before.
  package var knownLength: Int64? { isEnd ? min(end, sourceLength ?? .max) : sourceLength }

  /// Whether `count` bytes from `position` on are there.
  public func contains(_ position: Int64, count: Int) -> Bool {
    position >= start && count >= 0 && position <= end && Int64(count) <= end - position
  }

  /// The byte at a position.
  public func byte(_ position: Int64) -> UInt8? {
    guard position >= start && position < end else { return nil }
    return storage[offset + Int(position - start)]
  }

  /// An unsigned number of `size` bytes (1…8), most significant byte first.
  public func bigEndian(_ position: Int64, size: Int) -> UInt64? {
    guard contains(position, count: size) else { return nil }
    let at = offset + Int(position - start)
    return storage[at..<at + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// An unsigned number of `size` bytes (1…8), least significant byte first.
  public func littleEndian(_ position: Int64, size: Int) -> UInt64? {
    guard contains(position, count: size) else { return nil }
    let at = offset + Int(position - start)
    return storage[at..<at + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Whether the ASCII `text` stands at a position.
  public func matches(_ text: StaticString, at position: Int64) -> Bool {
    guard contains(position, count: text.utf8CodeUnitCount) else { return false }
    let at = offset + Int(position - start)
    for index in 0..<text.utf8CodeUnitCount where storage[at + index] != text.utf8Start[index] { return false }
    return true
  }

  /// A copy of bytes; the caller has checked `count` against a limit of its own.
  public func bytes(_ position: Int64, count: Int) -> [UInt8]? {
    guard contains(position, count: count) else { return nil }
    let at = offset + Int(position - start)
    return Array(storage[at..<at + count])
  }

  /// Gives `body` the bytes themselves; valid only during the call.
  public func withBytes<Result, Failure: Error>(
    _ position: Int64, count: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard contains(position, count: count) else { return nil }
    let at = offset + Int(position - start)
    return try storage.withUnsafeBufferPointer { all throws(Failure) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[at..<at + count])))
    }
  }
}
