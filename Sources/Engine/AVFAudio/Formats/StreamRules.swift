internal import AudioModel
internal import CoreAudioTypes

/// Which descriptions of streams are sound, and which mean the same.
enum StreamRules {
  /// The description of a kind of linear PCM that has a name; nil for `.otherFormat`.
  static func description(
    _ format: AVAudioCommonFormat, sampleRate: Double, channels: UInt32, isInterleaved: Bool
  ) -> AudioStreamBasicDescription? {
    let bits: UInt32
    let kind: AudioFormatFlags
    switch format {
    case .otherFormat: return nil
    case .pcmFormatFloat32: (bits, kind) = (32, kAudioFormatFlagIsFloat)
    case .pcmFormatFloat64: (bits, kind) = (64, kAudioFormatFlagIsFloat)
    case .pcmFormatInt16: (bits, kind) = (16, kAudioFormatFlagIsSignedInteger)
    case .pcmFormatInt32: (bits, kind) = (32, kAudioFormatFlagIsSignedInteger)
    }
    return linear(
      sampleRate: sampleRate, channels: channels, bits: bits,
      flags: kind | (isInterleaved ? 0 : kAudioFormatFlagIsNonInterleaved))
  }

  /// The description of packed linear PCM; nil where the number of channels is not accepted.
  static func linear(
    sampleRate: Double, channels: UInt32, bits: UInt32, flags: AudioFormatFlags
  ) -> AudioStreamBasicDescription? {
    guard AVAudioFormat.acceptedChannels.contains(channels) else { return nil }
    let isInterleaved = flags & kAudioFormatFlagIsNonInterleaved == 0
    let frame = (bits + 7) / 8 * (isInterleaved ? channels : 1)
    return AudioStreamBasicDescription(
      mSampleRate: sampleRate, mFormatID: kAudioFormatLinearPCM, mFormatFlags: flags | kAudioFormatFlagIsPacked,
      mBytesPerPacket: frame, mFramesPerPacket: 1, mBytesPerFrame: frame, mChannelsPerFrame: channels,
      mBitsPerChannel: bits, mReserved: 0)
  }

  /// Whether a description can be a format.
  static func accepts(_ stream: AudioStreamBasicDescription) -> Bool {
    let rates = Double(SampleRate.accepted.lowerBound)...Double(SampleRate.accepted.upperBound)
    return rates.contains(stream.mSampleRate) && AVAudioFormat.acceptedChannels.contains(stream.mChannelsPerFrame)
      && stream.mFormatID != 0 && (stream.mFormatID != kAudioFormatLinearPCM || coding(stream) != nil)
  }

  /// How a sample of linear PCM is written; nil where the description contradicts itself.
  static func coding(_ stream: AudioStreamBasicDescription) -> SampleCoding? {
    let flags = stream.mFormatFlags
    let isInterleaved = flags & kAudioFormatFlagIsNonInterleaved == 0
    let planes = isInterleaved ? stream.mChannelsPerFrame : 1
    guard planes > 0, stream.mFramesPerPacket == 1, stream.mBytesPerPacket == stream.mBytesPerFrame,
      stream.mBytesPerFrame % planes == 0
    else { return nil }
    let bytes = stream.mBytesPerFrame / planes
    let bits = stream.mBitsPerChannel
    guard (1...8).contains(bytes), (1...bytes * 8).contains(bits) else { return nil }
    let kind: SampleCoding.Kind
    if flags & kAudioFormatFlagIsFloat != 0 {
      guard bits == bytes * 8, bytes == 4 || bytes == 8 else { return nil }
      kind = .float
    } else {
      kind = flags & kAudioFormatFlagIsSignedInteger != 0 ? .signed : .unsigned
    }
    var coding = SampleCoding(
      kind: kind, bits: Int(bits), bytes: Int(bytes), isBigEndian: flags & kAudioFormatFlagIsBigEndian != 0)
    coding.isRightJustified = bits < bytes * 8 && flags & kAudioFormatFlagIsAlignedHigh == 0
    return coding
  }

  static func commonFormat(_ stream: AudioStreamBasicDescription) -> AVAudioCommonFormat {
    guard stream.mFormatID == kAudioFormatLinearPCM, let coding = coding(stream), coding.bits == coding.bytes * 8,
      !coding.isBigEndian
    else { return .otherFormat }
    return switch (coding.kind, coding.bits) {
    case (.float, 32): .pcmFormatFloat32
    case (.float, _): .pcmFormatFloat64
    case (.signed, 16): .pcmFormatInt16
    case (.signed, 32): .pcmFormatInt32
    default: .otherFormat
    }
  }

  /// Whether two descriptions mean the same.
  static func isSame(_ a: AudioStreamBasicDescription, _ b: AudioStreamBasicDescription) -> Bool {
    guard a.mSampleRate == b.mSampleRate, a.mFormatID == b.mFormatID, a.mChannelsPerFrame == b.mChannelsPerFrame
    else { return false }
    guard a.mFormatID == kAudioFormatLinearPCM else { return a.mFormatFlags == b.mFormatFlags }
    let interleaving = a.mFormatFlags & kAudioFormatFlagIsNonInterleaved
    return coding(a) == coding(b)
      && (a.mChannelsPerFrame == 1 || interleaving == b.mFormatFlags & kAudioFormatFlagIsNonInterleaved)
  }

  /// Whether two layouts mean the same; none means mono or stereo.
  static func isSame(_ a: AVAudioChannelLayout?, _ b: AVAudioChannelLayout?, channels: UInt32) -> Bool {
    if let a, let b { return a == b }
    guard let given = a ?? b else { return true }
    return given.layoutTag == (channels == 1 ? kAudioChannelLayoutTag_Mono : kAudioChannelLayoutTag_Stereo)
  }
}
