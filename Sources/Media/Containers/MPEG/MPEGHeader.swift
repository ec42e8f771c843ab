import AudioModel

/// The four bytes in front of every frame of MPEG audio. Sources: ISO/IEC 11172-3 §2.4.1.3, ISO/IEC 13818-3; MPEG-2.5 is
/// Fraunhofer's extension to lower rates.
struct MPEGHeader: Hashable {
  static let size = 4
  /// Longest frame: MPEG-2.5 layer II at 160 kbit/s and 8 kHz; free format stays below it.
  static let longestFrame = 2881 + 1

  private let bits: UInt32

  /// `nil` for bits that can be no header.
  init?(_ bits: UInt32) {
    guard bits >> 21 == 0x7FF, bits >> 19 & 3 != 1, bits >> 17 & 3 != 0, bits >> 12 & 15 != 15, bits >> 10 & 3 != 3
    else { return nil }
    self.bits = bits
  }

  init?(_ window: ByteWindow, at position: Int64) {
    guard let word = window.bigEndian(position, size: 4) else { return nil }
    self.init(UInt32(word))
  }

  /// MPEG-1; else MPEG-2 or 2.5, whose frames of layer III are half as long.
  var isMPEG1: Bool { bits >> 19 & 3 == 3 }
  /// 1…3.
  var layer: Int { 4 - Int(bits >> 17 & 3) }
  var hasCRC: Bool { bits >> 16 & 1 == 0 }
  var isFreeFormat: Bool { bits >> 12 & 15 == 0 }
  var isMono: Bool { bits >> 6 & 3 == 3 }
  /// 1 when the frame has one slot more.
  var padding: Int { Int(bits >> 9 & 1) }
  /// Bytes of a slot.
  var slot: Int { layer == 1 ? 4 : 1 }

  /// Bits per second; 0 for free format.
  var bitRate: Int {
    let row: [Int]
    switch (isMPEG1, layer) {
    case (true, 1): row = Self.rates11
    case (true, 2): row = Self.rates12
    case (true, _): row = Self.rates13
    case (false, 1): row = Self.rates21
    case (false, _): row = Self.rates22
    }
    return row[Int(bits >> 12 & 15)] * 1000
  }

  var sampleRate: Int {
    let base = [44_100, 48_000, 32_000][Int(bits >> 10 & 3)]
    return bits >> 19 & 3 == 3 ? base : bits >> 19 & 3 == 2 ? base / 2 : base / 4
  }

  /// Frames of PCM that it decodes to.
  var frameCount: Int { layer == 1 ? 384 : layer == 3 && !isMPEG1 ? 576 : 1152 }

  /// Bytes of the whole frame with this header; `nil` for free format.
  var byteCount: Int? {
    isFreeFormat ? nil : (frameCount / 8 / slot * bitRate / sampleRate + padding) * slot
  }

  var format: PCMFormat {
    // The table holds only rates that are accepted.
    PCMFormat(sampleRate: SampleRate(hertz: sampleRate) ?? .cd, layout: isMono ? .mono : .stereo)
  }

  var codec: Codec { layer == 1 ? .mp1 : layer == 2 ? .mp2 : .mp3 }

  /// Bytes of layer III's side information.
  var sideInfoBytes: Int { isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17) }

  /// How far back layer III's main data may begin.
  var reservoirLimit: Int { layer < 3 ? 0 : isMPEG1 ? 511 : 255 }

  /// The four bytes.
  var word: UInt32 { bits }

  /// The header of a frame without sound of the same stream that has room for ``MPEGInfoFrame``: no checksum, no padding,
  /// and the lowest bit rate at which all that the frame may say fits at every sample rate.
  var infoShell: MPEGHeader {
    let index: UInt32 = isMPEG1 ? 9 : 8
    return MPEGHeader(bits & ~0xF200 | index << 12 | 0x1_0000) ?? self
  }

  /// Whether both are of one stream as far as a decoder cares: version, layer and sample rate.
  func continues(_ other: MPEGHeader) -> Bool { (bits ^ other.bits) & 0xFFFE_0C00 == 0 }

  private static let rates11 = [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
  private static let rates12 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
  private static let rates13 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
  private static let rates21 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
  private static let rates22 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
}
