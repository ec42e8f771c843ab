import AudioModel

/// What is known of a whole MPEG stream: from its first frames, its information frame, and what has passed so far.
struct MPEGOutline {
  /// Where the sound ends as far as the source's length and tags at its end tell.
  var audioEnd: Int64?

  /// The sound ends before what was declared.
  private var isCut = false
  /// The first frame of sound; `nil` before it is found.
  private(set) var header: MPEGHeader?
  private(set) var info: MPEGInfoFrame?
  private(set) var firstFrame: Int64 = 0
  /// Frames of PCM that the encoder put in front and behind.
  private var delay: Int?
  private var padding: Int?
  private(set) var isFinished = false
  private var infoStart: Int64 = 0
  private var soundStart: Int64 = 0
  /// Packets that the information frame declares, if that is believable.
  private var declared: Int64?
  /// Where the sound ends on the trimmed timeline if it is as declared.
  private var trimmedEnd: Int64?
  /// The declared numbers agree with the source's length.
  private var isDeclarationSure = false
  /// The end of the declared sound was seen, and that nothing follows.
  private var isEndSeen = false
  private var finalFrames: Int64?
  private var smallestPacket = Int.max
  private var isOneRate = true
  /// The most of ``conversionMargin(_:)`` for the rates that were met.
  private(set) var conversionMargin: Int64 = 0

  // MARK: Learning

  mutating func begin(
    _ header: MPEGHeader, frame: MPEGSync.Frame, info: MPEGInfoFrame?, gapless: GaplessTag?, soundStart: Int64
  ) {
    self.header = header
    self.info = info
    self.soundStart = soundStart
    infoStart = frame.position
    smallestPacket = frame.byteCount
    (delay, padding) = (info?.delay, info?.padding)
    var packets = info?.frames
    if delay == nil, let gapless, let whole = Self.packets(of: gapless, header, declared: packets) {
      (delay, padding, packets) = (gapless.delay, gapless.padding, whole)
    }
    if let delay { firstFrame = -Int64(delay + MPEGParser.decoderDelay) }
    guard let packets, isBelievable(packets, bytes: info?.bytes) else { return }
    declared = packets
    let total = packets * Int64(header.frameCount)
    if delay != nil, let padding {
      let behind = max(0, Int64(padding - MPEGParser.decoderDelay))
      trimmedEnd = max(0, firstFrame + total - behind)
    }
    // Bytes that are missing, or too many, may be sound, unless no frame fits into them.
    if let excess, let info, !info.isVBRI {
      isDeclarationSure = (0..<sizes.lowerBound).contains(excess) || excess == Int64(ID3v1.size)
    }
  }

  /// Packets that iTunes' numbers amount to; `nil` when they don't fit, and so are not about this sound.
  private static func packets(of gapless: GaplessTag, _ header: MPEGHeader, declared: Int64?) -> Int64? {
    let total = Int64(gapless.delay + gapless.padding) + gapless.frames
    let (packets, rest) = total.quotientAndRemainder(dividingBy: Int64(header.frameCount))
    return rest == 0 && packets > 0 && packets == declared ?? packets ? packets : nil
  }

  /// Ticks of a second: each sample rate of MPEG audio divides it.
  private static let ticks: Int64 = 14_112_000

  private var ticksPerFrame: Int64 { Self.ticks / Int64(header?.sampleRate ?? 1) }

  /// Stands in front of a packet with this header: sound of another kind before it is converted to its end, which is the
  /// first whole frame that is not within it.
  func enter(_ header: MPEGHeader, _ point: inout MPEGPoint) {
    let format = header.sampleRate == self.header?.sampleRate ? nil : header.format
    guard format != point.converted else { return }
    if point.rest > 0 { point.frame += 1 }
    (point.converted, point.rest) = (format, 0)
  }

  /// Moves a point over packets with a header like this one. Their frames count on the timeline at the rate of the
  /// stream's first packet.
  func advance(_ point: inout MPEGPoint, by header: MPEGHeader, packets: Int64) {
    enter(header, &point)
    let frames = Int64(header.frameCount) * packets
    guard point.converted != nil else {
      point.frame += frames
      return
    }
    point.rest += frames * (Self.ticks / Int64(header.sampleRate))
    point.frame += point.rest / ticksPerFrame
    point.rest %= ticksPerFrame
  }

  /// How far behind its frame a point is, in parts of one.
  func fraction(_ point: MPEGPoint) -> Double { Double(point.rest) / Double(ticksPerFrame) }

  /// Frames of the timeline that sound of a rate takes to be converted, before a seek's target.
  func conversionMargin(_ own: SampleRate?) -> Int64 {
    guard let own, let rate = header?.format.sampleRate else { return 0 }
    return RateConversion.margin(from: own, to: rate)
  }

  /// Whether so many frames and bytes can belong together.
  private func isBelievable(_ frames: Int64, bytes: Int64?) -> Bool {
    guard let bytes = bytes ?? audioEnd.map({ $0 - infoStart }) else { return true }
    guard frames > 0, sizes.contains(bytes / frames) else { return false }
    guard let header, let info, info.isConstant, info.bytes != nil, !header.isFreeFormat else { return true }
    return abs(Double(bytes - (soundStart - infoStart)) - Double(frames) * exactSize) <= 2 * exactSize
  }

  /// Bytes that the source has behind the declared sound; negative when some of it is missing.
  private var excess: Int64? {
    guard let bytes = info?.bytes, let audioEnd else { return nil }
    return audioEnd - infoStart - bytes
  }

  mutating func note(_ frame: MPEGSync.Frame) {
    conversionMargin = max(conversionMargin, conversionMargin(frame.header.format.sampleRate))
    smallestPacket = min(smallestPacket, frame.byteCount)
    if let header, frame.header.bitRate != header.bitRate || !frame.header.continues(header) { isOneRate = false }
  }

  /// How many declared packets there are from this one on, if trimming begins in it and the end was not seen yet. Even a
  /// declaration that looks right may be wrong, and no sound is to be cut off for it.
  func packetsToCheck(at point: MPEGPoint, frameCount: Int) -> Int? {
    guard let declared, let trimmedEnd, !isEndSeen, !isFinished, point.packet < declared,
      point.frame + Int64(frameCount) > trimmedEnd
    else { return nil }
    return Int(min(declared - point.packet, 8))
  }

  /// Takes note of what was seen at the end of the declared sound.
  /// - Parameters:
  ///   - end: Where whole packets end.
  ///   - goesOn: Sound follows, or may follow.
  mutating func decide(end: Int64, goesOn: Bool) {
    if goesOn || end < trimmedEnd ?? .max {
      isCut = !goesOn
      dropDeclaration()
    } else {
      isDeclarationSure = true
      isEndSeen = true
    }
  }

  /// The sound is longer or shorter than declared: nothing is trimmed at the end.
  mutating func dropDeclaration() {
    declared = nil
    trimmedEnd = nil
    info?.points = []
  }

  /// Whether a packet of this number lies behind what was declared.
  func isBeyondDeclared(_ packet: Int64) -> Bool { declared.map { packet >= $0 } ?? false }

  /// The end was reached: so many packets there are.
  mutating func finish(packets: Int64, frame: Int64, position: Int64) {
    isFinished = true
    audioEnd = position
    if let declared, packets < declared { isCut = true }
    finalFrames = packets == declared ? trimmedEnd ?? frame : frame
  }

  /// Only reading it all would tell the length: nothing is declared, or more is there than that.
  var wantsScan: Bool {
    guard let audioEnd, audioEnd - soundStart <= MPEGParser.scanLimit else { return false }
    return declared == nil || (!isDeclarationSure && excess ?? 1 > 0)
  }

  // MARK: Telling

  /// When the estimate of the duration is told anew: after 64 packets, and after every fourfold.
  static func isTimeToRefine(packets: Int64) -> Bool {
    packets >= 64 && packets.nonzeroBitCount == 1 && packets.trailingZeroBitCount % 2 == 0
  }

  func facts(scanned: MPEGPoint, sourceIsCheap: Bool) -> StreamFacts? {
    guard let header else { return nil }
    var facts = StreamFacts(container: "mp3", codec: header.codec, format: header.format)
    facts.duration = duration(scanned)
    facts.isTruncated = isCut
    facts.bitRate = bitRate(scanned)
    facts.encoderDelay = delay
    facts.encoderPadding = trimmedEnd == nil ? nil : padding
    facts.seekability = sourceIsCheap || isConstant || isFinished ? .exact : .estimated
    facts.seekPreroll = Int(prerollFrames)
    return facts
  }

  private func duration(_ scanned: MPEGPoint) -> MediaDuration? {
    guard let header else { return nil }
    let rate = Double(header.sampleRate)
    if let finalFrames { return MediaDuration(frames: max(0, finalFrames), isExact: true) }
    if let declared {
      let frames = trimmedEnd ?? max(0, firstFrame + declared * Int64(header.frameCount))
      if isDeclarationSure { return MediaDuration(frames: frames, isExact: true) }
      let packets = excess.map { abs(Double($0)) / averageSize(scanned) + 1 }
      return MediaDuration(
        frames: frames, isExact: false, errorSeconds: packets.map { $0 * Double(header.frameCount) / rate })
    }
    guard let audioEnd else { return nil }
    let rest = max(0, Double(audioEnd - scanned.position))
    let perPacket = Double(header.frameCount)
    let guess = Double(scanned.frame) + rest / averageSize(scanned) * perPacket
    let least = Double(scanned.frame) + rest / Double(sizes.upperBound) * perPacket
    let most = Double(scanned.frame) + rest / Double(sizes.lowerBound) * perPacket
    guard guess < 9e15 else { return nil }
    return MediaDuration(
      frames: max(0, Int64(guess.rounded())), isExact: false, errorSeconds: max(guess - least, most - guess) / rate)
  }

  private func bitRate(_ scanned: MPEGPoint) -> Int? {
    guard let header else { return nil }
    if isOneRate && (info?.isConstant ?? true) && !header.isFreeFormat { return header.bitRate }
    return Int(averageSize(scanned) * 8 * Double(header.sampleRate) / Double(header.frameCount))
  }

  /// Bytes of a packet on average: as declared, else as seen.
  private func averageSize(_ scanned: MPEGPoint) -> Double {
    if let declared, let bytes = info?.bytes { return max(Double(bytes) / Double(declared), 1) }
    if scanned.packet >= 3 { return max(Double(scanned.position - soundStart) / Double(scanned.packet), 1) }
    return max(exactSize, 1)
  }

  /// Bytes of a packet of the first one's bit rate, slots of padding spread evenly.
  private var exactSize: Double {
    guard let header else { return 1 }
    if header.isFreeFormat { return Double(smallestPacket) }
    return Double(header.frameCount / 8 * header.bitRate) / Double(header.sampleRate)
  }

  /// Smallest and largest packet that the kind of stream allows.
  private var sizes: ClosedRange<Int64> {
    guard let header, !header.isFreeFormat else { return 24...Int64(MPEGSync.longestFreeFrame) }
    let least = header.isMPEG1 || header.layer == 1 ? 32_000 : 8_000
    let most = header.isMPEG1 ? (header.layer == 1 ? 448_000 : header.layer == 2 ? 384_000 : 320_000) : 256_000
    let base = header.frameCount / 8
    return Int64(max(1, base * least / header.sampleRate))...Int64(base * most / header.sampleRate + header.slot)
  }

  // MARK: Seeking

  /// One bit rate throughout, certainly: the information frame says so and its numbers bear it out.
  private var isConstant: Bool {
    guard isOneRate, let info, info.isConstant, let declared, let bytes = info.bytes, let header,
      !header.isFreeFormat
    else { return false }
    return abs(Double(bytes - (soundStart - infoStart)) - Double(declared) * exactSize) <= exactSize
  }

  /// Frames to decode before a target: the reservoir of bits must fill, then two packets overlap into the third.
  var prerollFrames: Int64 {
    guard let header else { return 0 }
    guard header.layer == 3 else { return 2 * Int64(header.frameCount) }
    let main = max(1, smallestPacket - MPEGHeader.size - 2 - header.sideInfoBytes)
    let packets = min(max(3 + (header.reservoirLimit + main - 1) / main, 10), 96)
    return Int64(packets * header.frameCount)
  }

  /// How far ahead reading on is no worse than jumping: 64 packets.
  var nearFrames: Int64 { 64 * Int64(header?.frameCount ?? 0) }

  /// Where the packet with a frame should begin, without having seen it.
  func jump(to frame: Int64, scanned: MPEGPoint) -> (point: MPEGPoint, isExact: Bool)? {
    guard let header else { return nil }
    let perPacket = Int64(header.frameCount)
    var packet = max(0, frame - firstFrame) / perPacket
    packet -= packet % MPEGIndex.alignment
    if let declared { packet = min(packet, declared) }
    let exact = isConstant
    var offset = Double(packet) * exactSize
    var origin = soundStart
    if !exact {
      if let info, info.points.count > 1, let declared {
        let place = Double(packet) / Double(declared) * Double(info.points.count - 1)
        let low = min(max(Int(place), 0), info.points.count - 2)
        let base = Double(info.points[low])
        offset = base + (Double(info.points[low + 1]) - base) * min(place - Double(low), 1)
        origin = infoStart
      } else if !isOneRate || info != nil {
        offset = Double(packet) * averageSize(scanned)
      }
    }
    guard offset < 9e15 else { return nil }
    var position = max(soundStart, origin + Int64(offset) - 2)
    if let audioEnd { position = min(position, max(audioEnd, soundStart)) }
    let point = MPEGPoint(position: position, packet: packet, frame: firstFrame + packet * perPacket)
    return (point, exact)
  }
}
