/// The format of decoded sound inside Martlet: Float32, planar, full scale ±1, at a rate and a layout.
public struct PCMFormat: Hashable, Sendable, CustomStringConvertible {
  /// Frames per second.
  public var sampleRate: SampleRate
  /// Channels and their positions.
  public var layout: ChannelLayout

  /// Makes a format.
  public init(sampleRate: SampleRate, layout: ChannelLayout) {
    self.sampleRate = sampleRate
    self.layout = layout
  }

  /// Number of channels.
  public var channels: Int { layout.count }
  public var description: String { "\(sampleRate), \(layout)" }
}
