internal import AudioModel
internal import CFFmpeg

/// The codecs that libavcodec may open, and their names.
enum FFmpegCodecs {
  private static let allowed: Set<UInt32> = Set(
    [
      AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_TRUEHD,
      AV_CODEC_ID_MLP, AV_CODEC_ID_ALAC, AV_CODEC_ID_APE, AV_CODEC_ID_FLAC, AV_CODEC_ID_MP1, AV_CODEC_ID_MP2,
      AV_CODEC_ID_MP3, AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS, AV_CODEC_ID_SPEEX, AV_CODEC_ID_TTA, AV_CODEC_ID_WAVPACK,
      AV_CODEC_ID_WMAV1, AV_CODEC_ID_WMAV2, AV_CODEC_ID_WMAPRO, AV_CODEC_ID_WMALOSSLESS, AV_CODEC_ID_WMAVOICE,
      AV_CODEC_ID_MUSEPACK7, AV_CODEC_ID_MUSEPACK8, AV_CODEC_ID_AMR_NB, AV_CODEC_ID_AMR_WB, AV_CODEC_ID_MP4ALS,
      AV_CODEC_ID_COOK, AV_CODEC_ID_ATRAC1, AV_CODEC_ID_ATRAC3, AV_CODEC_ID_ATRAC3AL, AV_CODEC_ID_ATRAC3P,
      AV_CODEC_ID_ATRAC3PAL, AV_CODEC_ID_RA_144, AV_CODEC_ID_RA_288, AV_CODEC_ID_SIPR, AV_CODEC_ID_QDM2,
      AV_CODEC_ID_QDMC, AV_CODEC_ID_QCELP, AV_CODEC_ID_EVRC, AV_CODEC_ID_GSM, AV_CODEC_ID_GSM_MS,
      AV_CODEC_ID_NELLYMOSER, AV_CODEC_ID_TAK, AV_CODEC_ID_SHORTEN, AV_CODEC_ID_RALF, AV_CODEC_ID_MACE3,
      AV_CODEC_ID_MACE6, AV_CODEC_ID_DSD_LSBF, AV_CODEC_ID_DSD_MSBF, AV_CODEC_ID_DSD_LSBF_PLANAR,
      AV_CODEC_ID_DSD_MSBF_PLANAR, AV_CODEC_ID_DST, AV_CODEC_ID_ILBC, AV_CODEC_ID_TRUESPEECH,
    ].map(\.rawValue))

  // PCM is numbered from 0x10000 on, ADPCM from 0x11000 to 0x12000, as avcodec/codec_id.h promises.
  private static let pcm = AV_CODEC_ID_PCM_S16LE.rawValue..<AV_CODEC_ID_ADPCM_IMA_QT.rawValue
  private static let adpcm = AV_CODEC_ID_ADPCM_IMA_QT.rawValue..<AV_CODEC_ID_AMR_NB.rawValue

  /// Codecs whose packets stand alone: no decoding before a seek's target.
  private static let independent: Set<UInt32> = Set(
    [
      AV_CODEC_ID_ALAC, AV_CODEC_ID_FLAC, AV_CODEC_ID_WAVPACK, AV_CODEC_ID_TTA, AV_CODEC_ID_APE, AV_CODEC_ID_MP4ALS,
      AV_CODEC_ID_TAK,
    ].map(\.rawValue))

  /// Codecs whose output is at another rate or in another number of channels than a header may say, so that a packet
  /// is decoded before either is believed.
  private static let surprising: Set<UInt32> = Set(
    [
      AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM, AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS, AV_CODEC_ID_MP1,
      AV_CODEC_ID_MP2, AV_CODEC_ID_MP3,
    ].map(\.rawValue))

  static func isAllowed(_ id: AVCodecID) -> Bool {
    allowed.contains(id.rawValue) || pcm.contains(id.rawValue) || adpcm.contains(id.rawValue)
  }

  static func isPCM(_ id: AVCodecID) -> Bool { pcm.contains(id.rawValue) }
  static func isSurprising(_ id: AVCodecID) -> Bool { surprising.contains(id.rawValue) }

  /// Codecs whose packets of one stream all have as many frames, with few exceptions that nobody writes.
  static func hasConstantPackets(_ id: AVCodecID) -> Bool { isSurprising(id) || id == AV_CODEC_ID_OPUS }

  /// Our name of a codec.
  static func codec(_ id: AVCodecID, _ functions: UnsafePointer<CFFmpegTable>) -> Codec {
    switch id {
    case AV_CODEC_ID_PCM_ALAW: .alaw
    case AV_CODEC_ID_PCM_MULAW: .mulaw
    case AV_CODEC_ID_AAC_LATM: .aac
    case _ where isPCM(id): .pcm
    default: Codec(rawValue: functions.pointee.avcodec_get_name(id).map { String(cString: $0) } ?? "unknown")
    }
  }

  /// Frames to decode before a seek's target: Opus half a second, for its prediction fades
  /// more slowly than the 80 ms of RFC 7845 suggest; for transform codecs the overlap, and the
  /// reservoir of bits that some keep over packets.
  static func preroll(_ id: AVCodecID) -> Int {
    switch id {
    case AV_CODEC_ID_OPUS: 24_000
    case AV_CODEC_ID_AAC, AV_CODEC_ID_AAC_LATM: 4_096
    case AV_CODEC_ID_VORBIS: 8_192
    case AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3: 11_520
    case AV_CODEC_ID_MUSEPACK7, AV_CODEC_ID_MUSEPACK8: 40_000  // 32 packets of 1152 are swallowed after a reset
    case _ where isPCM(id) || independent.contains(id.rawValue): 0
    default: 12_288
    }
  }

  /// How samples lie in the bytes (PCM), or how deep they are (lossless codecs); `nil` for all else.
  static func coding(_ parameters: AVCodecParameters, name: String) -> SampleCoding? {
    let id = parameters.codec_id
    if id == AV_CODEC_ID_PCM_ALAW || id == AV_CODEC_ID_PCM_MULAW { return nil }
    let raw = Int(parameters.bits_per_raw_sample)
    let coded = Int(parameters.bits_per_coded_sample)
    if isPCM(id) {
      guard (1...64).contains(coded) else { return nil }
      let kind: SampleCoding.Kind = name.hasPrefix("pcm_f") ? .float : name.hasPrefix("pcm_u") ? .unsigned : .signed
      let bits = (1...coded).contains(raw) ? raw : coded
      return SampleCoding(kind: kind, bits: bits, bytes: (coded + 7) / 8, isBigEndian: name.hasSuffix("be"))
    }
    guard independent.contains(id.rawValue) || id == AV_CODEC_ID_WMALOSSLESS else { return nil }
    let bits = headerDepth(parameters) ?? (raw > 0 ? raw : coded)
    return (1...64).contains(bits) ? SampleCoding(kind: .signed, bits: bits, bytes: (bits + 7) / 8) : nil
  }

  /// The depth that stands in a decoder's configuration: FLAC's STREAMINFO (RFC 9639 §8.2), or ALAC's cookie behind the
  /// twelve bytes of its box.
  private static func headerDepth(_ parameters: AVCodecParameters) -> Int? {
    guard let bytes = parameters.extradata else { return nil }
    switch parameters.codec_id {
    case AV_CODEC_ID_FLAC where parameters.extradata_size >= 34:
      return (Int(bytes[12] & 1) << 4 | Int(bytes[13] >> 4)) + 1
    case AV_CODEC_ID_ALAC where parameters.extradata_size >= 36: return Int(bytes[17])
    default: return nil
    }
  }
}
