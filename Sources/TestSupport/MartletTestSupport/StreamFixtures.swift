/// Makes the bytes of streams that are frames one behind the other, of AIFF and of CAF.
package enum StreamFixtures {
  // MARK: Frames

  /// Frames of ADTS with bodies that mean nothing.
  /// - Parameters:
  ///   - size: Bytes of a body; every other frame has one more.
  ///   - rateIndex: 4 is 44.1 kHz, 7 half of it.
  package static func adts(count: Int, size: Int = 90, rateIndex: Int = 4, channels: Int = 2) -> [UInt8] {
    (0..<count).flatMap { number in
      adtsFrame(
        [[UInt8](repeating: UInt8(0x20 + number % 64), count: size + number % 2)], rateIndex: rateIndex,
        channels: channels)
    }
  }

  /// A frame of ADTS around raw data blocks.
  package static func adtsFrame(
    _ blocks: [[UInt8]], rateIndex: Int = 4, channels: Int = 2, hasCRC: Bool = false
  ) -> [UInt8] {
    let more = blocks.count - 1
    var head: [UInt8] = []
    var body: [UInt8] = []
    if hasCRC {
      for block in blocks {
        body += block
        if more > 0 { body += [0xCC, 0xCC] }
        if head.count < 2 * more { head += [UInt8(body.count >> 8), UInt8(body.count & 0xFF)] }
      }
      head += [0xCC, 0xCC]
    } else {
      body = blocks.flatMap(\.self)
    }
    let length = 7 + head.count + body.count
    let rateAndChannels = UInt8(0x40 | rateIndex << 2 | channels >> 2)
    let high = UInt8((channels & 3) << 6 | length >> 11)
    let middle = UInt8(length >> 3 & 0xFF)
    let low = UInt8((length & 7) << 5 | 0x1F)
    let fixed: [UInt8] = [0xFF, hasCRC ? 0xF0 : 0xF1, rateAndChannels, high, middle, low, UInt8(0xFC | more)]
    return fixed + head + body
  }

  /// The bodies of frames of ADTS without a checksum.
  package static func adtsBodies(_ bytes: [UInt8]) -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    var at = 0
    while at + 7 <= bytes.count {
      let length = Int(bytes[at + 3] & 3) << 11 | Int(bytes[at + 4]) << 3 | Int(bytes[at + 5] >> 5)
      guard length > 7, at + length <= bytes.count else { break }
      bodies.append(Array(bytes[at + 7..<at + length]))
      at += length
    }
    return bodies
  }

  /// Frames of AC-3 at 48 kHz, 64 kbit/s, stereo, with bodies that mean nothing.
  package static func ac3(count: Int) -> [UInt8] {
    let frame = [0x0B, 0x77, 0x12, 0x34, 0x08, 0x40, 0x40, 0x00] + [UInt8](repeating: 0x11, count: 248)
    return (0..<count).flatMap { _ in frame }
  }

  /// Frames of E-AC-3 at 48 kHz, six blocks; with a dependent one of other channels behind each if wanted.
  package static func eac3(count: Int, hasDependent: Bool) -> [UInt8] {
    func frame(_ type: UInt8, words: Int, mode: UInt8) -> [UInt8] {
      let size = words - 1
      var bytes = [UInt8](repeating: 0x22, count: 2 * words)
      bytes.replaceSubrange(0..<2, with: [0x0B, 0x77])
      bytes[2] = type << 6 | UInt8(size >> 8)
      bytes[3] = UInt8(size & 0xFF)
      bytes[4] = 0x30 | mode << 1 | 1
      bytes[5] = 0x80
      return bytes
    }
    let frames = frame(0, words: 100, mode: 7) + (hasDependent ? frame(1, words: 30, mode: 2) : [])
    return (0..<count).flatMap { _ in frames }
  }

  /// Elements of LATM with bodies that mean nothing: AAC-LC at 44.1 kHz, stereo, as the first and every tenth one says.
  package static func latm(count: Int) -> [UInt8] {
    (0..<count).flatMap { number -> [UInt8] in
      var bits: [Int] = []
      func write(_ value: Int, _ width: Int) { bits += (0..<width).reversed().map { value >> $0 & 1 } }
      write(number % 10 == 0 ? 0 : 1, 1)
      if number % 10 == 0 {
        // Version 0, one framing, one block, one program, one layer; the coding; lengths in the element, no more.
        for (value, width) in [(0, 1), (1, 1), (0, 13), (0x1210, 16), (0, 3), (0xFF, 8), (0, 2)] {
          write(value, width)
        }
      }
      let size = 20 + number % 3
      write(size, 8)
      for _ in 0..<size { write(number % 50, 8) }
      bits += [Int](repeating: 0, count: (8 - bits.count % 8) % 8)
      let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
        UInt8(bits[start..<start + 8].reduce(0) { $0 << 1 | $1 })
      }
      return [0x56, 0xE0 | UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
    }
  }

  /// An AMR file with a frame of each of these types; quality is good, the speech means nothing.
  package static func amr(_ types: [Int], isWide: Bool = false) -> [UInt8] {
    let sizes =
      isWide
      ? [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1]
      : [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1]
    var bytes = Array((isWide ? "#!AMR-WB\n" : "#!AMR\n").utf8)
    for (number, type) in types.enumerated() {
      bytes.append(UInt8(type << 3 | 4))
      for index in 1..<sizes[type] { bytes.append(UInt8(truncatingIfNeeded: number * 31 + index * 7)) }
    }
    return bytes
  }

  // MARK: Chunks

  /// An AIFF or AIFF-C file of chunks.
  package static func aiff(_ chunks: [[UInt8]], form: String = "AIFC") -> [UInt8] {
    let body = Array(form.utf8) + chunks.flatMap(\.self)
    return chunk("FORM", body)
  }

  /// A chunk with a size of 32 bits, padded to an even number of bytes.
  package static func chunk(_ id: String, _ body: [UInt8], isPadded: Bool = true) -> [UInt8] {
    let pad: [UInt8] = isPadded && body.count % 2 == 1 ? [0] : []
    return Array(id.utf8) + big(body.count, 4) + body + pad
  }

  /// A common chunk.
  package static func comm(
    channels: Int = 1, frames: Int, bits: Int, rate: Int = 44_100, compression: String? = nil
  ) -> [UInt8] {
    let exponent = 63 - rate.leadingZeroBitCount
    var body = big(channels, 2) + big(frames, 4)
    body += big(bits, 2) + big(0x3FFF + exponent, 2)
    body += MediaFixtures.bytes(UInt64(rate) << UInt64(63 - exponent), 8, bigEndian: true)
    if let compression { body += Array(compression.utf8) + [0, 0] }
    return chunk("COMM", body)
  }

  /// A sound chunk.
  package static func ssnd(_ sound: [UInt8], offset: Int = 0) -> [UInt8] {
    let head = big(offset, 4) + big(0, 4) + [UInt8](repeating: 0x55, count: offset)
    return chunk("SSND", head + sound)
  }

  /// A CAF file of chunks.
  package static func caf(_ chunks: [[UInt8]]) -> [UInt8] {
    Array("caff".utf8) + [0, 1, 0, 0] + chunks.flatMap(\.self)
  }

  /// A chunk with a size of 64 bits.
  package static func longChunk(_ id: String, _ body: [UInt8], stated: Int64? = nil) -> [UInt8] {
    let size = MediaFixtures.bytes(UInt64(bitPattern: stated ?? Int64(body.count)), 8, bigEndian: true)
    return Array(id.utf8) + size + body
  }

  /// A description chunk of CAF.
  package static func desc(
    _ id: String, flags: Int = 0, packetBytes: Int, packetFrames: Int, channels: Int = 1, bits: Int = 0,
    rate: Double = 44_100
  ) -> [UInt8] {
    var body = MediaFixtures.bytes(rate.bitPattern, 8, bigEndian: true) + Array(id.utf8)
    for number in [flags, packetBytes, packetFrames, channels, bits] { body += big(number, 4) }
    return longChunk("desc", body)
  }

  /// A packet table chunk of CAF with these numbers as entries.
  package static func pakt(
    packets: Int, valid: Int, priming: Int = 0, remainder: Int = 0, _ entries: [Int], stated: Int64? = nil
  ) -> [UInt8] {
    var body = big(packets, 8) + big(valid, 8)
    body += big(priming, 4) + big(remainder, 4)
    for entry in entries {
      if entry >= 128 { body.append(UInt8(0x80 | entry >> 7 & 0x7F)) }
      body.append(UInt8(entry & 0x7F))
    }
    return longChunk("pakt", body, stated: stated)
  }

  private static func big(_ value: Int, _ size: Int) -> [UInt8] {
    MediaFixtures.bytes(UInt64(bitPattern: Int64(value)), size, bigEndian: true)
  }
}
