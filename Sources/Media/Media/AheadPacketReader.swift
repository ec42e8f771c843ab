internal import AudioModel
internal import Codecs
internal import Containers

/// A packet reader whose first packets were decoded ahead, because a stream's header does not tell what comes out.
///
/// AAC says its core's rate and channels only: whether spectral band replication doubles the rate, or parametric stereo
/// the channels, stands in the packets (ISO/IEC 14496-3 §1.6.5.3, implicit signalling). E-AC-3's first frame does not say
/// which channels others add. The timeline of the reader behind counts in the stated rate; here it counts in the one
/// that is heard, and every frame number is scaled.
final class AheadPacketReader: PacketReader {
  /// Most packets, and bytes of them, that are decoded ahead: one damaged packet or two must not decide.
  private static let packetLimit = 8, byteLimit = 256 << 10

  private static let surprising: Set<Codec> = [.aac, Codec(rawValue: "eac3")]

  private let reader: any PacketReader
  /// Rate that the timeline of ``reader`` counts in, and the one heard.
  private let stated: SampleRate
  private let heard: PCMFormat
  private var ahead: [(packet: Packet, bytes: [UInt8])]
  /// What the container threw while it was looked ahead: it is thrown again where that packet would have been read.
  private var failure: AudioError?
  /// The bytes of the packet that was given last, where it came from ``ahead``.
  private var current: [UInt8]?

  /// Decodes the first packets where the codec asks for it.
  /// - Returns: `reader` itself where its facts suffice; else one in its place, that must be used from here on.
  static func reading(
    _ reader: any PacketReader, ahead decoder: any AudioDecoder
  ) throws(AudioError) -> any PacketReader {
    guard surprising.contains(reader.facts.codec) else { return reader }
    return try AheadPacketReader(reader, decoder)
  }

  private init(_ reader: any PacketReader, _ decoder: any AudioDecoder) throws(AudioError) {
    self.reader = reader
    stated = reader.facts.format.sampleRate
    ahead = []
    var format: PCMFormat?
    let block = PCMBlock(channels: decoder.format.channels, capacity: 8_192)
    var bytesSeen = 0
    while format == nil, ahead.count < Self.packetLimit, bytesSeen < Self.byteLimit {
      let next: Packet?
      do throws(AudioError) {
        next = try reader.nextPacket()
      } catch {
        // What the header says can still be told.
        guard error.code.rawValue / 1_000 == 3 else { throw error }
        failure = error
        break
      }
      guard let packet = next else { break }
      var bytes: [UInt8] = []
      try reader.withPacketBytes { bytes = Array($0) }
      ahead.append((packet, bytes))
      bytesSeen += bytes.count
      if packet.startsNewCoding { break }
      if try Self.decodes(bytes, packet, decoder, block) { format = decoder.format }
    }
    heard = format ?? reader.facts.format
    decoder.reset()
  }

  /// Whether a packet gives sound; a damaged one does not.
  private static func decodes(
    _ bytes: [UInt8], _ packet: Packet, _ decoder: any AudioDecoder, _ block: PCMBlock
  ) throws(AudioError) -> Bool {
    do throws(AudioError) {
      try bytes.withUnsafeBufferPointer { buffer throws(AudioError) in
        let raw = UnsafeRawBufferPointer(buffer)
        while try decoder.decode(raw, packet: packet, into: block) == .formatChanged {
          block.reshape(channels: decoder.format.channels, capacity: 8_192)
        }
      }
    } catch {
      if error.recovery != .conceal { throw error }
    }
    return block.frameCount > 0
  }

  var facts: StreamFacts {
    var facts = reader.facts
    facts.format = heard
    if let duration = facts.duration { facts.duration?.frames = scaled(duration.frames) }
    facts.encoderDelay = facts.encoderDelay.map(scaled)
    facts.encoderPadding = facts.encoderPadding.map(scaled)
    facts.seekPreroll = scaled(facts.seekPreroll)
    return facts
  }

  func nextPacket() throws(AudioError) -> Packet? {
    guard ahead.isEmpty else {
      let (packet, bytes) = ahead.removeFirst()
      current = bytes
      return scaled(packet)
    }
    current = nil
    if let failure { throw failure }
    return try reader.nextPacket().map(scaled)
  }

  func withPacketBytes(
    _ body: (UnsafeRawBufferPointer) throws(AudioError) -> Void
  ) throws(AudioError) {
    guard let current else { return try reader.withPacketBytes(body) }
    try current.withUnsafeBufferPointer { bytes throws(AudioError) in try body(UnsafeRawBufferPointer(bytes)) }
  }

  func seek(to frame: Int64) throws(AudioError) -> Bool {
    let isExact = try reader.seek(to: heard.sampleRate.convert(frame, to: stated))
    ahead = []
    failure = nil
    current = nil
    return isExact
  }

  private func scaled(_ frame: Int64) -> Int64 { stated.convert(frame, to: heard.sampleRate) }

  private func scaled(_ frames: Int) -> Int { Int(clamping: scaled(Int64(frames))) }

  private func scaled(_ packet: Packet) -> Packet {
    var packet = packet
    let part = packet.fraction * Double(heard.sampleRate.hertz) / Double(stated.hertz)
    packet.frame = scaled(packet.frame) + Int64(part)
    packet.fraction = part - part.rounded(.down)
    packet.frameCount = scaled(packet.frameCount)
    packet.discard = PacketDiscard(atStart: scaled(packet.discard.atStart), atEnd: scaled(packet.discard.atEnd))
    return packet
  }
}
