package import AudioModel

/// Makes of Core Audio's magic cookie, which is a `kuki` chunk's payload too, what the decoder must know, in the form
/// that the codec's other containers have it.
package enum CAFCookie {
  /// Largest chunk that is read.
  static let limit = 64 << 10

  /// The decoder's configuration.
  static func configuration(_ cookie: [UInt8], _ format: CAFFormat, priming: Int) -> [UInt8] {
    format.codec == .opus ? opusHead(format, priming: priming) : configuration(cookie, of: format.codec)
  }

  /// The decoder's configuration. What has its form already stays as it is.
  package static func configuration(_ cookie: [UInt8], of codec: Codec) -> [UInt8] {
    switch codec {
    case .alac: alac(cookie)
    // Of an atom `esds`, version and flags may stand in front.
    case .aac:
      audioSpecificConfig(cookie.starts(with: [0, 0, 0, 0, 3]) ? Array(cookie.dropFirst(4)) : cookie) ?? cookie
    // The cookie is an atom `dfLa`; behind its version comes a STREAMINFO block with a header of its own.
    case .flac: cookie.count >= 50 ? Array(cookie[16..<50]) : cookie
    default: cookie
    }
  }

  /// The depth of lossless codecs, by the decoder's configuration.
  static func depth(_ configuration: [UInt8], _ codec: Codec) -> Int? {
    switch codec {
    case .alac where configuration.count >= 18 && (1...32).contains(configuration[17]): Int(configuration[17])
    // STREAMINFO: RFC 9639 §8.2.
    case .flac where configuration.count >= 34: (Int(configuration[12] & 1) << 4 | Int(configuration[13] >> 4)) + 1
    default: nil
    }
  }

  /// ALAC's configuration in its atom. Older cookies have an atom `frma` in front, newer ones no atom at all.
  private static func alac(_ cookie: [UInt8]) -> [UInt8] {
    var body = cookie[...]
    if body.dropFirst(4).starts(with: Array("frma".utf8)) { body = body.dropFirst(12) }
    if body.dropFirst(4).starts(with: Array("alac".utf8)) { body = body.dropFirst(12) }
    guard body.count >= 24 else { return [] }
    return [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0] + body.prefix(24)
  }

  /// The AudioSpecificConfig in an elementary stream descriptor (ISO/IEC 14496-1 §7.2.6.5).
  private static func audioSpecificConfig(_ cookie: [UInt8]) -> [UInt8]? {
    var at = 0
    func header() -> (tag: UInt8, count: Int)? {
      guard at < cookie.count else { return nil }
      let tag = cookie[at]
      at += 1
      var count = 0
      for _ in 0..<4 where at < cookie.count {
        let byte = cookie[at]
        at += 1
        count = count << 7 | Int(byte & 0x7F)
        if byte & 0x80 == 0 { break }
      }
      return (tag, count)
    }
    guard let stream = header(), stream.tag == 3, at + 3 <= cookie.count else { return nil }
    let flags = cookie[at + 2]
    at += 3 + (flags & 0x80 != 0 ? 2 : 0)
    if flags & 0x40 != 0, at < cookie.count { at += 1 + Int(cookie[at]) }
    at += flags & 0x20 != 0 ? 2 : 0
    guard let decoder = header(), decoder.tag == 4 else { return nil }
    at += 13
    guard let specific = header(), specific.tag == 5, specific.count > 0, specific.count <= cookie.count - at else {
      return nil
    }
    return Array(cookie[at..<at + specific.count])
  }

  /// An identification header as Ogg would have it (RFC 7845 §5.1).
  private static func opusHead(_ format: CAFFormat, priming: Int) -> [UInt8] {
    let skip = UInt16(clamping: priming)
    let rate = UInt32(format.format.sampleRate.hertz)
    return Array("OpusHead".utf8) + [1, UInt8(format.format.channels), UInt8(skip & 0xFF), UInt8(skip >> 8)]
      + (0..<4).map { UInt8(truncatingIfNeeded: rate >> (8 * $0)) } + [0, 0, 0]
  }
}
