internal import ByteSource

extension FuzzTarget {
  /// Radio: metadata between the audio, in any chunking. The first byte is the interval.
  static let radio = FuzzTarget(
    name: "radio",
    seeds: {
      let block = Seeds.text("StreamTitle='it's a; title';StreamUrl='http://a';")
      let padded = block + [UInt8](repeating: 0, count: 64 - block.count)
      return [[4, 1, 2, 3, 4, 4] + padded + [5, 6, 7, 8, 0, 9], [1, 1, 0, 2, 0, 3]]
    }
  ) { bytes in
    guard let first = bytes.first, first > 0 else { return }
    let stream = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    let whole = split(stream, interval: Int(first), chunk: max(1, stream.count))
    precondition(
      split(stream, interval: Int(first), chunk: 1 + stream.count % 5) == whole, "it depends on the chunking")
    precondition(whole.audio.count <= stream.count)
    for block in whole.blocks {
      precondition(block.position <= whole.audio.count && block.bytes.count <= 16 * 255)
      _ = StreamMetadata(block: block.bytes)
    }
    _ = StreamMetadata(block: Array(stream))
  }

  private struct Split: Hashable {
    struct Block: Hashable {
      var bytes: [UInt8]
      var position: Int64
    }
    var audio: [UInt8] = []
    var blocks: [Block] = []
  }

  private static func split(_ stream: UnsafeRawBufferPointer, interval: Int, chunk: Int) -> Split {
    var result = Split()
    var splitter = ICYSplitter(interval: interval)!
    for start in Swift.stride(from: 0, to: stream.count, by: chunk) {
      let piece = UnsafeRawBufferPointer(rebasing: stream[start..<min(start + chunk, stream.count)])
      splitter.split(piece) { piece in
        switch piece {
        case .audio(let bytes): result.audio += bytes
        case .metadata(let bytes, let position): result.blocks.append(.init(bytes: bytes, position: position))
        }
      }
    }
    return result
  }
}
