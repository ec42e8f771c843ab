internal import AudioModel

/// Small good files, made here.
enum Seeds {
  /// Good files of a container format; one that has none here begins with nothing.
  static func container(_ name: String) -> [[UInt8]] {
    switch name {
    case "wav": wav
    case "mp3": mp3
    case "mp4": mp4
    case "adts": adts
    case "adif": [adif]
    case "latm": [latm]
    case "ac3": ac3
    case "amr": amr
    case "aiff": aiff
    case "caf": caf
    case "flac": flac
    case "ogg": OggSeeds.all
    default: []
    }
  }

  static var wav: [[UInt8]] {
    WAVHeader.Sample.allCases.flatMap { sample in
      [1, 2, 6].map { channels in
        let header = WAVHeader(
          format: PCMFormat(sampleRate: SampleRate(hertz: 48_000)!, layout: ChannelLayout(count: channels)!),
          sample: sample)
        return header.bytes(frames: 16) + [UInt8](repeating: 0x40, count: 16 * header.frameBytes)
      }
    } + [riffWithTags, endlessRIFF]
  }

  /// With a list of texts, an odd chunk and its pad byte, and an ID3 tag as a chunk.
  private static var riffWithTags: [UInt8] {
    let info = text("LIST") + little(20, 4) + text("INFOINAM") + little(5, 4) + text("name") + [0, 0, 0, 0]
    let odd = text("junk") + little(3, 4) + [1, 2, 3, 0]
    let format = text("fmt ") + little(16, 4) + little(1, 2) + little(1, 2) + little(8000, 4) + little(8000, 4)
    let body = format + little(1, 2) + little(8, 2) + info + odd
    let tag = text("id3 ") + little(UInt64(id3.count), 4) + id3
    let data = text("data") + little(8, 4) + [128, 129, 130, 131, 130, 129, 128, 127]
    return text("RIFF") + little(UInt64(4 + body.count + data.count + tag.count), 4) + text("WAVE") + body + data
      + tag
  }

  /// As a program writes it that cannot go back to fill in the sizes.
  private static var endlessRIFF: [UInt8] {
    let format = text("fmt ") + little(16, 4) + little(3, 2) + little(1, 2) + little(8000, 4) + little(32_000, 4)
    return text("RIFF") + little(0xFFFF_FFFF, 4) + text("WAVE") + format + little(4, 2) + little(32, 2)
      + text("data") + little(0xFFFF_FFFF, 4) + [UInt8](repeating: 0, count: 64)
  }

  static var mp3: [[UInt8]] {
    let frames = [[UInt8]](repeating: silence, count: 4).flatMap(\.self)
    return [
      frames, id3 + frames, xing + frames, id3 + xing + frames + id3v1, vbri + frames, [0, 0xFF, 0xFB] + frames,
      [UInt8](repeating: 0, count: 100) + frames + ape,
    ]
  }

  /// A frame of MPEG-1 layer III: 128 kbit/s, 44.1 kHz, joint stereo, nothing but zeros.
  static let silence = [0xFF, 0xFB, 0x90, 0x40] + [UInt8](repeating: 0, count: 413)

  /// The frame that an encoder puts in front: number of frames and bytes, table of contents, delay and padding.
  private static var xing: [UInt8] {
    let table = (0..<100).map { UInt8($0 * 255 / 100) }
    let lame =
      text("LAME3.100") + [0x24, 0xBE] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 128] + [0x24, 0x04, 0x48] + [0, 0] + [0, 0]
      + big(1668, 4) + [0, 0, 0, 0]
    return silence(holding: text("Xing") + big(15, 4) + big(4, 4) + big(2085, 4) + table + big(57, 4) + lame)
  }

  private static var vbri: [UInt8] {
    let entries = [UInt8](repeating: 1, count: 8)
    return silence(
      holding: text("VBRI") + big(1, 2) + big(1, 2) + big(75, 2) + big(2085, 4) + big(4, 4) + big(4, 2) + big(1, 2)
        + big(2, 2) + big(1, 2) + entries)
  }

  private static func silence(holding bytes: [UInt8]) -> [UInt8] {
    var frame = silence
    frame.replaceSubrange(36..<36 + bytes.count, with: bytes)
    return frame
  }

  static var id3: [UInt8] {
    let title = text("TIT2") + big(6, 4) + [0, 0, 3] + text("title")
    let chapter =
      text("CHAP") + big(18, 4) + [0, 0] + text("c") + [0] + big(0, 4) + big(1000, 4) + [
        255, 255, 255, 255, 255, 255, 255, 255,
      ]
    let body = title + chapter
    return text("ID3") + [4, 0, 0] + [0, 0, 0, UInt8(body.count)] + body
  }

  static var id3v1: [UInt8] { text("TAG") + [UInt8](repeating: 0x41, count: 125) }

  static var ape: [UInt8] {
    let item = little(1, 4) + little(0, 4) + text("Title") + [0] + text("x")
    return item + text("APETAGEX") + little(2000, 4) + little(UInt64(item.count + 32), 4) + little(1, 4)
      + little(0, 4) + [UInt8](repeating: 0, count: 8)
  }

  // MARK: Writing

  static func text(_ text: StaticString) -> [UInt8] {
    text.withUTF8Buffer { Array($0) }
  }

  static func little(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func big(_ value: UInt64, _ size: Int) -> [UInt8] { little(value, size).reversed() }
}
