internal import AudioModel

/// The order of channels in Vorbis (Vorbis I §4.3.9), which Opus shares (RFC 7845 §5.1.1.2): the centre stands between left and
/// right, the low frequencies last.
enum XiphChannels {
  /// For each channel in the order of ``AudioModel/ChannelLayout``, its number in Vorbis's order.
  static func order(_ channels: Int) -> [Int] {
    switch channels {
    case 3: [0, 2, 1]
    case 5: [0, 2, 1, 3, 4]
    case 6: [0, 2, 1, 5, 3, 4]
    case 7: [0, 2, 1, 6, 5, 3, 4]
    case 8: [0, 2, 1, 7, 5, 6, 3, 4]
    default: Array(0..<channels)
    }
  }

  /// Whether the codecs' layout of that many channels, 1…8, is this one. Surround channels at the side and at the back
  /// are the same to them.
  static func has(_ layout: ChannelLayout) -> Bool {
    switch layout.count {
    case 1, 2: true
    case 3: layout.mask == 0x7
    case 4: layout.mask == 0x33
    case 5: layout.mask == 0x37 || layout.mask == 0x607
    case 6: layout.mask == 0x3F || layout.mask == 0x60F
    case 7: layout.mask == 0x70F
    case 8: layout.mask == 0x63F
    default: false
    }
  }
}
