import AudioModel

/// Writes AAC as a stream of frames with headers of their own (ISO/IEC 14496-3 §1.A.2.2). Goes to pipes, too.
///
/// The stream has no place that tells what the encoder put in front and behind. iTunes' comment in an ID3 tag in front of
/// it does: readers that know it trim exactly.
struct ADTSWriter: ContainerWriter {
  private let stream: WrittenStream
  private let profile: Int
  private let rateIndex: Int
  private let channels: Int

  private static let headerSize = 7
  /// Frames' lengths have 13 bits.
  private static let longestFrame = 8191

  init(_ stream: WrittenStream) throws(AudioError) {
    var reader = BitReader(stream.decoderConfiguration)
    let objectType = reader.read(5)
    rateIndex = reader.read(4)
    channels = reader.read(4)
    guard stream.codec == .aac, !reader.isExhausted, (1...4).contains(objectType), rateIndex < 13 else {
      throw AudioError(.encodingUnsupported, "A stream of AAC frames can't hold \(stream.codec)")
    }
    guard channels > 0 else {
      throw AudioError(.encodingUnsupported, "A stream of AAC frames can't hold \(stream.format.layout); M4A can")
    }
    profile = objectType - 1
    self.stream = stream
  }

  func begin(_ output: any ContainerOutput) throws(AudioError) { try output.append(tag(frames: 0, padding: 0)) }

  func write(_ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput) throws(AudioError) {
    let length = packet.count + Self.headerSize
    guard length <= Self.longestFrame else { throw AudioError(.encoderFailed, "A packet of AAC is too long") }
    var header = BitWriter()
    // Sync word, MPEG-4, no checksum.
    header.write(0xFFF1, 16)
    header.write(profile, 2)
    header.write(rateIndex, 4)
    header.write(0, 1)
    header.write(channels, 3)
    header.write(0, 4)
    header.write(length, 13)
    // A bit rate that varies, one block.
    header.write(0x7FF, 11)
    header.write(0, 2)
    try output.append(header.bytes)
    try output.append(packet)
  }

  func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError) {
    guard output.isReplaceable else { return }
    try output.replace(at: 0, with: tag(frames: ending.frames, padding: ending.padding))
  }

  private func tag(frames: Int64, padding: Int) -> [UInt8] {
    let gapless = GaplessTag(delay: stream.delay, padding: padding, frames: frames)
    return ID3v2Writer.tag(stream.tags, stream.pictures, gapless: gapless)
  }
}
