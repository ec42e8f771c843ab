/// The checksum of Ogg pages: CRC-32 with polynomial 0x04C11DB7, most significant bit first, beginning with 0 and not
/// inverted (RFC 3533 §6, field 7). Eight bytes a step, by eight tables.
enum OggCRC {
  /// Table n holds what a byte contributes that is followed by n zero bytes.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte) << 24
      for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
      tables[byte] = value
    }
    for index in 256..<8 * 256 {
      let before = tables[index - 256]
      tables[index] = before << 8 ^ tables[Int(before >> 24)]
    }
    return tables
  }()

  /// The checksum of a whole page, its own field taken as zero.
  /// - Parameter page: At least the 27 bytes of a header.
  static func checksum(_ page: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      guard let tables = tables.baseAddress, let bytes = page.baseAddress else { return 0 }
      var crc = update(0, bytes, 22, tables)
      for _ in 0..<4 { crc = crc << 8 ^ tables[Int(crc >> 24)] }
      return update(crc, bytes + 26, page.count - 26, tables)
    }
  }

  private static func update(
    _ start: UInt32, _ bytes: UnsafeRawPointer, _ count: Int, _ tables: UnsafePointer<UInt32>
  ) -> UInt32 {
    var crc = start
    var at = 0
    while at &+ 8 <= count {
      let high = crc ^ UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      let low = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at &+ 4, as: UInt32.self))
      let first = tables[Int(1792 &+ (high >> 24))] ^ tables[Int(1536 &+ (high >> 16 & 0xFF))]
      let second = tables[Int(1280 &+ (high >> 8 & 0xFF))] ^ tables[Int(1024 &+ (high & 0xFF))]
      let third = tables[Int(768 &+ (low >> 24))] ^ tables[Int(512 &+ (low >> 16 & 0xFF))]
      let fourth = tables[Int(256 &+ (low >> 8 & 0xFF))] ^ tables[Int(low & 0xFF)]
      crc = (first ^ second) ^ (third ^ fourth)
      at &+= 8
    }
    while at < count {
      crc = crc << 8 ^ tables[Int((crc >> 24) ^ UInt32(bytes.load(fromByteOffset: at, as: UInt8.self)))]
      at &+= 1
    }
    return crc
  }
}
