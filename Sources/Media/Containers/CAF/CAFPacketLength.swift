import AudioModel

/// How many frames a packet of a lossless codec has, by its own header.
enum CAFPacketLength {
  /// Bytes of a packet that tell.
  static let size = 16

  /// The number in a packet's first bytes; `nil` where it says none, and has as many as all others.
  static func frames(_ bytes: [UInt8], _ codec: Codec) -> Int? {
    switch codec {
    case .alac: alac(bytes)
    case .flac: flac(bytes)
    default: nil
    }
  }

  /// 3 bits element, 4 bits instance, 12 unused, then whether a number follows behind three further bits. Source: Apple's
  /// reference decoder, `ALACDecoder.cpp`.
  private static func alac(_ bytes: [UInt8]) -> Int? {
    var reader = BitReader(bytes)
    reader.skip(19)
    guard reader.flag() else { return nil }
    reader.skip(3)
    let frames = reader.read(32)
    return reader.isExhausted ? nil : frames
  }

  /// RFC 9639 §9.1: a code for the usual sizes; others stand behind the coded number.
  private static func flac(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= size, bytes[0] == 0xFF, bytes[1] & 0xFC == 0xF8 else { return nil }
    let code = Int(bytes[2] >> 4)
    // The number is coded as UTF-8 does it, in up to 7 bytes.
    let end = 4 + max((~bytes[4]).leadingZeroBitCount, 1)
    return switch code {
    case 1: 192
    case 2...5: 576 << (code - 2)
    case 6: Int(bytes[end]) + 1
    case 7: (Int(bytes[end]) << 8 | Int(bytes[end + 1])) + 1
    case 8...15: 256 << (code - 8)
    default: nil
    }
  }
}
