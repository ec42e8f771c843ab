package import AudioModel
internal import CoreAudioTypes

// Between the formats of Apple's interface and those of the engine.
extension AVAudioFormat {
  /// The engine's own form (Float32, not interleaved) of an engine's format.
  package convenience init(_ format: PCMFormat) {
    let rate = Double(format.sampleRate.hertz)
    let isUsual = format.layout == .mono || format.layout == .stereo
    if isUsual,
      let standard = StreamRules.description(
        .pcmFormatFloat32, sampleRate: rate, channels: UInt32(format.channels), isInterleaved: false)
    {
      self.init(unchecked: standard, layout: nil)
    } else {
      self.init(standardFormatWithSampleRate: rate, channelLayout: AVAudioChannelLayout(format.layout))
    }
  }

  /// Whether the samples are linear PCM.
  package var isLinearPCM: Bool { streamDescription.pointee.mFormatID == kAudioFormatLinearPCM }

  /// Rate and channels as the engine has them, whatever the coding. Fractions of a hertz are rounded.
  ///
  /// The engine's channels follow each other in the order of the mask's bits: ``channelOrder`` says where each is found.
  package var pcmFormat: PCMFormat {
    let hertz = max(1, min(Int(sampleRate.rounded()), SampleRate.accepted.upperBound))
    guard let rate = SampleRate(hertz: hertz), let layout = ChannelLayout(count: Int(channelCount), mask: channelMask)
    else { fatalError("AVAudioFormat: \(self) has a rate or a number of channels that no format has") }
    return PCMFormat(sampleRate: rate, layout: layout)
  }

  /// Where the channels of ``pcmFormat`` are found: its channel c is this format's channel `channelOrder[c]`.
  package var channelOrder: [Int] {
    guard let positions else { return Array(0..<Int(channelCount)) }
    return positions.indices.sorted { positions[$0] < positions[$1] }
  }

  /// How a sample of linear PCM is written.
  package var sampleCoding: SampleCoding? { isLinearPCM ? StreamRules.coding(streamDescription.pointee) : nil }

  private var positions: [Int]? { channelLayout.flatMap { ChannelLabels.positions(of: $0.labels) } }

  private var channelMask: UInt32 { positions?.reduce(0) { $0 | 1 << UInt32($1) } ?? 0 }
}

extension AVAudioChannelLayout {
  /// The engine's layout, channel by channel in the same order.
  package convenience init(_ layout: ChannelLayout) {
    var structure = AudioChannelLayout()
    if let tag = ChannelLabels.tag(of: layout) {
      structure.mChannelLayoutTag = tag
    } else if layout.mask != 0 {
      structure.mChannelLayoutTag = kAudioChannelLayoutTag_UseChannelBitmap
      structure.mChannelBitmap = AudioChannelBitmap(rawValue: layout.mask)
    } else {
      structure.mChannelLayoutTag = kAudioChannelLayoutTag_DiscreteInOrder | UInt32(layout.count)
    }
    self.init(layout: &structure)
  }
}
