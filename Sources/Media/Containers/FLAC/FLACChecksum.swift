/// The checksums of FLAC frames: CRC-8 with polynomial 0x07 over the header, CRC-16 with 0x8005 over all, both most
/// significant bit first and from zero (RFC 9639 §9.1.8, §9.3). Over a frame with its own CRC-16 the sum is zero.
package enum FLACChecksum {
  /// CRC-8 of a header.
  package static func crc8(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt8 {
    var crc: UInt8 = 0
    for byte in bytes { crc = table8[Int(crc ^ byte)] }
    return crc
  }

  /// CRC-16 of `bytes` behind those that gave `crc`.
  ///
  /// Sixteen bytes at a time, by sixteen tables: the sum of a block is that of its bytes, each followed by zeros. Each
  /// step waits for the one before it, so two lanes go side by side where there are bytes enough; the sum of the first
  /// is then carried over the length of the second.
  package static func crc16(_ crc: UInt16, _ bytes: UnsafeRawBufferPointer) -> UInt16 {
    table16.withUnsafeBufferPointer { all in
      guard let table = all.baseAddress, var at = bytes.baseAddress else { return crc }
      var crc = crc
      let end = at + bytes.count
      while end - at >= 2 * lane {
        var other: UInt16 = 0
        let middle = at + lane
        while at < middle {
          crc = step16(crc, at, table)
          other = step16(other, at + lane, table)
          at += 16
        }
        crc = laneShift[Int(crc >> 8)] ^ laneShift[256 | Int(crc & 0xFF)] ^ other
        at += lane
      }
      while end - at >= 16 {
        crc = step16(crc, at, table)
        at += 16
      }
      while at < end {
        crc = crc << 8 ^ table[Int(crc >> 8) ^ Int(at.load(as: UInt8.self))]
        at += 1
      }
      return crc
    }
  }

  /// The sum with sixteen bytes more.
  @inline(__always)
  private static func step16(
    _ crc: UInt16, _ at: UnsafeRawPointer, _ table: UnsafePointer<UInt16>
  ) -> UInt16 {
    // As the machine loads it: the first byte is the lowest.
    let low = at.loadUnaligned(as: UInt64.self) ^ UInt64(crc.byteSwapped)
    let high = at.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    let a = table[15 << 8 | Int(low & 0xFF)] ^ table[14 << 8 | Int(low >> 8 & 0xFF)]
    let b = table[13 << 8 | Int(low >> 16 & 0xFF)] ^ table[12 << 8 | Int(low >> 24 & 0xFF)]
    let c = table[11 << 8 | Int(low >> 32 & 0xFF)] ^ table[10 << 8 | Int(low >> 40 & 0xFF)]
    let d = table[9 << 8 | Int(low >> 48 & 0xFF)] ^ table[8 << 8 | Int(low >> 56)]
    let e = table[7 << 8 | Int(high & 0xFF)] ^ table[6 << 8 | Int(high >> 8 & 0xFF)]
    let f = table[5 << 8 | Int(high >> 16 & 0xFF)] ^ table[4 << 8 | Int(high >> 24 & 0xFF)]
    let g = table[3 << 8 | Int(high >> 32 & 0xFF)] ^ table[2 << 8 | Int(high >> 40 & 0xFF)]
    let h = table[1 << 8 | Int(high >> 48 & 0xFF)] ^ table[Int(high >> 56)]
    return (c ^ d ^ e ^ f) ^ (g ^ h) ^ (a ^ b)
  }

  /// Whether the CRC-16 of the first `from` bytes or more is zero.
  static func isRight(_ bytes: UnsafeRawBufferPointer, somewhereFrom from: Int) -> Bool {
    guard bytes.count >= from else { return false }
    var crc = crc16(0, UnsafeRawBufferPointer(rebasing: bytes[..<from]))
    return table16.withUnsafeBufferPointer { table in
      for byte in bytes[from...] {
        if crc == 0 { return true }
        crc = crc << 8 ^ table[Int(crc >> 8) ^ Int(byte)]
      }
      return crc == 0
    }
  }

  private static let table8: [UInt8] = (0..<256).map { value in
    (0..<8).reduce(UInt8(value)) { crc, _ in crc << 1 ^ (crc & 0x80 != 0 ? 0x07 : 0) }
  }

  /// Bytes of a lane, a multiple of 16.
  private static let lane = 512

  /// The sum of a high byte, then of a low byte, with ``lane`` zeros behind.
  private static let laneShift: [UInt16] = (0..<512).map { value in
    let crc = value < 256 ? UInt16(value) << 8 : UInt16(value - 256)
    return (0..<lane).reduce(crc) { crc, _ in crc << 8 ^ table16[Int(crc >> 8)] }
  }

  /// Table n is that of a byte with n zeros behind it.
  private static let table16: [UInt16] = {
    var table = (0..<256).map { value in
      (0..<8).reduce(UInt16(value) << 8) { crc, _ in crc << 1 ^ (crc & 0x8000 != 0 ? 0x8005 : 0) }
    }
    for index in 256..<4096 {
      let shorter = table[index - 256]
      table.append(shorter << 8 ^ table[Int(shorter >> 8)])
    }
    return table
  }()
}
