/// What a CAF file's packet table says about trimming, which libavformat passes over. Source: Apple, "Core Audio Format
/// Specification 1.0", Packet Table Chunk.
struct CAFPacketTable {
  /// Frames that are to be heard.
  var validFrames: Int64
  /// Frames in front of them.
  var priming: Int64
  /// Frames behind them.
  var remainder: Int64

  private static let chunkLimit = 64

  /// Looks for the table; `nil` where the file has none.
  init?(_ io: SourceIO) {
    var offset: Int64 = 8
    for _ in 0..<Self.chunkLimit {
      guard let header = io.bytes(at: offset, count: 12) else { return nil }
      if header[..<4].elementsEqual("pakt".utf8) {
        guard let body = io.bytes(at: offset + 12, count: 24) else { return nil }
        validFrames = Int64(bitPattern: Self.number(body[8..<16]))
        priming = Int64(Int32(truncatingIfNeeded: Self.number(body[16..<20])))
        remainder = Int64(Int32(truncatingIfNeeded: Self.number(body[20..<24])))
        guard (1...PacketTimeline.limit).contains(validFrames), priming >= 0, remainder >= 0 else { return nil }
        return
      }
      let size = Int64(bitPattern: Self.number(header[4...]))
      let (next, overflow) = (offset + 12).addingReportingOverflow(size)
      guard size >= 0, !overflow else { return nil }
      offset = next
    }
    return nil
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
