import AudioModel

/// Writes MP3: an ID3 tag, a first frame that tells the length, a table for seeks, and LAME's numbers of frames that were
/// put in front and behind, then the frames. On pipes the first frame leaves the length open. Sources: see
/// ``MPEGInfoFrame``.
struct MPEGWriter: ContainerWriter {
  private let stream: WrittenStream
  private var first: MPEGHeader?
  private var infoStart: Int64 = 0
  private var packets: Int64 = 0
  private var isConstant = true
  private var points = SeekPoints(limit: 1 << 10)
  private var checksum: UInt16 = 0

  /// Frames that every decoder of layer III puts in front, which LAME's numbers leave out.
  private static let decoderDelay = 529

  init(_ stream: WrittenStream) throws(AudioError) {
    guard stream.codec == .mp3 else {
      throw AudioError(.encodingUnsupported, "An MP3 file can't hold \(stream.codec)")
    }
    self.stream = stream
  }

  mutating func begin(_ output: any ContainerOutput) throws(AudioError) {
    try output.append(ID3v2Writer.tag(stream.tags, stream.pictures))
  }

  mutating func write(
    _ packet: UnsafeRawBufferPointer, frames: Int, to output: any ContainerOutput
  ) throws(AudioError) {
    guard packet.count >= MPEGHeader.size,
      let header = MPEGHeader(packet.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
    else { throw AudioError(.encoderFailed, "A packet of MP3 is no frame") }
    if let first {
      if header.bitRate != first.bitRate { isConstant = false }
    } else {
      first = header
      infoStart = output.position
      try output.append(info(nil, header, soundBytes: 0))
    }
    points.add(
      SeekPoints.Point(frame: packets * Int64(header.frameCount), position: output.position - infoStart, count: 1))
    packets += 1
    checksum = MPEGInfoChecksum.update(checksum, packet)
    try output.append(packet)
  }

  func finish(_ ending: StreamEnding, to output: any ContainerOutput) throws(AudioError) {
    guard output.isReplaceable, let first else { return }
    let bytes = output.position - infoStart
    try output.replace(at: infoStart, with: info(ending, first, soundBytes: bytes))
  }

  /// The first frame: silence to decoders that do not know it.
  /// - Parameter ending: `nil` where it is not known.
  private func info(_ ending: StreamEnding?, _ header: MPEGHeader, soundBytes: Int64) -> [UInt8] {
    let shell = header.infoShell
    let count = shell.byteCount ?? 0
    var frame = ByteBuilder()
    frame.big(Int64(shell.word), 4)
    frame.zeros(shell.sideInfoBytes)
    frame.text(isConstant ? "Info" : "Xing")
    // All of frames, bytes, table, quality; or but the last two.
    frame.big(ending == nil ? 8 : 15, 4)
    if ending != nil {
      frame.big(min(packets, Int64(UInt32.max)), 4)
      frame.big(min(soundBytes, Int64(UInt32.max)), 4)
      frame.add(table(soundBytes, Int64(header.frameCount)))
    }
    frame.zeros(4)
    // Who encoded: some readers believe what follows only of encoders that they know.
    frame.text("LAME     ")
    // Version 0 of the tag; how the bit rate was chosen: constant, or by quality.
    frame.big(isConstant ? 1 : 4, 1)
    // No low-pass filter, peak or gains known, no flags; the bit rate.
    frame.zeros(1 + 8 + 1)
    frame.big(min((stream.bitRate ?? 0) / 1000, 255), 1)
    let delay = max(stream.delay - Self.decoderDelay, 0)
    let padding = ending.map { $0.padding + Self.decoderDelay } ?? 0
    frame.big(min(delay, 0xFFF) << 12 | min(padding, 0xFFF), 3)
    // Nothing about noise shaping, gain, preset.
    frame.zeros(4)
    frame.big(min(soundBytes, Int64(UInt32.max)), 4)
    frame.big(Int(checksum), 2)
    let own = frame.bytes.withUnsafeBytes { MPEGInfoChecksum.update(0, $0) }
    frame.big(Int(own), 2)
    frame.zeros(count - frame.bytes.count)
    return frame.bytes
  }

  /// For each percent of the time, the place in 256ths of the bytes.
  private func table(_ soundBytes: Int64, _ frameCount: Int64) -> [UInt8] {
    let total = packets * frameCount
    var index = 0
    return (0..<100).map { percent in
      let frame = total * Int64(percent) / 100
      while index + 1 < points.points.count && points.points[index + 1].frame <= frame { index += 1 }
      guard percent > 0, soundBytes > 0, index < points.points.count else { return 0 }
      // Between two known places, by the share of the time.
      let known = points.points[index]
      let next = index + 1 < points.points.count ? points.points[index + 1] : nil
      let (endFrame, endByte) = (next?.frame ?? total, next?.position ?? soundBytes)
      let share = endFrame > known.frame ? Double(frame - known.frame) / Double(endFrame - known.frame) : 0
      let byte = Double(known.position) + share * Double(endByte - known.position)
      return UInt8(min(max(byte * 256 / Double(soundBytes), 0), 255))
    }
  }
}

/// The checksum in LAME's extension: CRC-16 with polynomial 0x8005, least significant bit first, beginning with 0.
enum MPEGInfoChecksum {
  private static let table: [UInt16] = (0..<256).map { value in
    (0..<8).reduce(UInt16(value)) { crc, _ in crc >> 1 ^ (crc & 1 != 0 ? 0xA001 : 0) }
  }

  /// The checksum of `bytes` behind those that gave `crc`.
  static func update(_ crc: UInt16, _ bytes: UnsafeRawBufferPointer) -> UInt16 {
    table.withUnsafeBufferPointer { table in
      bytes.reduce(crc) { $0 >> 8 ^ table[Int(($0 ^ UInt16($1)) & 0xFF)] }
    }
  }
}
