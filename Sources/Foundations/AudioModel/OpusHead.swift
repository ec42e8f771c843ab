/// The header of an Opus stream (RFC 7845 §5.1), which is also an Opus stream's decoder configuration in other containers.
package struct OpusHead: Hashable, Sendable {
  /// Frames per second of all positions, whatever the rate of the sound that was encoded.
  package static let rate = SampleRate.studio
  /// Longest packet, in frames: 120 ms.
  package static let longestPacket = 5760

  /// Channels of the output, 1…255.
  package var channels: Int
  /// Frames at the beginning that are not to be heard.
  package var preSkip: Int
  /// Rate of the sound that was encoded; 0 when not stated.
  package var inputRate: Int
  /// Gain to be applied to the output, in 1/256 dB.
  package var gain: Int16
  /// How coded channels become those of the output: 0 for mono and stereo, 1 for the surround layouts of Vorbis, others for
  /// channels without loudspeakers.
  package var family: UInt8
  /// Opus streams in a packet.
  package var streams: Int
  /// How many of them are stereo.
  package var coupled: Int
  /// For each output channel, the coded one; 255 is silence.
  package var mapping: [UInt8]

  /// Reads the header's bytes, the mark "OpusHead" included.
  /// - Returns: `nil` where they are no header, or one of another major version, or contradict themselves.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 19, bytes[..<8].elementsEqual("OpusHead".utf8), bytes[8] < 16, bytes[9] > 0 else {
      return nil
    }
    channels = Int(bytes[9])
    preSkip = Int(bytes[10]) | Int(bytes[11]) << 8
    inputRate = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << (8 * $1) }
    gain = Int16(bitPattern: UInt16(bytes[16]) | UInt16(bytes[17]) << 8)
    family = bytes[18]
    if family == 0 {
      guard channels <= 2 else { return nil }
      (streams, coupled, mapping) = (1, channels - 1, Array([0, 1].prefix(channels)))
      return
    }
    guard bytes.count >= 21 + channels else { return nil }
    streams = Int(bytes[19])
    coupled = Int(bytes[20])
    mapping = Array(bytes[21..<21 + channels])
    let coded = streams + coupled
    guard streams > 0, coupled <= streams, coded <= 255, family != 1 || channels <= 8,
      mapping.allSatisfy({ $0 == 255 || Int($0) < coded })
    else { return nil }
  }

  /// Makes a header without gain.
  package init(
    channels: Int, preSkip: Int, inputRate: Int, family: UInt8, streams: Int, coupled: Int, mapping: [UInt8]
  ) {
    self.channels = channels
    self.preSkip = preSkip
    self.inputRate = inputRate
    gain = 0
    self.family = family
    self.streams = streams
    self.coupled = coupled
    self.mapping = mapping
  }

  /// The header's bytes.
  package var bytes: [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var bytes = Array("OpusHead".utf8) + [1, UInt8(channels)] + number(preSkip, 2) + number(inputRate, 4)
    bytes += number(Int(gain), 2) + [family]
    if family != 0 { bytes += [UInt8(streams), UInt8(coupled)] + mapping }
    return bytes
  }

  /// Frames that a packet decodes to by its first two bytes (RFC 6716 §3.1, §3.2); `nil` where they are impossible.
  package static func frames(_ first: UInt8, _ second: UInt8?) -> Int? {
    let configuration = Int(first >> 3)
    let frame =
      configuration < 12
      ? [480, 960, 1920, 2880][configuration & 3]
      : configuration < 16 ? [480, 960][configuration & 1] : 120 << (configuration & 3)
    switch first & 3 {
    case 0: return frame
    case 1, 2: return 2 * frame
    default:
      guard let count = second.map({ Int($0 & 63) }), count > 0, count * frame <= longestPacket else { return nil }
      return count * frame
    }
  }
}
