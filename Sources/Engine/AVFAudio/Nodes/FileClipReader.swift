internal import AudioModel
internal import ByteSource
internal import DSP
internal import GraphHost
internal import Media

/// Reads a part of a file for a player, at the player's rate, with a place of its own in the file.
final class FileClipReader: ClipReader, @unchecked Sendable {
  // Belongs to the feeder's thread, from the first read on.
  private let path: String
  private let range: Range<Int64>
  private let output: PCMFormat
  private var reader: MediaReader?
  private var converter: FormatConverter?
  private let decoded = PCMBlock(channels: 1, capacity: 1)
  private let converted: PCMBlock
  private var taken = 0
  private var hasEnded = false

  init(_ file: AVAudioFile, _ range: Range<Int64>, to output: PCMFormat) {
    path = file.url.path
    self.range = range
    self.output = output
    converted = PCMBlock(channels: output.channels, capacity: 4096)
  }

  deinit { reader?.close() }

  func read(into block: PCMBlock, upTo frames: Int) -> Int {
    block.removeAll()
    while taken == converted.frameCount && !hasEnded {
      taken = 0
      converted.removeAll()
      // A file that can't be read any more ends there: what was there of it is heard.
      if (try? fill()) != true { finish() }
    }
    let count = min(frames, converted.frameCount - taken)
    if count > 0 { block.append(converted, from: taken, count: count) }
    taken += count
    return count
  }

  /// Reads the next frames.
  /// - Returns: Whether there may be more.
  private func fill() throws(AudioError) -> Bool {
    let reader = try opened()
    let wanted = Int(min(4096, range.upperBound - reader.position))
    guard wanted > 0, let converter, try reader.read(into: decoded, upTo: wanted) > 0 else { return false }
    converter.process(decoded, from: 0, count: decoded.frameCount, into: converted)
    return true
  }

  private func finish() {
    hasEnded = true
    converter?.finish(into: converted)
  }

  private func opened() throws(AudioError) -> MediaReader {
    if let reader { return reader }
    let fresh = MediaReader(source: FileSource(path: path))
    try fresh.open()
    reader = fresh
    let format = fresh.facts.format
    converter = FormatConverter(from: format, to: output)
    _ = try fresh.seek(toFrame: range.lowerBound)
    return fresh
  }
}
