internal import CFFmpeg

/// Turns a stream's timestamps into frames of the trimmed timeline and back.
struct PacketTimeline {
  /// Output frames per second.
  var rate: Int64
  /// Length of a tick in seconds, as a fraction.
  var tick: AVRational
  /// Timestamp of the first packet, and the frame that it decodes to.
  var firstTimestamp: Int64
  var firstFrame: Int64
  /// Timestamps count frames exactly.
  var isExact: Bool
  /// Frames of every packet; 0 where they differ. Rounded timestamps are made exact by it.
  var packetFrames: Int64

  /// Whether a packet can be placed by its timestamp alone.
  var isTrusted: Bool { isExact || packetFrames > 0 }

  /// The frame at a timestamp.
  func frame(_ timestamp: Int64) -> Int64 {
    let distance = timestamp.subtractingReportingOverflow(firstTimestamp)
    guard !distance.overflow else { return firstFrame }
    let frames = frames(distance.partialValue)
    if isExact || packetFrames == 0 { return firstFrame &+ frames }
    let packets = (2 &* frames &+ (frames < 0 ? -packetFrames : packetFrames)) / (2 &* packetFrames)
    return firstFrame &+ packets &* packetFrames
  }

  /// The timestamp at or before a frame.
  func timestamp(_ frame: Int64) -> Int64 {
    let distance = Int128(frame) - Int128(firstFrame)
    let scaled = distance * Int128(max(tick.den, 1)) / (Int128(max(tick.num, 1)) * Int128(max(rate, 1)))
    let timestamp = Int128(firstTimestamp) + scaled - (distance < 0 ? 1 : 0)
    return Int64(clamping: timestamp)
  }

  /// Frames beyond this are nonsense; sums of those within can't overflow.
  static let limit: Int64 = 1 << 60

  /// `ticks` in frames, rounded to nearest, within ±``limit``.
  func frames(_ ticks: Int64) -> Int64 {
    let scaled = Int128(ticks) * Int128(tick.num) * Int128(rate)
    let divisor = Int128(max(tick.den, 1))
    let half = scaled < 0 ? -divisor / 2 : divisor / 2
    return Int64(min(max((scaled + half) / divisor, -Int128(Self.limit)), Int128(Self.limit)))
  }
}
