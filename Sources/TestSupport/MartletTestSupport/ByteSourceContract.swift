internal import AudioModel
public import ByteSource

/// What every byte source has to do: its bytes once and in order in pieces of any size, its jumps, its end, and that
/// nothing goes on after a cancel.
public struct ByteSourceContract {
  /// All of its bytes; 4 at least.
  public var bytes: [UInt8]
  /// What it has to say of jumps.
  public var seeking: SourceFacts.Seeking
  /// Makes the source anew; called several times.
  public var make: () throws -> any ByteSource

  /// Makes a contract for a source.
  public init(_ bytes: [UInt8], seeking: SourceFacts.Seeking, make: @escaping () throws -> any ByteSource) {
    self.bytes = bytes
    self.seeking = seeking
    self.make = make
  }

  /// Puts the source through it.
  /// - Returns: What it does wrong, one sentence each; empty when it is right.
  public func violations() throws -> [String] {
    try readsInOrder() + jumps() + interruptions() + cancels()
  }

  private func readsInOrder() throws -> [String] {
    var faults: [String] = []
    for size in [1 << 20, 997] {
      let source = try make()
      defer { source.close() }
      let facts = try source.open()
      if let length = facts.length, length != bytes.count {
        faults.append("says \(length) bytes, has \(bytes.count)")
      }
      if facts.seeking != seeking { faults.append("says \(facts.seeking) of jumps") }
      if try Self.drain(source, size) != bytes { faults.append("other bytes by reads of \(size)") }
      if try Self.drain(source, size) != [] { faults.append("goes on after its end") }
      try source.seek(to: Int64(bytes.count))
    }
    return faults
  }

  private func jumps() throws -> [String] {
    let source = try make()
    defer { source.close() }
    _ = try source.open()
    let (count, middle) = (bytes.count, bytes.count / 2)
    var faults: [String] = []
    var position = 0
    for target in [0, 1, middle, middle - 1, count - 1, 0, count, 3, count + 100, middle] {
      // Where jumps may fail, it stays where it is, which the read shows.
      let failure = Self.code { try source.seek(to: Int64(target)) }
      if failure == nil { position = target }
      if failure != nil && !(failure == .notSeekable && seeking == .none && target != position) {
        faults.append("does not jump to \(target)")
      }
      let expected = Array(bytes[min(position, count)..<min(position + 2, count)])
      let found = try Self.read(source, expected.count + (position >= count ? 1 : 0))
      position += found.count
      if found != expected { faults.append("after a jump to \(target) it reads \(found) instead of \(expected)") }
    }
    if Self.code({ try source.seek(to: -1) }) != .usage { faults.append("takes a negative position") }
    return faults
  }

  private func interruptions() throws -> [String] {
    let source = try make()
    defer { source.close() }
    source.setInterrupted(true)
    _ = try source.open()
    // It may have bytes at hand or not; when it is let go, all are there, once.
    var found: [UInt8] = []
    let failure = Self.code { found = try Self.read(source, 1) }
    source.setInterrupted(false)
    found += try Self.drain(source)
    var faults: [String] = []
    if failure != nil && failure != .interrupted { faults.append("fails with \(failure!) when interrupted") }
    if found != bytes { faults.append("loses bytes by an interruption") }
    return faults
  }

  private func cancels() throws -> [String] {
    var faults: [String] = []
    let early = try make()
    early.cancel()
    if Self.code({ _ = try early.open() }) != .cancelled { faults.append("opens after a cancel") }
    early.close()

    let source = try make()
    _ = try source.open()
    _ = try Self.read(source, 1)
    source.cancel()
    source.cancel()
    if Self.code({ _ = try Self.read(source, 1) }) != .cancelled { faults.append("reads after a cancel") }
    if Self.code({ try source.seek(to: 1) }) != .cancelled { faults.append("seeks after a cancel") }
    source.close()
    source.cancel()
    return faults
  }

  /// Reads to the end by reads of `size`.
  public static func drain(_ source: any ByteSource, _ size: Int = 65536) throws -> [UInt8] {
    var all: [UInt8] = []
    var block = [UInt8](repeating: 0, count: size)
    while case let count = try block.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {
      all += block[..<count]
    }
    return all
  }

  /// Reads `count` bytes, or what there is before the end.
  public static func read(_ source: any ByteSource, _ count: Int) throws -> [UInt8] {
    var all: [UInt8] = []
    var block = [UInt8](repeating: 0, count: count)
    while all.count < count {
      let got = try block.withUnsafeMutableBytes {
        try source.read(into: .init(rebasing: $0[..<(count - all.count)]))
      }
      guard got > 0 else { break }
      all += block[..<got]
    }
    return all
  }

  private static func code(_ body: () throws -> Void) -> AudioError.Code? {
    do { try body() } catch { return (error as? AudioError)?.code }
    return nil
  }
}
