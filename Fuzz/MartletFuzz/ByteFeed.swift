internal import Containers

/// Fills a window as a driver of parsers does, from bytes at hand, and checks what is wished.
struct ByteFeed {
  let bytes: UnsafeRawBufferPointer
  private let chunk: Int
  private(set) var window: ByteWindow

  /// - Parameters:
  ///   - chunk: How many bytes come at a time.
  ///   - knowsLength: Whether the source says how long it is.
  ///   - isCheap: Whether jumping costs nothing, as in files.
  init(_ bytes: UnsafeRawBufferPointer, chunk: Int, knowsLength: Bool, isCheap: Bool) {
    self.bytes = bytes
    self.chunk = chunk
    window = ByteWindow(sourceLength: knowsLength ? Int64(bytes.count) : nil)
    window.sourceIsCheap = isCheap
    markEnd()
  }

  mutating func satisfy(_ request: ByteRequest) {
    precondition(request.position >= 0 && (1...ByteRequest.limit).contains(request.count))
    precondition(!window.contains(request.position, count: request.count), "it has what it wants")
    precondition(!(window.isEnd && request.position >= window.start), "it wants what is behind the end")
    if request.position < window.start || request.position > window.end {
      window.restart(at: request.position)
    } else {
      window.discard(before: request.position)
    }
    markEnd()
    while !window.isEnd && !window.contains(request.position, count: request.count) {
      window.append(UnsafeRawBufferPointer(rebasing: bytes[Int(window.end)...].prefix(chunk)))
      markEnd()
    }
  }

  mutating func restart(at position: Int64) {
    window.restart(at: position)
    markEnd()
  }

  private mutating func markEnd() {
    if window.end >= bytes.count { window.markEnd() }
  }
}
