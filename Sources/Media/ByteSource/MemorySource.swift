public import AudioModel
internal import Synchronization

/// Bytes in memory.
public final class MemorySource: ByteSource, @unchecked Sendable {
  // `position` belongs to the source's worker; `cancel` touches the atomic only.
  private let bytes: [UInt8]
  private let contentType: String?
  private let pathExtension: String?
  private let isCancelled = Atomic(false)
  private var position: Int64 = 0

  /// Makes a source.
  /// - Parameters:
  ///   - bytes: All of it.
  ///   - contentType: Hint, passed on in ``SourceFacts``.
  ///   - pathExtension: Hint, passed on in ``SourceFacts``.
  public init(_ bytes: [UInt8], contentType: String? = nil, pathExtension: String? = nil) {
    self.bytes = bytes
    self.contentType = contentType
    self.pathExtension = pathExtension
  }

  /// Says the length.
  public func open() throws(AudioError) -> SourceFacts {
    try throwIfCancelled()
    return SourceFacts(
      length: Int64(bytes.count), seeking: .cheap, contentType: contentType, pathExtension: pathExtension)
  }

  /// Copies bytes.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    try throwIfCancelled()
    guard position < bytes.count else { return 0 }
    let count = min(buffer.count, bytes.count - Int(position))
    bytes.withUnsafeBytes { all in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[Int(position)..<Int(position) + count]))
    }
    position += Int64(count)
    return count
  }

  /// Moves at no cost.
  public func seek(to position: Int64) throws(AudioError) {
    try throwIfCancelled()
    guard position >= 0 else { throw .negativePosition }
    self.position = position
  }

  /// Makes later calls throw.
  public func cancel() { isCancelled.store(true, ordering: .releasing) }
  /// Does nothing: the bytes go with the source.
  public func close() {}

  private func throwIfCancelled() throws(AudioError) {
    if isCancelled.load(ordering: .acquiring) { throw .cancelled }
  }
}
