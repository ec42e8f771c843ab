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
}
