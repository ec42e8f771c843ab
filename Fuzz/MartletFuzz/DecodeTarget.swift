internal import AudioModel
internal import ByteSource
internal import Media

extension FuzzTarget {
  /// The whole way from bytes to sound, with Martlet's own parsers and decoders.
  static let decode = FuzzTarget(
    name: "decode", seeds: { Seeds.wav + Seeds.mp3 + Seeds.mp4 + Seeds.flac + OggSeeds.all }
  ) { bytes in
    let reader = MediaReader(source: MemorySource(OggSeeds.sealed(bytes)), registry: .builtIn)
    defer { reader.close() }
    guard (try? reader.open()) != nil else { return }
    let frames = readAll(reader, bytes)
    for target in [frames / 2, 0, frames, frames + 1] {
      guard let reached = try? reader.seek(toFrame: target) else { continue }
      precondition(reached >= 0)
      _ = readAll(reader, bytes)
    }
  }

  /// Reads to the end or to an error, and counts.
  private static func readAll(_ reader: MediaReader, _ bytes: UnsafeRawBufferPointer) -> Int64 {
    let block = PCMBlock(channels: reader.facts.format.channels, capacity: 4096)
    var count: Int64 = 0
    while true {
      block.removeAll()
      guard let read = try? reader.read(into: block, upTo: 4096), read > 0 else { return count }
      precondition(read <= 4096 && block.frameCount == read)
      count += Int64(read)
      // The thinnest format spends a byte on 48 frames; what a table promises may be filled with silence.
      precondition(count < 1 << 32, "it does not end")
    }
  }
}
