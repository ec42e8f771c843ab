/// The one number in a CAF file's packet table that libavformat passes over. Source: Apple, "Core Audio Format
/// Specification 1.0", Packet Table Chunk.
enum CAFPacketTable {
  private static let chunkLimit = 64

  /// Frames that are to be heard, without priming and remainder; `nil` where the file has no table.
  static func validFrames(_ io: SourceIO) -> Int64? {
    var offset: Int64 = 8
    for _ in 0..<chunkLimit {
      guard let header = io.bytes(at: offset, count: 12) else { return nil }
      let size = Int64(bitPattern: number(header[4...]))
      if header[..<4].elementsEqual("pakt".utf8), let body = io.bytes(at: offset + 12, count: 24) {
        let frames = Int64(bitPattern: number(body[8..<16]))
        return frames > 0 ? frames : nil
      }
      let (next, overflow) = (offset + 12).addingReportingOverflow(size)
      guard size >= 0, !overflow else { return nil }
      offset = next
    }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
