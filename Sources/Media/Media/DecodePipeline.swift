internal import AudioModel
internal import Codecs
internal import Containers
internal import DSP

/// Packets to sound on the trimmed timeline, in one format from the first frame to the last.
final class DecodePipeline {
  /// The format of all that comes out.
  let format: PCMFormat
  let reader: any PacketReader
  private(set) var decoder: any AudioDecoder
  private let makeDecoder: (StreamFacts) throws(AudioError) -> any AudioDecoder

  /// Packets that could not be decoded and were replaced by silence.
  private(set) var concealedPackets = 0
  /// Position of the bytes that were decoded last.
  private(set) var bytePosition: Int64 = 0
  /// A seek was interrupted on its way: only another one tells where the stream stands.
  private(set) var isLost = false
  /// The stream ended before all that it states was there.
  private(set) var isTruncated = false

  /// Sound in ``format``, of which frames `available` are to be heard; the first of them is at ``position``.
  private(set) var block: PCMBlock
  private(set) var available = 0..<0
  private(set) var position: Int64 = 0

  /// A damaged packet's length comes from the file: longer ones are not believed.
  private static let longestConcealment = 192_000
  /// Packets in a row that may fail before the stream is given up.
  private static let mostFailures = 2_000

  /// Frames beyond this are nonsense; sums of those within can't overflow.
  private static let limit: Int64 = 1 << 60
  /// No encoder adds more behind the end.
  private static let longestPadding = 8_192

  private let isLive: Bool
  private var decoded: PCMBlock
  private var converter: FormatConverter?
  private var nextFrame: Int64 = 0
  private var wanted: Int64 = 0
  private var isPlacing = true
  /// How far behind a whole frame the sound begins that the decoder is to give next, in parts of one: conversion of
  /// rates that begins there makes what it would have made of all the sound before.
  private var fraction = 0.0
  /// Frames at the end of ``block`` that may be an encoder's padding: where the length is not certain, only the end
  /// tells.
  private var held = 0
  private var isEnded = false
  private var failures = 0
  /// Frames of damaged packets that the next good one will be preceded by.
  private var missing = 0
  /// Frames that are still to be discarded at the start of a link of a chain.
  private var toSkip = 0

  /// - Parameter makeDecoder: Makes the decoder for another link of a chain.
  init(
    reader: any PacketReader, decoder: any AudioDecoder, isLive: Bool,
    makeDecoder: @escaping (StreamFacts) throws(AudioError) -> any AudioDecoder
  ) {
    self.reader = reader
    self.isLive = isLive
    self.decoder = decoder
    self.makeDecoder = makeDecoder
    format = reader.facts.format
    block = PCMBlock(channels: reader.facts.format.channels, capacity: 8_192)
    decoded = PCMBlock(channels: decoder.format.channels, capacity: 8_192)
    adapt()
  }

  /// Decodes until there is something to hear.
  /// - Returns: `false` at the end.
  func fill() throws(AudioError) -> Bool {
    while available.isEmpty {
      if isEnded { return false }
      block.removeFirst(block.frameCount - held)
      nextFrame -= Int64(held)
      if let packet = try nextPacket() {
        try decode(packet)
      } else {
        try finish()
      }
      trim()
    }
    return true
  }

  /// Takes `count` of the available frames away.
  func consume(_ count: Int) {
    available = available.lowerBound + count..<available.upperBound
    position += Int64(count)
  }

  /// Goes to a frame, or behind it where the stream can't be read from earlier on.
  func seek(to frame: Int64) throws(AudioError) {
    let distance = frame - position
    if !isLost && distance >= 0 && distance < Int64(available.count) {
      consume(Int(distance))
      return
    }
    do throws(AudioError) {
      _ = try reader.seek(to: frame)
    } catch {
      isLost = isLost || error.code == .interrupted
      throw error
    }
    isLost = false
    decoder.reset()
    converter?.reset()
    available = 0..<0
    held = 0
    wanted = frame
    position = frame
    isPlacing = true
    isEnded = false
    failures = 0
    missing = 0
    toSkip = 0
  }

  // MARK: Decoding

  /// The next packet. A container that breaks off in the middle ends there.
  private func nextPacket() throws(AudioError) -> Packet? {
    do throws(AudioError) {
      return try reader.nextPacket()
    } catch {
      isLost = isLost || error.code == .interrupted
      guard error.code.rawValue / 1_000 == 3, nextFrame > 0 else { throw error }
      isTruncated = true
      return nil
    }
  }

  private func decode(_ packet: Packet) throws(AudioError) {
    bytePosition = packet.position
    if packet.startsNewCoding { try changeDecoder() }
    if packet.isDiscontinuous && !isPlacing {
      isPlacing = !fillHole(upTo: packet.frame)
      decoder.reset()
    }
    if isPlacing {
      nextFrame = min(max(packet.frame, -Self.limit), Self.limit) - Int64(held)
      fraction = packet.fraction
      // Conversion goes on with the first whole frame.
      if fraction > 0 { nextFrame += 1 }
      converter?.reset(place: fraction)
    }
    decoded.removeAll()
    if missing > 0 { decoded.appendSilence(missing) }
    let concealed = missing
    do throws(AudioError) {
      try reader.withPacketBytes { bytes throws(AudioError) in
        while try decoder.decode(bytes, packet: packet, into: decoded) == .formatChanged {
          convert(0..<decoded.frameCount)
          adapt()
        }
      }
      failures = 0
      missing = 0
    } catch {
      guard error.recovery == .conceal else { throw error }
      failures += 1
      guard failures < Self.mostFailures else {
        throw AudioError(.decoderFailed, "Nothing that follows can be decoded", detail: error.detail)
      }
      concealedPackets += 1
      // Silence comes with the next good packet: what is damaged at the very end is only cut off.
      missing = min(missing + max(packet.frameCount, decoded.frameCount - concealed), Self.longestConcealment)
      decoded.removeAll()
    }
    // A packet that only sets the decoder up leaves the place to the next; one whose sound is late has the place.
    if decoded.frameCount > 0 || packet.frameCount > 0 { isPlacing = false }
    if decoded.frameCount > 0 { fraction = 0 }
    let discard = packet.discard
    toSkip += max(discard.atStart, 0)
    let start = min(toSkip, decoded.frameCount)
    toSkip -= start
    convert(start..<max(start, decoded.frameCount - max(discard.atEnd, 0)))
  }

  /// Puts silence where the container says that something is missing in front of a packet.
  /// - Returns: Whether the packet's place is behind the silence; else its position is a new beginning.
  private func fillHole(upTo frame: Int64) -> Bool {
    let (gap, isNonsense) = frame.subtractingReportingOverflow(nextFrame + Int64(block.frameCount + missing))
    guard !isNonsense, (0...Int64(Self.longestConcealment)).contains(gap) else { return false }
    if gap == 0 { return true }
    decoded.removeAll()
    if missing > 0 { decoded.appendSilence(missing) }
    missing = 0
    convert(0..<decoded.frameCount)
    converter?.finish(into: block)
    block.appendSilence(Int(frame - nextFrame) - block.frameCount)
    concealedPackets += 1
    return true
  }

  /// Goes on with another decoder behind the sound of the one before.
  private func changeDecoder() throws(AudioError) {
    decoded.removeAll()
    if !isPlacing {
      if missing > 0 { decoded.appendSilence(missing) }
      try decoder.finish(into: decoded)
      convert(0..<decoded.frameCount)
    }
    missing = 0
    toSkip = 0
    decoder = try makeDecoder(reader.facts)
    adapt()
  }

  private func finish() throws(AudioError) {
    isEnded = true
    if missing > 0 { isTruncated = true }
    decoded.removeAll()
    try decoder.finish(into: decoded)
    convert(0..<decoded.frameCount)
    converter?.finish(into: block)
    let end = nextFrame + Int64(block.frameCount)
    // Containers that count in milliseconds may promise a few frames that are not there.
    if let exactEnd, exactEnd - end > Int64(format.sampleRate.hertz / 20) { isTruncated = true }
  }

  /// Moves decoded sound on, converted where the decoder's format is another.
  private func convert(_ range: Range<Int>) {
    if let converter {
      converter.process(decoded, from: range.lowerBound, count: range.count, into: block)
    } else if block.frameCount == 0 && range == 0..<decoded.frameCount {
      // All of it, and nothing stands before it: as good as copied.
      swap(&block, &decoded)
    } else {
      block.append(decoded, from: range.lowerBound, count: range.count)
    }
    decoded.removeAll()
  }

  /// Makes ready for the decoder's present format.
  private func adapt() {
    converter?.finish(into: block)
    converter = decoder.format == format ? nil : FormatConverter(from: decoder.format, to: format)
    if fraction > 0 { converter?.reset(place: fraction) }
    if decoded.channels != decoder.format.channels {
      // Its memory is kept, however often a stream changes between mono and stereo; appending makes room.
      decoded.reshape(channels: decoder.format.channels, capacity: 1)
    }
  }

  /// Where the sound ends, if that is certain. Radio may begin with a file's header and does not end where that says.
  private var exactEnd: Int64? {
    guard !isLive, let duration = reader.facts.duration, duration.isExact else { return nil }
    return min(max(duration.frames, 0), Self.limit)
  }

  /// Says which frames of the block are to be heard.
  private func trim() {
    let count = Int64(block.frameCount)
    let begin = nextFrame
    nextFrame += count
    var end = nextFrame
    let exactEnd = exactEnd
    if let exactEnd, exactEnd < end {
      end = exactEnd
      isEnded = true
    }
    held = 0
    if !isEnded && exactEnd == nil && !isLive, let padding = reader.facts.encoderPadding {
      held = min(max(padding, 0), Self.longestPadding, block.frameCount)
      end -= Int64(held)
    }
    let first = max(begin, wanted, 0)
    guard first < end else { return }
    available = Int(first - begin)..<Int(end - begin)
    position = first
  }
}
