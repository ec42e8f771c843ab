/// Small good files of frames one behind the other, of AIFF and of CAF.
extension Seeds {
  /// Two frames of AAC with a body of zeros each, and others of other codings.
  static var adts: [[UInt8]] {
    let plain = adtsFrame(rateAndChannels: 0x50_80, body: 40)
    let mono = adtsFrame(rateAndChannels: 0x5C_40, body: 30)
    let several = adtsFrame(rateAndChannels: 0x50_80, body: 50, moreBlocks: 2)
    let summed: [UInt8] =
      [0xFF, 0xF0, 0x50, 0x80, 0x04, 0x1F, 0xFD, 0, 10, 0xCC, 0xCC] + [UInt8](repeating: 1, count: 21)
    let frames = plain + plain + plain
    // A block that begins with its channels.
    let element: [UInt8] = [0xA0, 0xA1, 0x00, 0x20, 0x04, 0x00, 0x00, 0x00]
    let open: [UInt8] = [0xFF, 0xF1, 0x50, 0x00, 0x02, 0x1F, 0xFC] + element + [0]
    return [
      frames, id3 + frames + id3 + plain, frames + mono + mono + mono + frames, several + several + several,
      summed + summed + summed, [1, 2, 3] + frames, open + open + open,
    ]
  }

  private static func adtsFrame(rateAndChannels: Int, body: Int, moreBlocks: UInt8 = 0) -> [UInt8] {
    let length = 7 + body
    return [
      0xFF, 0xF1, UInt8(rateAndChannels >> 8), UInt8(rateAndChannels & 0xFF), UInt8(length >> 3),
      UInt8((length & 7) << 5 | 0x1F), 0xFC | moreBlocks,
    ] + [UInt8](repeating: 0, count: body)
  }

  /// A header with the channels of one pair.
  static var adif: [UInt8] {
    text("ADIF") + [0x00, 0x3E, 0x80, 0x00, 0x00, 0x00, 0x01, 0x98, 0x80, 0x00, 0x04, 0x00]
      + [UInt8](repeating: 0x21, count: 60)
  }

  /// Four elements of LATM, every other one with its configuration: AAC-LC at 44.1 kHz, stereo.
  static var latm: [UInt8] {
    let first: [UInt8] = [
      0x56, 0xE0, 0x0B, 0x20, 0x00, 0x12, 0x10, 0x1F, 0xE0, 0x21, 0x09, 0x09, 0x09, 0x08,
    ]
    let second: [UInt8] = [0x56, 0xE0, 0x06, 0x82, 0x10, 0x90, 0x90, 0x90, 0x80]
    return first + second + first + second
  }

  static var ac3: [[UInt8]] {
    let plain: [UInt8] = [0x0B, 0x77, 0, 0, 0x00, 0x40, 0x40, 0] + [UInt8](repeating: 0, count: 120)
    let enhanced: [UInt8] = [0x0B, 0x77, 0x00, 0x0F, 0x3F, 0x80, 0, 0] + [UInt8](repeating: 0, count: 24)
    let dependent: [UInt8] = [0x0B, 0x77, 0x40, 0x07, 0x35, 0x80, 0, 0] + [UInt8](repeating: 0, count: 8)
    return [
      plain + plain + plain, enhanced + dependent + enhanced + dependent + enhanced + dependent,
      [9] + plain + plain + plain,
    ]
  }

  static var amr: [[UInt8]] {
    let speech: [UInt8] = [0x04] + [UInt8](repeating: 1, count: 12)
    let wide: [UInt8] = [0x04] + [UInt8](repeating: 1, count: 17)
    return [
      text("#!AMR\n") + [[UInt8]](repeating: speech, count: 20).joined() + [0x7C, 0x44, 1, 2, 3, 4, 5],
      text("#!AMR-WB\n") + [[UInt8]](repeating: wide, count: 5).joined() + [0x7C],
    ]
  }

  static var aiff: [[UInt8]] {
    func chunk(_ id: StaticString, _ body: [UInt8]) -> [UInt8] {
      text(id) + big(UInt64(body.count), 4) + body + (body.count % 2 == 1 ? [0] : [])
    }
    let rate: [UInt8] = [0x40, 0x0E, 0xAC, 0x44, 0, 0, 0, 0, 0, 0]
    let common = chunk("COMM", big(2, 2) + big(8, 4) + big(16, 2) + rate)
    let blocks = chunk("COMM", big(1, 2) + big(2, 4) + big(16, 2) + rate + text("ima4") + [0, 0])
    let sound = chunk("SSND", big(0, 8) + [UInt8](repeating: 5, count: 68))
    let texts =
      chunk("NAME", text("name")) + chunk("COMT", [0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 65, 0])
      + chunk("MARK", [0, 1, 0, 1, 0, 0, 0, 1, 1, 65]) + chunk("ID3 ", id3)
    return [
      chunk("FORM", text("AIFF") + common + sound + texts), chunk("FORM", text("AIFC") + sound + texts + blocks),
    ]
  }

  static var caf: [[UInt8]] {
    func chunk(_ id: StaticString, _ body: [UInt8], size: UInt64? = nil) -> [UInt8] {
      text(id) + big(size ?? UInt64(body.count), 8) + body
    }
    func description(_ id: StaticString, _ numbers: [UInt64]) -> [UInt8] {
      chunk("desc", big(44_100.0.bitPattern, 8) + text(id) + numbers.flatMap { big($0, 4) })
    }
    let head = text("caff") + [0, 1, 0, 0]
    let sound = chunk("data", [UInt8](repeating: 0, count: 104))
    let table = chunk("pakt", big(3, 8) + big(3000, 8) + big(72, 4) + big(0, 4) + [30, 40, 0x80, 30])
    let info = chunk("info", [0, 0, 0, 1] + text("title") + [0, 65, 0])
    let layout = chunk("chan", big(0x65_0002, 4) + big(0, 8))
    return [
      head + description("lpcm", [2, 4, 1, 2, 16]) + layout + info
        + chunk("data", [UInt8](repeating: 0, count: 44), size: .max),
      head + description("alac", [0, 0, 1024, 2, 0]) + chunk("kuki", [UInt8](repeating: 16, count: 24)) + sound
        + table,
      head + description("aac ", [0, 0, 1024, 2, 0]) + table + sound + info,
      head + description("ima4", [0, 34, 64, 1, 0]) + sound,
    ]
  }
}
