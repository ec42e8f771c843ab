internal import AudioModel
package import Codecs

extension EncoderRegistration {
  /// What libavcodec encodes, known without loading it.
  package static let ffmpeg: [EncoderRegistration] = [
    EncoderRegistration(
      name: "libavcodec", codec: .aac,
      rates: [7_350, 8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000],
      channels: 1...8, bitRates: 8_000...288_000
    ) { format, settings throws(AudioError) in try FFmpegEncoder(.aac, format: format, settings: settings) },
    EncoderRegistration(name: "libavcodec", codec: .alac, rateRange: 1...384_000, channels: 1...8) {
      format, settings throws(AudioError) in try FFmpegEncoder(.alac, format: format, settings: settings)
    },
    EncoderRegistration(
      name: "libavcodec", codec: .mp3,
      rates: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000], channels: 1...2,
      bitRates: 8_000...320_000
    ) { format, settings throws(AudioError) in try FFmpegEncoder(.mp3, format: format, settings: settings) },
    EncoderRegistration(
      name: "libavcodec", codec: .vorbis, rateRange: 8_000...192_000, channels: 1...8, bitRates: 8_000...256_000
    ) { format, settings throws(AudioError) in try FFmpegEncoder(.vorbis, format: format, settings: settings) },
  ]
}
