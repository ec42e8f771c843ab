/// The stretch of an item's bytes that is at hand: the newest `capacity` bytes of those that arrived in order.
///
/// Positions are those of the item. What is appended pushes the oldest out.
final class ByteRing {
  let capacity: Int
  private let storage: UnsafeMutableRawBufferPointer
  /// Position of the oldest byte.
  private(set) var start: Int64 = 0
  /// Position behind the newest byte.
  private(set) var end: Int64 = 0

  init(capacity: Int) {
    self.capacity = capacity
    storage = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { storage.deallocate() }

  /// Forgets all; the next byte is that of `position`.
  func restart(at position: Int64) {
    start = position
    end = position
  }

  /// Adds `bytes`, `capacity` at most.
  func append(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= capacity)
    let at = index(end)
    let first = min(bytes.count, capacity - at)
    storage[at...].copyBytes(from: bytes.prefix(first))
    storage.copyBytes(from: bytes.dropFirst(first))
    end += Int64(bytes.count)
    start = max(start, end - Int64(capacity))
  }

  /// Copies what is there from `position` on, up to `buffer`'s size, and returns how much.
  func copy(from position: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard position >= start && position < end else { return 0 }
    let count = min(buffer.count, Int(end - position))
    let at = index(position)
    let first = min(count, capacity - at)
    buffer.copyBytes(from: storage[at..<at + first])
    buffer[first...].copyBytes(from: storage[0..<count - first])
    return count
  }

  /// Whether `bytes`, which belong at `position`, agree with those of them that are at hand.
  func agrees(with bytes: UnsafeRawBufferPointer, at position: Int64) -> Bool {
    let from = max(start, position)
    let to = min(end, position + Int64(bytes.count))
    guard from < to else { return true }
    for at in from..<to where storage[index(at)] != bytes[Int(at - position)] { return false }
    return true
  }

  private func index(_ position: Int64) -> Int { Int(position % Int64(capacity)) }
}
