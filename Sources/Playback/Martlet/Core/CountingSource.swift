internal import AudioModel
internal import ByteSource

/// Passes a source through and counts what is read from it.
final class CountingSource: ByteSource {
  private let base: any ByteSource
  private let count: @Sendable (Int) -> Void

  init(_ base: any ByteSource, count: @escaping @Sendable (Int) -> Void) {
    self.base = base
    self.count = count
  }

  func open() throws(AudioError) -> SourceFacts { try base.open() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    let read = try base.read(into: buffer)
    count(read)
    return read
  }

  func seek(to position: Int64) throws(AudioError) { try base.seek(to: position) }
  func setInterrupted(_ isInterrupted: Bool) { base.setInterrupted(isInterrupted) }
  func cancel() { base.cancel() }
  func close() { base.close() }
}
