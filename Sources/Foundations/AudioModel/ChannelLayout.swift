/// How many channels a signal has and which loudspeaker each one is for.
public struct ChannelLayout: Hashable, Sendable, CustomStringConvertible {
  /// Number of channels, 1…64.
  public let count: Int
  /// Loudspeaker positions as bits in the order of WAVEFORMATEXTENSIBLE's `dwChannelMask` (bit 0 front left, 1 front
  /// right, 2 front centre, 3 low frequency, 4 back left, 5 back right, 8 back centre, 9 side left, 10 side right);
  /// channels follow each other in bit order. 0 where the file does not say.
  public let mask: UInt32

  /// The channel counts that Martlet accepts; a file that states another one is refused as broken.
  public static let accepted = 1...64

  /// Makes a layout.
  /// - Parameters:
  ///   - count: Number of channels.
  ///   - mask: Positions; ignored (taken as 0) when it does not name exactly `count` of them.
  /// - Returns: `nil` when `count` is outside ``accepted``.
  public init?(count: Int, mask: UInt32 = 0) {
    guard Self.accepted.contains(count) else { return nil }
    self.count = count
    self.mask = mask.nonzeroBitCount == count ? mask : Self.usual(count)
  }

  private init(unchecked count: Int, mask: UInt32) {
    self.count = count
    self.mask = mask
  }

  /// One channel, front centre.
  public static let mono = ChannelLayout(unchecked: 1, mask: 0x4)
  /// Front left and right.
  public static let stereo = ChannelLayout(unchecked: 2, mask: 0x3)

  /// The layout that a bare channel count means by convention; 0 where there is none.
  private static func usual(_ count: Int) -> UInt32 {
    switch count {
    case 1: 0x4
    case 2: 0x3
    case 3: 0x7
    case 4: 0x33
    case 5: 0x37
    case 6: 0x3F
    case 7: 0x70F
    case 8: 0x63F
    default: 0
    }
  }

  /// "mono", "stereo", "5.1", … or "12 channels".
  public var description: String {
    switch (count, mask) {
    case (1, _): "mono"
    case (2, _): "stereo"
    case (3, 0x7): "3.0"
    case (4, 0x33): "quad"
    case (4, 0x107): "4.0"
    case (5, 0x37), (5, 0x607): "5.0"
    case (6, 0x3F), (6, 0x60F): "5.1"
    case (7, 0x70F): "6.1"
    case (8, 0x63F), (8, 0xFF): "7.1"
    default: "\(count) channels"
    }
  }
}
