internal import AudioModel

/// The encoders of libavcodec that are used, and how each wants to be asked.
struct FFmpegEncoderKind {
  /// libavcodec's name of the encoder.
  let name: String
  /// The codec's name for people.
  let title: String
  let isLossless: Bool
  /// Quality can be aimed for in place of a bit rate.
  let hasQuality: Bool

  /// The encoder for a codec.
  static func of(_ codec: Codec) -> Self? {
    switch codec {
    case .aac: Self(name: "aac", title: "AAC", isLossless: false, hasQuality: false)
    case .alac: Self(name: "alac", title: "Apple Lossless", isLossless: true, hasQuality: false)
    case .mp3: Self(name: "libmp3lame", title: "MP3", isLossless: false, hasQuality: true)
    case .vorbis: Self(name: "libvorbis", title: "Vorbis", isLossless: false, hasQuality: true)
    default: nil
    }
  }

  /// The quality that is aimed for where nothing is asked for; `nil` where the bit rate is usual.
  var usualQuality: Double? { name == "libvorbis" ? 0.5 : nil }

  /// Bits per second where nothing is asked for: what few hear a difference at.
  func usualBitRate(_ format: PCMFormat) -> Int {
    let rate = format.sampleRate.hertz
    // Below 32 kHz MPEG audio has other tables, which end at 160 and 64 kbit/s.
    let most = name != "libmp3lame" ? .max : rate >= 32_000 ? 320_000 : rate >= 16_000 ? 160_000 : 64_000
    return min(96_000 * format.channels * min(rate, 48_000) / 44_100 / 8_000 * 8_000, most)
  }

  /// A quality of 0…1 in the encoder's own measure: 0…10 upwards (Vorbis), 0…9 downwards (LAME).
  func scale(_ quality: Double) -> Double { name == "libvorbis" ? quality * 10 : (1 - quality) * 9 }

  /// The loudspeakers as libavutil's bits, which are those of `dwChannelMask`. Surround channels at the side are the same
  /// to these codecs as those at the back.
  func mask(_ layout: ChannelLayout) -> UInt32 {
    switch layout.mask {
    case 0x607 where name != "libmp3lame": 0x37
    case 0x60F where name != "libmp3lame": 0x3F
    default: layout.mask
    }
  }
}
