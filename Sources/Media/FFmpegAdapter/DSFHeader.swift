/// The length of a DSF file, which libavformat leaves to be guessed from the size (DSF File Format Specification 1.01).
enum DSFHeader {
  /// Frames as libavcodec gives them: one for eight samples of a bit.
  /// - Parameter head: The file's first bytes.
  static func frames(_ head: [UInt8]) -> Int64? {
    // The DSD chunk has 28 bytes; the format chunk behind it counts samples of one channel in its bytes 36 to 43.
    let position = 28 + 36
    guard head.count >= position + 8, head[28..<32].elementsEqual("fmt ".utf8) else { return nil }
    let samples = head[position..<position + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return samples <= UInt64(PacketTimeline.limit) ? Int64(samples / 8) : nil
  }
}
