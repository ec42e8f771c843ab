/// Makes MPEG audio frame by frame. Frames of layer III decode to silence: their side information is empty.
package struct MPEGFixture {
  /// 1, 2, or 25 for MPEG-2.5.
  package var version = 1
  /// 1…3.
  package var layer = 3
  /// Index 1…14 into the table of bit rates; 0 is free format, see ``freeBytes``.
  package var bitRateIndex = 9
  /// 0…2: 44.1, 48, 32 kHz of MPEG-1.
  package var rateIndex = 0
  package var isMono = false
  /// Bytes of a frame of free format, without padding.
  package var freeBytes = 400

  package init() {}

  package var sampleRate: Int {
    let base = [44_100, 48_000, 32_000][rateIndex]
    return version == 1 ? base : version == 2 ? base / 2 : base / 4
  }
  /// PCM frames of a frame.
  package var frameCount: Int { layer == 1 ? 384 : layer == 3 && version != 1 ? 576 : 1152 }
  /// Bytes of layer III's side information.
  package var sideInfoBytes: Int { version == 1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17) }
  /// Kilobits per second.
  package var kilobits: Int {
    let table =
      switch (version, layer) {
      case (1, 1): [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
      case (1, 2): [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
      case (1, _): [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      case (_, 1): [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
      default: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
      }
    return table[bitRateIndex]
  }

  /// Bytes of a frame.
  package func byteCount(padding: Int = 0) -> Int {
    if bitRateIndex == 0 { return freeBytes + padding * (layer == 1 ? 4 : 1) }
    return layer == 1
      ? (12_000 * kilobits / sampleRate + padding) * 4
      : frameCount / 8 * 1000 * kilobits / sampleRate + padding
  }

  /// One frame; its main data is zeros.
  package func frame(padding: Int = 0) -> [UInt8] {
    let versionBits: UInt8 = version == 1 ? 3 : version == 2 ? 2 : 0
    var frame: [UInt8] = [
      0xFF, 0xE0 | versionBits << 3 | UInt8(4 - layer) << 1 | 1,
      UInt8(bitRateIndex << 4 | rateIndex << 2 | padding << 1), isMono ? 0xC4 : 0x04,
    ]
    frame += [UInt8](repeating: 0, count: byteCount(padding: padding) - 4)
    return frame
  }

  /// Frames of one bit rate, with slots of padding as an encoder spreads them.
  package func constant(frames: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = 0
    let slots = layer == 1 ? 12_000 * kilobits : frameCount / 8 * 1000 * kilobits
    for _ in 0..<frames {
      rest += slots % sampleRate
      bytes += frame(padding: rest >= sampleRate ? 1 : 0)
      if rest >= sampleRate { rest -= sampleRate }
    }
    return bytes
  }

  /// Frames whose bit rates change from one to the next.
  package func variable(frames: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    var changing = self
    return (0..<frames).flatMap { _ in
      changing.bitRateIndex = Int.random(in: 4...14, using: &random)
      return changing.frame()
    }
  }

  /// What LAME adds to Xing's header.
  package struct LAME {
    package var delay = 576
    package var padding = 1000
    package init(delay: Int, padding: Int) {
      self.delay = delay
      self.padding = padding
    }
  }

  /// A frame with Xing's header and maybe LAME's.
  package func xing(
    _ name: String = "Xing", frames: Int?, bytes: Int?, toc: [UInt8]? = nil, lame: LAME? = nil
  ) -> [UInt8] {
    var body = Array(name.utf8)
    let flags = (frames == nil ? 0 : 1) | (bytes == nil ? 0 : 2) | (toc == nil ? 0 : 4)
    body += big(flags, 4)
    if let frames { body += big(frames, 4) }
    if let bytes { body += big(bytes, 4) }
    if let toc { body += toc }
    if let lame {
      body += Array("LAME3.100".utf8) + [UInt8](repeating: 0, count: 12) + big(lame.delay << 12 | lame.padding, 3)
    }
    return filled(body, at: 4 + sideInfoBytes)
  }

  /// A frame with Fraunhofer's header: a table of two-byte entries, each for `framesPerEntry` frames.
  package func vbri(frames: Int, bytes: Int, entries: [Int], framesPerEntry: Int) -> [UInt8] {
    var body = Array("VBRI".utf8) + big(1, 2) + big(0, 2) + big(75, 2) + big(bytes, 4) + big(frames, 4)
    body += big(entries.count, 2) + big(1, 2) + big(2, 2) + big(framesPerEntry, 2) + entries.flatMap { big($0, 2) }
    return filled(body, at: 36)
  }

  private func big(_ value: Int, _ size: Int) -> [UInt8] {
    MediaFixtures.bytes(UInt64(value), size, bigEndian: true)
  }

  private func filled(_ body: [UInt8], at offset: Int) -> [UInt8] {
    var roomy = self
    while roomy.byteCount() < offset + body.count && roomy.bitRateIndex < 14 { roomy.bitRateIndex += 1 }
    var frame = roomy.frame()
    frame.replaceSubrange(offset..<offset + body.count, with: body)
    return frame
  }
}
