extension String {
  /// Text from a network without a stated character set: UTF-8 where it is valid, else Windows-1252, which agrees with
  /// ISO 8859-1 wherever that has letters. Ends at the first NUL.
  package init(latinOrUTF8 bytes: some Collection<UInt8>) { self.init(wholeLatinOrUTF8: bytes.prefix { $0 != 0 }) }

  /// The same, where NULs are characters as others.
  package init(wholeLatinOrUTF8 bytes: some Collection<UInt8>) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text
    } else {
      self.init()
      unicodeScalars.append(contentsOf: bytes.lazy.map(Self.windows1252))
    }
  }

  /// The five bytes that the table leaves open count as the control characters of ISO 8859-1.
  private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
    guard (0x80...0x9F).contains(byte) else { return Unicode.Scalar(byte) }
    let table: [UInt16] = [
      0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
      0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
      0x0153, 0x9D, 0x017E, 0x0178,
    ]
    return Unicode.Scalar(table[Int(byte) - 0x80]) ?? Unicode.Scalar(byte)
  }
}
