package import AudioModel
package import ByteSource
internal import Platform

/// The demo as the bytes of a WAV file that exists nowhere: computed as they are read, the same every time.
package final class DemoSource: ByteSource, @unchecked Sendable {
  // All but `cancelled` belongs to the one thread that reads.
  private let header = WAVHeader(format: Synthesiser.format, sample: .f32).bytes(
    frames: Int64(Synthesiser.frameCount))
  private let cancelled = Monitor(false)
  private var synthesiser = Synthesiser()
  private let block = UnsafeMutablePointer<Float>.allocate(capacity: Synthesiser.blockFrames * 2)
  /// The block's place in the file, in bytes.
  private var blockRange = 0..<0
  private var position = 0

  /// Makes the source.
  package init() {}

  deinit { block.deallocate() }

  private var length: Int { header.count + Synthesiser.frameCount * 8 }

  package func open() throws(AudioError) -> SourceFacts {
    try check()
    return SourceFacts(length: Int64(length), seeking: .cheap, contentType: "audio/wav", pathExtension: "wav")
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(AudioError) -> Int {
    try check()
    if position < header.count {
      let count = min(buffer.count, header.count - position)
      buffer.copyBytes(from: header[position..<position + count])
      position += count
      return count
    }
    guard position < length else { return 0 }
    try reach()
    let offset = position - blockRange.lowerBound
    let count = min(buffer.count, blockRange.count - offset)
    buffer.copyMemory(from: UnsafeRawBufferPointer(start: UnsafeRawPointer(block) + offset, count: count))
    position += count
    return count
  }

  package func seek(to position: Int64) throws(AudioError) {
    try check()
    self.position = Int(min(max(position, 0), Int64(length)))
  }

  package func cancel() { cancelled.withLock { $0 = true } }
  package func close() {}

  private func check() throws(AudioError) {
    if cancelled.withLock({ $0 }) { throw AudioError(.cancelled, "cancelled") }
  }

  /// Plays on until the block holds the position; backwards means from the beginning.
  private func reach() throws(AudioError) {
    if position < blockRange.lowerBound {
      synthesiser = Synthesiser()
      blockRange = 0..<0
    }
    while !blockRange.contains(position) {
      try check()
      let start = header.count + synthesiser.position * 8
      blockRange = start..<start + synthesiser.play(into: block) * 8
    }
  }
}
