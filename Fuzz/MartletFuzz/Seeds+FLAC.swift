internal import Containers

extension Seeds {
  /// Blocks of all kinds in front of frames that hold one value for each channel.
  static var flac: [[UInt8]] {
    let frames = (0..<5).flatMap { flacFrame($0, variable: false) }
    let counted = (0..<5).flatMap { flacFrame($0 * 192, variable: true) }
    let info = big(192, 2) + big(192, 2) + [0, 0, 0, 0, 0, 0] + big(44_100 << 44 | 15 << 36 | 960, 8)
    let start = text("fLaC") + flacBlock(0, info + [UInt8](repeating: 0, count: 16))
    let comment = text("TITLE=a"), chapter = text("CHAPTER001=00:00:01.5")
    let comments =
      little(1, 4) + text("m") + little(2, 4) + little(UInt64(comment.count), 4) + comment
      + little(UInt64(chapter.count), 4) + chapter
    let table = big(0, 8) + big(0, 8) + big(192, 2) + big(384, 8) + big(22, 8) + big(192, 2)
    let picture =
      big(3, 4) + big(9, 4) + text("image/png") + big(0, 4) + [UInt8](repeating: 0, count: 16) + big(4, 4) + [
        1, 2, 3, 4,
      ]
    let track = big(0, 8) + [1] + [UInt8](repeating: 0, count: 26) + [1] + big(0, 8) + [1, 0, 0, 0]
    let sheet =
      [UInt8](repeating: 0, count: 395) + [2] + track + big(960, 8) + [170] + [UInt8](repeating: 0, count: 27)
    let blocks = flacBlock(3, table) + flacBlock(4, comments) + flacBlock(5, sheet) + flacBlock(6, picture)
    let padding = flacBlock(1, [0, 0, 0], isLast: true)
    return [
      start + padding + frames, start + blocks + padding + frames, start + padding + counted, frames,
      start + padding + Array(frames.dropLast(3)), start + padding + frames + start + padding + counted,
    ]
  }

  private static func flacBlock(_ type: UInt8, _ body: [UInt8], isLast: Bool = false) -> [UInt8] {
    [type | (isLast ? 0x80 : 0)] + big(UInt64(body.count), 3) + body
  }

  /// 192 samples, one channel, 16 bits, 44.1 kHz.
  private static func flacFrame(_ number: UInt64, variable: Bool) -> [UInt8] {
    let coded = number < 128 ? [UInt8(number)] : [0xC0 | UInt8(number >> 6), 0x80 | UInt8(number & 63)]
    var frame: [UInt8] = [0xFF, variable ? 0xF9 : 0xF8, 0x19, 0x08] + coded
    frame.append(frame.withUnsafeBytes { FLACChecksum.crc8($0[...]) })
    // A constant subframe.
    frame += [0, 0x12, 0x34]
    return frame + big(UInt64(frame.withUnsafeBytes { FLACChecksum.crc16(0, $0) }), 2)
  }
}
