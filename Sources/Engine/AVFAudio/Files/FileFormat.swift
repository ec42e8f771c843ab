internal import AudioModel
internal import CoreAudioTypes
internal import Foundation

/// What is in a file, as a format.
enum FileFormat {
  /// The codings with a code of Apple's.
  private static let codes: [(codec: Codec, code: AudioFormatID)] = [
    (.pcm, kAudioFormatLinearPCM), (.alaw, kAudioFormatALaw), (.mulaw, kAudioFormatULaw),
    (.mp1, kAudioFormatMPEGLayer1), (.mp2, kAudioFormatMPEGLayer2), (.mp3, kAudioFormatMPEGLayer3),
    (.aac, kAudioFormatMPEG4AAC), (.alac, kAudioFormatAppleLossless), (.flac, kAudioFormatFLAC),
    (.opus, kAudioFormatOpus), (Codec(rawValue: "ac3"), kAudioFormatAC3),
    (Codec(rawValue: "eac3"), kAudioFormatEnhancedAC3), (Codec(rawValue: "amr_nb"), kAudioFormatAMR),
    (Codec(rawValue: "amr_wb"), kAudioFormatAMR_WB), (Codec(rawValue: "adpcm_ima_qt"), kAudioFormatAppleIMA4),
    (Codec(rawValue: "gsm_ms"), kAudioFormatMicrosoftGSM),
    (Codec(rawValue: "adpcm_ima_wav"), kAudioFormatDVIIntelIMA),
    (Codec(rawValue: "usac"), kAudioFormatMPEGD_USAC),
  ]

  /// The code of a codec: Apple's, else the first four letters of its name (`vorb`, `wavp`).
  static func code(_ codec: Codec) -> AudioFormatID {
    if let known = codes.first(where: { $0.codec == codec }) { return known.code }
    let letters = (Array(codec.rawValue.utf8) + [32, 32, 32, 32]).prefix(4)
    return letters.reduce(0) { $0 << 8 | AudioFormatID($1) }
  }

  /// The codec of a code of Apple's; nil for all others.
  static func known(_ code: AudioFormatID) -> Codec? { codes.first { $0.code == code }?.codec }

  /// The codec of a code, of those that are written; nil for all others.
  static func codec(_ code: AudioFormatID) -> Codec? {
    [.pcm, .alac, .aac, .mp3, .flac, .opus, .vorbis].first { Self.code($0) == code }
  }

  /// The format of a file that is read.
  static func make(_ facts: StreamFacts) -> AVAudioFormat {
    make(facts.codec, facts.format, coding: facts.sampleCoding, framesPerPacket: packetFrames(facts))
  }

  /// The format of a file.
  /// - Parameter framesPerPacket: 0 where packets differ.
  static func make(
    _ codec: Codec, _ format: PCMFormat, coding: SampleCoding?, framesPerPacket: Int
  ) -> AVAudioFormat {
    var stream = AudioStreamBasicDescription()
    stream.mSampleRate = Double(format.sampleRate.hertz)
    stream.mFormatID = code(codec)
    stream.mChannelsPerFrame = UInt32(format.channels)
    if codec == .pcm, let coding {
      stream.mFormatFlags = flags(coding)
      stream.mBitsPerChannel = UInt32(coding.bits)
      stream.mBytesPerFrame = UInt32(coding.bytes * format.channels)
      stream.mBytesPerPacket = stream.mBytesPerFrame
      stream.mFramesPerPacket = 1
    } else {
      stream.mFramesPerPacket = UInt32(framesPerPacket)
      if codec == .alaw || codec == .mulaw {
        stream.mBytesPerPacket = UInt32(format.channels)
        stream.mBytesPerFrame = UInt32(format.channels)
        stream.mBitsPerChannel = 8
      }
      if codec == .aac { stream.mFormatFlags = MPEG4ObjectID.AAC_LC.rawValue }
      if codec == .alac || codec == .flac { stream.mFormatFlags = depthFlag(coding?.bits ?? 16) }
    }
    // The engine's format has a layout where it takes one.
    let layout = AVAudioFormat(format).channelLayout
    guard let found = AVAudioFormat(streamDescription: &stream, channelLayout: layout) else {
      // PCM in a form that the rules for descriptions do not know: what it is read as comes nearest.
      return AVAudioFormat(format)
    }
    return found
  }

  private static func flags(_ coding: SampleCoding) -> AudioFormatFlags {
    let kind =
      switch coding.kind {
      case .float: kAudioFormatFlagIsFloat
      case .signed: kAudioFormatFlagIsSignedInteger
      case .unsigned: AudioFormatFlags(0)
      }
    let isPacked = coding.bits == coding.bytes * 8
    let place =
      isPacked ? kAudioFormatFlagIsPacked : coding.isRightJustified ? 0 : kAudioFormatFlagIsAlignedHigh
    return kind | place | (coding.isBigEndian ? kAudioFormatFlagIsBigEndian : 0)
  }

  private static func depthFlag(_ bits: Int) -> AudioFormatFlags {
    switch bits {
    case ...16: kAppleLosslessFormatFlag_16BitSourceData
    case ...20: kAppleLosslessFormatFlag_20BitSourceData
    case ...24: kAppleLosslessFormatFlag_24BitSourceData
    default: kAppleLosslessFormatFlag_32BitSourceData
    }
  }

  /// Frames of a packet, where the codec has one length only.
  private static func packetFrames(_ facts: StreamFacts) -> Int {
    switch facts.codec {
    case .mp1: 384
    case .mp2: 1152
    case .mp3: facts.format.sampleRate.hertz < 32_000 ? 576 : 1152
    case .aac: 1024
    case .alac, .flac: 4096
    case .opus: 960
    case .alaw, .mulaw: 1
    case Codec(rawValue: "ac3"), Codec(rawValue: "eac3"): 1536
    default: 0
    }
  }
}
