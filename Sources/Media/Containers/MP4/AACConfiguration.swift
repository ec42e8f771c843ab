import AudioModel

/// How an AAC stream is coded, read off its AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1).
struct AACConfiguration: Hashable {
  /// Spectral band replication or parametric stereo: said to be there or not, or left for the frames to tell.
  enum Extension: Hashable, Sendable {
    case absent, present, unsaid
  }

  /// Audio object types (ISO/IEC 14496-3 table 1.17) that need a name here.
  static let lowComplexity = 2, lowDelay = 23, losslessALS = 36, enhancedLowDelay = 39, usac = 42

  /// Audio object type of the core.
  private(set) var objectType = 0
  /// Hertz of the core coder.
  private(set) var coreRate = 0
  /// Channels of the core coder; 0 where the configuration does not say.
  private(set) var coreChannels = 0
  /// Frames that a packet of the core decodes to; 0 where that is not known.
  private(set) var coreFrames = 0
  private(set) var sbr = Extension.unsaid
  private(set) var ps = Extension.unsaid
  private var channelConfiguration = 0
  private var extensionRate = 0

  /// Reads a configuration; `nil` where it is none.
  init?(_ bytes: [UInt8]) {
    var bits = BitReader(bytes)
    objectType = Self.objectType(&bits)
    coreRate = Self.rate(&bits)
    channelConfiguration = bits.read(4)
    let type = objectType
    if type == 5 || type == 29 {
      sbr = .present
      ps = type == 29 ? .present : .unsaid
      extensionRate = Self.rate(&bits)
      objectType = Self.objectType(&bits)
    }
    guard !bits.isExhausted, coreRate > 0 else { return nil }
    switch objectType {
    case 1...4, 6, 7, 17, 19...23: readGeneral(&bits)
    case Self.enhancedLowDelay:
      coreFrames = bits.flag() ? 480 : 512
      (sbr, ps) = (.absent, .absent)
    default: break
    }
    if coreChannels == 0 { coreChannels = Self.layout(channelConfiguration)?.count ?? 0 }
    if sbr == .unsaid { readSyncExtension(bytes) }
    // Only the low complexity core has these extensions in practice, and parametric stereo makes two channels of one.
    if objectType != Self.lowComplexity && sbr == .unsaid { sbr = .absent }
    if sbr == .absent || coreChannels != 1 || objectType != Self.lowComplexity { ps = ps == .present ? ps : .absent }
    if extensionRate == 0 { extensionRate = coreRate * 2 }
  }

  /// Hertz of what it decodes to.
  var outputRate: Int { sbr == .present ? extensionRate : coreRate }

  /// Frames that a packet decodes to; 0 where that is not known.
  var packetFrames: Int { coreRate > 0 ? coreFrames * outputRate / coreRate : 0 }

  /// Channels of what it decodes to. A mono core with SBR whose parametric stereo is left unsaid counts as stereo, as
  /// decoders have it: they can't go back when it comes.
  var outputLayout: ChannelLayout? {
    if coreChannels == 1 && sbr == .present && ps != .absent { return .stereo }
    return Self.layout(channelConfiguration) ?? ChannelLayout(count: coreChannels)
  }

  /// Loudspeakers by `channelConfiguration` (table 1.19); `nil` where it leaves them open.
  private static func layout(_ configuration: Int) -> ChannelLayout? {
    switch configuration {
    case 11: ChannelLayout(count: 7, mask: 0x13F)
    case 12, 14: ChannelLayout(count: 8, mask: 0x63F)
    default:
      AudioSpecificConfig.layouts.indices.contains(configuration) ? AudioSpecificConfig.layouts[configuration] : nil
    }
  }

  // MARK: Fields

  private static func objectType(_ bits: inout BitReader) -> Int {
    let type = bits.read(5)
    return type == 31 ? 32 + bits.read(6) : type
  }

  /// Hertz; 0 for an index without a meaning.
  private static func rate(_ bits: inout BitReader) -> Int {
    let index = bits.read(4)
    if index == 15 { return bits.read(24) }
    return AudioSpecificConfig.rates.indices.contains(index) ? AudioSpecificConfig.rates[index] : 0
  }

  /// GASpecificConfig (§4.4.1).
  private mutating func readGeneral(_ bits: inout BitReader) {
    let isShort = bits.flag()
    coreFrames = objectType == Self.lowDelay ? (isShort ? 480 : 512) : (isShort ? 960 : 1024)
    if bits.flag() { bits.skip(14) }
    bits.skip(1)
    if objectType == 6 || objectType == 20 { bits.skip(3) }
    if channelConfiguration == 0 { coreChannels = ProgramConfiguration(&bits)?.channels ?? 0 }
  }

  /// What follows the core's configuration for decoders that know of SBR (§1.6.5.3): 0x2B7, and for PS 0x548. Writers
  /// disagree about what stands in between, so it is looked for.
  private mutating func readSyncExtension(_ bytes: [UInt8]) {
    let size = bytes.count * 8
    guard size >= 32 else { return }
    for offset in 13...min(size - 17, 512) {
      var bits = BitReader(bytes)
      bits.skip(offset)
      guard bits.read(11) == 0x2B7, [5, 22].contains(Self.objectType(&bits)) else { continue }
      sbr = bits.flag() ? .present : .absent
      if sbr == .present {
        extensionRate = Self.rate(&bits)
        if bits.read(11) == 0x548 { ps = bits.flag() ? .present : .absent }
      }
      return
    }
  }
}
