internal import CoreAudioTypes
internal import Foundation

/// Formats as dictionaries and as text.
enum FormatSettings {
  /// The description that settings ask for; nil where something is missing or impossible.
  static func description(_ settings: [String: Any]) -> AudioStreamBasicDescription? {
    let reader = SettingsReader(settings)
    guard let rate = reader.number(AVSampleRateKey), let channels = reader.whole(AVNumberOfChannelsKey),
      AVAudioFormat.acceptedChannels.contains(channels)
    else { return nil }
    let coding = reader.number(AVFormatIDKey) == nil ? kAudioFormatLinearPCM : reader.whole(AVFormatIDKey)
    guard let coding else { return nil }
    guard coding == kAudioFormatLinearPCM else {
      return AudioStreamBasicDescription(
        mSampleRate: rate, mFormatID: coding,
        mFormatFlags: flags(coding, depth: reader.whole(AVEncoderBitDepthHintKey)),
        mBytesPerPacket: 0, mFramesPerPacket: framesPerPacket(coding, rate: rate), mBytesPerFrame: 0,
        mChannelsPerFrame: channels, mBitsPerChannel: 0, mReserved: 0)
    }
    let isFloat = reader.flag(AVLinearPCMIsFloatKey) ?? false
    let bits = reader.whole(AVLinearPCMBitDepthKey) ?? (isFloat ? 32 : 16)
    guard isFloat ? [32, 64].contains(bits) : [8, 16, 24, 32].contains(bits) else { return nil }
    return StreamRules.linear(
      sampleRate: rate, channels: channels, bits: bits,
      flags: (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
        | (reader.flag(AVLinearPCMIsBigEndianKey) ?? false ? kAudioFormatFlagIsBigEndian : 0)
        | (reader.flag(AVLinearPCMIsNonInterleaved) ?? false ? kAudioFormatFlagIsNonInterleaved : 0))
  }

  static func settings(_ stream: AudioStreamBasicDescription, layout: AVAudioChannelLayout?) -> [String: Any] {
    // Values are objects, which Swift casts to whatever kind of number the reader asks for.
    var settings: [String: Any] = [
      AVFormatIDKey: NSNumber(value: stream.mFormatID),
      AVSampleRateKey: NSNumber(value: stream.mSampleRate),
      AVNumberOfChannelsKey: NSNumber(value: stream.mChannelsPerFrame),
    ]
    if let layout { settings[AVChannelLayoutKey] = layout.data }
    if stream.mFormatID == kAudioFormatLinearPCM {
      func flag(_ bit: AudioFormatFlags) -> NSNumber { NSNumber(value: stream.mFormatFlags & bit != 0) }
      settings[AVLinearPCMBitDepthKey] = NSNumber(value: stream.mBitsPerChannel)
      settings[AVLinearPCMIsFloatKey] = flag(kAudioFormatFlagIsFloat)
      settings[AVLinearPCMIsBigEndianKey] = flag(kAudioFormatFlagIsBigEndian)
      settings[AVLinearPCMIsNonInterleaved] = flag(kAudioFormatFlagIsNonInterleaved)
    } else if let depth = sourceDepth(stream) {
      settings[AVEncoderBitDepthHintKey] = NSNumber(value: depth)
    }
    return settings
  }

  /// "2 ch, 44100 Hz, Float32, deinterleaved"
  static func text(_ stream: AudioStreamBasicDescription) -> String {
    let rate = stream.mSampleRate
    let hertz = rate == rate.rounded() && abs(rate) < 1e9 ? String(Int(rate)) : String(rate)
    let start = "\(stream.mChannelsPerFrame) ch, \(hertz) Hz"
    guard stream.mFormatID == kAudioFormatLinearPCM else {
      return "\(start), '\(letters(stream.mFormatID))', \(stream.mFramesPerPacket) frames/packet"
    }
    let isFloat = stream.mFormatFlags & kAudioFormatFlagIsFloat != 0
    let isSigned = stream.mFormatFlags & kAudioFormatFlagIsSignedInteger != 0
    let kind = isFloat ? "Float" : isSigned ? "Int" : "UInt"
    let order = stream.mFormatFlags & kAudioFormatFlagIsBigEndian != 0 ? " big-endian" : ""
    let interleaving = stream.mFormatFlags & kAudioFormatFlagIsNonInterleaved == 0 ? "interleaved" : "deinterleaved"
    return "\(start), \(kind)\(stream.mBitsPerChannel)\(order), \(interleaving)"
  }

  /// A code as the four letters that it is written with; a dot for what is no letter.
  static func letters(_ code: UInt32) -> String {
    String(
      (0..<4).reversed().map { index -> Character in
        let byte = UInt8(truncatingIfNeeded: code >> UInt32(8 * index))
        return (0x20..<0x7F).contains(byte) ? Character(UnicodeScalar(byte)) : "."
      })
  }

  /// Frames of a packet as the encoders make them; 0 where packets differ.
  private static func framesPerPacket(_ coding: AudioFormatID, rate: Double) -> UInt32 {
    switch coding {
    case kAudioFormatMPEG4AAC: 1024
    case kAudioFormatMPEG4AAC_HE, kAudioFormatMPEG4AAC_HE_V2: 2048
    case kAudioFormatMPEG4AAC_LD, kAudioFormatMPEG4AAC_ELD: 512
    case kAudioFormatMPEGLayer1: 384
    case kAudioFormatMPEGLayer2: 1152
    case kAudioFormatMPEGLayer3: rate < 32_000 ? 576 : 1152
    case kAudioFormatAppleLossless, kAudioFormatFLAC: 4096
    case kAudioFormatOpus: UInt32(rate / 50)
    case kAudioFormatAC3, kAudioFormatEnhancedAC3: 1536
    case kAudioFormatULaw, kAudioFormatALaw: 1
    default: 0
    }
  }

  private static func flags(_ coding: AudioFormatID, depth: UInt32?) -> AudioFormatFlags {
    switch coding {
    case kAudioFormatAppleLossless, kAudioFormatFLAC:
      switch depth ?? 16 {
      case ...16: kAppleLosslessFormatFlag_16BitSourceData
      case ...20: kAppleLosslessFormatFlag_20BitSourceData
      case ...24: kAppleLosslessFormatFlag_24BitSourceData
      default: kAppleLosslessFormatFlag_32BitSourceData
      }
    case kAudioFormatMPEG4AAC: MPEG4ObjectID.AAC_LC.rawValue
    default: 0
    }
  }

  /// The depth that a lossless format states.
  static func sourceDepth(_ stream: AudioStreamBasicDescription) -> UInt32? {
    guard [kAudioFormatAppleLossless, kAudioFormatFLAC].contains(stream.mFormatID) else { return nil }
    return switch stream.mFormatFlags {
    case kAppleLosslessFormatFlag_16BitSourceData: 16
    case kAppleLosslessFormatFlag_20BitSourceData: 20
    case kAppleLosslessFormatFlag_24BitSourceData: 24
    case kAppleLosslessFormatFlag_32BitSourceData: 32
    default: nil
    }
  }
}
